"""What a recording is written for."""

import pytest
from held_engine import HeldEngine, position_move
from random_orders import machine_with_ends

from wmx_core.values import EmergencyStop
from wmx_ros2_package.control.request import EndReason
from wmx_ros2_package.nodes.recorder.triggers import StatusTriggers, trigger_of


def names(held: HeldEngine, found: StatusTriggers) -> list[str]:
    return [name for name, _ in found.find(held.status())]


def test_an_alarm_and_an_emergency_stop_once_each() -> None:
    held, found = HeldEngine(2).servo_on(), StatusTriggers({1: "joint2"})
    assert names(held, found) == []
    held.raise_alarm(1, 0x7121)
    [(name, words)] = found.find(held.status())
    assert (name, words[:17]) == ("alarm", "axis 1 (joint2): ")
    assert names(held, found) == []
    held.motion.emergency_stop(EmergencyStop.LEVEL1)
    assert names(held, found) == ["emergency_stop"]
    held.motion.clear_alarm(1)
    held.motion.release_emergency_stop()
    assert names(held, found) == []


def test_a_limit_and_a_drive_that_is_lost() -> None:
    held, found = machine_with_ends(), StatusTriggers({})
    names(held, found)
    held.motion.move_absolute([position_move(0, 5.0)])
    held.after(5.0)
    assert names(held, found) == ["limit"]
    held.play("[{drop_slave: {slave: 1}}]")
    held.after(0.1)
    assert names(held, found) == ["drive_offline"]


def test_a_following_error_that_is_too_large() -> None:
    held = HeldEngine(2, following_error_moving=0.05, following_error_type=1).servo_on()
    found = StatusTriggers({})
    names(held, found)
    held.fake.call("motion", "freeze_encoder", 0, frozen=True)
    held.motion.move_absolute([position_move(0, 5.0)])
    held.after(1.0)
    [(name, words)] = found.find(held.status())
    assert name == "following_error"
    assert words.startswith("axis 0: ")
    assert names(held, found) == []


def test_what_is_there_at_first_is_no_trigger() -> None:
    held, found = HeldEngine(1), StatusTriggers({})
    held.raise_alarm(0)
    assert names(held, found) == []


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        (EndReason.ALARM, "alarm"),
        (EndReason.OWNER_LOST, "node_lost"),
        (EndReason.ENGINE_LOST, "engine_lost"),
        (EndReason.NOT_ARRIVED, "not_arrived"),
        (EndReason.ARRIVED, None),
        (EndReason.REFUSED, None),
        (99, None),
    ],
)
def test_ends_of_motions(reason: int, name: str | None) -> None:
    found = trigger_of(reason, [1, 2], "why", {1: "axis_1", 2: "joint3"})
    assert found is None or found[1] == "axes 1, 2 (joint3): why"
    assert (found and found[0]) == name
