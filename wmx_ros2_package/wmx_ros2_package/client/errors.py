"""What can go wrong for a program that uses a machine.

MachineError              `code` and `name` of the vendor, `text`, and `remedy`: what helps
├── NotConnected          no system is reachable
│   ├── Closed            the program has closed its machine, or has not opened it
│   ├── WrongNamespace    no node can have the namespace that was named
│   ├── NoSystem          nothing of a system is discovered in time
│   │   └── NoPart        the system runs, and a part of it that was asked for does not
│   ├── SeveralSystems    more than one system answers to the same names
│   └── SystemLost        a system that was connected publishes nothing any more
├── NotAnswered           a node did not answer in time; a TimeoutError, too
├── Refused               a node refused a request; nothing of it was carried out
│   └── NotReady          there is no engine that communicates, so nothing can be carried out
├── MotionFailed          a motion ended before its target; `result` has the reason
└── UnknownAxis           the machine has no axis of this number or name
"""

from __future__ import annotations

import re

from wmx_core.errors import RefusalCode, WmxError

from .events import Result

START_ROBOT = """\
make run ROBOT={0}    # a system with such a robot, in place of the one that runs
ros2 launch wmx_ros2_package robot.launch.py robot:={0}    # beside it, on a ROS distribution"""
"""What starts a part of a robot that is missing."""
_VENDOR_ERROR = re.compile(r"Error=(-?\d+) \((\w+)\)")
"""How every node words an error of the engine."""
_NOT_READY = "not initialized"
"""What the answer of a node without an engine contains."""


class MachineError(Exception):
    """Something that was asked of a machine did not come about.

    `code` is the vendor's number of the error, 0 for none; `name` the vendor's name of it, or the
    name of the exception; `text` the reason; `remedy` the commands or steps that help, one a line,
    empty where none is known.
    """

    def __init__(self, text: str, *, code: int = 0, name: str = "", remedy: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.name = name or type(self).__name__
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.text}\n{self.remedy}" if self.remedy else self.text


class NotConnected(MachineError):
    """No system is reachable."""


class Closed(NotConnected):
    """The program has closed its machine, or has not opened it."""


class WrongNamespace(NotConnected, ValueError):
    """No node can have the namespace that was named, so that nothing is looked for there."""


class NoSystem(NotConnected):
    """Nothing of a system is discovered in time."""


class NoPart(NoSystem):
    """The system runs, and a part of it that was asked for does not, such as an arm."""


class SeveralSystems(NotConnected):
    """More than one system answers to the same names, so that a command would reach both."""


class SystemLost(NotConnected):
    """A system that was connected publishes nothing any more."""


class NotAnswered(MachineError, TimeoutError):
    """A node did not answer in time; what was asked of it may have been carried out."""


class Refused(MachineError):
    """A node refused a request; with several axes, those that `text` names as done were done."""


class NotReady(Refused):
    """No engine communicates, or the node is not active, so that nothing can be carried out."""

    service = ""
    """What was asked for; empty where it was no service."""


class MotionFailed(MachineError):
    """A motion ended before its target, or was refused; `result` has the place and the reason."""

    def __init__(self, text: str, result: Result, *, remedy: str = "") -> None:
        super().__init__(text, code=result.code, name=result.reason.name, remedy=remedy)
        self.result = result


class UnknownAxis(MachineError, LookupError):
    """The machine has no axis of this number or name."""


def refusal(message: str) -> Refused:
    """The exception for the `message` with which a node refused a request.

    Most answers have no more than that: the words for an error of the engine, and for a node
    without one, are those of the vendor's nodes, and do not change. Answers for several axes end
    the part of each with "; ".
    """
    found = _VENDOR_ERROR.search(message)
    code, name = (int(found[1]), found[2]) if found else (0, "")
    kind = NotReady if _NOT_READY in message else Refused
    return kind(message.strip("; "), code=code, name=name)


def coded_refusal(message: str, code: int) -> MachineError:
    """The exception for a refusal with a code, whose `message` is for people."""
    if code == RefusalCode.OTHER_SYSTEM:
        return SystemLost(message)
    if code == RefusalCode.NOT_READY:
        return NotReady(message)
    refused = refusal(message)
    name = WmxError(code).name if code and not refused.code else refused.name
    return type(refused)(refused.text, code=code or refused.code, name=name)
