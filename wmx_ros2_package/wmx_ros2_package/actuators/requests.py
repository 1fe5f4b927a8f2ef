"""What commands to actuators ask of the gate, and which axes they are for."""

from collections.abc import Callable, Mapping, Sequence

from ..control.request import MotionRequest
from ..drivers.values import MotionStatus
from ..validation import BadRequest
from .command import Command
from .description import Actuator
from .engine_calls import EngineCall


def require_axes(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], status: MotionStatus
) -> None:
    """BadRequest for an actuator on an axis that the engine has not."""
    chosen = [actuators[c.name] for c in commands if c.name in actuators]
    if missing := [actuator for actuator in chosen if actuator.axis >= status.axes]:
        raise BadRequest(
            [
                f"axis of actuator {actuator.name!r} is {actuator.axis}: the engine has "
                f"0 to {status.axes - 1}"
                for actuator in missing
            ]
        )


def motion_requests(
    commands: Sequence[Command],
    made: EngineCall,
    asked_at: float,
    purpose: str,
    own_run_time: Callable[[Command], float] = lambda _: 0.0,
) -> list[MotionRequest]:
    """One motion for each of `commands`, which were planned as `made`.

    `own_run_time` is after how long their node ends what the engine does not, s; 0 for never.
    """
    return [
        MotionRequest(
            kind=made.kind,
            axes=(axis,),
            names=(command.name,),
            asked_at=asked_at,
            purpose=purpose,
            id=command.id,
            targets=(target,),
            run_time=run_time or own_run_time(command),
            renewable=command.is_continuous and not command.duration,
            limit=made.limits.get(axis, ""),
        )
        for command, axis, target, run_time in zip(
            commands, made.axes, made.targets, made.run_times, strict=True
        )
    ]
