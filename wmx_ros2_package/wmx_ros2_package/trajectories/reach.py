"""How far joints may be asked to go in a time: what is further would throw them there."""

from collections.abc import Sequence

from wmx_core.values import Floats


def too_far(
    names: Sequence[str], target: Floats, here: Floats, time: float, tolerance: float, top: Floats
) -> list[str]:
    """Which joints are asked to go further than at their `top` speeds in `time` s, and how far.

    By `tolerance` they may go further.
    """
    reach, way = tolerance + top * time, abs(target - here)
    return [
        f"{name} is at {at:.6g} and asked to go {far:.4g} u in {time:.4g} s: must be "
        f"{most:.4g} u or less (velocity_limit, start_tolerance)"
        for name, at, far, most in zip(names, here, way, reach, strict=True)
        if far > most
    ]
