"""`bringup --events`, which `make run` starts: what its terminal shows."""

import re

import pytest
import system as systems

STAMP = r"\d\d:\d\d:\d\d\.\d\d\d  "


@pytest.mark.parametrize("namespace", ["", "/cell1"])
def test_it_says_when_it_is_ready_and_shows_motions(namespace: str) -> None:
    remap = ("-r", f"__ns:={namespace}") if namespace else ()
    with systems.place() as place:
        bringup = place.start("bringup", options=("--events",), ros=remap)
        bringup.says("The system is ready: 6 axes on the simulated engine: axis_0, axis_1,")
        bringup.says("    wmx move axis_0 0.05 --by")
        at = ["-n", namespace] if namespace else []
        assert place.run(["wmx", "move", "0", "0.1", *at]).wait() == 1
        bringup.says("axis_0: refused: Error=1567 (ServoOff)")
        assert place.run(["wmx", "on", "0", *at]).wait() == 0
        assert place.run(["wmx", "move", "0", "0.1", *at]).wait() == 0
        bringup.says("axis_0: arrived at 0.1000")
        assert re.search(f"{STAMP}axis_0: position to 0.1000 rad begins", bringup.output)
        bringup.stop()


def test_it_is_ready_when_all_of_its_nodes_are() -> None:
    with systems.place() as place:
        bringup = place.start("bringup", "wmx_io_node:autostart:=false", options=("--events",))
        bringup.says("wmx_actuator_node is ready")
        assert place.run(["wmx", "on", "0"]).wait() == 0
        assert place.run(["wmx", "move", "0", "0.1"]).wait() == 0
        bringup.says("axis_0: arrived at 0.1000")
        assert "The system is ready" not in bringup.output
        for transition in ("configure", "activate"):
            assert place.run(["wmx", "node", transition, "wmx_io_node"]).wait() == 0
        bringup.says("The system is ready: 6 axes on the simulated engine: axis_0, axis_1,")
        bringup.stop()


def test_without_it_nothing_is_added() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        assert "The system is ready" not in system.output


def test_a_system_that_refuses_to_start_ends_as_before() -> None:
    with systems.place() as place:
        bringup = place.start("bringup", "axis_count:=999", options=("--events",))
        assert bringup.wait() == 1
        assert "Traceback" not in bringup.output
