"""An electronic gear: one axis follows the segments of another one's profile as they begin."""

from .curve import Curve
from .profile_player import Follow, ProfilePlayer


class Gear:
    """A slave at its gear, until it is disengaged."""

    def __init__(self, master: ProfilePlayer, ratio: float, apart: float, follow: Follow) -> None:
        """Call `follow` with each segment that the slave is to be on.

        It is `ratio` times that of the master, and `apart` u from there.
        """
        self._master = master
        self._ratio = ratio
        self._apart = Curve(apart)
        self._follow = follow
        master.followers.append(self._enter)

    def disengage(self) -> None:
        """Follow no longer."""
        self._master.followers.remove(self._enter)

    def _enter(self, start: float, course: Curve, duration: float) -> None:
        self._follow(start, course.times(self._ratio).plus(self._apart), duration)
