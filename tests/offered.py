"""The services that the nodes offer, as their code says: tests keep no list of their own."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import wmx_ros2_package

NODES = Path(wmx_ros2_package.__file__).parent / "nodes"
OFFER = "create_service"


class Offer(NamedTuple):
    """A service of a node."""

    kind: Any
    """The class of its interface."""
    reads_only: bool


def offers(*rooms: str) -> dict[str, Offer]:
    """The services of some files or folders of nodes/, or of all, by their names.

    Left out are those whose names are parameters.
    """
    found: dict[str, Offer] = {}
    for file in sorted(NODES.rglob("*.py")):
        module = file.relative_to(NODES).with_suffix("").parts
        if not rooms or module[0] in rooms:
            found.update(_offers_of(file.read_text(), ".".join(module)))
    return found


def _offers_of(code: str, module: str) -> Iterator[tuple[str, Offer]]:
    if OFFER not in code:  # to read a file takes a tenth of the time that parsing it does
        return
    names = vars(import_module(f"wmx_ros2_package.nodes.{module}"))
    for call in ast.walk(ast.parse(code)):
        if not (isinstance(call, ast.Call) and getattr(call.func, "attr", "") == OFFER):
            continue
        kind, name = call.args[:2]
        if isinstance(name, ast.Attribute):  # of the parameters
            continue
        options = {each.arg: ast.unparse(each.value) for each in call.keywords}
        reads = options.get("quiet") == "True" or options.get("logged") == "False"
        yield (
            ast.literal_eval(name),
            Offer(names[ast.unparse(kind)], reads and "dated" not in options),
        )
