"""Inputs that stop axes: the engine does, and the gate asks for them before and after a command.

The engine stops an axis in the cycle in which its input comes on, and does no more: a motion that
is commanded afterwards would begin. So the gate refuses motion of an axis whose stop input is on.
The engine forgets the inputs when it ends; they are kept in the axis file, and are in force again
before a new engine lets anything move.
"""

import threading
from collections.abc import Iterable, Sequence

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.move_rules import require_axes
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import CommandMode, OperationState

from .ownership import Ownership


class StopInputs:
    """The stop inputs of the engine that `driver` reaches; any thread may call."""

    def __init__(self, driver: Driver, ownership: Ownership) -> None:
        self._driver = driver
        self._ownership = ownership
        self._changing = threading.Lock()
        """Held while the inputs in force are read, given to the engine and recorded."""

    def all(self) -> list[StopInput]:
        """Return those in force, of whatever process, in the order of their axes."""
        file = self._ownership.file
        return file.stop_inputs() if file is not None else []

    def replace(self, axes: Iterable[int], inputs: Sequence[StopInput]) -> None:
        """Have `inputs` in the place of the stop inputs of `axes`; refused, nothing changes.

        Raises a CommandRefused, also where the engine cannot stop an axis in its command mode.
        """
        chosen = [*axes]
        with self._changing:
            status, before = self._driver.motion.status(), self.all()
            had_one = [each.axis for each in before]  # also of a drive that is missing by now
            require_axes([axis for axis in chosen if axis not in had_one], status.axes)
            require_axes([each.axis for each in inputs], status.axes)
            for each in inputs:
                in_mode = status.command_mode[each.axis] == CommandMode.POSITION
                follows = status.op_state[each.axis] == OperationState.SYNC
                self._require_stoppable(each, bool(in_mode and not follows))
            left = [each for each in before if each.axis not in chosen]
            self._have([*left, *inputs], status.axes)

    def restore(self) -> None:
        """Put those in force again that a new engine has forgotten, of the axes that it has."""
        with self._changing:
            if inputs := self.all():
                self._have(inputs, self._driver.motion.status().axes)

    def on(self, inputs: Sequence[StopInput]) -> list[bool]:
        """Whether each of `inputs` has the level that stops now."""
        if not inputs:
            return []
        levels = self._driver.io.input_bits([(each.address, each.bit) for each in inputs])
        return [level is each.value for level, each in zip(levels, inputs, strict=True)]

    def blocking(self, axes: Sequence[int]) -> CommandRefused | None:
        """Return why `axes` must not move: a stop input of one that is on, or cannot be read."""
        inputs = [each for each in self.all() if each.axis in axes]
        try:
            levels = self.on(inputs)
        except CommandRefused as error:
            return error
        for each, is_on in zip(inputs, levels, strict=True):
            if is_on:
                detail = f"axis {each.axis}: {words(each)}"
                return CommandRefused(ErrorCode.EmergencyStopSignalOn, detail)
        return None

    def require_off(self, axes: Sequence[int], mode: CommandMode | None, *, follows: bool) -> None:
        """Refuse motion of `axes`, in `mode` or the one they have, that would not be stopped.

        With `follows` they are to follow other axes.
        """
        if (refused := self.blocking(axes)) is not None:
            raise refused
        inputs = [each for each in self.all() if each.axis in axes]
        if inputs and not self._driver.stops_every_mode:
            modes = self._driver.motion.status().command_mode
            for each in inputs:
                own = int(modes[each.axis]) if mode is None else mode
                self._require_stoppable(each, own == CommandMode.POSITION and not follows)

    def _require_stoppable(self, stop_input: StopInput, alone: bool) -> None:
        """Refuse what the engine cannot end of an axis `alone`, unless all are stopped."""
        everything = stop_input.kind is StopKind.EMERGENCY_STOP
        if alone or everything or self._driver.stops_every_mode:
            return
        detail = (
            f"axis {stop_input.axis} has a stop input, which this engine can carry out in position "
            "mode only, and while the axis follows no other: must be of kind "
            f"{StopKind.EMERGENCY_STOP.value} (emergency stop)"
        )
        raise CommandRefused(ErrorCode.NotPosMode, detail)

    def _have(self, inputs: Sequence[StopInput], axes: int) -> None:
        """Give `inputs` to the engine, which has so many `axes`, and record them."""
        reactions = self._driver.reactions
        try:
            reactions.set_stop_inputs([each for each in inputs if each.axis < axes])
        except CommandRefused as error:  # the engine may have taken some of them
            before = [each for each in self.all() if each.axis < axes]
            try:
                reactions.set_stop_inputs(before)
            except CommandRefused as again:
                words = f"{error.detail}; those of before cannot be put in force again: {again}"
                raise CommandRefused(error.code, words) from error
            raise
        if (file := self._ownership.file) is not None:
            file.set_stop_inputs(inputs)


def words(stop_input: StopInput) -> str:
    """Say that `stop_input` is on."""
    return f"its stop input {stop_input.place} is on ({int(stop_input.value)})"
