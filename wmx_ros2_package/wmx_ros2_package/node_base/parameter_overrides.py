"""Checks what files and arguments set as parameters, before a node is made.

ROS ignores a section that is no node's and a parameter that no node has. Here both are problems,
each with its file, section and key. Sections under the names that other generations of these
packages give a node configure that node, and so do their names of a parameter: such a file is
passed on translated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import MappingProxyType
from typing import Any

import yaml

from wmx_core.values import MAX_AXES

from ..executables import ELSEWHERE, ON_REQUEST
from ..robots.parameter_files import PARAMETERS, Dumper, Loader, Section, configures, sections_of
from ..validation import BadRequest
from .absolute_names import in_namespace
from .common_parameters import CommonParameters, JointParameters
from .kind import AnyKind
from .parameters import ALIKE, fields_of, judged

OF_ROS = "use_sim_time", "start_type_description_service"
"""Parameters that rclpy declares itself, besides those that begin with qos_overrides."""
STRICT = "strict_parameters"
AXES, NUMBER, NAMES = "joint_axes", "joint_number", "joint_name"
ANY = "*", "**"
MEANT = 0.8
"""How much a parameter of this node is like an unknown one to be named with it, of 1."""

Of = tuple[Field[Any], Any]
"""A parameter of a node, and its type."""
NO_KINDS: Mapping[str, AnyKind] = MappingProxyType({})


@dataclass(slots=True)
class ParameterOverrides:
    """The arguments of ROS with which nodes are made, and what is logged of them."""

    arguments: list[str]
    strict: bool = True
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Parameters that are known and have no effect, and why."""
    translated: list[Path] = field(default_factory=list)
    """Files that take the place of those that were named."""

    def require_right(self) -> None:
        """BadRequest with every problem, unless they are to be warnings."""
        if self.strict and self.problems:
            raise BadRequest(self.problems)

    def remove_files(self) -> None:
        """Remove the translated files, once ROS has read them."""
        for file in self.translated:
            file.unlink(missing_ok=True)


def check_overrides(
    arguments: Sequence[str], nodes: Mapping[str, AnyKind], others: Mapping[str, AnyKind] = NO_KINDS
) -> ParameterOverrides:
    """Judge what the `arguments` of a process set for its `nodes`, by name and kind.

    `others` are the nodes that the same file may configure elsewhere.
    """
    found = ParameterOverrides(list(arguments))
    checker = _Checker(found, _full_names(arguments, nodes), others)
    for i, (option, value) in enumerate(pairwise(arguments), start=1):
        if option == "--params-file":
            found.arguments[i] = checker.check_file(value)
        elif option in ("-p", "--param") and ":=" in value:
            found.arguments[i] = checker.check_argument(value)
    if not found.problems:
        found.problems += checker.combinations()
    return found


def _full_names(arguments: Sequence[str], nodes: Mapping[str, AnyKind]) -> dict[str, AnyKind]:
    """The nodes by the names that they will have, with the namespace."""
    names, namespace = list(nodes), ""
    for word in arguments:
        if word.startswith(("__node:=", "__name:=")):
            names = [word.partition(":=")[2]] * len(names)
        elif word.startswith("__ns:="):
            namespace = word.partition(":=")[2].strip("/")
    above = f"/{namespace}" if namespace else ""
    return {f"{above}/{n}": kind for n, kind in zip(names, nodes.values(), strict=True)}


