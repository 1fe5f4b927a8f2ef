"""How commands are typed on this installation, which remedies name."""

import os
import re
import shutil


def wmx_program() -> str:
    """Return what runs `wmx` on this installation: a colcon workspace has it below `ros2` only."""
    return "wmx" if shutil.which("wmx") or not shutil.which("ros2") else "ros2 wmx"


def as_typed(text: str, domain: int | None = None) -> str:
    """Return `text` with its commands as they are typed here to reach ROS domain `domain`.

    None is the domain of this shell. A command for another one names it, and leaves the shell in
    its own: what is typed there next is for the machine of before.
    """
    here = domain is None or str(domain) == (os.environ.get("ROS_DOMAIN_ID") or "0")
    place = "" if here else f"ROS_DOMAIN_ID={domain} "
    return _COMMAND.sub(f"{place}{wmx_program()} ", _START.sub(place, text))


_COMMAND = re.compile(r"(?<![\w./-])(?:ros2 )?wmx (?=[a-z-])")
_START = re.compile(r"^(?=make run|ros2 launch)", re.MULTILINE)
"""Where a line is a command of `start_system`."""


def start_system() -> str:
    """Return what starts a simulated system here: who has `wmx` has the Makefile, too."""
    if wmx_program() == "wmx":
        return "make run"
    return "ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py"
