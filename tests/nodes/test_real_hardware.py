"""What nodes stand on real hardware and never meet on the simulated engine."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import rclpy
from local_actuators import Communicating, spun
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions
from ros import READY_QOS, WAIT_TIMEOUT, Client, eventually
from std_msgs.msg import Bool

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode
from wmx_core.interface import Driver
from wmx_core.opening import BACKENDS, open_driver
from wmx_core.options import DriverOptions
from wmx_core.values import EngineState, OperationState
from wmx_ros2_package.node_base import device
from wmx_ros2_package.node_base.context import NodeContext
from wmx_ros2_package.node_base.kind import AnyKind
from wmx_ros2_package.node_base.managed_node import ManagedNode
from wmx_ros2_package.node_base.refusals import NotReady
from wmx_ros2_package.nodes import core_motion, engine, ethercat, io
from wmx_ros2_package.nodes.engine import life
from wmx_ros2_package.nodes.engine import node as engine_node

CORE_MOTION = "wmx_core_motion_node", core_motion.KIND
ENGINE = "wmx_engine_node", engine.KIND
ETHERCAT = "wmx_ethercat_node", ethercat.KIND
IO = "wmx_io_node", io.KIND
Named = tuple[str, AnyKind]


class Part:
    """A part of a driver with some methods of its own."""

    def __init__(self, part: Any, **own: Any) -> None:
        self._part = part
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)


class Hardware:
    """A simulated engine that says it is none: closing fails, and parameters take their time."""

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()
        driver = open_driver("fake", in_process=True)
        engine: Any = Part(Communicating(driver.engine), close_device=self._close)
        motion: Any = Part(driver.motion, parameters=self._parameters)
        self.driver = replace(driver, simulated=False, engine=engine, motion=motion, faults=None)
        self.real = driver

    def _close(self) -> None:
        self.real.engine.close_device()
        raise CommandRefused(ErrorCode.WaitTimeout, "it takes too long")

    def _parameters(self) -> Any:
        self.asked.set()
        assert self.go_on.wait(WAIT_TIMEOUT)
        return self.real.motion.parameters()


@pytest.fixture
def hardware(monkeypatch: pytest.MonkeyPatch, runtime: Path) -> Iterator[Hardware]:
    """What nodes made in this process drive."""
    hardware = Hardware()

    def open_it(_options: DriverOptions) -> Driver:
        return hardware.driver

    monkeypatch.setitem(BACKENDS, "hardware", open_it)
    monkeypatch.setenv("WMX_DRIVER", "hardware")
    monkeypatch.setenv("ROS_LOG_DIR", str(runtime / "log"))
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    yield hardware
    rclpy.shutdown()


class Composed(NamedTuple):
    """A node that is configured, and what its parts are."""

    node: ManagedNode
    context: NodeContext[Any]
    behaviour: Any


def composed(named: Named, **parameters: Any) -> Composed:
    """A node of this name and kind, configured."""
    name, kind = named
    made: list[tuple[NodeContext[Any], Any]] = []

    def behave(context: NodeContext[Any]) -> None:
        made.append((context, kind.behaviour(context)))

    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    node = ManagedNode(name, replace(kind, behaviour=behave), parameter_overrides=overrides)
    node.configure()
    return Composed(node, *made[0])


@contextmanager
def running(made: Composed) -> Iterator[None]:
    """A node that is active; it is closed and destroyed in the end."""
    with spun(made.node):
        made.node.activate()
        yield
        made.node.close()
    made.node.destroy_node()


@contextmanager
def attached(made: Composed) -> Iterator[Client]:
    """A client of a node that has attached; the node is closed and destroyed in the end."""
    client = Client(int(os.environ["ROS_DOMAIN_ID"]), shared=True)
    try:
        with running(made):
            ready = client.node.create_publisher(Bool, "wmx/engine/ready", READY_QOS)
            ready.publish(Bool(data=True))
            client.eventually(lambda: made.context.readiness.attached, "the node attaches")
            yield client
    finally:
        client.close()


def fail(*_: object) -> None:
    raise ValueError("a bug")


@pytest.mark.parametrize("kind", [CORE_MOTION, ETHERCAT, IO], ids=lambda named: named[0])
def test_a_device_that_cannot_be_closed_keeps_no_follower_from_ending(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], kind: Named
) -> None:
    made = composed(kind)
    with attached(made):
        pass
    assert not made.context.readiness.attached
    assert "Closing the device: Error=65616 (WaitTimeout): it takes too long" in said(capfd)


def test_it_offers_no_simulation(hardware: Hardware) -> None:
    made = composed(ENGINE)
    services = [name for name, _ in made.node.get_service_names_and_types()]
    assert "/wmx/engine/get_status" in services
    assert not [name for name in services if name.startswith("/wmx/simulation/")]
    made.node.close()
    made.node.destroy_node()


def test_a_device_that_cannot_be_closed_does_not_keep_the_engine_node_from_ending(
    hardware: Hardware, capfd: pytest.CaptureFixture[str]
) -> None:
    made = composed(ENGINE)
    with running(made):
        pass
    assert "Closing the device: Error=65616 (WaitTimeout): it takes too long" in said(capfd)


def test_a_refused_stop_keeps_the_communication_from_nothing(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "STOP_TIMEOUT", 0.05)
    monkeypatch.setattr(life, "HARDER_STOP_TIMEOUT", 0.05)
    real, motion = hardware.real.motion, hardware.driver.motion

    def refuse(*_: Any) -> None:
        raise CommandRefused(ErrorCode.NotPosMode)

    for stop in "stop", "quick_stop", "emergency_stop":
        monkeypatch.setattr(motion, stop, refuse, raising=False)
    moving = np.full(6, OperationState.POS, np.int32)
    monkeypatch.setattr(motion, "status", lambda: replace(real.status(), op_state=moving))
    made = composed(ENGINE)
    with running(made):
        eventually(lambda: hardware.driver.engine.state() is EngineState.COMMUNICATING, "it runs")
    assert hardware.real.engine.state() is EngineState.IDLE
    assert "Axes [0, 1, 2, 3, 4, 5] still move after a harder stop" in said(capfd)


def test_a_missing_licence_is_said_once_and_explains_why_communication_ends(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = hardware.real.motion.status
    monkeypatch.setattr(
        hardware.driver.motion,
        "status",
        lambda: replace(real(), invalid_licence=True, licence_left=left[0]),
    )
    left = [3000.0]
    heard = ""

    def says(text: str) -> bool:
        nonlocal heard
        heard += capfd.readouterr().err
        return text in heard

    made = composed(ENGINE)
    with running(made):
        eventually(lambda: says("the engine has no valid licence: it ends"), "it is said")
        assert "communication by itself in 50 min" in heard
        left[0] = 599.0
        eventually(lambda: says("communication by itself in 10 min"), "it is said once more")
        hardware.real.engine.stop_communication()
        reason = "Communication was stopped by the engine (the engine has no valid licence)"
        eventually(lambda: says(reason), "and why it ended")
    assert heard.count("it ends communication by itself") == 2


def test_a_device_on_an_idle_engine_is_not_created_again(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vendor's manual has an engine that is attached and idle; the cause is what is told."""

    def refuse() -> None:
        raise CommandRefused(ErrorCode.StartProcessFailed, "it stays idle")

    monkeypatch.setattr(hardware.driver.engine, "state", lambda: EngineState.IDLE, raising=False)
    monkeypatch.setattr(hardware.driver.engine, "start_communication", refuse, raising=False)
    made = composed(ENGINE, retry_count=3, retry_delay=0.01)
    with running(made):
        eventually(lambda: made.context.active and not made.behaviour.starting, "it gives up")
    heard = said(capfd)
    assert "Failed to start the engine after 3 attempts: Error=256" in heard
    assert "it stays idle" in heard
    assert "ResourceInUse" not in heard


