"""Names that begin with a slash, which no namespace moves: two robots would share them.

One goal would move both, so a node in a namespace refuses such a name of a parameter unless the
parameter `absolute_names` says what is meant.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TypeVar

from ..validation import BadRequest

P = TypeVar("P")

REFUSE, MOVE, KEEP = "refuse", "move", "keep"
POLICIES = REFUSE, MOVE, KEEP
SUFFIXES = "_topic", "_action"
"""How parameters end that are names of topics, services and actions."""


def absolute_names(parameters: object) -> dict[str, str]:
    """The parameters that are names with a leading slash."""
    values = {
        each.name: getattr(parameters, each.name)
        for each in fields(parameters)  # type: ignore[arg-type]
        if each.name.endswith(SUFFIXES)
    }
    return {name: value for name, value in values.items() if value.startswith("/")}


def in_namespace(parameters: P, namespace: str, policy: str) -> P:
    """`parameters` with the names that a node in `namespace` uses.

    BadRequest where a name has to be refused.
    """
    found = absolute_names(parameters)
    if not found or not namespace.strip("/") or policy == KEEP:
        return parameters
    if policy == MOVE:
        moved = {name: value.lstrip("/") for name, value in found.items()}
        return replace(parameters, **moved)  # type: ignore[type-var]
    raise BadRequest(
        [
            f"{', '.join(f'{name} is {value!r}' for name, value in found.items())}: begins with a "
            f"slash, so the namespace {namespace} does not move it, and another robot with that "
            f"name gets each command, too: leave the slash out, set absolute_names to {MOVE}, or "
            f"to {KEEP} to use the name as it is"
        ]
    )
