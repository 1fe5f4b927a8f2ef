"""The joints of a URDF, each with the motor that moves it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wmx_core.values import MAX_AXES

from ...validation import BadRequest, check_axis_name
from ..urdf import Joint, RobotModel

TURN = 2.0 * math.pi
FAR = 1e6
"""rad: a limit that is as good as none."""
FASTEST_MOTOR = 3000.0
"""rpm, of most servo motors."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A joint and the motor that moves it."""

    joint: Joint
    counts: int
    """Encoder counts of a motor revolution."""
    ratio: float
    """Motor revolutions of a revolution of the joint, or of 1 m."""

    @property
    def unit(self) -> float:
        """How many user units, rad or m, the ratio is for."""
        return 1.0 if self.joint.kind == "prismatic" else TURN

    @property
    def fastest(self) -> float:
        """What the motor reaches at 3000 rpm, rad/s or m/s."""
        return FASTEST_MOTOR / 60.0 / self.ratio * self.unit

    @property
    def ends(self) -> tuple[float, float]:
        """Between which positions it may be, rad or m."""
        return (-FAR, FAR) if self.joint.kind == "continuous" else (self.joint.low, self.joint.high)


def drives_of(
    model: RobotModel, counts: Sequence[int], ratios: Sequence[float], names: Sequence[str] = ()
) -> list[Drive]:
    """Return the joints of a robot with their motors: all that move, or `names`, in their order.

    `counts` and `ratios` have one value for all joints, or one for each. BadRequest with all that
    the URDF leaves open, or that a motor does not reach.
    """
    moving = model.moving
    chosen = [*names] or [*moving]
    wrong = [
        f"the URDF has no joint {name!r} that moves by itself: must be one of {', '.join(moving)}"
        for name in chosen
        if name not in moving
    ]
    if len({*chosen}) < len(chosen):
        wrong.append("joints: must name each once")
    every = [joint.name for joint in model.joints]
    wrong += [
        f"the URDF has {every.count(name)} joints called {name!r}: must be different"
        for name in sorted({*every})
        if every.count(name) > 1
    ]
    wrong += [f"the URDF: {text}" for name in chosen for text in check_axis_name(name)]
    fewest = len(chosen)
    if not wrong and not 1 <= len(chosen) <= MAX_AXES:
        wrong.append(f"the URDF has {len(chosen)} joints that move: must have 1 to {MAX_AXES}")
    for what, values in (("counts", counts), ("ratio", ratios)):
        if len(values) not in (1, len(chosen)):
            wrong.append(f"{what} has {len(values)} values: must have 1, or {len(chosen)}")
            fewest = min(fewest, len(values))
    if wrong:
        raise BadRequest([*wrong, *_option(names, chosen, chosen[:fewest])])
    many = [*counts] * (len(chosen) // len(counts)), [*ratios] * (len(chosen) // len(ratios))
    drives = [
        Drive(moving[name], *each)
        for name, each in zip(chosen, zip(*many, strict=True), strict=True)
    ]
    unusable = {drive.joint.name: [*_unusable(drive)] for drive in drives}
    if wrong := [text for texts in unusable.values() for text in texts]:
        usable = [name for name, texts in unusable.items() if not texts]
        raise BadRequest([*wrong, *_option(names, chosen, usable)])
    return drives


def _option(names: Sequence[str], chosen: Sequence[str], fitting: Sequence[str]) -> Iterable[str]:
    """Yield which joints are axes where no option names them, and how to take those that fit."""
    if not names and 0 < len(fitting) < len(chosen):
        yield (
            f"without --joints every joint that moves is an axis ({', '.join(chosen)}): "
            f"--joints {' '.join(fitting)} leaves out the others"
        )


def _unusable(drive: Drive) -> Iterable[str]:
    joint = drive.joint
    values = joint.low, joint.high, joint.velocity, joint.effort
    if not all(math.isfinite(value) for value in values):
        yield f"{joint.name}: its limits are {values}: must be finite"
        return
    if joint.kind != "continuous" and not joint.low < joint.high:
        yield f"{joint.name}: limit is {joint.low:g} to {joint.high:g}: upper must be above lower"
    if joint.velocity <= 0.0:
        yield (
            f"{joint.name}: its limit has no velocity, or {joint.velocity:g}: "
            'must be above 0, as in <limit velocity="3" effort="20"/>'
        )
    elif joint.velocity > drive.fastest * (1.0 + 1e-6):
        yield (
            f"{joint.name}: velocity of its limit is {joint.velocity:g}: must be at most "
            f"{drive.fastest:.4g}, which its motor reaches at {FASTEST_MOTOR:g} rpm with ratio "
            f"{drive.ratio:g}"
        )
