"""The program that shows the system, where that ends in the middle."""

import system as systems
from ros import eventually


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
