"""`wmx engine` and `wmx node`: the engine started and stopped, nodes configured and activated."""

from __future__ import annotations

import argparse

from wmx_core.values import EngineState

from ..executables import NODES
from .arguments import add_system
from .connection import connected
from .failures import Exit, wrong
from .terminal import Terminal, table

TRANSITIONS = "configure", "activate", "deactivate", "cleanup"


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        "what",
        choices=("state", "start", "stop"),
        nargs="?",
        default="state",
        help="start: attach and communicate; stop: stop all axes and end communication",
    )
    add_system(parser)
    parser.set_defaults(run=run_engine)


def run_engine(out: Terminal, options: argparse.Namespace) -> int:
    """Do so, and print the state; 1 where the engine does not communicate and was not stopped."""
    with connected(out, options) as machine:
        with out.progress(f"engine: {options.what}"):
            if options.what == "start":
                machine.engine.start()
            elif options.what == "stop":
                machine.engine.stop()
        state = machine.engine.state
        out.show({"state": state}, lambda: f"the engine is {state.name.lower()}")
        stopped = options.what == "stop"
        return Exit.DONE if stopped or state is EngineState.COMMUNICATING else Exit.REFUSED


def add_node(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("transition", choices=("list", *TRANSITIONS), nargs="?", default="list")
    parser.add_argument(
        "node", nargs="?", choices=[*NODES], metavar="node", help="such as wmx_io_node"
    )
    add_system(parser)
    parser.set_defaults(run=run_node)


def run_node(out: Terminal, options: argparse.Namespace) -> int:
    """List the nodes, or change the state of one; 1 where one that is listed is not active."""
    if options.transition != "list" and not options.node:
        raise wrong(f"say which node, such as: wmx node {options.transition} wmx_io_node")
    with connected(out, options) as machine:
        if options.transition != "list":
            with out.progress(f"{options.node}: {options.transition}"):
                state = machine.nodes.change(options.node, options.transition)
            out.show({options.node: state}, lambda: f"{options.node} is {state}")
            return Exit.DONE
        if options.node:
            states = {options.node: machine.nodes.state(options.node)}
        else:
            states = machine.nodes.states([*NODES])
        out.show(states, lambda: table(("node", "state"), [*states.items()]))
        return Exit.DONE if {*states.values()} <= {"active"} else Exit.REFUSED
