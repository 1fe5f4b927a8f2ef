"""The ids of commands to actuators: each is used once, and published even when it is refused."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID, uuid4

from wmx_core.errors import CommandRefused, RefusalCode

from ...actuators.command import Command
from ...actuators.description import Actuator
from ...control.tracker import MotionTracker
from ...node_base.refusals import ReportedRefusal
from ...validation import BadRequest

REMEMBERED = 10_000
"""Ids of commands that are not taken a second time."""


class CommandIds:
    """The ids of commands to the actuators that `describe` names; any thread may call."""

    def __init__(
        self, tracker: MotionTracker, describe: Callable[[], Mapping[str, Actuator]]
    ) -> None:
        self._tracker = tracker
        self._describe = describe
        self._used: OrderedDict[UUID, None] = OrderedDict()

    def require_new(self, commands: Sequence[Command]) -> None:
        """BadRequest for an id that was used before."""
        given = [command.id for command in commands if command.id.int]
        again = [id for id in given if id in self._used or given.count(id) > 1]
        if again:
            raise BadRequest([f"command_id {again[0]} was used before: must be new, or zero"])

    def renewed(self, commands: Sequence[Command]) -> list[Command]:
        """`commands` with new ids in the place of zero and of those that were used before."""
        return [replace(command, id=self._new(command.id)) for command in commands]

    def _new(self, id: UUID) -> UUID:
        return uuid4() if id in self._used or not id.int else id

    def remember(self, commands: Sequence[Command]) -> None:
        """The ids of `commands` are used now."""
        for command in commands:
            self._used[command.id] = None
        while len(self._used) > REMEMBERED:
            self._used.popitem(last=False)

    def forget(self, commands: Sequence[Command]) -> None:
        """Allow the same commands to use their ids again."""
        for command in commands:
            self._used.pop(command.id, None)

    @contextmanager
    def reported(self, commands: Sequence[Command]) -> Iterator[None]:
        """Publish a BadRequest inside as the end of `commands`, which never began."""
        try:
            yield
        except ReportedRefusal:
            raise
        except BadRequest as error:
            self.refuse(commands, str(error), error.code)
            raise ReportedRefusal([str(error)], code=error.code) from None

    @contextmanager
    def before_gate(self, commands: Sequence[Command]) -> Iterator[None]:
        """Publish a CommandRefused inside as their end, where no gate has published it."""
        try:
            yield
        except CommandRefused as error:
            self.refuse(commands, str(error), error.code)
            raise

    def refuse(self, commands: Sequence[Command], message: str, code: int = 0) -> None:
        """Publish that `commands` never began; an id that was used before is not used for that."""
        for command in commands:
            self._refuse(command, message, self._new(command.id), code)

    def refuse_foreign(self, commands: Sequence[Command], message: str) -> None:
        """As `refuse`, for commands whose ids another system uses."""
        for command in commands:
            self._refuse(command, message, uuid4(), RefusalCode.OTHER_SYSTEM)

    def _refuse(self, command: Command, message: str, id: UUID, code: int) -> None:
        actuator = self._describe().get(command.name)
        self._tracker.refuse(
            message,
            axes=[actuator.axis] if actuator else [],
            names=[command.name] if actuator else [],
            code=code,
            id=id,
        )
