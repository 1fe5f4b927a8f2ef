"""A line that takes over from a line: the engine lets the old one run out beside the new one.

The old line slows down along itself with the `dec` of the new one, which begins from rest a cycle
later, where the old one will end. What the axes do is the sum of both.
"""

from collections.abc import Sequence

from wmx_core.values import LinearMove

from ..engine.clock import CYCLE
from ..engine.motion.profile import Profile, Segment, at, cubic, hold, superposed
from ..engine.motion.straight_line import line, to_rest_together


def taking_over(
    move: LinearMove, courses: Sequence[Profile], gone: float, *, late: bool
) -> list[Profile]:
    """Return the profiles of `move`, whose axes have followed `courses` for `gone` seconds.

    With `late` the old line continues for a cycle first.
    """
    wait = CYCLE if late else 0.0
    now = [at(course, gone) for course in courses]
    then = [at(course, gone + wait) for course in courses]
    places, velocities = zip(*then, strict=True)
    fading = to_rest_together(places, velocities, move.dec)
    begins = [fade[-1].position for fade in fading]
    new = line(
        begins,
        [0.0] * len(begins),
        move.targets,
        max_velocity=move.velocity,
        acc=move.acc,
        dec=move.dec,
        shape=move.profile,
    )
    profiles = []
    for here, there, fade, begin, way, target in zip(
        now, then, fading, begins, new, move.targets, strict=True
    ):
        old = (cubic(CYCLE, here, there), *fade) if late else fade
        added = (
            Segment(wait + CYCLE, 0.0, 0.0),
            *(segment._replace(position=segment.position - begin) for segment in way),
        )
        *moving, _ = superposed(old, added)
        profiles.append((*moving, *hold(target)))
    return profiles
