"""Programs in the documentation, run as their users run them."""

import re
import sys

import system as systems
from documented_programs import ROOT, program_of
from system import Place


def program(place: Place, page: str) -> str:
    return str(program_of(page, place.folder))


def test_programs_of_users() -> None:
    """The first steps, and two programs on asyncio, which wait for real time."""
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
            (program(place, "docs/first-steps.md"), r"axis_0 is at 0\.50"),
            (of_page, r"^-0\.5 "),
            (
                ROOT / "examples/asynchronous.py",
                r"axis_0 has moved by 0\.5.*axis_1 has moved by -1\n",
            ),
        ):
            process = place.run([sys.executable, str(path)])
            assert process.wait() == 0, process.output
            assert re.search(says, process.output, re.DOTALL), process.output
