"""Ending: whatever is going on, axes slow down, the exit code is 0 and nothing is left behind.

What is left behind, and what a program says in the end, is judged by `systems.system`.
"""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
import system as systems
from recording import stamp_of
from ros import Client
from system import MOVING, NODES, Place, System
from waits import at_best, eventually

RESTS = 0.2
"""About none, u/s: the last state comes a moment before the end."""
DEC = 1.0
"""So little, u/s^2, that a busy machine does not hide the end of slowing down."""


def last_velocity(client: Client, axis: int, start: float) -> float:
    """That of the last state since `start`, to which those before it slow down."""
    with suppress(AssertionError):
        eventually(
            lambda: (seen := client.states.since(start)) and seen[-1].velocity_cmd[axis] < RESTS,
            "the states end at rest",
            2.0,
        )
    states = client.states.since(start)
    velocities = [s.velocity_cmd[axis] for s in states]
    times = [stamp_of(s) / 1e9 for s in states]
    for (t0, v0), (t1, v1) in pairwise(zip(times, velocities, strict=True)):
        assert v0 - v1 <= DEC * (t1 - t0) + 0.05, "slowed down with the deceleration it was given"
    return float(velocities[-1])


def slows_down(end: Callable[[Place], float]) -> None:
    """What `end` says of the last velocity is about none, u/s.

    A process that ends takes with it what a busy client has not read yet: that attempt shows
    nothing.
    """

    def attempt() -> float:
        with systems.place() as place:
            return end(place)

    at_best(attempt, RESTS, attempts=3)


@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGTERM],
        [signal.SIGHUP],
        pytest.param([signal.SIGINT], marks=pytest.mark.slow),
        pytest.param([signal.SIGINT] * 2, marks=pytest.mark.slow),
    ],
    ids=lambda signals: "+".join(s.name for s in signals),
)
def test_moving_axes_slow_down_before_bringup_ends(
    signals: Sequence[signal.Signals],
) -> None:
    def end(system: System) -> None:
        for number in signals:
            system.main.send_signal(number)
            time.sleep(0.05)

    slows_down(lambda place: bringup_ends(place, end))


def test_signals_without_end_change_nothing() -> None:
    """Not even while Python itself ends."""

    def end(system: System) -> None:
        system.main.send_signal(signal.SIGINT)
        while system.main.running():
            system.main.send_signal(signal.SIGTERM)
            time.sleep(0.002)

    slows_down(lambda place: bringup_ends(place, end))


def bringup_ends(place: Place, end: Callable[[System], None]) -> float:
    """The last velocity of an axis that moved as bringup was made to end."""
    with systems.system(place) as system:
        system.ready()
        system.client.spin_up(0, DEC)
        start = time.monotonic()
        end(system)
        system.main.ended_well()
        assert "Slowing axes [0] down, for 5 s at most" in system.output
        return last_velocity(system.client, 0, start)


def test_a_stream_of_commands_does_not_keep_axes_moving() -> None:
    slows_down(is_streamed_to)


def is_streamed_to(place: Place) -> float:
    """The last velocity of an axis that is commanded all the time while communication ends."""
    with systems.system(place, executables=MOVING) as system:
        system.client.attached()
        system.client.spin_up(0, DEC)
        stopped = threading.Event()

        def stream() -> None:
            while not stopped.wait(0.0005):
                system.client.move("wmx/axis/velocity", [0], [2.0], [50.0], [DEC])

        streaming = threading.Thread(target=stream)
        streaming.start()
        try:
            start = time.monotonic()
            system.client.must("wmx/engine/set_comm", data=False)
            last = last_velocity(system.client, 0, start)
        finally:
            stopped.set()
            streaming.join()
        assert "Axes still move" not in system.output
        return last


def test_every_executable_ends_alone() -> None:
    """The node that commands an axis stops it; the others and the engine go on."""

    def end(place: Place) -> float:
        with systems.system(place, executables=NODES) as system:
            system.ready()
            engine, motion, io, ethercat = place.processes
            system.client.spin_up(1, DEC)
            start = time.monotonic()
            motion.stop()
            last = last_velocity(system.client, 1, start)
            with place.engine() as device:
                status = device.call("motion", "status")
            assert status.velocity_cmd[1] == 0.0
            assert system.client.must("wmx/engine/get_status").message == "Communicating"
            io.stop(signal.SIGTERM)
            engine.stop()
            eventually(
                lambda: not system.client.call("wmx/ecat/get_network_state").success, "it let go"
            )
            ethercat.stop()
            return last

    slows_down(end)


