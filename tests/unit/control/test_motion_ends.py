"""Why a motion ended, as the status of its axes shows it."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import nan
from uuid import UUID

import pytest
from held_engine import HeldEngine, position_move

from wmx_core.values import EmergencyStop, MotionStatus
from wmx_ros2_package.control.motion_ends import Doing, Ending, ending, is_over
from wmx_ros2_package.control.request import Begin, EndReason, MotionKind


def begin(
    *axes: int, kind: MotionKind = MotionKind.POSITION, targets: tuple[float, ...] = ()
) -> Begin:
    axes = axes or (0,)
    return Begin(
        id=UUID(int=1),
        source="/node",
        kind=kind,
        axes=axes,
        time=0.0,
        initial=(-3.0,) * len(axes),
        targets=targets or (1.0,) * len(axes),
        arrival=None,
    )


def at(position: float, *, axis: int = 0, **flags: bool) -> MotionStatus:
    """Two axes that rest at 0, one of them at `position` and with these flags."""
    status = HeldEngine().servo_on().status()
    changed = {"pos_cmd": position, "actual_pos": position, **flags}
    arrays = {name: getattr(status, name).copy() for name in changed}
    for name, value in changed.items():
        arrays[name][axis] = value
    return replace(status, **arrays)


def test_what_axes_do() -> None:
    held = HeldEngine(3).servo_on()
    held.motion.move_absolute([position_move(axis, 50.0, dec=0.5) for axis in range(3)])
    held.after(1.0)
    held.motion.stop([1])
    held.motion.set_servo(2, on=False)
    doing = Doing.of(held.after(1.0))
    assert doing == Doing(off=frozenset({2}), busy=frozenset({0, 1}), beyond_hold=frozenset({0}))
    held.engine.stop_communication()
    assert Doing.of(held.after(0.01)) == Doing(frozenset({0, 1, 2}), frozenset(), frozenset())


def doing(off: int = 9, busy: int = 9, beyond_hold: int = 9) -> Doing:
    return Doing(*(frozenset({axis}) for axis in (off, busy, beyond_hold)))


@pytest.mark.parametrize(
    ("does", "kind", "kept", "stopped", "expected"),
    [
        (doing(), MotionKind.POSITION, False, False, True),
        (doing(busy=0), MotionKind.POSITION, False, False, False),
        (doing(busy=1), MotionKind.POSITION, False, False, False),
        (doing(busy=1, off=0), MotionKind.POSITION, False, False, True),
        (doing(), MotionKind.TRAJECTORY, True, False, False),
        (doing(off=1), MotionKind.TRAJECTORY, True, False, True),
        (doing(), MotionKind.HOLD, False, False, False),
        (doing(busy=0), MotionKind.HOLD, False, False, False),
        (doing(busy=0, beyond_hold=0), MotionKind.HOLD, False, False, True),
        (doing(), MotionKind.HOLD, False, True, True),
        (doing(busy=0), MotionKind.HOLD, False, True, False),
    ],
)
def test_whether_a_motion_is_over(
    does: Doing, kind: MotionKind, *, kept: bool, stopped: bool, expected: bool
) -> None:
    assert is_over(begin(0, 1, kind=kind), does, kept=kept, stopped=stopped) is expected


@pytest.mark.parametrize(
    ("position", "target", "expected"),
    [
        (1.0, 1.0, EndReason.ARRIVED),
        (1.0 + 0.9e-6, 1.0, EndReason.ARRIVED),
        (1.0 + 1.1e-6, 1.0, EndReason.STOPPED),
        (0.9e-6, 0.0, EndReason.ARRIVED),
        (-1.1e-6, 0.0, EndReason.STOPPED),
        (1000.0 + 0.9e-3, 1000.0, EndReason.ARRIVED),
        (-1000.0 - 1.1e-3, -1000.0, EndReason.STOPPED),
        (1.0, nan, EndReason.STOPPED),
    ],
)
def test_a_motion_has_arrived_where_its_target_is(
    position: float, target: float, expected: EndReason
) -> None:
    assert ending(begin(targets=(target,)), at(position)).reason is expected


def test_a_motion_of_several_axes_has_arrived_when_all_have() -> None:
    status = at(1.0)
    assert ending(begin(0, 1, targets=(1.0, 0.0)), status) == Ending(EndReason.ARRIVED)
    stopped = Ending(EndReason.STOPPED, 0, "axis 1 was stopped at 0")
    assert ending(begin(0, 1, targets=(1.0, 0.5)), status) == stopped


FLAGS: list[tuple[dict[str, bool], EndReason, str]] = [
    ({"amp_alarm": True}, EndReason.ALARM, "axis 0: alarm"),
    ({"following_error_alarm": True}, EndReason.ALARM, "axis 0: following error too large"),
    ({"servo_on": False}, EndReason.SERVO_OFF, "axis 0: servo off"),
    ({"servo_offline": True}, EndReason.SERVO_OFF, "axis 0: drive offline"),
    ({"servo_offline": True, "servo_on": False}, EndReason.SERVO_OFF, "axis 0: drive offline"),
    ({"servo_on": False, "amp_alarm": True}, EndReason.ALARM, "axis 0: alarm"),
    ({"positive_ls": True}, EndReason.LIMIT, "axis 0: positive limit switch on at 0.5 u"),
    ({"negative_ls": True}, EndReason.STOPPED, "axis 0 was stopped at 0.5"),
    ({"positive_soft_limit": True}, EndReason.LIMIT, "axis 0: positive soft limit reached"),
    ({"negative_soft_limit": True}, EndReason.STOPPED, "axis 0 was stopped at 0.5"),
    (
        {"positive_ls": True, "servo_on": False},
        EndReason.LIMIT,
        "axis 0: positive limit switch on at 0.5 u, servo off",
    ),
    (
        {"positive_soft_limit": True, "servo_on": False},
        EndReason.LIMIT,
        "axis 0: positive soft limit reached at 0.5 u, servo off",
    ),
    ({"negative_ls": True, "servo_on": False}, EndReason.SERVO_OFF, "axis 0: servo off"),
    ({"positive_ls": True, "servo_offline": True}, EndReason.SERVO_OFF, "axis 0: drive offline"),
]


@pytest.mark.parametrize(("flags", "reason", "words"), FLAGS)
def test_the_gravest_that_its_axes_show_has_ended_it(
    flags: dict[str, bool], reason: EndReason, words: str
) -> None:
    found = ending(begin(), at(0.5, **flags))
    assert (found.reason, found.code) == (reason, 0)
    assert found.message.startswith(words)
    other = at(0.5, axis=1, **flags)
    assert ending(begin(0, 1, targets=(0.0, 1.0)), other).reason is reason
    assert ending(begin(0, targets=(0.0,)), other).reason is EndReason.ARRIVED


def test_a_motion_that_went_nowhere_met_no_limit() -> None:
    found = ending(begin(targets=(-3.0,)), at(0.5, positive_ls=True, servo_on=False))
    assert found.reason is EndReason.SERVO_OFF


@pytest.mark.parametrize("flag", ["negative_ls", "negative_soft_limit"])
@pytest.mark.parametrize(
    ("target", "gone", "expected"),
    [
        (-5.0, [()], EndReason.LIMIT),
        (-5.0, [{1.0}], EndReason.LIMIT),
        (1.0, [()], EndReason.STOPPED),
        (1.0, [{1.0}], EndReason.STOPPED),
        (1.0, [{1.0, -1.0}], EndReason.LIMIT),
        (nan, [{-1.0}], EndReason.LIMIT),
        (nan, [{1.0}], EndReason.STOPPED),
        (nan, [{1.0, -1.0}], EndReason.LIMIT),
        (nan, [()], EndReason.LIMIT),
        (nan, None, EndReason.LIMIT),
    ],
)
def test_a_limit_counts_that_lies_in_the_way_of_a_motion(
    flag: str, target: float, gone: Sequence[Collection[float]] | None, expected: EndReason
) -> None:
    """Which is the one of its target, and any that the axis has gone; each, where none is known."""
    status = at(0.5, **{flag: True})
    assert ending(begin(targets=(target,)), status, gone).reason is expected


def test_what_has_arrived_at_a_limit_has_arrived() -> None:
    assert ending(begin(), at(1.0, positive_ls=True)).reason is EndReason.ARRIVED
    assert ending(begin(), at(1.0, amp_alarm=True)).reason is EndReason.ALARM


@pytest.mark.parametrize("level", EmergencyStop)
def test_an_emergency_stop_is_graver_than_what_an_axis_shows(level: EmergencyStop) -> None:
    status = replace(at(0.5, amp_alarm=True), emergency_stop=level)
    assert ending(begin(), status)[:2] == (EndReason.EMERGENCY_STOP, 0)


def test_without_communication_nothing_else_is_known() -> None:
    held = HeldEngine().servo_on()
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    held.engine.stop_communication()
    assert ending(begin(), held.after(0.1))[:2] == (EndReason.ENGINE_LOST, 0)


@pytest.mark.parametrize("done", [False, True])
def test_homing_has_arrived_when_the_home_is_done(*, done: bool) -> None:
    """Wherever that is, and at whatever limit switch."""
    found = ending(begin(kind=MotionKind.HOMING), at(0.5, home_done=done, negative_ls=True))
    assert found[:2] == (EndReason.ARRIVED if done else EndReason.STOPPED, 0)
    assert bool(found.message) is not done


def test_a_stream_arrives_wherever_it_ends() -> None:
    assert ending(begin(kind=MotionKind.STREAM), at(0.5)).reason is EndReason.ARRIVED
    off = ending(begin(kind=MotionKind.STREAM), at(0.5, servo_on=False))
    assert off.reason is EndReason.SERVO_OFF
