"""Who hears the begin and end of every motion, and holds them against each other."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from campaign import AXES
from motion_events import EVENTS_QOS, IN_POSITION, identity
from rclpy.qos import QoSProfile
from ros import Client
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_core.values import MotionStatus

ALL_EVENTS = QoSProfile(
    depth=5000, reliability=EVENTS_QOS.reliability, durability=EVENTS_QOS.durability
)
SERVER = "follow_joint_trajectory_server"
GOAL_TOLERANCE = 0.01001
"""How far off a motor may be at the end of a goal that has succeeded, u."""
IN_FLIGHT = AXES
"""Motions of a node that is killed whose begin one listener may have heard and another not: one of
each axis."""


class Observer:
    """Hears every begin and end."""

    def __init__(self, client: Client) -> None:
        self._clock = client.clock
        self._begins = client.listen("wmx/motion/begin", BeginMotion, ALL_EVENTS)
        self._ends = client.listen("wmx/motion/end", EndMotion, ALL_EVENTS)

    @property
    def begins(self) -> list[BeginMotion]:
        return self._begins.since(0.0)

    @property
    def ends(self) -> list[EndMotion]:
        return self._ends.since(0.0)

    def open(self) -> set[Any]:
        return {identity(b) for b in self.begins} - {identity(e) for e in self.ends}

    def require_pairs(self, kills: Mapping[str, int]) -> None:
        """Fail unless each begin has one end, and each end a begin or a refusal.

        A node that is killed (`kills` says how often each was) may have been heard by the engine
        node and not here: as many ends that nobody else can tell may be without a begin.
        """
        deadline = self._clock.now() + 60.0
        while (still := self.open()) and self._clock.now() < deadline:
            self._clock.sleep(0.2)
        assert not still, [(b, b.type) for b in self.begins if identity(b) in still][:3]
        begins, ends = self.begins, self.ends
        begun = Counter(identity(begin) for begin in begins)
        again = [[b.source, b.type, list(b.axes)] for b in begins if begun[identity(b)] > 1]
        assert begins, "no begin was heard"
        assert not again, f"begun more than once: {again[:5]}"
        twice = [id for id, times in Counter(identity(end) for end in ends).items() if times > 1]
        told = [[(e.source, e.reason) for e in ends if identity(e) == id] for id in twice]
        assert not twice, f"{len(twice)} ended twice: {told[:5]}"
        alone = [end for end in ends if identity(end) not in begun]
        strange = {end.reason for end in alone} - {EndMotion.REFUSED, EndMotion.OWNER_LOST}
        assert not strange, f"ends of {strange} without a begin"
        lost = Counter(end.source for end in alone if end.reason == EndMotion.OWNER_LOST)
        for source, times in lost.items():
            assert times <= kills.get(source, 0) * IN_FLIGHT, (lost, kills)
        began = {identity(begin): begin for begin in begins}
        for end in ends:
            begin = began.get(identity(end))
            if begin is not None:
                assert (end.source, list(end.axes)) == (begin.source, list(begin.axes))
                self._require_place(begin, end)

    @staticmethod
    def _require_place(begin: BeginMotion, end: EndMotion) -> None:
        if end.reason != EndMotion.ARRIVED:
            return
        width = GOAL_TOLERANCE if begin.source.endswith(SERVER) else IN_POSITION
        for target, final in zip(begin.target_position, end.final_position, strict=True):
            assert target != target or abs(target - final) <= width, (begin, end)

    def require_positions(self, status: MotionStatus, since: int) -> None:
        """Fail unless the last end of each axis, from number `since` on, is where its motor is."""
        last: dict[int, float] = {}
        for end in self.ends[since:]:
            last.update(zip(end.axes, end.final_position, strict=False))
        assert {*last} >= {*range(AXES)}
        for axis, final in last.items():
            assert abs(final - float(status.actual_pos[axis])) <= IN_POSITION, axis

    def figures(self) -> str:
        """What was seen, in words."""
        names = {
            value: name
            for name, value in vars(EndMotion).items()
            if name.isupper() and isinstance(value, int)
        }
        reasons = Counter(names.get(end.reason, end.reason) for end in self.ends)
        sources = Counter(begin.source for begin in self.begins)
        begun = {identity(begin) for begin in self.begins}
        unheard = sum(
            identity(end) not in begun and end.reason == EndMotion.OWNER_LOST for end in self.ends
        )
        return (
            f"{len(self.begins)} begins, {len(self.ends)} ends {dict(reasons)}; "
            f"{unheard} OWNER_LOST without a begin; {dict(sources)}"
        )
