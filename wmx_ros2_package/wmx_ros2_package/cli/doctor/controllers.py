"""MoveIt's file of controllers: whether its joints and actions are those of our nodes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...robots.catalogue import TRAJECTORIES, USUAL_ACTION
from ...robots.joint_layout import USUAL_JOINTS, joint_layout
from ...robots.parameter_files import sections_of
from ...validation import BadRequest
from .finding import Finding, Subject, right, wrong

CHECK = "controllers"
MANAGER = "moveit_simple_controller_manager"


def check_controllers(subject: Subject) -> Iterator[Finding]:
    """Check each controller of FollowJointTrajectory against the server of trajectories."""
    if subject.controllers is None or subject.parameters is None:
        return
    try:
        sections = sections_of(subject.parameters).items()
        servers = [own for name, own in sections if name.rpartition("/")[2] in TRAJECTORIES]
        reasons = [*_misfits(_controllers(subject.controllers), servers)]
    except (BadRequest, TypeError) as error:  # TypeError: the check of parameters reports it
        reasons = [str(error)]
    except OSError:
        return
    for reason in reasons:
        yield wrong(CHECK, f"{subject.controllers}: {reason}")
    if not reasons:
        yield right(CHECK, f"{subject.controllers.name}: its joints and actions are those here")


def _controllers(file: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the controllers that the file names; BadRequest where one is not as MoveIt has it."""
    try:
        content = yaml.safe_load(file.read_text())
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise BadRequest([" ".join(str(error).split())]) from None
    manager = content.get(MANAGER) if isinstance(content, dict) else None
    names = manager.get("controller_names") if isinstance(manager, dict) else None
    if not isinstance(manager, dict) or not isinstance(names, list):
        raise BadRequest([f"must have {MANAGER} with a list controller_names"])
    for name in names:
        own = manager.get(name) if isinstance(name, str) else None
        if not isinstance(own, dict) or not isinstance(own.get("joints"), list):
            raise BadRequest([f"controller_names has {name!r}: must be one with a list of joints"])
    return {name: manager[name] for name in names}


def _misfits(
    controllers: Mapping[str, Mapping[str, Any]], servers: list[dict[str, Any]]
) -> Iterator[str]:
    followers = {n: c for n, c in controllers.items() if c.get("type") == "FollowJointTrajectory"}
    for server in servers:
        layout = joint_layout(
            server.get("joint_number", USUAL_JOINTS),
            server.get("joint_axes", ()),
            server.get("joint_name", ()),
        )
        action = server.get("joint_trajectory_action", USUAL_ACTION)
        for name, controller in followers.items():
            for i, joint in enumerate(controller["joints"]):
                if joint not in layout.names:
                    rule = f"must be one of {', '.join(layout.names)}"
                    yield f"{name}: joints[{i}] is {joint!r}: {rule}"
            theirs = f"/{name}/{controller.get('action_ns', '')}"
            # Both are in the namespace of their node, unless a slash leads the name.
            if action and str(action).lstrip("/") != theirs.lstrip("/"):
                yield f"{name}: its action is {theirs}: must be {action}, joint_trajectory_action"


CHECKS = (check_controllers,)