class _Checker:
    def __init__(
        self, found: ParameterOverrides, nodes: dict[str, AnyKind], others: Mapping[str, AnyKind]
    ) -> None:
        self._found = found
        self._nodes = nodes
        self._others = others
        self._taken: dict[str, dict[str, tuple[str, Any]]] = {name: {} for name in nodes}
        """The parameters of each node: where each is set last, and its value."""

    def check_file(self, name: str) -> str:
        """The path of the file that ROS is to read in the place of `name`."""
        path = Path(name)
        try:
            given = sections_of(path)
        except OSError:
            return name  # rcl reports it
        except BadRequest as error:
            self._found.problems.append(str(error))
            return name
        translated: dict[str, Section] = {}
        for pattern, parameters in given.items():
            where = f"{name}: section {pattern}"
            meant, kinds = self._meant(pattern)
            if not kinds:
                self._check_name(pattern, where, given)
            elif meant in translated:
                reason = f"{where}: another section configures {meant}, too"
                self._found.problems.append(reason)
            else:
                named = self._with_names(where, meant, parameters, given)
                translated[meant] = self._check(where, kinds, named, pattern)
                self._take(where, meant, translated[meant])
        if all(given.get(pattern) == section for pattern, section in translated.items()):
            return name
        with NamedTemporaryFile("w", prefix="wmx_", suffix=".yaml", delete=False) as file:
            sections = {pattern: {PARAMETERS: own} for pattern, own in translated.items()}
            yaml.dump(sections, file, Dumper)
        self._found.translated.append(Path(file.name))
        return file.name

    def check_argument(self, text: str) -> str:
        """The override that ROS is to read in the place of `text`.

        It is name:=value, or node:name:=value.
        """
        name, _, value = text.partition(":=")
        node, separator, name = name.rpartition(":")
        pattern = f"/{node.strip('/')}" if node else "/**"
        try:
            given = {name: yaml.load(value, Loader)}
        except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
            return text  # rcl reports it, or takes it for a text
        meant, kinds = self._meant(pattern)
        if not kinds:
            self._check_name(pattern, f"-p {text}", {})
            return text
        taken = self._check(f"-p {text}", kinds, given, pattern)
        self._take(f"-p {text}", meant, taken)
        if not taken or name in taken:
            return text
        [(name, own)] = taken.items()
        return f"{node}{separator}{name}:={own}"

    def combinations(self) -> Iterator[str]:
        """The rules over several parameters that what nodes get breaks, and where it is set."""
        for full_name, kind in self._nodes.items():
            taken = self._taken[full_name]
            made: list[Any] = []
            for each in (CommonParameters, kind.parameters):
                own = {name: of for name, of in fields_of(each).items() if name in taken}
                with suppress(BadRequest):  # what is set for all nodes, for another one
                    values = {name: judged(*of, taken[name][1]) for name, of in own.items()}
                    try:
                        made.append(each(**values))
                        if len(made) == 2:
                            namespace = full_name.rpartition("/")[0]
                            in_namespace(made[1], namespace, made[0].absolute_names)
                    except BadRequest as error:
                        said = [name for name in own if name in str(error)] or own
                        where = " and ".join(dict.fromkeys(taken[name][0] for name in said))
                        yield f"{where}: {error}"

    def _take(self, where: str, pattern: str, given: Section) -> None:
        """Note for each node that a section configures what it gets."""
        for full_name, taken in self._taken.items():
            if configures(pattern, full_name):
                taken |= {name: (where, value) for name, value in given.items()}

    def _meant(self, pattern: str) -> tuple[str, list[AnyKind]]:
        """The pattern of the nodes that a section is for, and their kinds; none is no node."""
        above, _, last = pattern.rpartition("/")
        kinds = [kind for name, kind in self._nodes.items() if configures(pattern, name)]
        if kinds:
            return pattern, kinds
        for full_name, kind in self._nodes.items():
            by_its_name = f"{above}/{full_name.rpartition('/')[2]}"
            if last in kind.names and configures(by_its_name, full_name):
                return by_its_name, [kind]
        return pattern, []

    def _check_name(self, pattern: str, where: str, given: Mapping[str, Section]) -> None:
        """A section of no node here: right where it is for a node that may run elsewhere."""
        last, alone = pattern.rpartition("/")[2], len(self._nodes) == 1
        for full_name, kind in self._nodes.items():
            namespace, _, name = full_name.rpartition("/")
            if last in (name, *kind.names) and not self._is_configured(full_name, given):
                own = " or ".join(dict.fromkeys([f"{namespace}/{last}", f"/**/{last}"]))
                rule = f"configures no node here, where {full_name} is: write {own}"
                self._found.problems.append(f"{where}: {rule}")
                return
        if last in self._others or last in ANY:
            if not (alone or last in ON_REQUEST):
                self._found.notes.append(f"{where}: configures no node that is started here")
            return
        if last in ELSEWHERE and not alone:
            rule = f"configures no node here: {ELSEWHERE[last][1]}"
            self._found.problems.append(f"{where}: {rule}")
            return
        alike = get_close_matches(last, {*self._others, *self._names()}, 1, ALIKE)
        if alike or not alone:
            here = ", ".join(name.rpartition("/")[2] for name in self._nodes)
            meant = f"is {alike[0]!r} meant?" if alike else f"must be one of {here}"
            self._found.problems.append(f"{where}: configures no node here: {meant}")

    def _is_configured(self, full_name: str, given: Mapping[str, Section]) -> bool:
        """Whether a file configures a node by its name: its other sections may be of elsewhere."""
        own = (pattern for pattern in given if pattern.rpartition("/")[2] not in ANY)
        return any(configures(self._meant(pattern)[0], full_name) for pattern in own)

    def _names(self) -> Iterator[str]:
        for full_name, kind in self._nodes.items():
            yield full_name.rpartition("/")[2]
            yield from kind.names

    def _check(self, where: str, kinds: Sequence[AnyKind], given: Section, pattern: str) -> Section:
        """The parameters of a section by their names here."""
        known: dict[str, list[Of]] = {}
        for kind in kinds:
            for name, of in fields_of(CommonParameters, kind.parameters).items():
                known.setdefault(name, []).append(of)
        aliases = {
            alias: (name, factor)
            for name, all_of in known.items()
            for each, _ in all_of
            for alias, factor in each.metadata["aliases"].items()
            if alias not in known  # by another node, whose own it is
        }
        ineffective = {name: why for kind in kinds for name, why in kind.ineffective.items()}
        taken: Section = {}
        for key, value in given.items():
            name, factor = aliases.get(key, (key, 1.0))
            if key in aliases and name in given:
                self._found.problems.append(f"{where}: {key} is {name}, which is given, too")
            elif name in known:
                taken[name] = value = value if factor == 1.0 else _scaled(value, factor)
                self._judge(f"{where}: {key}", known[name], value)
                if name == STRICT:
                    self._found.strict = value is not False
            elif key in ineffective:
                self._found.notes.append(f"{where}: {key} has no effect: {ineffective[key]}")
            elif key in OF_ROS or str(key).startswith("qos_overrides"):
                taken[key] = value
            elif not (pattern.rpartition("/")[2] in ANY and self._is_known_elsewhere(key)):
                alike = get_close_matches(str(key), [*known, *aliases], 1, MEANT)
                meant = f": is {alike[0]!r} meant?" if alike else ""
                self._found.problems.append(f"{where}: there is no parameter {key!r}{meant}")
        return taken

    def _with_names(
        self, where: str, meant: str, own: Section, given: Mapping[str, Section]
    ) -> Section:
        """A section with the names of its joints: another one may name what is on its axes.

        That one is of the same namespace, for another robot may have the same axes. What names the
        same axes for all nodes names those of this section, too, and joints of a gripper.
        """
        nodes = {name: kind for name, kind in self._nodes.items() if configures(meant, name)}
        has_joints = all(issubclass(kind.parameters, JointParameters) for kind in nodes.values())
        axes = _axes_of(own)
        if NAMES in own or not (has_joints and axes):
            return own
        for pattern, other in given.items():
            last, others = pattern.rpartition("/")[2], _axes_of(other)
            beside = all(configures(pattern, f"{n.rpartition('/')[0]}/{last}") for n in nodes)
            if not beside or (last in ANY and others == axes):
                continue
            texts = other.get(NAMES)
            names = dict(zip(others, texts if isinstance(texts, list) else (), strict=False))
            if all(axis in names for axis in axes):
                chosen = [names[axis] for axis in axes]
                note = f"{where}: {NAMES} is {chosen}, as section {pattern} has it"
                self._found.notes.append(note)
                return own | {NAMES: chosen}
        return own

    def _judge(self, where: str, all_of: Sequence[Of], value: Any) -> None:
        """A value that no node takes for its parameter of a name is a problem."""
        reasons = []
        for of in all_of:
            try:
                judged(*of, value)
                return
            except BadRequest as error:
                reasons.append(f"{where}: {error}")
        self._found.problems.append(reasons[0])

    def _is_known_elsewhere(self, key: str) -> bool:
        """Whether what a file sets for all nodes is for those of other processes."""
        if len(self._nodes) > 1:
            return False
        for name in self._others:
            with suppress(ModuleNotFoundError):  # the messages of that node are not here
                kind = self._others[name]
                names = fields_of(CommonParameters, kind.parameters)
                aliases = (each.metadata["aliases"] for each, _ in names.values())
                if key in names or key in kind.ineffective or any(key in a for a in aliases):
                    return True
        return False


def _axes_of(section: Section) -> list[int]:
    """The axes that a section says its joints are on; empty where it does not."""
    axes, number = section.get(AXES), section.get(NUMBER)
    if axes:
        return axes if isinstance(axes, list) and all(isinstance(a, int) for a in axes) else []
    return list(range(min(number, MAX_AXES))) if isinstance(number, int) else []


def _scaled(value: Any, factor: float) -> Any:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value * factor if number else value
