"""What can be called on the simulated engine: what is declared, as it is declared, nothing else."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from held_engine import HeldEngine

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Ecat, Engine, Faults, Io, Motion
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState
from wmx_sim.driver import open_fake
from wmx_sim.engine.calls import carries_out
from wmx_sim.engine.proxies import (
    METHODS,
    EcatProxy,
    EngineProxy,
    FaultsProxy,
    IoProxy,
    MotionProxy,
)

PROTOCOLS: dict[str, tuple[type, type]] = {
    "engine": (Engine, EngineProxy),
    "motion": (Motion, MotionProxy),
    "io": (Io, IoProxy),
    "ecat": (Ecat, EcatProxy),
    "faults": (Faults, FaultsProxy),
}
OF_THE_DEVICE = {"create_device", "close_device", "set_watchdog"}


def methods_of(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")} - {"part"}


def arguments(method: Callable[..., Any]) -> list[tuple[str, object, object]]:
    parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
    return [(p.name, p.kind, p.default) for p in parameters]


@pytest.mark.parametrize("part", PROTOCOLS)
def test_the_proxies_are_the_driver_interface(part: str) -> None:
    protocol, proxy = PROTOCOLS[part]
    names = methods_of(protocol) - OF_THE_DEVICE
    assert names <= methods_of(proxy)
    more = {name for name in methods_of(proxy) - names if not METHODS[part, name].local}
    assert more <= {"devices"}
    for name in names:
        asked, offered = getattr(protocol, name), getattr(proxy, name)
        assert arguments(asked) == arguments(offered), name
        assert inspect.get_annotations(asked) == inspect.get_annotations(offered), name


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


def test_a_driver_has_the_methods_of_its_parts_and_no_others() -> None:
    driver = open_fake(DriverOptions(in_process=True))
    assert driver.engine.state() is EngineState.IDLE
    for part, name in (
        (driver.motion, "stop_communication"),
        (driver.motion, "set_sevro"),
        (driver.io, "status"),
        (driver.ecat, "drop_slave"),
    ):
        with pytest.raises(AttributeError, match=name):
            getattr(part, name)


def test_without_communication_only_what_is_declared_offline_is_answered() -> None:
    held = HeldEngine(start=False)
    for (part, method), declared in METHODS.items():
        if not declared.offline:
            with pytest.raises(CommandRefused) as refused:
                held.fake.call(part, method)
            assert refused.value.code == ErrorCode.CommNotStarted, method
