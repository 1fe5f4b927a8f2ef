"""What moves axes from a page: jogs, moves of joints, homing, and servos that go off."""

from collections.abc import Callable
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from waits import eventually

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package.client import MachineError
from wmx_ros2_package.panel.homing import Homing, HomingChanged, home_as_shown
from wmx_ros2_package.panel.joint_targets import JointsNotReady, move_of_joints
from wmx_ros2_package.panel.numbers import NoNumber
from wmx_ros2_package.panel.safety import held_buttons
from wmx_ros2_package.panel.safety.held_buttons import Hold, Jog, LeaseExpired
from wmx_ros2_package.panel.switching import REST_TIMEOUT, switch_off, wait_for_rest

PLUS = {"id": "1", "axis": 0, "directions": [1], "speeds": ["0,2"]}


def test_a_jog_goes_the_way_of_its_button() -> None:
    assert Hold.read(PLUS).velocities() == (0.2,)
    assert Hold.read(PLUS | {"directions": [-1]}).velocities() == (-0.2,)
    assert str(Hold.read(PLUS | {"directions": [-1]})) == "jog axis 0 at -0,2"
    base = {"id": "2", "axis": None, "directions": [0, -1], "speeds": ["none", "0.5"]}
    assert Hold.read(base).velocities() == (0.0, -0.5)


@pytest.mark.parametrize("speed", ["-0.3", "0", "", "1e1", "nan", "05,5,", "3.2", "1,000"])
def test_a_speed_that_is_none_moves_nothing(speed: str) -> None:
    begun: list[Any] = []
    axis = SimpleNamespace(jog=lambda velocity, **_: begun.append(velocity))
    machine: Any = SimpleNamespace(axes=[axis])
    hold = Hold.read(PLUS | {"speeds": [speed]})
    jog = Jog(hold, lambda before: hold.begin(machine, 3.1, before=before))
    eventually(lambda: jog.over, "it is over")
    assert isinstance(jog.error, NoNumber)
    assert not begun


@pytest.mark.parametrize(
    "change",
    [
        {"directions": [2]},
        {"directions": [-0.5]},
        {"directions": []},
        {"directions": ["x"]},
        {"directions": [1, 1], "speeds": ["1", "1"]},
        {"axis": -1},
        {"axis": 0.7},
        {"axis": "0"},
        {"axis": True},
        {"axis": None},
        {"speeds": []},
        {"speeds": None},
        {"axis": None, "tool": {"link": "t"}, "directions": [1] + [0] * 5, "speeds": ["1"] * 6},
        {"axis": None, "tool": {"link": "t", "of_tool": False}},
        {
            "axis": None,
            "tool": {"link": "t", "of_tool": False},
            "directions": [1, 1, 0, 0, 0, 0],
            "speeds": ["1"] * 6,
        },
    ],
)
def test_what_no_browser_sends_of_a_jog(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Hold.read(PLUS | change)


@pytest.fixture
def long_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """A jog is not ended by its lease, as long as a test lasts."""
    monkeypatch.setattr(held_buttons, "HOLD_LEASE", 60.0)


def test_a_stop_ends_a_jog_that_is_held_still(long_lease: None) -> None:
    stop, canceled = Event(), Event()
    motion: Any = SimpleNamespace(done=False, cancel=canceled.set)
    jog = Jog(Hold.read(PLUS), lambda _: motion, stopped=stop.is_set)
    eventually(lambda: jog.begun, "it has begun")
    assert not jog.over
    stop.set()
    assert canceled.wait(5.0)
    begun = Event()
    jog = Jog(Hold.read(PLUS), lambda _: begun.set(), stopped=stop.is_set)  # type: ignore[arg-type, return-value]
    eventually(lambda: jog.over, "it is over")
    assert not begun.is_set()


def test_a_press_waits_for_rest_and_not_beyond_its_release(long_lease: None) -> None:
    rests, begun, released = Event(), Event(), Event()

    def begin(_: Any) -> Any:
        begun.set()
        return SimpleNamespace(done=False, cancel=released.set)

    jog = Jog(Hold.read(PLUS), begin, ready=rests.is_set)
    assert not begun.wait(0.05)
    rests.set()
    assert begun.wait(5.0)
    jog.release()
    assert released.wait(5.0)
    begun.clear()
    rests.clear()
    jog = Jog(Hold.read(PLUS), begin, ready=rests.is_set)
    jog.release()
    rests.set()
    eventually(lambda: jog.ended, "it is over")
    assert not begun.is_set()


@pytest.mark.parametrize("commanded", [False, True])
def test_a_base_that_is_let_go_may_have_moved_only_if_it_was_commanded(commanded: bool) -> None:
    """Before that it waits until its wheels rest, and after it until it is known to drive."""
    tries, let_go, driven = Event(), Event(), Event()

    def drive(*_: float, before: Callable[[], None]) -> None:
        if commanded:
            before()
        tries.set()
        let_go.wait(5.0)
        before()
        driven.set()

    machine: Any = SimpleNamespace(base=SimpleNamespace(drive=drive))
    hold = Hold("1", None, (1, 0), ("0.2", "0.5"))
    jog = Jog(hold, lambda before: hold.begin(machine, before=before))
    assert tries.wait(5.0)
    jog.release()
    let_go.set()
    eventually(lambda: jog.ended, "it is over")
    assert (jog.error, jog.begun, driven.is_set()) == (None, commanded, False)


def test_what_a_press_computes_is_no_part_of_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_buttons, "READY_TIMEOUT", 30.0)
    planned, begun = Event(), Event()

    def begin(_: Any) -> Any:
        begun.set()
        return SimpleNamespace(done=False, cancel=lambda: None)

    def plan() -> None:
        jog_made.wait(5.0)
        jogs[0].until = 0.0  # as when no answer is taken meanwhile
        planned.set()

    jog_made, jogs = Event(), []
    jogs.append(Jog(Hold.read(PLUS), begin, plan=plan))
    jog_made.set()
    assert planned.wait(5.0)
    assert not begun.wait(0.05), "it began without a proof that the button is held"

    def begun_by_answers() -> bool:
        jogs[0].renew()
        return begun.is_set()

    eventually(begun_by_answers, "it has begun")
    eventually(lambda: jogs[0].over, "it ends without an answer of the browser")
    assert isinstance(jogs[0].error, LeaseExpired)


