"""Every program of the pages of the library runs as it stands there.

That on asyncio waits for real time: tests/integration/test_documented_python.py.
"""

import re
from pathlib import Path

import pytest
from held_robots import Robots, said_by

pytestmark = pytest.mark.long

DOCS = Path(__file__).resolve().parents[2] / "docs"
PROGRAMS = [
    program
    for page in ("python.md", "python-errors.md", "python-machine.md")
    for program in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)
    if "asyncio.run(" not in program
]
SAYS = (
    r"axis_5 .*axis_0 is at 1\.00",
    r"0%.*ARRIVED \{0: .*\}.*STOPPED",
    r"True Would be at rest.*axis_1: .* u behind.*PositionArgumentOutOfRange",
    r"1567 ServoOff.*ALARM at \{0: ",
    r"\d+ samples, [12]\.\d u/s at most.* u behind",
    r"True b'.*OP \['OP'.*b'",
    r"StopInputStatus\(byte=0, bit=3, value=True, .*on=False\)",
    r"-0\.50",
    r"\[-?\d",
    r"^0\.4500$",
    r"joint1 is at -?0\.0",
    r"Pose\(x=",
)
"""What each of them prints."""


def robot_of(program: str) -> str:
    """The robot that a program needs."""
    return next((name for name in ("arm", "base") if f"machine.{name}" in program), "")


@pytest.mark.parametrize("number", range(len(SAYS)))
def test_a_program_of_the_pages(
    robots: Robots, number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(PROGRAMS) == len(SAYS)
    text = PROGRAMS[number]
    robots.of(robot_of(text))
    path = tmp_path / f"program_{number}.py"
    path.write_text(text)
    said = said_by(path, capsys)
    assert re.search(SAYS[number], said, re.DOTALL), said
