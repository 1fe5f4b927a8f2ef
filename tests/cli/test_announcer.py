"""What `bringup --events` prints of the system inside: when it is ready, and its motions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import system as systems
from held_system import HeldSystem, held_system

from wmx_ros2_package.cli import announcer, bringup
from wmx_ros2_package.cli.announcer import announced
from wmx_ros2_package.client import Machine, NotAnswered, Refused

STAMP = r"\d\d:\d\d:\d\d\.\d\d\d  "
READY = "The system is ready: 6 axes on the simulated engine: axis_0, axis_1,"


@contextmanager
def announced_system(*parameters: str, namespace: str = "") -> Iterator[HeldSystem]:
    nodes, _ = bringup.choose(*bringup.parse([]))
    announcement = announced([f"__ns:={namespace}"] if namespace else [], [*nodes])
    with (
        systems.place() as place,
        held_system(place, *parameters, namespace=namespace) as system,
    ):
        announcement.__enter__()
        try:
            yield system
        finally:
            system.time.run(lambda: announcement.__exit__(None, None, None))
            system.printed.truncate(0)


@pytest.mark.parametrize("namespace", ["", "/cell1"])
def test_it_says_when_it_is_ready_and_shows_motions(namespace: str) -> None:
    with announced_system(namespace=namespace) as system:
        system.says(READY)
        system.says("    wmx move axis_0 0.05 --by")
        with Machine(namespace, system.place.domain) as machine:
            with pytest.raises(Refused):
                machine.axes[0].move(0.1)
            system.says("axis_0: refused: Error=1567 (ServoOff)")
            machine.axes.on()
            machine.axes[0].move(0.1).wait()
        system.says("axis_0: arrived at 0.1000")
        assert re.search(f"{STAMP}axis_0: position to 0.1000 rad begins", system.output)


def test_it_is_tried_again_where_a_busy_machine_answers_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = iter([NotAnswered("no answer within 2 s")] * 2)

    def connect(namespace: str, **options: Any) -> Machine:
        for error in late:
            raise error
        return Machine(namespace, **options)

    monkeypatch.setattr(announcer, "Machine", connect)
    with announced_system() as system:
        system.says(READY)
        assert system.output.count("no answer within 2 s") == 1, "it is printed once"


def test_it_is_ready_when_all_of_its_nodes_are() -> None:
    with announced_system("wmx_io_node:autostart:=false") as system:
        with Machine(domain=system.place.domain) as machine:
            machine.axes.on()
            machine.axes[0].move(0.1).wait()
            system.says("axis_0: arrived at 0.1000")
            assert "The system is ready" not in system.output
            for transition in ("configure", "activate"):
                machine.nodes.change("wmx_io_node", transition)
        system.says(READY)
