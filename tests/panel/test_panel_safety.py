"""What the panel must never do: move what the page does not control, or does not show any more."""

from functools import partial
from typing import Any

import pytest
from acts import (
    ask_for_control,
    escape,
    hold,
    jog_button,
    keep_control,
    move_to,
    order,
    take_control,
    until,
)
from panels import LATE, moving, shows
from waits import eventually

from wmx_ros2_package.client import Machine, Motion


def test_one_page_has_control_until_it_hands_it_over(browse: Any, machine: Machine) -> None:
    ann, bob = browse("/axes?axis=0"), browse("/axes?axis=0")
    take_control(ann, "Ann")

    def ask() -> None:
        keep_control(ann)
        shows(bob, "#holder", "Control: Ann (127.0.0.1)")
        ask_for_control(bob, "Bob")
        shows(ann, "#problem", "Bob (127.0.0.1) asks for control: Give back hands it over")
        shows(bob, "#problem", "Ann (127.0.0.1) is asked for control. It may be taken in ")

    order(bob, ask, "Ann (127.0.0.1) has control")

    def keep() -> None:
        ask()
        ann.click("#keep:enabled")

    order(bob, keep, "take control: Ann (127.0.0.1) keeps it")
    ann.locator("#keep").wait_for(state="hidden")
    shows(ann, "#holder", "You have control")

    # Without control nothing moves, and a refusal hides nobody's stop.
    step = bob.get_by_role("button", name="+ Step")
    order(bob, step.click, "Ann (127.0.0.1) has control: take control first")
    refused = bob.locator("#problem").filter(has_text="Take control first")

    def press_and_stop() -> None:
        machine.release()
        hold(jog_button(bob), refused.is_visible)
        bob.wait_for_timeout(LATE)
        bob.mouse.up()
        machine.estop()

    until(bob, press_and_stop, refused.filter(has_text="EMERGENCY STOP").is_visible)
    assert machine.axes[0].position == pytest.approx(0.0, abs=1e-6)
    machine.release()
    shows(bob, "#estop:not(.active)", "EMERGENCY STOP")
    escape(bob)  # which needs no control
    shows(ann, "#estop", "ACTIVE")
    machine.release()
    machine.axes.on()
    others: list[Motion] = []

    def hand_over() -> None:
        if bob.locator("#give").is_visible():
            bob.click("#give")
        others.append(machine.axes[1].move(6.0, velocity=0.1))  # of another client
        until(ann, partial(move_to, ann, "6", "0.1"), lambda: moving(machine), "the axis moves")
        ask()
        ann.click("#give")

    has_control = bob.locator("#holder", has_text="You have control")

    def handed_over() -> bool:
        """What Ann has moved rests, and nothing else."""
        return bool(has_control.is_visible() and not moving(machine) and moving(machine, 1))

    until(bob, hand_over, handed_over, "control is handed over")
    shows(ann, "#holder", "Control: Bob (127.0.0.1)")
    machine.stop()


def test_control_and_its_motion_end_with_the_page(browse: Any, machine: Machine) -> None:
    page, viewer = browse("/axes?axis=0"), browse()
    take_control(page, "Ann")

    until(page, partial(move_to, page, "6", "0.1"), lambda: moving(machine), "the axis moves")
    page.close()
    shows(viewer, "#holder", "control is free")
    eventually(lambda: not moving(machine), "the axis rests")
    assert machine.axes[0].position < 5.0
