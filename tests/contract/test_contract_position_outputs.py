"""Outputs that axes switch inside the engine."""

import pytest
from backends import Backend
from moves import at, to

from wmx_core.errors import ErrorCode
from wmx_core.reactions import PositionOutput
from wmx_core.values import Gearing

BYTE, BIT = 3, 5
LATER = 0.005
"""By then an output shows what the command of its axis has done, s."""


def output(
    axis: int, position: float = 0.5, *, value: bool = True, bit: int = BIT
) -> PositionOutput:
    return PositionOutput(axis=axis, address=BYTE, bit=bit, position=position, value=value)


def set_outputs(backend: Backend, *outputs: PositionOutput) -> None:
    with backend.where_supported():
        backend.reactions.set_position_outputs([each.axis for each in outputs], outputs)
    backend.advance(LATER)


def is_on(backend: Backend, bit: int = BIT) -> bool:
    return backend.io.output_bit(BYTE, bit)


@pytest.mark.over_process
@pytest.mark.parametrize("value", [True, False])
def test_it_follows_its_axis_there_and_back(harmless_powered: Backend, value: bool) -> None:
    backend = harmless_powered
    set_outputs(backend, output(backend.x, value=value))
    assert is_on(backend) is not value
    backend.motion.move_absolute([to(backend.x, 1.0)])
    backend.at_rest()
    assert is_on(backend) is value
    backend.motion.move_absolute([to(backend.x, 0.0)])
    backend.at_rest()
    assert is_on(backend) is not value


@pytest.mark.long
def test_it_is_set_as_the_axis_passes(harmless_powered: Backend) -> None:
    backend = harmless_powered
    if not backend.exact:
        pytest.skip("the clock runs")
    set_outputs(backend, output(backend.x))
    backend.motion.jog([at(backend.x, 1.0)])
    seen = []
    for _ in range(700):
        status = backend.advance(0.001)
        seen.append((status.pos_cmd[backend.x], is_on(backend)))
    passed = next(i for i, (position, _) in enumerate(seen) if position > 0.5)
    came_on = next(i for i, (_, on) in enumerate(seen) if on)
    assert passed <= came_on <= passed + 2
    assert [on for _, on in seen] == [i >= came_on for i in range(len(seen))]
    backend.motion.stop([backend.x])
    backend.at_rest()


def test_at_first_it_is_what_the_axis_says(harmless_powered: Backend) -> None:
    backend = harmless_powered
    set_outputs(backend, output(backend.x, -0.5), output(backend.y, 0.5, bit=BIT + 1))
    assert is_on(backend)
    assert not is_on(backend, BIT + 1)


def test_a_slave_switches_its_own(harmless_powered: Backend) -> None:
    backend = harmless_powered
    with backend.where_supported():
        gear = Gearing(slave=backend.y, master=backend.x, ratio=-1.0)
        backend.motion.start_gearing([gear])
    set_outputs(backend, output(backend.y, -0.5))
    assert is_on(backend)
    backend.motion.move_absolute([to(backend.x, 1.0)])
    backend.at_rest(backend.x)
    backend.advance(LATER)
    assert not is_on(backend)
    backend.motion.stop([backend.y])
    backend.at_rest()


def test_one_that_is_switched_no_more_stays(harmless_powered: Backend) -> None:
    backend = harmless_powered
    set_outputs(backend, output(backend.x, -0.5))
    backend.reactions.set_position_outputs([backend.x], [])
    backend.motion.move_absolute([to(backend.x, -1.0)])
    backend.at_rest()
    assert is_on(backend)


def test_another_one_takes_its_place(harmless_powered: Backend) -> None:
    backend = harmless_powered
    set_outputs(backend, output(backend.x, 0.5))
    set_outputs(backend, output(backend.x, 0.5, bit=BIT + 1))
    backend.motion.move_absolute([to(backend.x, 1.0)])
    backend.at_rest()
    assert not is_on(backend)
    assert is_on(backend, BIT + 1)


WRONG = {
    "axis": (ErrorCode.AxisOutOfRange, output(1000)),
    "bit": (ErrorCode.ArgumentOutOfRange, output(1, bit=8)),
    "position": (ErrorCode.PositionArgumentOutOfRange, output(1, float("nan"), bit=1)),
    "one output of two axes": (ErrorCode.ArgumentOutOfRange, output(1)),
    "twice": (ErrorCode.DuplicateAxis, output(0, bit=0)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_refused_one_changes_nothing(harmless: Backend, name: str) -> None:
    code, wrong = WRONG[name]
    with harmless.refuses(code):
        harmless.reactions.set_position_outputs([0], [output(0, -1.0), wrong])
    harmless.advance(LATER)
    assert not is_on(harmless)


def test_an_output_that_another_axis_switches(harmless: Backend) -> None:
    """It is refused until that axis switches it no more, or is named in the same request."""
    set_outputs(harmless, output(0, -1.0))
    with harmless.refuses(ErrorCode.ArgumentOutOfRange):
        harmless.reactions.set_position_outputs([1], [output(1, 1.0)])
    harmless.advance(LATER)
    assert is_on(harmless)
    harmless.reactions.set_position_outputs([0, 1], [output(1, 1.0)])
    harmless.advance(LATER)
    assert not is_on(harmless)


def test_without_communication(attached: Backend) -> None:
    with attached.refuses(ErrorCode.CommNotStarted):
        attached.reactions.set_position_outputs([], [])
