"""The one table of verbs of `wmx`: what each is for, and the module that has it.

The module of a verb has a function `add_VERB(parser)`, which gives the parser of the verb its
arguments and, as the default of `run`, the function that carries it out. It is imported when its
verb is typed: `wmx --help` reads this table alone.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Verb(NamedTuple):
    """A verb: the module in this folder that has it, and what it does."""

    module: str
    summary: str


GROUPS: Mapping[str, Mapping[str, Verb]] = {
    "look": {
        "status": Verb("status", "print the state of the axes"),
        "watch": Verb("status", "the state of the axes, live"),
        "plot": Verb("plot", "curves of position, velocity or torque, live"),
        "events": Verb("status", "print the begin and the end of each motion"),
    },
    "move": {
        "on": Verb("orders", "switch servos on"),
        "off": Verb("orders", "switch servos off"),
        "home": Verb("orders", "home axes as their parameters say"),
        "move": Verb("move", "move axes to positions"),
        "follow": Verb("follow", "let an axis follow another, until Ctrl-C"),
        "plan": Verb("plan", "what commands would do; nothing moves"),
        "traj": Verb("traj", "axes along the points of a CSV or YAML file"),
        "drive": Verb("robot", "a base: straight on, and turn"),
        "gripper": Verb("robot", "open or close a gripper"),
        "speed": Verb("speed", "all axes at a part of their speed"),
        "jog": Verb("jog", "run an axis while a key is held"),
    },
    "stop": {
        "stop": Verb("orders", "slow axes down to rest, whoever moves them"),
        "estop": Verb("orders", "emergency stop of all axes, until `release`"),
        "release": Verb("orders", "release the emergency stop"),
        "pause": Verb("speed", "bring all that moves to rest on its way, until `resume`"),
        "resume": Verb("speed", "let what was paused go on"),
        "disarm": Verb("disarm", "stop and switch off all axes, where no node runs"),
    },
    "find out why": {
        "explain": Verb("explain", "why axes do not move, and which command helps"),
        "clear": Verb("orders", "clear the alarms of drives"),
        "confirm": Verb("orders", "let axes be as they are that have lost their settings"),
        "doctor": Verb("doctor.command", "why nothing works; no system needs to run"),
        "replay": Verb("replay", "a recording on the simulated engine: what differs; no system"),
        "record": Verb("recording", "have the recorder write a file of the last minute"),
        "recording": Verb("recording", "what a file of the recorder shows; no system needs to run"),
    },
    "set up": {
        "mode": Verb("orders", "command axes by position, velocity or torque"),
        "params": Verb("params", "WMX parameters: check, diff, get and load"),
        "stop-input": Verb("reactions", "inputs that stop axes inside the engine"),
        "position-output": Verb("reactions", "outputs that axes switch by where they are"),
        "touch-probe": Verb("reactions", "inputs that latch where axes are"),
        "io": Verb("io", "inputs and outputs: get, set and watch"),
        "ecat": Verb("ecat", "EtherCAT: slaves and their states, registers, objects"),
        "engine": Verb("engine", "the engine: state, start and stop"),
        "robot": Verb("robot_kit", "a folder for a robot of your own, from its URDF"),
        "node": Verb("engine", "the nodes: list, configure, activate and deactivate"),
    },
    "try": {
        "demo": Verb("demo", "show the system move, and end"),
        "faults": Verb("faults", "let something go wrong on the simulated engine"),
        "sim": Verb("sim", "run a program for the vendor's SDK, without ROS"),
        "first-contact": Verb("first_contact.command", "ask the vendor's SDK, step by step"),
        "completion": Verb("completion", "print what lets a shell complete `wmx`"),
    },
}
VERBS: Mapping[str, Verb] = {
    name: verb for group in GROUPS.values() for name, verb in group.items()
}
