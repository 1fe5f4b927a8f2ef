"""Motion that somebody keeps up by a stream of commands, such as a joystick or MoveIt Servo.

A motion that was ended by something else, a stop, a limit, an alarm, stays ended however long the
stream goes on: the stream has to pause for its timeout first. So nothing starts to move by itself
when a stop is over, and a stick that is held down has to be let go. That is `pausing`; what a
stream commands, velocities or positions, decides how it is seen that something has ended it.
"""

from .pausing import LATE, SHOWN
from .position import PositionStream
from .velocity import VelocityStream

__all__ = ["LATE", "SHOWN", "PositionStream", "VelocityStream"]
