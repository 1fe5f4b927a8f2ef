"""The program that shows the system, and what it prints when things go wrong."""

import system as systems
from ros import eventually
from terminal import in_terminal


def test_when_the_system_ends_while_it_moves_it_says_so() -> None:
    with systems.place() as place, systems.system(place, "driver:=fake") as system:
        system.ready()
        demo = place.run(["wmx_demo", "--distance", "20"])
        eventually(
            lambda: max(system.client.state().velocity_cmd) > 0.1, f"they move: {demo.output}"
        )
        system.main.send_signal()
        system.main.wait()
        assert demo.wait() in (1, 2), demo.output
        assert "Traceback" not in demo.output
        assert "\ndone: " not in demo.output
        place.processes.clear()


def test_without_a_system_it_thinks_of_the_domain() -> None:
    with systems.place() as place:
        demo = place.run(["wmx_demo", "--timeout", "1"])
        assert demo.wait(40.0) == 2
        assert f"ROS domain {place.domain}" in demo.output


def last_table(output: str) -> list[str]:
    """The rows of the axes that were drawn last."""
    return [line for line in output.splitlines() if "axis_" in line and "." in line][-6:]


def test_the_last_table_in_a_terminal_shows_the_axes_at_rest() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        with in_terminal(["wmx_demo", "--distance", "0.1"], place.environment) as demo:
            assert demo.wait() == 0, demo.output
        rows = last_table(demo.output)
        assert len(rows) == 6
        assert all("at rest" in row for row in rows), rows
        assert "-0.0000" not in demo.output
