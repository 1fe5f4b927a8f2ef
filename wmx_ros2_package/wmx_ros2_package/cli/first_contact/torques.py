"""A step that turns an axis by torque, and stops it in every way there is."""

from collections.abc import Callable

from wmx3 import commands
from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.values import CommandMode, EmergencyStop, MotionStatus, OperationState, TorqueMove

from .session import STEP_TIMEOUT, Facts, Probe

LONGEST = 0.5
"""How long a torque is in force at most, s."""
REST = 0.05
"""Within this share of the velocity that is allowed a motor is taken for one that rests."""


def torques(probe: Probe, facts: Facts) -> None:
    """What StopTrq leaves; the driver's stop and its emergency stop of a torque."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    ends: dict[str, Callable[[Facts], object]] = {
        "StopTrq": lambda found: _stop_torque(probe, axis, found),
        "stop": lambda _: probe.motion.stop([axis]),
        "emergency stop": lambda _: probe.motion.emergency_stop(EmergencyStop.LEVEL1),
    }
    for name, end in ends.items():
        found: Facts = {}
        facts[name] = found
        _turn(probe, axis)
        try:
            _ended(probe, axis, end, found)
        finally:
            probe.motion.release_emergency_stop()
        probe.choose_mode(axis, CommandMode.POSITION)
        probe.go(axis, 0.0)


def _turn(probe: Probe, axis: int) -> None:
    """Turn with the torque that is allowed, no further than a quarter of the distance."""
    probe.choose_mode(axis, CommandMode.TORQUE)
    s = probe.settings
    began = probe.clock.now()
    from_here = float(probe.motion.status().actual_pos[axis])
    probe.motion.move_torque([TorqueMove(axis=axis, torque=s.torque)])

    def enough(status: MotionStatus) -> bool:
        far = abs(status.actual_pos[axis] - from_here) > s.distance / 4.0
        fast = abs(status.actual_velocity[axis]) > s.velocity
        return bool(far or fast) or probe.clock.now() - began > LONGEST

    probe.wait(enough)


def _ended(probe: Probe, axis: int, end: Callable[[Facts], object], found: Facts) -> None:
    """End the torque, and read what the axis does then."""
    before = probe.motion.status()
    try:
        end(found)
    except WmxError as error:
        found["refused"] = str(error)
    after = probe.motion.status()
    found |= {
        "it turned at, u/s": float(before.actual_velocity[axis]),
        "after it, u/s": float(after.actual_velocity[axis]),
        "operation state after it": int(after.op_state[axis]),
        "command mode after it": int(after.command_mode[axis]),
    }
    slow = REST * probe.settings.velocity

    def rests(status: MotionStatus) -> bool:
        idle = status.op_state[axis] == OperationState.IDLE
        return bool(idle and abs(status.actual_velocity[axis]) < slow)

    rest = probe.wait(rests)
    found |= {
        "its motor rests after, s": rest.time - before.time,
        "and, u": float(rest.actual_pos[axis] - before.actual_pos[axis]),
        "command mode then": int(rest.command_mode[axis]),
        "servo on then": bool(rest.servo_on[axis]),
    }


def _stop_torque(probe: Probe, axis: int, found: Facts) -> None:
    """The SDK's function, and position mode as soon as that is taken, as by the driver's stop."""
    session = probe.session
    session.torque.StopTrq_AxisSel(commands.axis_selection(session.sdk, [axis]))
    status = probe.motion.status()
    found["operation state after StopTrq"] = int(status.op_state[axis])
    found["command mode after StopTrq"] = int(status.command_mode[axis])
    found["after StopTrq, u/s"] = float(status.actual_velocity[axis])
    began = probe.clock.now()
    while True:
        try:
            session.axis_control.SetAxisCommandMode(axis, session.sdk.AxisCommandMode.Position)
            break
        except CommandRefused as refused:
            if refused.code != ErrorCode.NotIdleState or probe.clock.now() - began > STEP_TIMEOUT:
                raise
        probe.clock.sleep(0.001)
    found["position mode was taken after, s"] = probe.clock.now() - began
