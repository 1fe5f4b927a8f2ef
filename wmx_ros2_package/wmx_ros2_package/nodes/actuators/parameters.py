"""The parameters of the node of actuators."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ...actuators.description import KINDS, Actuator, actuators
from ...control.disarming import safe_outputs
from ...node_base.parameters import parameter
from ...robots.joint_layout import USUAL_ACTUATORS
from ...validation import BadRequest

FASTEST, QUICKEST = 75.0, 500.0
"""The greatest velocity and acceleration that the motors of the default simulated machine follow
without a following error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorNodeParameters:
    """The parameters of `wmx_actuator_node`: parallel arrays, one element for each of `names`.

    One element stands for all actuators, an empty array for the defaults of `Actuator`.
    """

    names: tuple[str, ...] = parameter(USUAL_ACTUATORS, "names of the actuators")
    axes: tuple[int, ...] = parameter((), "the axis of each; 0, 1, 2... if empty", (0, 127))
    kinds: tuple[str, ...] = parameter((), "of each: rad and N*m, or m and N", words=KINDS)
    position_min: tuple[float, ...] = parameter((), "rad or m", changeable=True)
    position_max: tuple[float, ...] = parameter((), "rad or m", changeable=True)
    velocity_max: tuple[float, ...] = parameter((FASTEST,), "rad/s or m/s", changeable=True)
    acceleration_max: tuple[float, ...] = parameter(
        (QUICKEST,), "rad/s^2 or m/s^2", changeable=True
    )
    effort_max: tuple[float, ...] = parameter((), "N*m or N", changeable=True)
    velocity: tuple[float, ...] = parameter(
        (), "of a move whose command has none, rad/s or m/s", changeable=True
    )
    acceleration: tuple[float, ...] = parameter(
        (), "of a command that has none, rad/s^2 or m/s^2", changeable=True
    )
    effort_per_percent: tuple[float, ...] = parameter(
        (), "N*m or N per percent of rated torque", changeable=True
    )
    state_rate: float = parameter(
        100.0, "messages on wmx/actuator_group/state a second, Hz", (1.0, 1000.0)
    )
    feedback_rate: float = parameter(
        20.0, "feedback of wmx/actuator/move a second, Hz", (0.1, 200.0), changeable=True
    )
    timeout: float = parameter(
        0.0,
        "how long VELOCITY and EFFORT without duration hold unless commanded anew, s; "
        "0 until they are stopped",
        (0.0, 3600.0),
        changeable=True,
    )
    safe_outputs: tuple[str, ...] = parameter(
        (), 'outputs and their values when disarmed, such as "2.0=0"', changeable=True
    )
    open_loop: tuple[str, ...] = parameter(
        (), "actuators without encoder, whose position is estimated from their commands"
    )

    def __post_init__(self) -> None:
        known = self.actuators()
        try:
            safe_outputs(self.safe_outputs)
        except ValueError as error:
            raise BadRequest([f"safe_outputs: {error}"]) from None
        if strangers := [name for name in self.open_loop if name not in known]:
            raise BadRequest([f"open_loop has {strangers[0]!r}: must be one of {', '.join(known)}"])

    def actuators(self) -> Mapping[str, Actuator]:
        """The actuators by their names."""
        return actuators(asdict(self))