NAMES = ["a", "b", "c"]
NOW = {"a": 0.123456789, "b": -1.0, "c": 2.0}


def test_only_joints_that_were_set_move() -> None:
    move = move_of_joints(NAMES, {"b": 0.123456}, NOW, [], [1.0] * 3)
    assert move.positions[-1].tolist() == pytest.approx([0.123456789, 0.123456, 2.0], abs=1e-15)
    for place in 0, 2:
        assert np.ptp(move.positions[:, place]) == 0.0


@pytest.mark.parametrize(
    ("targets", "now", "moving", "why"),
    [
        ({}, NOW, [], "no joint is set"),
        ({"a": 1.0}, {"a": 0.0}, [], "not known where b, c is"),
        ({"a": 1.0}, {}, [], "not known where a, b, c is"),
        ({"a": 1.0}, NOW, ["c"], "c moves"),
    ],
)
def test_joints_that_are_not_moved(targets: Any, now: Any, moving: Any, why: str) -> None:
    with pytest.raises(JointsNotReady, match=why):
        move_of_joints(NAMES, targets, now, moving, [1.0] * 3)


def home(kind: int, direction: int = 0, position: float = 0.0, shift: float = 0.0) -> ParameterSet:
    return ParameterSet.defaults(1).with_axis(
        0,
        home_type=kind,
        home_direction=direction,
        homing_velocity_fast=0.3,
        home_shift_distance=shift,
        home_shift_velocity=0.2,
        home_position=position,
    )


SHIFTED = "MOVES by -0.4 rad at up to 0.2 rad/s (HomeShiftDistance), and is not searched for a home"


