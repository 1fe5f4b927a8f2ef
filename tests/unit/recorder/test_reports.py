"""Calls that command the engine are reported as they were made, refused or not."""

import json

import numpy as np
import pytest
from held_engine import HeldEngine, position_move

from wmx_core.errors import CommandRefused
from wmx_core.values import EmergencyStop, SplineMove
from wmx_ros2_package.control.reported_motion import Report, ReportedMotion
from wmx_ros2_package.messages.engine_commands import engine_command


def test_calls_and_refusals_are_reported_and_reads_are_not() -> None:
    held, reports = HeldEngine(2), list[Report]()
    motion = ReportedMotion(held.motion, reports.append, lambda: True)
    motion.status()
    motion.parameters()
    with pytest.raises(CommandRefused):
        motion.move_absolute([position_move(0)])
    motion.set_servo(1, on=True)
    motion.emergency_stop(EmergencyStop.LEVEL1)
    assert [report.method for report in reports] == ["move_absolute", "set_servo", "emergency_stop"]
    assert reports[0].error is not None
    assert reports[0].called_at <= reports[0].answered_at
    messages = [
        engine_command(report, "/node", lambda steady: int(steady * 1e9)) for report in reports
    ]
    assert [message.error_code for message in messages] == [1567, 0, 0]
    assert [json.loads(message.arguments) for message in messages[1:]] == [
        {"axis": 1, "on": True},
        {"level": 1},
    ]
    [move] = json.loads(messages[0].arguments)["moves"]
    assert (move["axis"], move["target"], move["profile"]["type"]) == (0, 1.0, 0)


def test_numbers_keep_every_bit() -> None:
    held, reports = HeldEngine(2).servo_on(), list[Report]()
    motion = ReportedMotion(held.motion, reports.append, lambda: True)
    positions = np.array([[0.0, 0.0], [1 / 3, -0.1], [0.7, 1e-5]])
    motion.move_spline(
        SplineMove(axes=(0, 1), times=np.array([0.0, 0.1, 0.3]), positions=positions)
    )
    message = engine_command(reports[0], "/node", lambda steady: 0)
    assert json.loads(message.arguments)["move"]["positions"] == positions.tolist()


def test_nothing_is_made_while_nobody_listens() -> None:
    held, reports = HeldEngine(1), list[Report]()
    ReportedMotion(held.motion, reports.append, lambda: False).set_servo(0, on=True)
    assert reports == []
    assert held.after(0.1).servo_on[0]


def test_no_command_fails_because_of_what_reports_it() -> None:
    held = HeldEngine(1)

    def fail(*_: object) -> bool:
        raise RuntimeError("the publisher was destroyed")

    ReportedMotion(held.motion, fail, lambda: True).set_servo(0, on=True)
    assert held.after(0.1).servo_on[0]
    ReportedMotion(held.motion, lambda _: None, fail).set_servo(0, on=False)
    assert not held.after(0.1).servo_on[0]
