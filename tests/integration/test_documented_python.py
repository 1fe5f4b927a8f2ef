"""Programs in the documentation, run as their users run them."""

import sys

import system as systems
from documented_programs import program_of
from system import Place


def program(place: Place, page: str) -> str:
    return str(program_of(page, place.folder))


def test_a_program_moves_an_axis() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        mover = place.run([sys.executable, program(place, "docs/first-steps.md")])
        assert mover.wait() == 0, mover.output
        assert "axis_0 is at 0.50" in mover.output
        assert system.client.state().pos_cmd[0] == 0.5


def test_the_driver_interface_alone() -> None:
    with systems.place() as place:
        example = place.run([sys.executable, program(place, "docs/simulation.md")])
        assert example.wait() == 0, example.output
        assert example.output == "at [ 1.  -0.5]\n"
        assert place.is_empty()
