"""Stop inputs at the gate: nothing begins to move while one of them is on."""

from collections.abc import Callable, Sequence

import pytest
from axis_files import axis_file
from gate_requests import jog
from held_engine import HeldEngine, position_move, velocity_move
from held_node import HeldNode
from refusing import refuses

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Motion
from wmx_core.reactions import StopInput, StopKind
from wmx_core.values import CommandMode, Gearing, OperationState
from wmx_ros2_package.control.request import EndReason, MotionKind
from wmx_ros2_package.nodes.engine.stop_inputs import StopInputServices

PLACE = "5.1"


def stop_input(axis: int = 0, kind: StopKind = StopKind.STOP, bit: int = 1) -> StopInput:
    return StopInput(axis=axis, address=5, bit=bit, value=True, kind=kind)


def comes_on(held: HeldEngine, *, on: bool = True) -> None:
    held.play(f"[{{force_input: {{input: '{PLACE}', value: {str(on).lower()}}}}}]")


def test_it_stops_a_motion_and_refuses_the_next(held: HeldEngine, node: HeldNode) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    jog(node)
    jog(node, 1)
    node.after(0.2)
    comes_on(held)
    status = node.after(1.0)
    assert status.op_state.tolist() == [OperationState.IDLE, OperationState.JOG]
    assert node.reasons() == [EndReason.STOPPED]
    with pytest.raises(CommandRefused, match=r"axis 0: its stop input 5\.1 is on \(1\)"):
        jog(node)
    assert node.after(0.2).op_state[0] == OperationState.IDLE
    comes_on(held, on=False)
    assert node.after(0.2).op_state[0] == OperationState.IDLE  # nothing begins by itself
    jog(node)
    assert node.after(0.2).op_state[0] == OperationState.JOG


def test_it_is_named_though_a_stop_was_recorded_as_well(held: HeldEngine, node: HeldNode) -> None:
    """The engine node records one when it sees the input, which may be late."""
    node.stop_inputs.replace([0], [stop_input()])
    comes_on(held)
    request = node.request(0, kind=MotionKind.JOG)
    node.gate.refuse_earlier([0])
    with pytest.raises(CommandRefused, match="its stop input"):
        node.gate.issue([request], lambda motion: motion.jog([velocity_move(0)]))


def test_what_is_asked_for_while_one_is_on_is_refused_when_it_is_off(
    held: HeldEngine, node: HeldNode
) -> None:
    StopInputServices(node)  # type: ignore[arg-type]
    node.stop_inputs.replace([0], [stop_input()])
    comes_on(held)
    node.after(0.1)
    asked = node.request(0)
    comes_on(held, on=False)
    node.after(0.1)
    with pytest.raises(CommandRefused, match="axis 0: it was stopped after the command was sent"):
        node.gate.issue([asked], lambda motion: motion.move_absolute([position_move()]))


def test_a_hold_is_a_stop_and_is_not_refused(held: HeldEngine, node: HeldNode) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    comes_on(held)
    node.gate.issue([node.request(0, kind=MotionKind.HOLD)], lambda motion: motion.stop([0]))
    assert node.reasons() == []


def test_one_that_comes_on_while_a_command_is_on_its_way(held: HeldEngine, node: HeldNode) -> None:
    """The engine has acted before there was anything to stop."""
    node.stop_inputs.replace([0], [stop_input()])
    held.reactions.set_stop_inputs([])  # as if the engine had acted before the jog

    def command(motion: Motion) -> None:
        motion.jog([velocity_move(0)])
        comes_on(held)

    node.gate.issue([node.request(0, kind=MotionKind.JOG)], command)
    assert node.after(1.0).op_state[0] == OperationState.IDLE
    assert node.reasons() == [EndReason.STOPPED]


def test_they_are_in_force_again_after_a_new_engine(held: HeldEngine, node: HeldNode) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    held.reactions.set_stop_inputs([])  # what a new engine has
    node.stop_inputs.restore()
    jog(node)
    node.after(0.2)
    comes_on(held)
    assert node.after(1.0).op_state[0] == OperationState.IDLE


def test_they_outlive_all_nodes(
    held: HeldEngine, node: HeldNode, nodes: Callable[..., HeldNode]
) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    node.ownership.close()
    another = nodes(held, "/another")
    assert another.stop_inputs.all() == [stop_input()]
    another.stop_inputs.replace([0], [])
    another.ownership.close()
    assert nodes(held, "/third").stop_inputs.all() == []


