"""The whole system in one process, with a simulated engine inside: the quickest way to try it.

`bringup --robot arm` starts a robot as well, with its own machine and parameters.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

from rclpy.utilities import remove_ros_args

from wmx_core.opening import default_driver

from ..executables import CONTROL_MSGS_MISSING, lacks_control_msgs
from ..misspelt import unrecognized
from ..node_base.kind import AnyKind, Kinds
from ..node_base.runner import run
from ..robots.catalogue import LOW_LEVEL, RECORDER, ROBOTS, find_robot
from ..robots.needed_machine import machine_of
from ..validation import BadRequest


def main() -> int:
    """Run all nodes until SIGINT, SIGTERM or SIGHUP."""
    options, others = parse(sys.argv[1:])
    try:
        kinds, others = choose(options, others)
    except (BadRequest, OSError) as error:
        print(f"bringup: {error}", file=sys.stderr)
        return 1
    sys.argv[1:] = others

    if not options.events:
        return run(kinds, hosts_engine=True, others=Kinds())
    from .announcer import announced

    with announced([*kinds]) as announcer:
        return run(kinds, hosts_engine=True, others=Kinds(), watch=announcer.watch)


def parse(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of bringup among `arguments`, and the others, which are those of ROS.

    Words that are neither end the process with 2.
    """
    parser = argparse.ArgumentParser(
        prog="bringup",
        description=__doc__.splitlines()[0],
        usage="bringup [--robot ROBOT] [--events] [--recorder] "
        "[--ros-args -p PARAMETER:=VALUE --params-file FILE ...]",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--robot", help=f"start this robot, too: {', '.join(ROBOTS)}, or the path of a folder"
    )
    parser.add_argument(
        "--events", action="store_true", help="print when the system is ready, and each motion"
    )
    parser.add_argument(
        "--recorder", action="store_true", help="record what happens, see docs/recording.md"
    )
    options, others = parser.parse_known_args(arguments)
    with suppress(RuntimeError):  # arguments of ROS that are wrong: the runner names them
        if unknown := remove_ros_args([parser.prog, *others])[1:]:
            parser.error(unrecognized(parser, unknown))
    return options, others


def choose(
    options: argparse.Namespace, arguments: Sequence[str]
) -> tuple[dict[str, AnyKind], list[str]]:
    """The nodes that `options` ask for, and their arguments of ROS, the given ones last.

    Raises BadRequest or OSError for a robot that cannot be used.
    """
    names: Sequence[str] = LOW_LEVEL
    given = [*arguments]
    if options.robot is not None:
        robot = find_robot(options.robot)
        machine = machine_of(robot)
        names = robot.nodes
        simulated = _driver(given) == "fake"
        given = [*robot.ros_arguments(machine if simulated else None), *given]
    if options.recorder:
        names = (*names, RECORDER)
    return _kinds(names), given


def _driver(arguments: Sequence[str]) -> str:
    """The driver that `arguments` of ROS name last, or the usual one."""
    named = ""
    for option, value in pairwise(arguments):
        if option in ("-p", "--param") and value.startswith("driver:="):
            named = value.partition(":=")[2].strip("'\"")
    return named or default_driver()


def _kinds(names: Sequence[str]) -> dict[str, AnyKind]:
    """The nodes `names` that this machine has all messages for; the others are named."""
    kinds = {}
    for name in names:
        try:
            kinds[name] = Kinds()[name]
        except ModuleNotFoundError as error:
            if not lacks_control_msgs(error):
                raise
            print(f"bringup: without {name}: {CONTROL_MSGS_MISSING}", file=sys.stderr)
    return kinds
