"""Services that change what a position of an axis means: mode, polarity, unit, zero.

An axis has to rest for that, its motor as well. A motor lags behind its command: these services
wait until it has come to rest, and do not wait for an axis that moves. They are answered in the
node's worker, which may wait.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from wmx_ros2_message.srv import SetAxis, SetAxisGearRatio, SetAxisPosition

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import CommandMode, OperationState

from ...control.conditions import out_of_position
from ...control.stopping import SETTLING
from ...diagnosis.explanations import OUT_OF_POSITION
from ...node_base.context import NodeContext
from ...validation import finite, one_of, positive, rows
from .per_axis import answer, carry_out

TIMEOUT = 2.0 * SETTLING
"""How long a service waits for motors, s: what still turns by then is held by no position loop."""
RETRY_PERIOD = 0.005
"""s between two attempts."""


class Settings:
    """The services of `node`."""

    def __init__(self, node: NodeContext[Any]) -> None:
        self._node = node
        self._gate = node.gate
        node.create_service(SetAxis, "wmx/axis/set_mode", self.set_mode)
        node.create_service(SetAxis, "wmx/axis/set_polarity", self.set_polarity)
        node.create_service(SetAxisGearRatio, "wmx/axis/set_gear_ratio", self.set_gear_ratio)
        node.create_service(SetAxisPosition, "wmx/axis/reference", self.set_position)
        node.create_service(SetAxis, "wmx/axis/confirm", self.confirm)

    async def set_mode(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose what commands axes."""
        mode = one_of(request.data, CommandMode, "Invalid mode {value} for axis {axis}")
        response.success, response.message = await self._carry_out(
            rows(request.index, data=mode),
            lambda axis, m: self._gate.set_command_mode(axis, CommandMode(m)),
            done=lambda axis, m: f"Set axis {axis} in {CommandMode(m).name.title()} mode",
            failed=lambda axis, m: f"Failed to set axis {axis} mode {m}",
        )

    async def set_polarity(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Choose the positive direction of axes."""
        polarity = one_of(request.data, (1, -1), "Invalid polarity value for axis {axis}: {value}")
        response.success, response.message = await self._carry_out(
            rows(request.index, data=polarity),
            self._gate.set_polarity,
            done=lambda axis, _: f"Set polarity on axis {axis}",
            failed=lambda axis, _: f"Failed to set polarity on axis {axis}",
        )

    async def set_gear_ratio(
        self, request: SetAxisGearRatio.Request, response: SetAxisGearRatio.Response
    ) -> None:
        """Choose the user units of axes."""
        response.success, response.message = await self._carry_out(
            rows(
                request.index,
                numerator=positive(request.numerator, "numerator"),
                denominator=positive(request.denominator, "denominator"),
            ),
            self._gate.set_gear_ratio,
            done=lambda axis, *_: f"Set gear ratio on axis {axis}",
            failed=lambda axis, *_: f"Failed to set gear ratio on axis {axis}",
        )

    async def set_position(
        self, request: SetAxisPosition.Request, response: SetAxisPosition.Response
    ) -> None:
        """Declare where axes stand, without motion.

        A motor that stands elsewhere than its command would not be where it is said to be.
        """

        def declare(axis: int, position: float) -> None:
            node = self._node
            off = out_of_position(
                self._gate.status(), node.common.in_position_width, node.in_position_widths
            )
            if axis in off:
                words = OUT_OF_POSITION.format(f"{off[axis]:.6g}")
                raise CommandRefused(ErrorCode.NotIdleState, f"axis {axis}: {words}")
            self._gate.set_position(axis, position)

        response.success, response.message = await self._carry_out(
            rows(request.index, position=finite(request.position, "position")),
            declare,
            done=lambda axis, position: f"Axis {axis} stands at {position:g}",
            failed=lambda axis, _: f"Failed to set the position of axis {axis}",
        )

    async def confirm(self, request: SetAxis.Request, response: SetAxis.Response) -> None:
        """Let axes be as they are that have lost what clients had set; `data` is ignored."""
        response.success, response.message = await self._carry_out(
            rows(request.index),
            lambda axis: self._gate.confirm([axis]),
            done=lambda axis: f"Axis {axis} is to be as it is",
            failed=lambda axis: f"Failed to confirm axis {axis}",
        )

    async def _carry_out(
        self,
        wanted: Iterable[Sequence[Any]],
        act: Callable[..., None],
        *,
        done: Callable[..., str],
        failed: Callable[..., str],
    ) -> tuple[bool, str]:
        """Change settings as `per_axis.carry_out` does, each after its motor has come to rest."""

        def change(axis: int, *values: Any) -> None:
            at_rest(self._node, [axis], lambda: act(axis, *values))

        settings = list(wanted)
        return answer(
            await self._node.in_worker(
                lambda: carry_out(settings, change, done=done, failed=failed)
            )
        )


def at_rest(node: NodeContext[Any], axes: Sequence[int], change: Callable[[], None]) -> None:
    """Make a `change` that needs `axes` at rest, as soon as motors have followed; may wait.

    In another mode a motor that turns slowly is braked first: what is commanded next must not be
    refused because of that.
    """
    deadline = node.clock.now() + TIMEOUT
    while True:
        try:
            change()
            break
        except CommandRefused as error:
            lag = error.code == ErrorCode.NotIdleState and _commands_rest(node, axes)
            late = node.clock.now() > deadline
            if not lag or late or node.deactivating.wait(RETRY_PERIOD):
                raise
    while not _commands_rest(node, axes) and node.clock.now() < deadline:
        if node.deactivating.wait(RETRY_PERIOD):
            return


def _commands_rest(node: NodeContext[Any], axes: Sequence[int]) -> bool:
    """Whether a status shows that `axes` are commanded to do nothing, and motors alone may turn."""
    try:
        states = node.gate.status().op_state
    except CommandRefused:  # what was set is set, whether a status shows it or not
        return False
    known = [axis for axis in axes if axis < len(states)]
    return bool((states[known] == OperationState.IDLE).all())
