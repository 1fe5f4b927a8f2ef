"""A system on the simulated engine in the process of a test, on a clock that is held."""

from __future__ import annotations

import gc
import os
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

import rclpy

from ..cli import bringup
from ..client import Machine
from ..node_base.kind import Kinds
from ..node_base.runner import NodeGroup
from .held_clock import HeldClock

ALONE = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF", "WMX_DRIVER": "fake"}
"""No program outside this process is found, and no engine but the simulated one is opened."""
LOCAL = "ROS_LOCALHOST_ONLY"
"""The older variable, the least that Humble has. Where it is 1, Jazzy does not read the newer one:
the programs of this computer would be found."""


class HeldMachine(Machine):
    """A machine whose time goes on only while the program waits for it."""

    clock: HeldClock
    """That of the nodes, the simulated engine and this machine."""


def parsed(arguments: Sequence[str]) -> tuple[Namespace, list[str]]:
    """What bringup understands of `arguments`; ValueError where it would not start."""
    try:
        return bringup.parse(arguments)
    except SystemExit:  # bringup has said on stderr what is wrong
        raise ValueError(f"bringup does not take {' '.join(arguments)!r}") from None


@contextmanager
def alone(folder: str) -> Iterator[None]:
    """Let this process be alone, with its files in `folder`, whatever the shell says of that."""
    own = {"XDG_RUNTIME_DIR": folder, "ROS_LOG_DIR": folder}
    with patch.dict(os.environ, {**ALONE, **own}):
        if os.environ.get("ROS_DISTRO") == "humble":
            os.environ[LOCAL] = "1"
        else:
            os.environ.pop(LOCAL, None)
        yield


@contextmanager
def held_system(*arguments: str) -> Iterator[HeldMachine]:
    """A machine on the nodes of `bringup` with `arguments`, which end with the block.

    ValueError for arguments that bringup does not have; RuntimeError where the nodes cannot be
    made, or where rclpy runs in this process already, which has one such system at a time.
    """
    if rclpy.ok():
        raise RuntimeError(
            "rclpy runs in this process already, perhaps for another held system: end it first"
        )
    gc.collect()  # a node of before that is destroyed only now ends the log of its name
    with tempfile.TemporaryDirectory(prefix="wmx") as folder, alone(folder):
        clock, group = HeldClock(), NodeGroup()
        try:
            kinds, given = bringup.choose(*parsed(arguments))
            words = ["bringup", *given]
            problem = clock.run(
                lambda: group.make(words, kinds, hosts_engine=True, others=Kinds(), clock=clock)
            )
            if problem:
                raise RuntimeError(problem)
            group.start()
            try:
                machine = HeldMachine(node=group.nodes[0], clock=clock)
                with machine:
                    yield machine
            finally:
                clock.run(group.close)
                clock.run(group.end_spinning)
        finally:
            clock.end_timers()
            clock.run(group.leave)
            clock.close()
