"""How commands are typed on this installation, which remedies name."""

import re
import shutil


def wmx_program() -> str:
    """Return what runs `wmx` on this installation: a colcon workspace has it below `ros2` only."""
    return "wmx" if shutil.which("wmx") or not shutil.which("ros2") else "ros2 wmx"


def as_typed(text: str) -> str:
    """Return `text` with its commands as they are typed on this installation."""
    return _COMMAND.sub(f"{wmx_program()} ", text)


_COMMAND = re.compile(r"(?<!ros2 )(?<![\w./-])wmx (?=[a-z-])")


def start_system() -> str:
    """Return what starts a simulated system here: who has `wmx` has the Makefile, too."""
    if wmx_program() == "wmx":
        return "make run"
    return "ros2 launch wmx_ros2_package wmx_ros2_general_package.launch.py"
