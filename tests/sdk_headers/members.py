"""Writes the members of the SDK's enums as macros, for the declarations in include/.

The numbers are those of the simulated SDK, which has the published ones of the vendor's.

    python3 members.py members.h
"""

import sys
from pathlib import Path

from wmx_sim.sdk.enums import ENUMS, ERRORS, SURFACE


def macros() -> list[str]:
    """Return a line for each enum, and for each class of errors without the inherited ones."""
    own = {name: {n: vars(ERRORS[name])[n] for n in SURFACE["errors"][name]} for name in ERRORS}
    enums = {name: vars(enum) for name, enum in ENUMS.items()}
    return [
        f"#define MEMBERS_{name} "
        + ", ".join(f"{each.replace('PyNone', 'None')} = {n}" for each, n in members.items())
        for name, members in (enums | own).items()
    ]


if __name__ == "__main__":
    text = "#pragma once\n" + "\n".join(macros()) + "\n"
    target = Path(sys.argv[1])
    if not target.is_file() or target.read_text() != text:  # what depends on it stays as it is
        target.write_text(text)
