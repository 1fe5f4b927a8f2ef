"""The Python programs in the documentation."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def program_of(page: str, folder: Path) -> Path:
    """The one Python program of a page, in a file in `folder`."""
    [text] = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    path = folder / "program.py"
    path.write_text(text)
    return path
