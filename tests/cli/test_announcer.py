"""What `bringup --events` prints of the system inside: when it is ready, and its motions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import system as systems
from held_system import HeldSystem, held_system

from wmx_ros2_package.cli import bringup
from wmx_ros2_package.cli.announcer import Announcer, next_commands
from wmx_ros2_package.client import Machine, Refused
from wmx_ros2_package.testing import HeldClock

STAMP = r"\d\d:\d\d:\d\d\.\d\d\d  "
READY = "The system is ready: 6 axes on the simulated engine: axis_0, axis_1,"


@contextmanager
def announced_system(*parameters: str, namespace: str = "") -> Iterator[HeldSystem]:
    nodes, _ = bringup.choose(*bringup.parse([]))
    clock = HeldClock()
    announcer = Announcer([*nodes], clock)
    with (
        systems.place() as place,
        held_system(
            place, *parameters, namespace=namespace, watch=announcer.watch, clock=clock
        ) as system,
    ):
        announcer.start()
        try:
            yield system
        finally:
            system.time.run(announcer.end)
            system.printed.truncate(0)


@pytest.mark.long
@pytest.mark.parametrize("namespace", ["", "/cell1"])
def test_it_says_when_it_is_ready_and_shows_motions(namespace: str) -> None:
    with announced_system(namespace=namespace) as system:
        system.says(READY)
        system.says("    wmx move axis_0 0.05 --by" + (" -n /cell1" if namespace else ""))
        with Machine(namespace, system.place.domain) as machine:
            with pytest.raises(Refused):
                machine.axes[0].move(0.1)
            system.says("axis_0: refused: Error=1567 (ServoOff)")
            machine.axes.on()
            machine.axes[0].move(0.1).wait()
        system.says("axis_0: arrived at 0.")
        assert re.search(f"{STAMP}axis_0: position to 0.1000 rad begins", system.output)


@pytest.mark.long
def test_it_is_ready_when_all_of_its_nodes_are() -> None:
    with announced_system("wmx_io_node:autostart:=false") as system:
        with Machine(domain=system.place.domain) as machine:
            machine.axes.on()
            machine.axes[0].move(0.1).wait()
            system.says("axis_0: arrived at 0.")
            assert "The system is ready" not in system.output
            for transition in ("configure", "activate"):
                machine.nodes.change("wmx_io_node", transition)
        system.says(READY)


def test_what_is_typed_next_reaches_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two systems in two domains, too, and while an emergency stop is active."""
    monkeypatch.delenv("ROS", raising=False)
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    assert next_commands("joint1", "/cell1", stopped=True).splitlines()[1:] == [
        "    export ROS_DOMAIN_ID=7",
        "    . ./env.sh",
        "    wmx release -n /cell1    # an emergency stop is still active",
        "    wmx on all -n /cell1",
        "    wmx move joint1 0.05 --by -n /cell1",
        "    wmx watch -n /cell1",
    ]
    monkeypatch.setenv("ROS_DOMAIN_ID", "0")
    assert next_commands("joint1", "/", stopped=False).splitlines()[1:3] == [
        "    . ./env.sh",
        "    wmx on all",
    ]
