"""Programs in the documentation, run as their users run them."""

import re
import sys

import system as systems
from documented_programs import ROOT, program_of
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


def test_programs_on_asyncio() -> None:
    """They wait for real time."""
    [text] = re.findall(
        r"```python\n((?:(?!```).)*?asyncio\.run.*?)```",
        (ROOT / "docs/python.md").read_text(),
        re.DOTALL,
    )
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        of_page = place.folder / "of_page.py"
        of_page.write_text(text)
        for path, says in (
            (of_page, r"^-0\.5 "),
            (
                ROOT / "examples/asynchronous.py",
                r"axis_0 has moved by 0\.5.*axis_1 has moved by -1\n",
            ),
        ):
            program = place.run([sys.executable, str(path)])
            assert program.wait() == 0, program.output
            assert re.search(says, program.output, re.DOTALL), program.output