@pytest.mark.parametrize(
    ("parameters", "moves", "words"),
    [
        (home(0), False, "at 0.5000 rad. That place is called 0 rad from then on"),
        (home(0, position=2.0), False, "shift by +1.5000 rad"),
        (home(0, 1, shift=0.4), True, SHIFTED),
        (
            home(0, 1, shift=0.4),
            True,
            "at 0.5000 rad, and goes to 0.1000 rad. That place is called",
        ),
        (home(0, shift=0.4, position=2.0), True, "shift by +1.1000 rad"),
        (home(2), True, "MOVES in the positive direction at up to 0.3 rad/s until it finds the ho"),
        (home(2), True, "The place where it finds it is called 0 rad"),
        (
            home(2, shift=-0.1),
            True,
            ", and then by -0.1 rad at up to 0.2 rad/s (HomeShiftDistance): ",
        ),
        (home(2, shift=-0.1), True, "The place where it ends is called 0 rad"),
        (
            home(14, 1),
            True,
            "MOVES in the negative direction at up to 0.3 rad/s until it finds the",
        ),
        (home(1), True, "the index pulse of its encoder"),
        (home(3), True, "home switch, and to it again"),
        (home(17), True, "a mechanical end"),
    ],
)
def test_homing_says_what_it_will_do(parameters: ParameterSet, moves: bool, words: str) -> None:
    homing = Homing.of(parameters.axis(0))
    assert homing.moves is moves
    assert words in homing.words("Axis 0 · a", "rad", 0.5)
    summary = homing.summary("rad")
    assert summary.startswith("moves " if moves else "its position becomes ")
    assert ("(HomeShiftDistance)" in summary) is (homing.shift != 0.0)


def test_homing_that_would_do_something_else_is_refused() -> None:
    homed: list[int] = []
    axis = SimpleNamespace(home=lambda: homed.append(0), position=0.5)
    answers = [each.to_xml() for each in (home(0), home(2), home(0), home(0, shift=0.1), home(2))]
    answers[2:2] = ["", ParameterSet.defaults(2).of([1]).to_xml()]
    machine: Any = SimpleNamespace(
        axes=[axis], parameters=SimpleNamespace(export=lambda axes: answers.pop(0))
    )
    shown = Homing.of(home(0).axis(0))
    home_as_shown(machine, 0, shown, 0.5)
    assert homed == [0]
    with pytest.raises(HomingChanged):
        home_as_shown(machine, 0, shown, 0.5)
    for why in "does not show how axes are homed", r"does not show how axes \[0\] are homed":
        with pytest.raises(MachineError, match=why):
            home_as_shown(machine, 0, shown, 0.5)
    with pytest.raises(HomingChanged, match=r"it is at 0\.5000 by now, and was shown at 0\.4000"):
        home_as_shown(machine, 0, shown, 0.4)
    shifted = Homing.of(home(0, shift=0.1).axis(0))
    with pytest.raises(HomingChanged, match="was shown at"):
        home_as_shown(machine, 0, shifted, 0.4)
    assert homed == [0]
    home_as_shown(machine, 0, Homing.of(home(2).axis(0)), 0.4)  # which moves to its home
    assert homed == [0, 0]


def test_an_axis_that_moves_is_stopped_before_its_servo_goes_off() -> None:
    asked: list[str] = []
    moving = iter([[0], [0], [0], []])
    wait_for_rest(lambda: next(moving), lambda: asked.append("stop"), [0], pause=lambda s: None)
    assert asked == ["stop"]
    wait_for_rest(list, lambda: asked.append("again"), [0])
    assert asked == ["stop"]


def test_servos_go_off_once_their_axes_rest() -> None:
    asked: list[str] = []
    at_rest = iter([[True, False, False], [True, False, False], [True, True, False]])
    machine: Any = SimpleNamespace(status=lambda: SimpleNamespace(at_rest=next(at_rest)))
    axes: Any = SimpleNamespace(stop=lambda: asked.append("stop"), off=lambda: asked.append("off"))
    switch_off(machine, axes, [0, 1])
    assert asked == ["stop", "off"]
    assert next(at_rest, None) is None, "it is off only when it rests"


def test_a_servo_whose_axis_does_not_rest_stays_on() -> None:
    now = iter(range(1000))
    with pytest.raises(
        MachineError, match=f"axes 1 still move {REST_TIMEOUT:g} s after their stop"
    ):
        wait_for_rest(
            lambda: [1],
            lambda: None,
            [0, 1],
            clock=lambda: float(next(now)),
            pause=lambda s: None,
        )
