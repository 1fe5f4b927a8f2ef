"""`wmx sim`: a program for the vendor's SDK."""

import sys
from pathlib import Path

import pytest
from command_line import Shell

PROGRAM = """
from WMX3ApiPython import *
api = WMX3Api()
api.CreateDevice("", DeviceType.DeviceTypeNormal, INFINITE if False else 1000)
api.StartCommunication(1000)
core = CoreMotion(api)
core.axisControl.SetServoOn(2, 1)
while not core.GetStatus()[1].GetAxesStatus(2).servoOn:
    pass
move = Motion_PosCommand()
move.axis, move.target = 2, 100.0
move.profile.velocity, move.profile.acc, move.profile.dec = 1000.0, 10000.0, 10000.0
core.motion.StartPos(move)
core.motion.Wait(2)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_it_says_where_the_axes_are_in_the_end(shell: Shell, program: Path) -> None:
    ended = shell("sim", program, "--fast")
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("wmx_sim: 0.")
    assert ended.err.endswith("s of engine time; axis 2 is at 100\n")
    assert shell("sim", program, "--fast", "--json").data["positions"] == {"2": 100.0}


def test_a_program_finds_its_own_modules_and_arguments(shell: Shell, program: Path) -> None:
    (program.parent / "beside_the_program.py").write_text("NAME = 'found'\n")
    program.write_text("import sys, beside_the_program as b; print(b.NAME, sys.argv)\n")
    before = [*sys.path], [*sys.argv]
    for given, arguments in (([], []), (["two", "--", "-3", "--fast"], ["two", "-3", "--fast"])):
        ended = shell("sim", "--fast", program, *given)
        assert (ended.code, ended.out) == (0, f"found {[str(program), *arguments]}\n")
    assert (sys.path, sys.argv) == before


def test_a_program_that_fails_shows_its_own_lines_alone(shell: Shell, program: Path) -> None:
    program.write_text(PROGRAM + "core.motion.StartPso(move)\n")
    ended = shell("sim", program, "--fast")
    assert ended.code == 1
    lines = ended.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert str(program) in lines[1], "and no frame of this package above it"
    assert "wmx_sim" not in ended.err, "nor below it"
    # Newer releases of Python append what was probably meant.
    assert lines[-1].startswith("AttributeError: 'Motion' object has no attribute 'StartPso'")


def test_a_program_with_a_mistake_of_syntax(shell: Shell, program: Path) -> None:
    program.write_text("if:\n")
    ended = shell("sim", program)
    assert ended.code == 1
    assert "SyntaxError" in ended.err
    assert "wmx_sim" not in ended.err
    assert "runpy" not in ended.err


@pytest.mark.parametrize(("ends", "code"), [("SystemExit(7)", 7), ("KeyboardInterrupt", 130)])
def test_a_program_that_exits_or_is_interrupted_ends_in_one_line(
    shell: Shell, program: Path, ends: str, code: int
) -> None:
    program.write_text(f"{PROGRAM}raise {ends}\n")
    ended = shell("sim", program, "--fast")
    assert ended.code == code
    assert ended.err.endswith("axis 2 is at 100\n")
    assert len(ended.err.splitlines()) == 1
