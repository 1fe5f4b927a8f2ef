"""What commands to actuators must be, wherever the axes stand."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite

from ..validation import MOST_REASONS, BadRequest, told_once
from .command import Command, CommandType
from .description import Actuator


def check(commands: Sequence[Command], actuators: Mapping[str, Actuator]) -> None:
    """BadRequest with the rules that `commands` break."""
    reasons = [*_wrong_together(commands, actuators)]
    reasons += told_once(
        (reason, repr(command.name))
        for command in commands
        if command.name in actuators
        for reason in _wrong(command, actuators[command.name])
    )
    if reasons:
        raise BadRequest(reasons[:MOST_REASONS])


def require_axes(
    commands: Sequence[Command], actuators: Mapping[str, Actuator], engine_axes: int
) -> None:
    """BadRequest for an actuator on an axis that the engine has not."""
    chosen = [actuators[c.name] for c in commands if c.name in actuators]
    if missing := [actuator for actuator in chosen if actuator.axis >= engine_axes]:
        raise BadRequest(
            [
                f"axis of actuator {actuator.name!r} is {actuator.axis}: the engine has "
                f"0 to {engine_axes - 1}"
                for actuator in missing
            ]
        )


def _wrong_together(commands: Sequence[Command], actuators: Mapping[str, Actuator]) -> list[str]:
    if not 1 <= len(commands) <= len(actuators):
        return [f"there are {len(commands)} commands: must be 1 to {len(actuators)}, the actuators"]
    names = [command.name for command in commands]
    reasons = [
        f"there is no actuator {name!r}: must be one of {', '.join(actuators)}"
        for name in dict.fromkeys(names)
        if name not in actuators
    ]
    reasons += [
        f"{name!r} is named {names.count(name)} times: must be named once"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    types = dict.fromkeys(command.type for command in commands)
    reasons += [
        f"type is {type_}: must be 1 (POSITION) to {CommandType.STOP:d} (STOP)"
        for type_ in types
        if type_ not in [*CommandType]
    ]
    if len(types) > 1 and not reasons:
        together = " and ".join(CommandType(type_).name for type_ in types)
        reasons.append(f"{together} cannot start in the same cycle: send a message for each")
    return reasons


def _wrong(command: Command, actuator: Actuator) -> list[str]:
    """Return the rules that the numbers of a command break, each with `{name}` for its name.

    A stop uses none of them, and is refused for none.
    """
    if command.type == CommandType.STOP:
        return []
    where = "of {name}"
    numbers = {n: getattr(command, n) for n in ("value", "velocity", "acceleration", "duration")}
    reasons = [
        f"{name} {where} is {number}: must be finite"
        for name, number in numbers.items()
        if not isfinite(number)
    ]
    limits = (
        ("velocity", actuator.velocity_max),
        ("acceleration", actuator.acceleration_max),
        ("duration", inf),
    )
    reasons += [
        f"{name} {where} is {numbers[name]}: must be 0 to {most:g}"
        for name, most in limits
        if not 0.0 <= numbers[name] <= most and isfinite(numbers[name])
    ]
    low, high = {
        CommandType.POSITION: (actuator.position_min, actuator.position_max),
        CommandType.VELOCITY: (-actuator.velocity_max, actuator.velocity_max),
        CommandType.EFFORT: (-actuator.effort_max, actuator.effort_max),
    }.get(command.type, (-inf, inf))  # type: ignore[call-overload]
    if isfinite(command.value) and not low <= command.value <= high:
        reasons.append(f"value {where} is {command.value}: must be {low:g} to {high:g}")
    return reasons
