"""The programs in the documentation, run as they stand there."""

import sys

import system as systems
from documented_programs import program_of
from system import Place


def program(place: Place, page: str) -> str:
    return str(program_of(page, place.folder))


def test_a_program_moves_an_axis() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        mover = place.run([sys.executable, program(place, "README.md")])
        assert mover.wait() == 0, mover.output
        assert "axis_0 is at 0.50" in mover.output
        assert system.client.state().pos_cmd[0] == 0.5


def test_the_program_says_when_a_move_is_not_taken() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        system.client.must(
            "wmx/simulation/inject_faults", script="[{raise_alarm: {axis: 0, code: 0x7121}}]"
        )
        mover = place.run([sys.executable, program(place, "README.md")])
        assert mover.wait() == 1
        assert "AxisAmpAlarm" in mover.output
        assert system.client.state().pos_cmd[0] == 0.0


def test_the_programs_say_when_no_system_runs() -> None:
    with systems.place() as place:
        for page in ("README.md", "docs/actuators.md"):
            mover = place.run([sys.executable, program(place, page)])
            assert mover.wait() == 1
            assert "NoSystem" in mover.output


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
