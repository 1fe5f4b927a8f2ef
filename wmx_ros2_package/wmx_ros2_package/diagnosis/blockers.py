"""What prevents motion of an axis: the one list of codes, and a condition with its fields.

A new condition gets a code here, a line in `explanations`, a button or a reason why it has none in
`panel/remedies.py`, a row in the table of docs/reference-axes.md, and a case in the test that
carries out every remedy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

ALL_AXES = -1
"""In the place of an axis: the condition is one of the whole machine."""
NO_SLAVE = -1


class BlockerCode(str, Enum):
    """What programs decide by; `msg/AxisBlocker` has these words as `code`."""

    NODE_INACTIVE = "NODE_INACTIVE"
    """The node that moves axes is not active."""
    NO_ENGINE = "NO_ENGINE"
    """No engine runs."""
    NO_LICENCE = "NO_LICENCE"
    """The engine has no valid licence."""
    NOT_COMMUNICATING = "NOT_COMMUNICATING"
    """The engine runs, and its network does not communicate."""
    NO_SUCH_AXIS = "NO_SUCH_AXIS"
    """The engine has fewer axes."""
    SHARED_FILE_LOST = "SHARED_FILE_LOST"
    """The file of owners and stops is lost."""
    TIME_HELD = "TIME_HELD"
    """A script of faults holds the time of the simulated engine."""
    EMERGENCY_STOP = "EMERGENCY_STOP"
    """An emergency stop of level 1 is active: axes have slowed down."""
    EMERGENCY_STOP_FINAL = "EMERGENCY_STOP_FINAL"
    """An emergency stop is active that has switched servos off."""
    PAUSED = "PAUSED"
    """The whole system is paused: what has a path waits on it, and no motion begins."""
    SHARED_NAME = "SHARED_NAME"
    """A node of another system serves a name of this one, so goals are refused."""
    STOP_INPUT = "STOP_INPUT"
    """The axis has a stop input, which is on."""
    PARAMETERS_LOST = "PARAMETERS_LOST"
    """What clients have set of its parameters was lost with an engine or a file."""
    MODE_LOST = "MODE_LOST"
    """Its command mode was lost with an engine."""
    REFERENCE_LOST = "REFERENCE_LOST"
    """Its place of zero was lost with an engine."""
    POSITION_OUTPUT_LOST = "POSITION_OUTPUT_LOST"
    """The output that it switches was lost with an engine."""
    SLAVE_BEHIND_BREAK = "SLAVE_BEHIND_BREAK"
    """The line to the slave of its drive is broken."""
    SLAVE_OFFLINE = "SLAVE_OFFLINE"
    """The slave of its drive takes no part in the network."""
    SLAVE_NOT_OP = "SLAVE_NOT_OP"
    """The slave of its drive is in a state below OP."""
    DRIVE_OFFLINE = "DRIVE_OFFLINE"
    """The engine does not reach the drive, though no slave is known to be missing."""
    DRIVE_ALARM = "DRIVE_ALARM"
    """The drive has an alarm."""
    FOLLOWING_ERROR = "FOLLOWING_ERROR"
    """The axis was too far behind its command."""
    SERVO_OFF = "SERVO_OFF"
    """The servo is off."""
    OUT_OF_POSITION = "OUT_OF_POSITION"
    """The motor stands elsewhere than its command, which rests."""
    MODE = "MODE"
    """The axis is in velocity or torque mode: `wmx/axis` refuses positions, jogs and homing, and a
    move by `wmx/actuator`, such as `wmx move`, switches it to position mode."""
    LIMIT_SWITCH = "LIMIT_SWITCH"
    """A limit switch is on: motion in its `direction` is refused."""
    SOFT_LIMIT = "SOFT_LIMIT"
    """A soft limit is reached: motion in its `direction` is refused."""
    SLOWING_DOWN = "SLOWING_DOWN"
    """The axis comes to rest by itself."""
    OWNED = "OWNED"
    """Another node moves the axis."""
    FOLLOWING = "FOLLOWING"
    """The axis follows another one."""
    BUSY = "BUSY"
    """The axis does what no position command interrupts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """One condition that prevents motion, with the fields of `msg/AxisBlocker`."""

    axis: int
    """`ALL_AXES` where it concerns the whole machine."""
    code: BlockerCode | str
    """A text where a newer machine has a code that is not known here."""
    reason: str
    """In words, which may change."""
    remedy: str
    """The command of `wmx` that clears it, or what helps in words."""
    master: int = NO_SLAVE
    slave: int = NO_SLAVE
    direction: int = 0
    """Of a limit: 1 positive, -1 negative."""
    node: str = ""
    """The node that it is about, by its full name."""

    @property
    def key(self) -> str:
        """What tells it from the other blockers of an axis, whatever its words."""
        return f"{getattr(self.code, 'value', self.code)} {self.direction} {self.node}"

    def concerns(self, axis: int) -> bool:
        """Whether it prevents motion of `axis`."""
        return self.axis in (axis, ALL_AXES)


def known_code(text: str) -> BlockerCode | str:
    """The code of a message; the text itself where this program does not know it."""
    try:
        return BlockerCode(text)
    except ValueError:
        return text
