"""Files of parameters of nodes, as ROS reads them: sections, each for the nodes of a pattern."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ..validation import BadRequest

PARAMETERS = "ros__parameters"
Section = dict[str, Any]


class Loader(yaml.SafeLoader):
    """Reads plain values as ROS does: 1e-3 is a number, a date is a text. A key comes once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Make a mapping; a ConstructorError where a key would replace the value of another."""
        seen: list[str] = []
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    "while reading a mapping",
                    node.start_mark,
                    f"{key.value!r} comes twice",
                    key.start_mark,
                )
            seen.append(key.value)
        return super().construct_mapping(node, deep)


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+$"),
    list("-+.0123456789"),
)
Loader.yaml_implicit_resolvers = {
    first: [each for each in of_it if each[0] != "tag:yaml.org,2002:timestamp"]
    for first, of_it in Loader.yaml_implicit_resolvers.items()
}


class Dumper(yaml.SafeDumper):
    """Writes texts as ROS reads them: to it y and n, which PyYAML has bare, are true and false."""


Dumper.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^[yYnN]$"), list("yYnN"))


def sections_of(path: Path) -> dict[str, Section]:
    """The sections of a file of parameters by their full patterns; BadRequest where it has none.

    Two that have the same pattern, such as `node` and `/node`, are one, as ROS has it.
    """
    try:
        content = yaml.load(path.read_text(), Loader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        where = " ".join(str(error).split())
        raise BadRequest([f"{path}: is no file of parameters: {where}"]) from None
    if content is None:
        return {}
    sections: dict[str, Section] = {}
    for pattern, parameters in _sections(path, content, ""):
        sections[pattern] = sections.get(pattern, {}) | parameters
    return sections


def configures(pattern: str, full_name: str) -> bool:
    """Whether a section `pattern` of a file configures the node `full_name`, as ROS has it."""
    words = [
        "(/[^/]+)*" if w == "**" else "/[^/]+" if w == "*" else f"/{re.escape(w)}"
        for w in pattern.strip("/").split("/")
    ]
    return re.fullmatch("".join(words), full_name) is not None


def _sections(path: Path, content: Any, above: str) -> Iterator[tuple[str, Section]]:
    if not isinstance(content, dict):
        where = f"section {above}" if above else "it"
        raise BadRequest([f"{path}: {where} is {content!r}: must be a mapping with {PARAMETERS}"])
    for name, inside in content.items():
        pattern = f"{above}/{str(name).strip('/')}"
        if isinstance(inside, dict) and PARAMETERS in inside:
            parameters = inside[PARAMETERS]
            if not isinstance(parameters, dict | None):
                rule = f"{PARAMETERS} is {parameters!r}: must be a mapping"
                raise BadRequest([f"{path}: section {pattern}: {rule}"])
            yield pattern, parameters or {}
        else:
            yield from _sections(path, inside, pattern)