def test_only_those_of_the_named_axes_are_replaced(node: HeldNode) -> None:
    node.stop_inputs.replace([0, 1], [stop_input(0), stop_input(1)])
    node.stop_inputs.replace([1], [stop_input(1, bit=3)])
    assert node.stop_inputs.all() == [stop_input(0), stop_input(1, bit=3)]
    node.stop_inputs.replace([0], [])
    assert node.stop_inputs.all() == [stop_input(1, bit=3)]


def test_what_the_engine_refuses_changes_nothing(node: HeldNode) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    with pytest.raises(CommandRefused):
        node.stop_inputs.replace([0, 9], [stop_input(0, StopKind.QUICK_STOP), stop_input(9)])
    assert node.stop_inputs.all() == [stop_input()]


def test_what_an_engine_has_taken_in_part_is_taken_back(
    node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    node.stop_inputs.replace([0], [stop_input()])
    take = node.driver.reactions.set_stop_inputs
    taken: list[list[StopInput]] = []

    def refuse_two(inputs: Sequence[StopInput]) -> None:
        taken.append([*inputs])
        take(inputs[:1])
        if len(inputs) > 1:
            raise CommandRefused(ErrorCode.IDOutOfRange)

    monkeypatch.setattr(node.driver.reactions, "set_stop_inputs", refuse_two)
    with pytest.raises(CommandRefused):
        node.stop_inputs.replace([0, 1], [stop_input(bit=2), stop_input(1)])
    assert taken[-1] == [stop_input()] == node.stop_inputs.all()


def test_an_axis_that_is_missing_by_now_locks_nothing(node: HeldNode) -> None:
    """A drive was taken from the end of the line."""
    file = axis_file(node)
    far = stop_input(node.held.status().axes)
    file.set_stop_inputs([stop_input(), far])
    node.stop_inputs.restore()
    assert node.stop_inputs.all() == [stop_input(), far]
    with refuses(ErrorCode.AxisOutOfRange):
        node.stop_inputs.replace([far.axis], [far])
    node.stop_inputs.replace([far.axis], [])
    assert node.stop_inputs.all() == [stop_input()]


def test_a_mode_in_which_the_engine_cannot_stop_the_axis(node: HeldNode) -> None:
    """Of engines that stop axes in position mode alone."""
    object.__setattr__(node.driver, "stops_every_mode", False)
    node.stop_inputs.replace([0, 1], [stop_input(0), stop_input(1, StopKind.EMERGENCY_STOP)])
    moves = {axis: [velocity_move(axis)] for axis in (0, 1)}
    with refuses(ErrorCode.NotPosMode, match="axis 0 has a stop input"):
        node.gate.issue(
            [node.request(0)], lambda motion: motion.move_velocity(moves[0]), CommandMode.VELOCITY
        )
    assert node.held.status().command_mode[0] == CommandMode.POSITION
    node.gate.issue(
        [node.request(1)], lambda motion: motion.move_velocity(moves[1]), CommandMode.VELOCITY
    )
    node.gate.issue([node.request(0)], lambda motion: motion.move_absolute([position_move()]))
    node.stop_inputs.replace([0], [])
    with pytest.raises(CommandRefused, match="axis 1 has a stop input"):
        node.stop_inputs.replace([1], [stop_input(1)])


def test_an_axis_that_follows_another_cannot_be_stopped_by_every_engine(node: HeldNode) -> None:
    object.__setattr__(node.driver, "stops_every_mode", False)
    request = node.request(0, kind=MotionKind.GEARING)
    follow = [Gearing(slave=0, master=1, ratio=1.0)]
    node.stop_inputs.replace([0], [stop_input()])
    with refuses(ErrorCode.NotPosMode, match="axis 0 has a stop input"):
        node.gate.issue([request], lambda motion: motion.start_gearing(follow))
    node.stop_inputs.replace([0], [])
    node.gate.issue([request], lambda motion: motion.start_gearing(follow))
    node.after(0.1)
    with refuses(ErrorCode.NotPosMode, match="while the axis follows no other"):
        node.stop_inputs.replace([0], [stop_input()])
