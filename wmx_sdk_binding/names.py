"""Writes the names of the SDK that the binding offers as a table for the C preprocessor.

They are those of the list that the backend is checked against, so that none is written twice. Names
that the headers of a release lack are left out by the compiler.

    python3 names.py python_api.json names.inc
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

PARTS = {"WMX3Api", "CoreMotion", "Io", "AdvancedMotion", "Ecat", "UserMemory", "EventControl"}
PARTS |= {"CyclicBuffer"}
"""Classes of functions: they are written by hand, in parts.cpp."""
OTHERS = ("Log", "MemoryLog", "constants")
"""Beginnings of names that nothing here uses; the constants are in names.cpp."""
EVENTS = {
    "UserMemoryEventInput": "input",
    "IoEventInput": "input",
    "CoreMotionEventOutput": "output",
}
"""Classes of events, with the union of their arguments in C++; in Python these are their own."""
UNREGISTERED = {("EcSlaveAxisInfo", "pdoInfo")}
"""Members whose class is not offered."""


def in_cpp(name: str) -> str:
    """Return the C++ name of a class or an enum: Motion_PosCommand is Motion::PosCommand."""
    for event, union in EVENTS.items():
        arguments = f"{event}FunctionArguments_"
        if name.startswith(arguments):
            kind = f"{union.title()}FunctionArguments"
            return f"{event}::{kind}::{name.removeprefix(arguments)}"
        if name == f"{event}Type":
            return event
    return name.replace("_", "::", 1)


def tables(api: dict) -> Iterator[str]:
    """Yield the lines of the table."""
    for kind in ("enums", "errors"):
        for name, members in api[kind].items():
            if name.startswith(OTHERS):
                continue
            yield f'ENUM("{name}", {in_cpp(name)})'
            yield from (f'MEMBER("{each}", {each.replace("PyNone", "None")})' for each in members)
            yield "END_ENUM"
    for name, described in api["classes"].items():
        if name in PARTS or name.startswith(OTHERS) or not described["attributes"]:
            continue
        kind = "ARGUMENTS" if "FunctionArguments_" in name else "STRUCT"
        yield f'{kind}("{name}", {in_cpp(name)})'
        for attribute in described["attributes"]:
            if (name, attribute) not in UNREGISTERED:
                yield from field(name, attribute, api["classes"])
        yield "END_STRUCT"


def field(name: str, attribute: str, classes: dict) -> Iterator[str]:
    """Yield the line of one attribute."""
    union = EVENTS.get(name)
    if union is None:
        yield f'FIELD("{attribute}", {attribute})'
    elif attribute == "type":
        yield f'FIELD("type", {union}Function)'
    elif f"{name}FunctionArguments_{attribute[0].upper()}{attribute[1:]}" in classes or (
        f"{name}FunctionArguments_{attribute[:2].upper()}{attribute[2:]}" in classes
    ):
        yield f'FIELD("{attribute}", {union}.{attribute})'


if __name__ == "__main__":
    text = "\n".join(tables(json.loads(Path(sys.argv[1]).read_text()))) + "\n"
    target = Path(sys.argv[2])
    if not target.is_file() or target.read_text() != text:  # what depends on it stays as it is
        target.write_text(text)
