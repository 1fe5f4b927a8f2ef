"""The programs of first-steps.md and actuators.md, where a move is taken and where it is not."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import system as systems
from documented_programs import program_of
from held_robots import said_by
from held_system import HeldSystem, held_system, machines_on

from wmx_ros2_package.client import MachineError, NoSystem
from wmx_ros2_package.testing import HeldClock


@pytest.fixture
def system() -> Iterator[HeldSystem]:
    """One for each test: the programs begin at zero."""
    with systems.place() as place, held_system(place) as system:
        system.ready()
        yield system


def test_the_program_says_when_a_move_is_not_taken(
    system: HeldSystem, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system.client.must(
        "wmx/simulation/inject_faults", script="[{raise_alarm: {axis: 0, code: 0x7121}}]"
    )
    with pytest.raises(MachineError, match="AxisAmpAlarm"):
        said_by(program_of("docs/first-steps.md", tmp_path), capsys)
    assert system.client.state().pos_cmd[0] == 0.0


@pytest.mark.long
def test_a_move_is_taken_back_on_its_way(
    system: HeldSystem, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = said_by(program_of("docs/actuators.md", tmp_path), capsys)
    assert "taken back: axis_0 stands at " in said
    assert 0.1 < system.client.state().pos_cmd[0] < 5.0
    assert system.client.state().velocity_cmd[0] == 0.0


@pytest.mark.parametrize("page", ["docs/first-steps.md", "docs/actuators.md"])
def test_the_programs_say_when_no_system_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with systems.place() as place, closing(HeldClock()) as clock, machines_on(clock):
        monkeypatch.setenv("ROS_DOMAIN_ID", str(place.domain))
        with pytest.raises(NoSystem):
            said_by(program_of(page, tmp_path), capsys)
