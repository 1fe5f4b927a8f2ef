"""The ids of commands to actuators: each is used once, and is told even when it is refused."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

from ..actuators.command import Command
from ..actuators.description import Actuator
from ..node.context import NodeContext
from ..node.motion_events import ToldRefusal
from ..validation import BadRequest

REMEMBERED = 10_000
"""Ids of commands that are not taken a second time."""


class CommandIds:
    """Those of `node`, whose actuators `describe` names."""

    def __init__(
        self, node: NodeContext[Any], describe: Callable[[], Mapping[str, Actuator]]
    ) -> None:
        assert node.motions is not None, "the node tells everybody of its motions"
        self._ledger = node.motions.ledger
        self._describe = describe
        self._used: OrderedDict[UUID, None] = OrderedDict()

    def require_new(self, commands: Sequence[Command]) -> None:
        """BadRequest for an id that was used before."""
        given = [command.id for command in commands if command.id.int]
        again = [id for id in given if id in self._used or given.count(id) > 1]
        if again:
            raise BadRequest([f"command_id {again[0]} was used before: must be new, or zero"])

    def remember(self, commands: Sequence[Command]) -> None:
        """The ids of `commands` are used now."""
        for command in commands:
            self._used[command.id] = None
        while len(self._used) > REMEMBERED:
            self._used.popitem(last=False)

    def forget(self, commands: Sequence[Command]) -> None:
        """They are used anew, by the same commands."""
        for command in commands:
            self._used.pop(command.id, None)

    @contextmanager
    def told(self, commands: Sequence[Command]) -> Iterator[None]:
        """A refusal inside is told as the end of `commands`, which never began."""
        try:
            yield
        except ToldRefusal:
            raise
        except BadRequest as error:
            self.refuse(commands, str(error))
            raise ToldRefusal([str(error)]) from None

    def refuse(self, commands: Sequence[Command], message: str) -> None:
        """Tell that `commands` never began; one that uses an id again gets a new one for that."""
        actuators = self._describe()
        for command in commands:
            actuator = actuators.get(command.name)
            self._ledger.refuse(
                [actuator.axis] if actuator else [],
                message,
                names=[command.name] if actuator else [],
                id=uuid4() if command.id in self._used else command.id,
            )
