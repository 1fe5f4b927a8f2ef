"""A drive without an engine, that does by itself what its engine would have it do."""

from dataclasses import replace

from held_engine import MODEL, PARAMETERS

from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import CommandMode
from wmx_sim.engine.clock import Instant
from wmx_sim.engine.motion.curve import Curve
from wmx_sim.engine.motion.drive import Drive, State
from wmx_sim.engine.motion.shared_state import OwnedState
from wmx_sim.engine.motion.status_reading import StatusReader

BUSY = 10_000
"""More than what any motion of a test has to change."""


def axis_parameters(**changes: float) -> AxisParameters:
    """The parameters of the test machine with `changes`."""
    return ParameterSet.defaults(1).with_axis(0, **{**PARAMETERS, **changes}).axis(0)


class LoneDrive:
    """A drive of the test machine that controls what `mode` is about, or nothing.

    Its model has `places` of its own.
    With the test machine's parameters a user unit is one revolution.
    """

    def __init__(
        self,
        mode: CommandMode | None = CommandMode.POSITION,
        *,
        places: dict[str, float] | None = None,
        **parameters: float,
    ) -> None:
        self.shared_state = OwnedState(1)
        model = replace(MODEL, **(places or {}))
        self.drive = Drive(model, axis_parameters(**parameters), self.shared_state.column(0))
        self.shared_state.servo_on[0] = mode is not None
        self.time = 0.0
        self.changes: list[float] = []
        """When the motor began to move in another way by itself."""
        self.drive.close(0.0, mode)

    def order(self, *cubic: float) -> None:
        """Follow a cubic: position, velocity, acceleration and jerk now."""
        self.drive.set_setpoint(self.time, Curve(*cubic))

    def until(self, time: float) -> State:
        """Command and motor at `time`."""
        while (due := self.drive.changes_at) <= time:
            self.changes.append(due)
            assert len(self.changes) < BUSY, f"busy at {due} s"
            self.drive.change(due)
        self.time = time
        return self.drive.at(time)

    @property
    def torque(self) -> float:
        """Percent of rated torque, as the shared state shows it."""
        now = Instant(0, self.time, self.time)
        return StatusReader(self.shared_state).at(now).actual_torque.item()
