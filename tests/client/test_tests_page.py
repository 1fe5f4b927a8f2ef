"""The program and the tests of the page on tests run as they stand there."""

import asyncio
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from wmx_ros2_package.client import aio
from wmx_ros2_package.testing import HeldMachine, held_machine, held_system

__all__ = ["held_machine"]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-tests.md"


@pytest.fixture
def tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    program, tests = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "transfer.py").write_text(program)
    (tmp_path / "documented_tests.py").write_text(tests)
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("documented_tests")
    for name in "transfer", "documented_tests":
        del sys.modules[name]


@pytest.mark.long
@pytest.mark.parametrize("name", ["test_it_arrives", "test_an_alarm_ends_it"])
def test_a_test_of_the_page(tests: ModuleType, held_machine: HeldMachine, name: str) -> None:
    getattr(tests, name)(held_machine)


@pytest.mark.long
def test_a_program_on_asyncio(held_machine: HeldMachine) -> None:
    axis = held_machine.axes[0]
    axis.on()
    begin = held_machine.clock.now()

    async def program() -> float:
        arrived, _ = await asyncio.gather(axis.move(1.0, velocity=0.5), asyncio.sleep(5.0))
        assert arrived.arrived
        return await aio(lambda: axis.position)

    assert held_machine.clock.run_async(program()) == pytest.approx(1.0, abs=0.01)
    assert held_machine.clock.now() - begin == pytest.approx(5.0, abs=0.5)


def test_a_system_has_the_options_of_bringup() -> None:
    with held_system("--ros-args", "-p", "axis_count:=2") as machine:
        assert len(machine.status().position) == 2
    wrong = held_system("--ros-args", "-p", "axis_count:=-1")
    with pytest.raises(RuntimeError, match="axis_count"), wrong:
        pass


def test_a_word_that_bringup_does_not_take() -> None:
    with pytest.raises(ValueError, match="--robto"), held_system("--robto"):
        pass


def test_one_system_at_a_time(held_machine: HeldMachine) -> None:
    with pytest.raises(RuntimeError, match="another held system"), held_system():
        pass
    assert len(held_machine.status().position) == 6
