"""Gives a drive the first segment of a profile at once, and each other one when it is due."""

from collections import deque
from collections.abc import Callable
from itertools import accumulate
from math import inf

from .curve import Curve
from .drive import Drive
from .profile import Profile, Segment, hold

AtRest = Callable[[float], None]
"""Called with the time at which the command has come to rest."""
Lead = Callable[[float, Curve, float], None]
"""Called with each segment that is entered: its start (s), course, and duration (s)."""


class ProfilePlayer:
    """Keeps `drive` on a profile; times are engine seconds."""

    def __init__(self, drive: Drive, lead: Lead) -> None:
        self.segment_end = inf
        """When the next segment is due."""
        self.known_until = inf
        """Until when the command is known: the end of the segment, of its own or of a master."""
        self.course: tuple[float, Profile] = (0.0, hold(0.0))
        """What is followed, or was last, and since when."""
        self._drive = drive
        self._lead = lead
        self._upcoming: deque[tuple[float, Segment]] = deque()
        self._at_rest: AtRest = lambda _time: None

    def follow(self, time: float, profile: Profile, at_rest: AtRest) -> None:
        """Follow `profile` from `time` on, in place of what is followed now."""
        self.put(time, profile, len(profile), at_rest)
        self.next_segment()

    def put(self, since: float, profile: Profile, upcoming: int, at_rest: AtRest) -> None:
        """Have `profile`, begun at `since`, of which the last `upcoming` segments are to come."""
        self.course = since, profile
        starts = accumulate((segment.duration for segment in profile), initial=since)
        segments = zip(starts, profile, strict=False)
        self._upcoming = deque(segments, maxlen=upcoming)
        self._at_rest = at_rest

    @property
    def upcoming(self) -> Segment:
        """The segment that is due next."""
        return self._upcoming[0][1]

    def next_segment(self) -> None:
        """Enter the segment that is due, at exactly the time it is due."""
        start, segment = self._upcoming.popleft()
        self.segment_end = self.known_until = start + segment.duration
        course = segment.curve
        self._drive.set_setpoint(start, course, segment.duration)
        self._lead(start, course, segment.duration)
        if not self._upcoming and segment.velocity == 0.0:
            self._at_rest(start)

    def shadow(self, start: float, course: Curve, duration: float) -> None:
        """Follow a segment of another player in place of a profile."""
        self.clear()
        self.known_until = start + duration
        self._drive.set_setpoint(start, course, duration)

    def clear(self) -> None:
        """Follow nothing any more; what the drive does is up to others."""
        self._upcoming.clear()
        self.segment_end = self.known_until = inf
