"""Each example runs to its end, and says what it is meant to."""

import re
import sys
from pathlib import Path

import pytest
import system as systems
from held_robots import Robots, said_by

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAYS = {
    "move.py": r"axis_0 is at 1\.0.*ended with ARRIVED",
    "together.py": r"\d+%.*at \{0: 1\.0, 1: -0\.5\}",
    "jog.py": r"axis_0 rests at 0\.[1-9]",
    "inputs_outputs.py": r"output 0\.1 is True.*inputs 0 to 3: .*input 0\.2 came on",
    "fault.py": r"ALARM: .*what helps:\n.*the servo stays off: AxisAmpAlarm.*recovered: ARRIVED",
    "arm_trajectory.py": r"followed 6 joints",
    "gripper.py": r"closed.*open",
    "square.py": r"at 0\.50.*at -?0\.0",
}
ROBOTS = {"arm_trajectory.py": "arm", "gripper.py": "arm", "square.py": "base"}


def test_every_example_is_run() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")}
    elsewhere = {
        "asynchronous.py",  # tests/integration/test_documented_python.py
        "chunks.py",  # tests/nodes/test_robots_process.py
        "sdk_program.py",
    }
    assert programs == {*SAYS, *elsewhere}
    page = (EXAMPLES / "README.md").read_text()
    for path in (*EXAMPLES.glob("*.py"), *EXAMPLES.glob("*.ipynb")):
        assert path.name in page


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SAYS, key=lambda name: ROBOTS.get(name, "")))
def test_an_example(robots: Robots, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    robots.of(ROBOTS.get(name, ""))
    said = said_by(EXAMPLES / name, capsys)
    assert re.search(SAYS[name], said, re.DOTALL), said


@pytest.mark.process
def test_the_program_for_the_sdk() -> None:
    with systems.place() as place:
        command = [sys.executable, "-m", "wmx_sim", str(EXAMPLES / "sdk_program.py"), "--fast"]
        program = place.run(command)
        assert program.wait() == 0, program.output
        assert "axis 0 is at 50000.0" in program.output


def test_the_notebook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(EXAMPLES / "profiles.ipynb", 4)
    nbclient.NotebookClient(notebook, timeout=120).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("jerk limited" in output.get("text", "") for output in outputs)
