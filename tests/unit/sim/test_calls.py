"""What can be called on the simulated engine: what is declared, as it is declared, nothing else."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from held_engine import HeldEngine

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Engine, Io
from wmx_sim.engine.calls import carries_out
from wmx_sim.engine.proxies import METHODS, EngineProxy


def arguments(method: Callable[..., Any]) -> list[tuple[str, object, object]]:
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    return [(p.name, p.kind, p.default) for p in parameters]


def test_the_proxy_of_the_engine_is_the_driver_interface() -> None:
    """But for what the device does; the other proxies are made of their protocols."""
    asked, offered = vars(Engine), vars(EngineProxy)
    names = {name for name in offered if name[0] != "_"} - {"part", "devices"}
    of_the_device = {"create_device", "close_device", "set_watchdog"}
    assert names == {name for name in asked if name[0] != "_"} - of_the_device
    for name in names:
        assert arguments(asked[name]) == arguments(offered[name]), name
        assert inspect.get_annotations(asked[name]) == inspect.get_annotations(offered[name]), name


def test_what_is_declared_of_no_method_is_a_mistake() -> None:
    with pytest.raises(TypeError, match=r"Io has no \['input_byte'\]"):
        carries_out(Io, "io", queries={"input_byte", "input_bits"})


@pytest.mark.parametrize(("part", "method"), METHODS)
def test_the_engine_carries_out_what_is_declared(part: str, method: str) -> None:
    fake = HeldEngine(start=False).fake
    if method in fake.readers:
        return
    carried_out = getattr(fake.parts[part], method)
    assert arguments(carried_out) == arguments(METHODS[part, method].signature)


@pytest.mark.parametrize("start", [True, False])
@pytest.mark.parametrize(
    ("part", "method"),
    [
        ("motion", "stop_communication"),
        ("motion", "advance"),
        ("engine", "attach"),
        ("engine", "call"),
        ("engine", "set_servo"),
        ("io", "stop_communication"),
        ("motion", "set_sevro"),
        ("nobody", "state"),
        ("motion", "__init__"),
    ],
)
def test_what_is_not_declared_is_a_mistake_and_changes_nothing(
    part: str, method: str, start: bool
) -> None:
    held = HeldEngine(start=start)
    before = held.fake.shared_state.record.tobytes()
    with pytest.raises(AttributeError, match=rf"no {part}\.{method}"):
        held.fake.call(part, method)
    assert held.fake.shared_state.record.tobytes() == before


def test_without_communication_only_what_is_declared_offline_is_answered() -> None:
    held = HeldEngine(start=False)
    for (part, method), declared in METHODS.items():
        if not declared.offline:
            with pytest.raises(CommandRefused) as refused:
                held.fake.call(part, method)
            assert refused.value.code == ErrorCode.CommNotStarted, method
