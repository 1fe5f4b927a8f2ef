"""The robot: drawn as it is, and moved by its joints, by its tool, and to taught positions."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from acts import bring, click_for, follow, hold, order, take_control, told, until
from panels import Served, moving, settled, shows
from waits import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.chain import Chain
from wmx_ros2_package.robots.urdf import read_urdf_file

TURNED = """[...(getElement(window.wmxRobot?.scene())?.objects.values() ?? [])]
  .some(each => Math.abs((each.mesh ?? each).quaternion?.y ?? 0) > 0.15)"""
GROUND = """() => getElement(window.wmxRobot?.scene())?.scene?.children
  .find(each => each.object_id === "ground")?.material.color.getHexString()"""
BACKGROUND = """() => getElement(window.wmxRobot?.scene())?.renderer
  .getClearColor({ copy: color => color.getHexString() })"""


def at_rest(machine: Machine) -> bool:
    return bool(machine.status().at_rest.all())


def test_the_robot_is_drawn_and_only_joints_that_are_set_move(
    browse: Any, machine: Machine
) -> None:
    page = browse("/robot")
    take_control(page)
    bring(machine, 0.0, 0.0, 0.0, 0.3337)  # after the page was loaded
    joint4 = page.get_by_role("slider", name="joint4")
    eventually(
        lambda: abs(float(joint4.get_attribute("aria-valuenow")) - 0.3337) < 0.01, "it follows"
    )
    slider = page.get_by_role("slider", name="joint2")
    typed, slid = page.get_by_label("Target of joint1"), page.get_by_label("Target of joint2")
    move = page.get_by_role("button", name="Move the joints")
    targets: list[float] = []

    def begin() -> None:
        bring(machine, 0.0, 0.0, 0.0, 0.3337)
        typed.fill("0,12345")
        box = slider.bounding_box()
        slider.click(position={"x": box["width"] * 0.55, "y": box["height"] / 2})
        page.wait_for_function("field => field.value", arg=slid.element_handle())
        targets.append(float(slid.input_value()))
        move.click()

    def arrived() -> bool:
        expected = pytest.approx([0.12345, targets[-1], 0.0, 0.3337, 0.0, 0.0], abs=1e-6)
        begun = told(page, "move joints: joint1 to 0.12345")
        return begun and machine.status().command.tolist() == expected and at_rest(machine)

    until(page, begin, arrived, "the joints that are set move, and no other one")
    assert 0.3 < targets[-1] < 1.0
    assert typed.input_value() == "", "it stays from now on"
    page.wait_for_function(TURNED)
    order(page, move.click, "no joint is set")

    def go_too_far() -> None:
        slid.fill("99")
        move.click()

    order(page, go_too_far, "joint2: '99' is above ")
    page.get_by_role("button", name="Forget targets").click()
    hold(page.get_by_role("button", name="Jog joint3 up"), lambda: moving(machine, 2))
    page.mouse.up()
    eventually(lambda: not moving(machine, 2), "the axis rests")
    assert machine.axes[2].position > 0.0
    page.emulate_media(color_scheme="dark")
    for shown in GROUND, BACKGROUND:
        page.wait_for_function(f"({shown})() === '1d2430'")
    page.evaluate("window.drawn = getElement(wmxRobot.scene()).renderer")
    follow(page, "/events")
    page.wait_for_function("drawn.getContext().isContextLost()")  # nothing is drawn any more


BENT = [0.1, 0.4, 1.0, 0.3, 0.8, 0.2]
"""Joints far from any singular pose."""


def tool_place(machine: Machine) -> tuple[float, ...]:
    """Where the gripper is by the measured joints."""
    model = read_urdf_file(ROBOTS["arm"].urdf)
    chain = Chain(model, "gripper_link", machine.axes.names)
    return tuple(chain.pose(machine.status().position[: len(chain.joints)]).position.tolist())


def test_the_tool_is_shown_and_goes_straight_while_a_button_is_held(
    browse: Any, machine: Machine
) -> None:
    bring(machine, *BENT)
    page = browse("/robot", webgl=False)
    take_control(page)

    def pose_is_shown() -> bool:  # a motor that has arrived may settle for a moment still
        return f"x {tool_place(machine)[0]:8.4f} m" in page.locator("#tool-pose").inner_text()

    eventually(pose_is_shown, "the pose is shown")
    start = tool_place(machine)
    page.get_by_label("Move at, m/s").fill("0,1")
    up = page.get_by_role("button", name="Move gripper_link along x of the root, down")
    said = page.locator("#tool-said").filter(has_text="m at most: then")
    hold(up, lambda: tool_place(machine)[0] < start[0] - 0.03 and said.is_visible())
    page.mouse.up()
    eventually(lambda: at_rest(machine), "the tool rests")
    _, y, z = tool_place(machine)
    assert abs(y - start[1]) < 1e-3
    assert abs(z - start[2]) < 1e-3
    eventually(pose_is_shown, "the pose is shown")
    of_tool = page.get_by_role("option", name="of the tool")
    click_for(page.locator("#tool-axes"), of_tool)
    of_tool.click()
    turn = page.get_by_role("button", name="Turn gripper_link about z of the tool, up")
    hold(turn, lambda: not at_rest(machine))
    page.mouse.up()
    eventually(lambda: at_rest(machine), "the tool rests")


def test_a_position_is_taught_gone_to_renamed_and_deleted(
    browse: Any, machine: Machine, served: Served
) -> None:
    file = served.place.folder / "positions.yaml"
    bring(machine, 0.3, 0.2, 0.1)
    page = browse("/robot", webgl=False)
    take_control(page)
    dialog = page.get_by_role("dialog")

    def button(name: str) -> Any:
        return page.get_by_role("button", name=name, exact=False).first

    assert button("Go ...").is_disabled()

    def click_named(name: str, label: str) -> Callable[[], None]:
        def act() -> None:
            page.get_by_label("Name", exact=True).fill(name)
            button(label).click()

        return act

    save = click_named("pick", "Save where it is")
    until(page, save, file.exists, "it is saved")
    shows(page, "#taught-place", "joint1 0.3 rad, joint2 0.2 rad")
    order(page, save, "there is a position 'pick' already")
    follow(page, "/events")
    follow(page, "/robot")
    shows(page, "#taught-place", "joint1 0.3 rad, joint2 0.2 rad")
    bring(machine)

    machine.set_speed(50)
    page.wait_for_function("document.querySelector('#speed-axes')?.value === '50'")
    click_for(button("Go ..."), dialog)
    shows(page, ".confirm-text", "s at the speed of 50 %")
    machine.set_speed(100)
    page.wait_for_function("document.querySelector('#speed-axes')?.value === '100'")
    order(page, dialog.get_by_role("button", name="Move").click, "the speed is another one")
    dialog.wait_for(state="detached")

    def go() -> None:
        if not dialog.is_visible():
            click_for(button("Go ..."), dialog)
        shows(page, ".confirm-text", "joint1: 0.0000 to 0.3000 rad")
        dialog.get_by_role("button", name="Move").click()

    until(page, go, lambda: abs(machine.axes["joint1"].position - 0.3) < 1e-3, "it goes there")
    eventually(lambda: at_rest(machine), "it rests")
    rename = click_named("place", "Rename to the name above")
    until(page, rename, lambda: "place:" in file.read_text(), "it is renamed")
    bring(machine)
    click_for(button("Go ..."), dialog)
    # In one piece, for the page that has renamed it reads the file at this moment.
    draft = file.with_name("draft.yaml")
    draft.write_text(re.sub(r"joint3: \d\S*", "joint3: 2.9", file.read_text()))
    draft.replace(file)
    order(page, dialog.get_by_role("button", name="Move").click, "is another one by now, or gone")
    assert at_rest(machine)
    shows(page, "#taught-place", "joint3 2.9 rad")
    refusal = "joint3 would reach 2.9: must stay within -2.7 to 2.7"
    order(page, button("Go ...").click, refusal)

    def delete() -> None:
        if not dialog.is_visible():
            button("Delete ...").click()
        dialog.get_by_role("button", name="Delete it").click()

    until(page, delete, lambda: "place:" not in file.read_text(), "it is deleted")
    shows(page, "#taught-place", "no position is chosen")


FREE = """button => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return [0.1, 0.5, 0.9].every(x => [0.2, 0.5, 0.8].every(y =>
    button.contains(document.elementFromPoint(left + x * width, top + y * height))));
}"""
"""Whether nothing is in front of a button."""


def test_a_long_refusal_covers_no_stop_and_fits_the_events(browse: Any, machine: Machine) -> None:
    page = browse("/robot", webgl=False)
    take_control(page)
    machine.estop()
    shows(page, "#estop", "ACTIVE")

    def move() -> None:
        for number in range(1, 7):
            page.get_by_label(f"Target of joint{number}").fill("0.123456789")
        page.get_by_role("button", name="Move the joints").click()

    refusal = "emergency stop (level1) is in force"
    order(page, move, "joint6 to 0.12345", refusal)
    settled(page)
    assert page.get_by_role("button", name="Stop all").evaluate(FREE)
    page.locator("[data-page=events]").click()
    shows(page, "tbody", refusal)
    page.set_viewport_size({"width": 390, "height": 844})
    table = page.locator(".events .q-table__middle")
    eventually(lambda: table.evaluate("t => t.scrollWidth <= t.clientWidth"), "it fits")
    machine.release()
