"""How commands are typed on this installation, which remedies name."""

import re
import shutil


def wmx_program() -> str:
    """Return what runs `wmx` on this installation: a colcon workspace has it below `ros2` only."""
    return "wmx" if shutil.which("wmx") or not shutil.which("ros2") else "ros2 wmx"


def as_typed(text: str) -> str:
    """Return `text` with its commands as they are typed on this installation."""
    return _COMMAND.sub(f"{wmx_program()} ", text)


def in_domain(remedy: str, domain: int | None) -> str:
    """Return `remedy` so that its commands reach ROS domain `domain`, None for that of the shell.

    They are from whoever worded it, who does not know in which domain they will be typed.
    """
    if domain is None or not (_COMMAND.search(remedy) or f"{wmx_program()} " in remedy):
        return remedy
    return f"export ROS_DOMAIN_ID={domain}\n{remedy}"


_COMMAND = re.compile(r"(?<!ros2 )(?<![\w./-])wmx (?=[a-z-])")


def start_system() -> str:
    """Return what starts a simulated system here: who has `wmx` has the Makefile, too."""
    if wmx_program() == "wmx":
        return "make run"
    return "ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py"
