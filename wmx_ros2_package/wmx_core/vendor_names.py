"""What the vendor's module is known to offer: names and signatures, and numbers where published."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def listed() -> dict[str, Any]:
    """The list: `classes`, `enums` and `errors`; a number that is not published is None."""
    surface: dict[str, Any] = json.loads(Path(__file__).with_name("python_api.json").read_text())
    return surface


def missing(module: Any, surface: Mapping[str, Any]) -> list[str]:
    """The names of the list that `module` lacks."""
    lacks = []
    for kind, described in surface["classes"].items():
        members = [] if kind not in dir(module) else [*described["methods"]]
        lacks += [kind] * (kind not in dir(module))
        lacks += [f"{kind}.{name}" for name in members if not hasattr(getattr(module, kind), name)]
    for kind, members in {**surface["enums"], **surface["errors"]}.items():
        found = getattr(module, kind, None)
        lacks += [f"{kind}.{name}" for name in members if not hasattr(found, name)]
    return lacks


def numbers(module: Any, surface: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, int]]:
    """The module's numbers of the names of the list: those not published, and those other ones."""
    unpublished, others = {}, {}
    for kind, members in {**surface["enums"], **surface["errors"]}.items():
        for name, number in members.items():
            own = getattr(getattr(module, kind, None), name, None)
            if not isinstance(own, int):
                continue
            if number is None:
                unpublished[f"{kind}.{name}"] = own
            elif own != number:
                others[f"{kind}.{name}"] = own
    return unpublished, others
