"""Inputs that latch where axes are inside the engine."""

import pytest
import simulation
from backends import Backend
from moves import at

from wmx_core.errors import ErrorCode
from wmx_core.reactions import TouchProbe

BYTE, BIT = 2, 6


def probe(axis: int, *, value: bool = True) -> TouchProbe:
    return TouchProbe(axis=axis, address=BYTE, bit=BIT, value=value)


def set_probes(backend: Backend, *probes: TouchProbe) -> None:
    with backend.where_supported():
        backend.reactions.set_touch_probes([each.axis for each in probes], probes)


def touches(backend: Backend, value: bool = True) -> None:
    backend.play(simulation.force_input(BYTE, BIT, value))


@pytest.mark.over_process
def test_it_latches_where_the_motor_is(harmless_powered: Backend) -> None:
    backend = harmless_powered
    set_probes(backend, probe(backend.x), probe(backend.y))
    backend.motion.jog([at(backend.x, 1.0), at(backend.y, -2.0)])
    before = backend.advance(0.5)
    assert backend.reactions.touched(backend.axes) == (None, None)
    touches(backend)
    after = backend.advance(0.002)
    for axis in backend.axes:
        (position,) = backend.reactions.touched([axis])
        assert position is not None
        low, high = sorted([before.actual_pos[axis], after.actual_pos[axis]])
        assert low <= position <= high
    backend.motion.stop(backend.axes)
    backend.at_rest()


def test_it_latches_once(harmless_powered: Backend) -> None:
    backend = harmless_powered
    set_probes(backend, probe(backend.x))
    backend.motion.jog([at(backend.x, 1.0)])
    backend.advance(0.3)
    touches(backend)
    backend.advance(0.01)
    latched = backend.reactions.touched([backend.x])
    touches(backend, False)
    backend.advance(0.2)
    touches(backend)
    backend.advance(0.2)
    assert backend.reactions.touched([backend.x]) == latched
    set_probes(backend, probe(backend.x))
    assert backend.reactions.touched([backend.x]) == (None,)
    touches(backend, False)
    backend.advance(0.01)
    touches(backend)
    backend.advance(0.01)
    (again,) = backend.reactions.touched([backend.x])
    assert again is not None
    assert latched[0] is not None
    assert again > latched[0] + 0.1
    backend.motion.stop([backend.x])
    backend.at_rest()


@pytest.mark.parametrize("value", [True, False])
def test_a_level_that_is_there_already_is_no_change(harmless: Backend, value: bool) -> None:
    touches(harmless, value)
    harmless.advance(0.01)
    set_probes(harmless, probe(harmless.x, value=value))
    harmless.advance(0.01)
    assert harmless.reactions.touched([harmless.x]) == (None,)
    touches(harmless, not value)
    harmless.advance(0.01)
    assert harmless.reactions.touched([harmless.x]) == (None,)
    touches(harmless, value)
    harmless.advance(0.01)
    assert harmless.reactions.touched([harmless.x]) != (None,)


def test_an_axis_without_one(harmless: Backend) -> None:
    set_probes(harmless, probe(harmless.x), probe(harmless.y))
    harmless.reactions.set_touch_probes([harmless.x], [])
    assert harmless.reactions.touched([harmless.y]) == (None,)
    with harmless.refuses(ErrorCode.ArgumentOutOfRange):
        harmless.reactions.touched([harmless.x])


WRONG = {
    "axis": (ErrorCode.AxisOutOfRange, TouchProbe(axis=1000, address=0, bit=0, value=True)),
    "byte": (ErrorCode.IOAddressOutOfRange, TouchProbe(axis=1, address=-1, bit=0, value=True)),
    "bit": (ErrorCode.ArgumentOutOfRange, TouchProbe(axis=1, address=0, bit=-1, value=True)),
    "twice": (ErrorCode.DuplicateAxis, TouchProbe(axis=0, address=0, bit=0, value=True)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_refused_one_changes_nothing(harmless: Backend, name: str) -> None:
    set_probes(harmless, probe(harmless.x))
    code, wrong = WRONG[name]
    with harmless.refuses(code):
        harmless.reactions.set_touch_probes([harmless.x], [probe(0, value=False), wrong])
    touches(harmless)
    harmless.advance(0.01)
    assert harmless.reactions.touched([harmless.x]) != (None,)


def test_without_communication(attached: Backend) -> None:
    with attached.refuses(ErrorCode.CommNotStarted):
        attached.reactions.set_touch_probes([], [])
    with attached.refuses(ErrorCode.CommNotStarted):
        attached.reactions.touched([attached.x])
