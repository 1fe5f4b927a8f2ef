"""The whole system in one process, with a simulated engine inside: the quickest way to try it."""

from .node.runner import run
from .nodes.core_motion import CORE_MOTION
from .nodes.engine import ENGINE
from .nodes.ethercat import ETHERCAT
from .nodes.io import IO

NODES = ENGINE, CORE_MOTION, IO, ETHERCAT
"""In the order in which they start; they close in the opposite order."""


def main() -> int:
    """Run all nodes until SIGINT or SIGTERM."""
    return run(*NODES, in_process=True)
