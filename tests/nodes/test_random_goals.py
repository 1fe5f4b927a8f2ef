"""Goals of all kinds, sent, canceled and preempted at random: each is answered, the arm rests."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import ABORTED, CANCELED, NAMES, SUCCEEDED, Arm, Sent, robot_arm, tolerance, trajectory
from cases import cases
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.long

IN_QUEUE = 8
"""Requests under way: ROS keeps ten of a service, and drops older ones."""
PARTIAL = "allow_partial_joints_goal:=true"
ODD = float("nan"), float("inf"), -1e300, 1e16, 7.0, 100.0


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    with robot_arm(PARTIAL) as arm:
        yield arm


class Chaos:
    """Sends goals, and remembers them."""

    def __init__(self, arm: Arm, seed: int) -> None:
        self.arm = arm
        self.rng = random.Random(seed)
        self.sent: list[Sent] = []

    def go(self, count: int) -> None:
        """Send `count` goals; now and then cancel one, wait for one, or pause."""
        for _ in range(count):
            self.send()
            if self.rng.random() < 0.2:
                goal = self.rng.choice(self.sent[-5:])
                if goal.accepted():
                    goal.cancel()
            if self.rng.random() < 0.1 and self.sent[-1].accepted():
                self.sent[-1].ended()
            if self.rng.random() < 0.3:
                self.arm.client.clock.sleep(self.rng.uniform(0.0, 0.2))

    def send(self) -> None:
        if len(self.sent) >= IN_QUEUE:
            self.sent[-IN_QUEUE].accepted(60.0)
        rng = self.rng
        here = self.arm.position()
        count = rng.choice((1, 1, 1, 2, 2, 2, 2, 3, 3, 10))
        times = [0.0, *sorted(rng.uniform(0.1, 0.9) for _ in range(count))][:count]
        if count == 1 or rng.random() < 0.5:
            times = [t + 0.2 for t in times]
        rows = [here, *([self.near(p) for p in here] for _ in range(count))][:count]
        names = list(NAMES)
        if rng.random() < 0.3:
            rng.shuffle(names)
            rows = [[row[NAMES.index(name)] for name in names] for row in rows]
        if rng.random() < 0.3:  # for some of the joints, beside another or not
            some = slice(*rng.choice(((0, 3), (3, 6), (1, 5))))
            names, rows = names[some], [row[some] for row in rows]
        velocities = [[0.0] * len(names) for _ in rows] if rng.random() < 0.4 else []
        message = trajectory(times, rows, velocities, names=names)
        if rng.random() < 0.1:
            self.start_later(message)
        more = {}
        if rng.random() < 0.2:
            position = rng.choice((1e-4, 0.0, -1.0, 0.5))
            more["path_tolerance"] = [tolerance(rng.choice(names), position=position)]
        if rng.random() < 0.3:
            self.spoil(message)
        self.sent.append(self.arm.send(message, **more))

    def start_later(self, message: JointTrajectory) -> None:
        """At a full half second of the clock, which goals may have in common."""
        half = 500_000_000
        now = self.arm.client.clock.time_ns()
        soon = now // half * half + self.rng.choice((1, 2)) * half
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(soon, 10**9)

    def near(self, position: float) -> float:
        return max(-2.5, min(2.5, position + self.rng.uniform(-0.2, 0.2)))

    def spoil(self, message: JointTrajectory) -> None:
        """Break a rule, or nearly."""
        rng = self.rng
        point = rng.choice(message.points)
        match rng.randrange(7):
            case 0:
                point.positions[rng.randrange(len(point.positions))] = rng.choice(ODD)
            case 1:
                point.positions = point.positions[: rng.randrange(len(point.positions))]
            case 2:
                point.time_from_start.sec = rng.choice((-5, 3, 2**31 - 1))
            case 3:
                names = message.joint_names
                names[rng.randrange(len(names))] = rng.choice(("", "joint1", "elbow"))
            case 4:
                point.velocities = [rng.choice(ODD)] * rng.randrange(8)
            case 5:
                point.effort = [1.0]
            case 6:
                message.points = []


def end_of(sent: Sent) -> str:
    """What became of a goal, in a word."""
    if not sent.accepted():
        return "rejected"
    status, result = sent.ended(60.0)
    if status == ABORTED and "has taken over" in result.error_string:
        return "preempted"
    return {SUCCEEDED: "succeeded", ABORTED: "aborted", CANCELED: "canceled"}[status]


def campaign(arm: Arm, count: int, seed: int) -> Counter[str]:
    """How `count` goals ended; nothing moves then, and the arm goes home."""
    chaos = Chaos(arm, seed)
    chaos.go(count)
    ends = Counter(map(end_of, chaos.sent))
    assert ends.total() == count
    for end in ("rejected", "succeeded", "preempted"):
        assert ends[end] > count // 50, ends
    arm.at_rest()
    arm.active.latest(lambda m: not m.data)
    arm.home()
    return ends


def nothing_broke(arm: Arm) -> None:
    assert "internal error" not in arm.system.output.lower()
    assert "Traceback" not in arm.system.output


def test_hundreds_of_goals(arm: Arm) -> None:
    campaign(arm, cases(200), seed=1)
    nothing_broke(arm)
