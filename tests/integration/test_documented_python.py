"""The programs in the documentation, run as they stand there."""

import re
import sys
from pathlib import Path

import system as systems
from system import Place

ROOT = Path(__file__).resolve().parents[2]


def program(place: Place, page: str) -> str:
    """The one Python program of a page, in a file."""
    [text] = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    path = place.folder / "program.py"
    path.write_text(text)
    return str(path)


def test_a_program_moves_an_axis() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        mover = place.run([sys.executable, program(place, "README.md")])
        assert mover.wait() == 0, mover.output
        assert "axis 0 is at 0.50" in mover.output
        assert system.client.state().pos_cmd[0] == 0.5


def test_the_program_says_when_a_move_is_not_taken() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        system.client.must("wmx/axis/set_mode", index=[0], data=[1])
        mover = place.run([sys.executable, program(place, "README.md")])
        assert mover.wait() == 1
        assert "TimeoutError: the move was not taken: see the node's log" in mover.output


def test_a_move_is_taken_back_on_its_way() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        mover = place.run([sys.executable, program(place, "docs/actuators.md")])
        assert mover.wait() == 0, mover.output
        assert "taken back: axis_0 stands at " in mover.output
        assert 0.1 < system.client.state().pos_cmd[0] < 5.0
        assert system.client.state().velocity_cmd[0] == 0.0


def test_the_driver_interface_alone() -> None:
    with systems.place() as place:
        example = place.run([sys.executable, program(place, "docs/simulation.md")])
        assert example.wait() == 0, example.output
        assert example.output == "at [ 1.  -0.5]\n"
        assert place.is_empty()
