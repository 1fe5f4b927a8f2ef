"""The tool of the robot: which links may be one, where it is, and its jog while a button is held.

A page gives the robot that it has read. A press computes the whole way that the tool may go, and
has the axes follow it as one trajectory, whose lease and end are those of every jog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..client import Machine, Motion
from ..client.link import nothing
from ..robots.chain import Chain, Pose, tool_links
from ..robots.finding import FoundRobot
from ..robots.tool_way import JointLimits, NoWay, ToolMove, ToolWay, tool_way
from .advice import advice, words
from .description import numbers_of
from .joint_targets import JointsNotReady
from .machine_link import MachineLink
from .numbers import NumberRule
from .safety.held_buttons import Hold, Jog

SPEED = NumberRule(name="speed", low=0.001, high=0.25)
"""Of the tool, m/s: 0.25 is the reduced speed of ISO 10218-1."""
TURN_SPEED = NumberRule(name="speed", low=0.005, high=1.0)
"""rad/s."""
JOINT_SHARE = 0.25
"""Of the highest velocity of each joint: no joint is faster, whatever the tool needs."""
GUESSED = (
    "whose URDF the robot has is not known: start the panel with --robot or --urdf, or publish "
    "robot_description"
)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A robot, and the machine as it was when the robot was read."""

    generation: int
    guessed: bool
    chains: Mapping[str, Chain]


class ToolJog:
    """The tools of one robot; any thread may use it."""

    def __init__(self, link: MachineLink) -> None:
        self._link = link
        self._shown = _Shown(-1, guessed=True, chains={})
        self.said = ""
        """How far the newest press may go, and why no further; or why it does nothing."""

    def show(self, robot: FoundRobot) -> Sequence[Chain]:
        """Take a robot that a page has read; its chains, the longest first."""
        axes = set(self._link.joints.get("joint_name", ())) & {*self._link.joint_positions}
        chains = tool_links(robot.model, axes)
        by_link = {chain.link: chain for chain in chains}
        self._shown = _Shown(self._link.generation, guessed=robot.guessed, chains=by_link)
        return chains

    def pose(self, chain: Chain) -> Pose | None:
        """Where the link of `chain` is by the measured positions; None without a status."""
        status = self._link.status
        if status is None:
            return None
        try:
            return chain.pose(status.position[self._axes(chain)])
        except NoWay:
            return None

    def rests(self, hold: Hold) -> bool:
        """Whether no joint of the tool slows down any more, after the press before."""
        status = self._link.status
        chain = self._shown.chains.get(hold.tool.link) if hold.tool is not None else None
        if status is None or chain is None:
            return True  # which `begin` says
        axes = numbers_of(self._link.actuators)
        return all(status.at_rest[axes[name]] for name in chain.joints if name in axes)

    def press(self, hold: Hold, stopped: Callable[[], bool]) -> Jog:
        """The jog of a button that is held."""
        planned: list[Callable[..., Motion]] = []
        self.said = ""
        return Jog(
            hold,
            lambda before: planned[0](before),
            ready=lambda: self.rests(hold),
            plan=lambda: planned.append(self.plan(self._link.connected, hold)),
            stopped=stopped,
            failed=self.failed,
        )

    def plan(self, machine: Machine, hold: Hold) -> Callable[..., Motion]:
        """What begins the way of a button that is held; NoWay or JointsNotReady.

        It takes what is called just before the axes are commanded, and what that raises it raises.
        """
        chain, way = self._way(machine, hold)

        def begin(before: Callable[[], object] = nothing) -> Motion:
            axes = machine.axes[chain.joints]
            motion = axes.follow(way.times.tolist(), way.positions.tolist(), before=before)
            self.said = _words(way, hold)
            return motion

        return begin

    def failed(self, error: Exception) -> None:
        """Say until the next press why one does nothing, or has ended by itself."""
        self.said = f"{words(error)}. {advice(error)}" if advice(error) else words(error)

    def _way(self, machine: Machine, hold: Hold) -> tuple[Chain, ToolWay]:
        assert hold.tool is not None
        move = _move(hold)
        shown = self._shown
        chain = shown.chains.get(hold.tool.link)
        if chain is None or shown.generation != self._link.generation:
            raise NoWay(f"where {hold.tool.link} is is not known: load the page again")
        if shown.guessed and not machine.simulated:
            raise NoWay(GUESSED)
        status = machine.status()
        axes = self._axes(chain)
        if busy := [
            name for name, axis in zip(chain.joints, axes, strict=True) if not status.at_rest[axis]
        ]:
            raise JointsNotReady(f"{', '.join(busy)} moves: stop it, or wait until it rests")
        return chain, tool_way(chain, status.command[axes], move, self._limits(chain, axes))

    def _axes(self, chain: Chain) -> list[int]:
        """The axis of each joint; NoWay where one has another unit than the URDF."""
        axes = numbers_of(self._link.actuators)
        found = [axes.get(name, -1) for name in chain.joints]
        for name, axis, slides in zip(chain.joints, found, chain.prismatic, strict=True):
            if axis < 0:
                raise NoWay(f"there is no axis {name} any more")
            unit, wanted = self._link.actuators[axis].unit, "m" if slides else "rad"
            if unit != wanted:
                raise NoWay(f"{name} has the unit {unit}: must be {wanted}, as the URDF has it")
        return found

    def _limits(self, chain: Chain, axes: Sequence[int]) -> JointLimits:
        """The narrower ones of each axis and of the server of trajectories."""
        server = self._link.joints
        places = [list(server["joint_name"]).index(name) for name in chain.joints]
        shown = [self._link.actuators[axis] for axis in axes]

        def of_server(name: str, otherwise: float) -> list[float]:
            values: list[Any] = [server[name][place] for place in places]
            return [otherwise if value is None else value for value in values]

        low = [-inf if axis.low is None else axis.low for axis in shown]
        high = [inf if axis.high is None else axis.high for axis in shown]
        speeds = [speed or inf for speed in of_server("velocity_limit", inf)]
        return JointLimits(
            low=np.maximum(low, of_server("position_lower", -inf)),
            high=np.minimum(high, of_server("position_upper", inf)),
            speed=JOINT_SHARE * np.minimum([axis.velocity for axis in shown], speeds),
        )


def _move(hold: Hold) -> ToolMove:
    assert hold.tool is not None
    number, turn, axis = hold.tool_direction
    return ToolMove(
        turn=turn,
        axis=axis,
        way=hold.directions[number],
        of_tool=hold.tool.of_tool,
        speed=(TURN_SPEED if turn else SPEED).read(hold.speeds[number]),
    )


def _words(way: ToolWay, hold: Hold) -> str:
    unit = "rad" if any(hold.directions[3:]) else "m"
    text = f"{way.length:.3f} {unit} at most: then {way.end}"
    return f"{text}; {way.slowed}" if way.slowed else text