def test_a_lost_engine_is_told_to_stop_before_its_device_is_closed(
    hardware: Hardware, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is only taken for dead would end its communication in motion."""
    told: list[Any] = []
    monkeypatch.setattr(
        hardware.driver.motion, "stop", lambda axes: told.append(("stop", [*axes])), raising=False
    )
    close = hardware.driver.engine.close_device
    monkeypatch.setattr(
        hardware.driver.engine, "close_device", lambda: (told.append(("close",)), close())
    )
    made = composed(ENGINE)
    with running(made):
        eventually(lambda: made.context.active and not made.behaviour.starting, "it runs")
        told.clear()
        made.behaviour.lose_engine(EngineLost(ErrorCode.DeviceIsNull, "it seems dead"))
        eventually(lambda: ("close",) in told, "its device is closed")
        assert told[0] == ("stop", list(range(6)))


def test_an_engine_that_starts_with_a_bug_is_not_starting_for_ever(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_node.EngineNode, "try_to_start", lambda *_, **__: fail())
    made = composed(ENGINE)
    with pytest.raises(NotReady, match="wmx_engine_node is not active"):
        made.context.require_engine()
    with running(made):
        eventually(lambda: made.context.active and not made.behaviour.starting, "it gave up")
        made.context.require_engine()
    assert "ValueError: a bug" in capfd.readouterr().err


def test_hooks_are_called_in_order_and_backwards_when_it_ends(hardware: Hardware) -> None:
    made, noted = composed(IO), list[str]()
    begins, ends = ["activate", "attach", "attached"], ["let_go", "detach", "deactivate"]
    for name in (*begins, *ends):
        hooks = getattr(made.context, f"on_{name}")
        hooks.extend(partial(noted.append, f"{name} {each}") for each in "ab")
    with attached(made):
        pass
    assert noted == [
        *(f"{name} {each}" for name in begins for each in "ab"),
        *(f"{name} {each}" for name in ends for each in "ba"),
    ]


def test_an_activation_that_fails_goes_no_further_and_is_ended(hardware: Hardware) -> None:
    made, noted = composed(IO), list[str]()
    begins = [partial(noted.append, "+a"), fail, partial(noted.append, "+c")]
    made.context.on_activate.extend(begins)
    made.context.on_deactivate.append(partial(noted.append, "-a"))
    with running(made):
        eventually(lambda: len(noted) > 1, "it has begun and ended")
        eventually(lambda: not made.context.active, "it is inactive once all hooks were called")
    assert noted == ["+a", "-a"]


def test_a_follower_that_fails_to_detach_gives_its_device_up(hardware: Hardware) -> None:
    made = composed(IO)
    made.context.on_detach.append(fail)
    with pytest.raises(ValueError, match="a bug"), attached(made):
        pass
    assert made.context.driver.engine.state() is EngineState.IDLE
    made.node.destroy_node()


def test_a_servo_that_cannot_be_switched_off_again_keeps_no_other_on(
    hardware: Hardware, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = composed(CORE_MOTION, servo_timeout=0.0)
    switched: list[tuple[int, bool]] = []

    def switch(axis: int, *, on: bool) -> None:
        switched.append((axis, on))
        if not on and axis == 0:
            raise CommandRefused(ErrorCode.ServoOffline)

    monkeypatch.setattr(made.context.driver.motion, "set_servo", switch)
    with attached(made) as client:
        client.meet(["wmx/axis/set_on"])
        message = client.refused("wmx/axis/set_on", index=[0, 1], data=[1, 1])
        assert message.count("Error=65616 (WaitTimeout)") == 2
    assert switched == [(0, True), (1, True), (0, False), (1, False)]
    assert "Switching axis 0 off again: Error=1566 (ServoOffline)" in said(capfd)


def test_parameters_that_take_long_hold_up_nobody_else(hardware: Hardware) -> None:
    made = composed(CORE_MOTION)
    with attached(made) as client:
        client.meet(["wmx/params/get", "wmx/axis/clear_alarm"])
        shown = client.ask("wmx/params/get", index=[0])
        assert hardware.asked.wait(WAIT_TIMEOUT)
        client.call("wmx/axis/clear_alarm", index=[0])
        assert not shown.done()
        hardware.go_on.set()
        response = shown.result(WAIT_TIMEOUT)
        assert response.success
        assert response.params_dump[0] == "=== Axis 0 ==="
        assert client.refused("wmx/params/get", index=[]).startswith("index has 0 elements")


def said(capfd: pytest.CaptureFixture[str]) -> str:
    output = capfd.readouterr()
    assert "Traceback" not in output.err + output.out
    return output.err + output.out
