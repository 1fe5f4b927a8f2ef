"""The whole system in one process, with a simulated engine inside: the quickest way to try it."""

from .node.runner import run
from .nodes.core_motion import CoreMotionNode
from .nodes.engine import EngineNode
from .nodes.ethercat import EthercatNode
from .nodes.io import IoNode

NODES = EngineNode, CoreMotionNode, IoNode, EthercatNode
"""In the order in which they start; they close in the opposite order."""


def main() -> int:
    """Run all nodes until SIGINT or SIGTERM."""
    return run(lambda: [node(in_process=True) for node in NODES])
