"""The engine's own reactions, where the SDK refuses, or has no room for, what is asked of it."""

import pytest
from checked_sdk import CheckedSdk
from held_engine import HeldEngine, velocity_move

from wmx_ros2_package.drivers.errors import CommandRefused, ErrorCode
from wmx_ros2_package.drivers.reactions import StopInput, StopKind
from wmx_ros2_package.drivers.values import OperationState

LAST = 127
"""An axis whose dead man has events that stop inputs would have."""


def test_stop_inputs_leave_the_dead_men_of_many_axes_alone() -> None:
    held = HeldEngine(LAST + 1).servo_on(LAST)
    vendor = CheckedSdk(held.fake)
    driver = vendor.attached()
    driver.engine.feed_dead_man([LAST], 0.05)
    driver.motion.jog([velocity_move(LAST)])
    driver.reactions.set_stop_inputs([])
    stop_input = StopInput(axis=0, address=0, bit=0, value=True, kind=StopKind.STOP)
    with pytest.raises(CommandRefused) as refused:
        driver.reactions.set_stop_inputs([stop_input])
    assert refused.value.code == ErrorCode.IDOutOfRange
    driver.engine.feed_dead_man([LAST], 0.05)
    for _ in range(60):
        held.after(0.001)
        vendor.runtime.look()
    assert held.after(2.0).op_state[LAST] == OperationState.IDLE