def test_others_learn_at_once_that_nodes_have_gone(place: Place) -> None:
    """Those that are killed are missed after DDS's lease, 20 s."""
    with systems.system(place) as system:
        names = system.client.node.get_node_names
        eventually(lambda: set(NODES) <= set(names()), "they are seen")
        opened = []
        for descriptor in Path(f"/proc/{system.main.pid}/fd").iterdir():
            with suppress(OSError):  # it is closed meanwhile
                opened.append(os.readlink(descriptor))
        locks = [path for path in opened if re.search(r"/fast(dds|rtps)_(?!port).*_el$", path)]
        segments = [path.removesuffix("_el") for path in locks]
        assert all(Path(segment).exists() for segment in segments)
        assert segments, "it talks by shared memory"
        system.main.stop()
        # DDS forgets one that was killed after 20 s.
        eventually(lambda: not set(NODES) & set(names()), "they are seen no more", timeout=15.0)
        left = [segment for segment in segments if Path(segment).exists()]
        assert not left, "its shared memory goes with it"


@pytest.mark.parametrize("executables", [("bringup",), NODES], ids=["bringup", "nodes"])
def test_all_end_at_once_while_axes_turn_and_home_and_a_servo_comes_on(
    executables: Sequence[str],
) -> None:
    """As when Ctrl-C reaches a whole terminal."""

    def end(place: Place) -> float:
        machine = place.machine(home_time=60.0, servo_on_time=0.5)
        parameters = f"device_path:={machine}", "servo_timeout:=30.0"
        with systems.system(place, *parameters, executables=executables) as system:
            client = system.client
            system.ready()
            client.must("wmx/axis/set_on", index=[0], data=[1])
            client.spin_up(2, DEC)
            homing = client.ask("wmx/axis/homing", index=[0])
            switching = client.ask("wmx/axis/set_on", index=[1], data=[1])
            time.sleep(0.1)
            start = time.monotonic()
            for process in place.processes:
                process.send_signal()
            for process in place.processes:
                process.ended_well()
            assert time.monotonic() - start < 10.0, "nobody waits for the homing to end"
            wait([homing, switching], timeout=0.5)
            assert not homing.done() or not homing.result().success
            return last_velocity(client, 2, start)

    slows_down(end)


@pytest.mark.parametrize("executables", [("bringup",), NODES], ids=["bringup", "engine node"])
def test_ending_while_services_are_called(place: Place, executables: Sequence[str]) -> None:
    """Of separate nodes only that of the engine ends, which stops the axes itself then."""
    with systems.system(place, executables=executables) as system:
        system.ready()
        client = system.client
        client.spin_up(0, DEC)  # two seconds to slow down, during which the nodes are asked
        requests = {
            "wmx/engine/get_status": {},
            "wmx/engine/scan_network": {},
            "wmx/engine/set_comm": {"data": True},
            "wmx/params/load": {"file_path": str(systems.CONFIG / "wmx_parameters_6_axes.xml")},
            "wmx/axis/set_on": {"index": [1], "data": [1]},
            "wmx/io/set_output_bit": {"value": 1},
            "wmx/ecat/register_read": {"length": 1},
        }
        system.main.send_signal()
        while system.main.running():
            for service, fields in requests.items():
                client.throw(service, **fields)
            time.sleep(0.02)
        system.main.ended_well()


@pytest.mark.parametrize("executables", [("bringup",), MOVING], ids=["bringup", "nodes"])
def test_ending_before_the_engine_is_up(place: Place, executables: Sequence[str]) -> None:
    place.engines.touch()  # a file in the way
    parameters = f"device_path:={place.machine()}", "retry_count:=1000"
    with systems.system(place, *parameters, executables=executables) as system:
        system.says("Attempt 1/1000")
        start = time.monotonic()
        for process in place.processes:
            process.send_signal()
        for process in place.processes:
            process.ended_well()
        assert time.monotonic() - start < 10.0
