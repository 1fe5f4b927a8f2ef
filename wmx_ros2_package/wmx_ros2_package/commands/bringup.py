"""The whole system in one process, with a simulated engine inside: the quickest way to try it.

`bringup --robot arm` starts a robot as well, with its own machine and parameters.
"""

import argparse
import sys
from importlib import import_module

from ..drivers import default_driver
from ..node.kind import AnyKind
from ..node.runner import run
from ..robots.catalogue import LOW_LEVEL, ROBOTS, Program
from .control_messages import MISSING, is_missing


def main() -> int:
    """Run all nodes until SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser(
        prog="bringup",
        description=__doc__.splitlines()[0],
        epilog="arguments of ROS: --ros-args -p PARAMETER:=VALUE --params-file FILE ...",
        allow_abbrev=False,
    )
    parser.add_argument("--robot", choices=ROBOTS, help="start this robot, too")
    options, others = parser.parse_known_args()
    if options.robot is None:
        return run(*_kinds(LOW_LEVEL), in_process=True)
    robot = ROBOTS[options.robot]
    simulated = default_driver() == "fake"
    sys.argv[1:] = [*robot.ros_arguments(simulated=simulated), *others]
    return run(*_kinds(robot.programs), in_process=True)


def _kinds(programs: tuple[Program, ...]) -> list[AnyKind]:
    """Those of `programs` that this machine has all messages for; the others are named."""
    kinds = []
    for program in programs:
        try:
            module = import_module(f"..nodes.{program.module}", __package__)
        except ModuleNotFoundError as error:
            if not is_missing(error):
                raise
            print(f"bringup: without {program.executable}: {MISSING}", file=sys.stderr)
        else:
            kinds.append(getattr(module, program.kind))
    return kinds
