"""A file of parameters of nodes (YAML): its names, and the values that each node gets."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...robots.parameter_files import sections_of
from ...validation import BadRequest
from .finding import Finding, Subject, note, right, wrong

if TYPE_CHECKING:
    from ...node_base.kind import AnyKind

CHECK = "node parameters"


def check_node_parameters(subject: Subject) -> Iterator[Finding]:
    """Check that every section is one of a node, and every value one that the node takes.

    The nodes do so, too, when they start; without ROS they cannot be asked.
    """
    if subject.parameters is None:
        return
    try:
        patterns = sections_of(subject.parameters)
    except (BadRequest, OSError) as error:
        yield wrong(CHECK, str(error))
        return
    if not patterns:
        yield wrong(CHECK, f"{subject.parameters}: has no section of a node")
        return
    try:
        from ...node_base.kind import Kinds
        from ...node_base.parameter_overrides import check_overrides
    except ModuleNotFoundError:
        yield note(CHECK, f"{subject.parameters.name}: only read, for ROS is missing")
        return
    every = Kinds()
    kinds: dict[str, AnyKind] = {}
    for name in every:
        try:
            kinds[name] = every[name]
        except ModuleNotFoundError:
            continue  # the messages of that node are not here
        except ImportError as error:
            text = f"the built messages are not those of this package: {error}"
            yield wrong("messages", text.partition(" (")[0], "make build")
            return
    # The file has the namespaces in which its nodes run.
    above = {pattern.strip("/").rpartition("/")[0] for pattern in patterns if "*" not in pattern}
    nodes = {f"{each}/{name}".strip("/"): kinds[name] for each in {"", *above} for name in kinds}
    checked = check_overrides(["--params-file", str(subject.parameters)], nodes, every)
    checked.remove_files()
    for problem in checked.problems:
        yield wrong(CHECK, problem)
    for remark in checked.notes:
        yield note(CHECK, remark)
    if not checked.problems:
        yield right(CHECK, f"{subject.parameters.name}: every name and value is one of a node")


CHECKS = (check_node_parameters,)
