"""The rules of docs/safety.md, whatever is commanded by whomever and whatever is lost.

Each begin has one end; a stop that was answered leaves nothing that moves; and no loss of the
engine, its communication or a node switches a servo on, takes an emergency stop away, or changes
the direction or the unit of an axis. What has arrived is where its motor is, though encoders freeze
now and then, and motors with them.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import system as systems
from actuator_client import Actuators
from campaign import AXES, JOINTS, Faults, Hand
from campaign_observer import Observer
from ros import Client, eventually
from system import CONFIG, System
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

from wmx_core.errors import EngineLost
from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_core.values import CommandMode, Flags, MotionStatus, OperationState

SERVER = ("follow_joint_trajectory_server",) if JOINTS else ()
NODES = (*systems.NODES, "wmx_actuator_node", "diff_drive_controller", *SERVER)
MORTAL = "wmx_core_motion_node", "wmx_actuator_node", "diff_drive_controller", *SERVER
MORTAL_SERVICES = [f"wmx/axis/{name}" for name in ("stop", "clear_alarm", "set_mode", "set_on")]
MANY = 10_000
HANDS = 3
ROUND = 50
"""Commands of each client between two rests; a node is killed in each round but the first."""
STILL = 0.3
"""How long axes that were stopped are watched, s."""
PUBLISHED = 6.0
"""After how long the engine node has published the ends of a node that was killed, s: where both
are killed at once nothing is left that knows of these motions."""
SETTLED = 1e-4
"""How far an axis that is held may be commanded, u: to where its motor is, when a stop ends."""
RESTS = 0.011
"""A motor that is slower rests, u/s."""
STUCK = 0.4
"""How far an axis is moved whose motor stands, u: less than raises an alarm."""
LOOKS = 0.1
"""How often a fault may happen, s."""
SETTINGS = (
    "left_axis:=6",
    "right_axis:=7",
    "axis_count:=8",
    "auto_servo_on:=false",
    "allow_partial_joints_goal:=true",
)


class Stage:
    """The nodes as processes, the clients, and a device that looks at the engine."""

    def __init__(self, system: System, machine: Path, driver: Driver, seed: int) -> None:
        self.system = system
        self.machine = machine
        self.settings = [*SETTINGS, f"device_path:={machine}"]
        self.driver = driver
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        """By the full names of nodes."""
        self.losses: Counter[str] = Counter()
        self.observer = Observer(system.client)
        self.actuators = Actuators(system.client)
        self.faults = Faults(system.client, seed)
        self.hands = [Hand(system.place.domain, seed + i) for i in range(HANDS)]
        for hand in self.hands:
            hand.meet()

    @property
    def client(self) -> Client:
        return self.system.client

    @property
    def goals(self) -> Counter[str]:
        """What came of trajectories of joints."""
        return sum((hand.goals.counts for hand in self.hands if hand.goals), Counter())

    def close(self) -> None:
        for hand in self.hands:
            hand.client.close()

    def round(self, count: int, *, kills: bool) -> None:
        """Each client commands `count` times, while things go wrong."""
        for hand in self.hands:
            hand.servo()
        clients = [threading.Thread(target=hand.run, args=(count,)) for hand in self.hands]
        for client in clients:
            client.start()
        fatal = self.random.uniform(0.0, 0.5) if kills else float("inf")
        while any(client.is_alive() for client in clients):
            time.sleep(LOOKS)
            fatal -= LOOKS
            if self.random.random() < 0.05:
                self.faults.one()
            if fatal < 0.0:
                self.kill()
                fatal = float("inf")
        if fatal < 1.0:  # the round was over before
            self.kill()
        for client in clients:
            client.join()

    def kill(self, name: str = "") -> None:
        """Node `name`, or one of those that move axes, dies and is started again."""
        place, name = self.system.place, name or self.random.choice(MORTAL)
        [process] = [p for p in place.processes if p.name == name]
        process.kill()
        place.processes.remove(process)
        place.start(name, *self.settings)
        self.kills[f"/{name}"] += 1

    def rest(self) -> None:
        """A stop ends all; what is lost then starts nothing; each axis is where its end says."""
        client, axes = self.client, list(range(AXES + 2))
        client.meet(MORTAL_SERVICES)
        self.encoders(range(AXES), "free")
        self.asked("wmx/axis/stop")
        self.require_rest()
        self.lose()
        self.asked("wmx/engine/estop", data=False)
        eventually(lambda: self._commanded_to_rest(axes), "axes are on in position mode")
        self.actuators.meet()
        since = len(self.observer.ends)
        ids = [
            eventually(lambda a=axis: self._move(a), f"a move of axis {axis}")
            for axis in range(AXES)
        ]
        for axis, id in enumerate(ids):
            end = self._end_of(axis, id)
            while end.reason == EndMotion.STOPPED and "stopped by command" in end.message:
                end = self._end_of(axis, self._move(axis))  # a client's STOP was still on its way
            assert end.reason == EndMotion.ARRIVED, (end.source, end.reason, end.message)
        eventually(lambda: len(self.observer.ends) >= since + AXES, "the ends are heard")
        self.observer.require_positions(self.status(), since)
        self.stand_still(self.random.randrange(AXES))

    def encoders(self, axes: Iterable[int], does: str) -> None:
        """The encoders of `axes` "freeze", so that their motors stand, or are "free" again."""
        script = ", ".join(f"{{{does}_encoder: {{axis: {axis}}}}}" for axis in axes)
        self.asked("wmx/simulation/inject_faults", script=f"[{script}]")

    def stand_still(self, axis: int) -> None:
        """A motor that does not move has not arrived; a following error alarm may say more."""
        self.encoders([axis], "freeze")
        here = float(self.status().actual_pos[axis])
        moved = eventually(lambda: self._move(axis, STUCK), f"a move of axis {axis}")
        end = self._end_of(axis, moved)
        assert end.reason in (EndMotion.NOT_ARRIVED, EndMotion.ALARM), (end.reason, end.message)
        assert end.final_position[0] == pytest.approx(here, abs=1e-6)
        self.encoders([axis], "free")

    def asked(self, service: str, **fields: Any) -> None:
        """Ask until it succeeds: the answer of a node that has just been started may be lost."""

        def succeeds() -> bool:
            with suppress(TimeoutError):
                return bool(self.client.call(service, timeout=5.0, **fields).success)
            return False

        eventually(succeeds, service)

    def require_rest(self) -> None:
        """Fail unless all axes come to rest, and stay there.

        A command that passed its gate before the stop may reach the engine after it: its gate stops
        the axes again, and says so.
        """
        known = len(self.observer.ends)
        while not self._stays_at_rest():
            eventually(lambda n=known: self._stopped_on_its_way(n), "what moved was stopped again")
            known = len(self.observer.ends)

    def _stays_at_rest(self) -> bool:
        eventually(lambda: not self._moving(), "axes rest after a stop")
        first = self.status()
        deadline = time.monotonic() + STILL
        while time.monotonic() < deadline:
            time.sleep(0.01)
            now = self.status()
            way = abs(now.pos_cmd - first.pos_cmd)
            if self._moving() or (way[_held(first) & _held(now)] > SETTLED).any():
                return False
            assert (way <= RESTS * STILL).all()  # the command of what is not held is its motor
        return True

    def _stopped_on_its_way(self, known: int) -> bool:
        return any("after the command was sent" in e.message for e in self.observer.ends[known:])

    def lose(self) -> None:
        """An engine, its communication or its node is lost while servos and all axes are off."""
        axes = list(range(AXES + 2))
        before = self.settings_of(self.set_something())
        stopped = self.random.random() < 0.5
        if stopped:
            self.asked("wmx/engine/estop", data=True)
        self.asked("wmx/axis/set_on", index=axes, data=[0] * len(axes))
        loss = self.random.choice(["nothing", "engine", "communication", "engine node"])
        self.losses[loss] += 1
        if loss == "engine":
            self.asked("wmx/simulation/inject_faults", script="[{crash_engine: {}}]")
        elif loss == "communication":
            self.asked("wmx/engine/set_comm", data=False)
            self.asked("wmx/engine/set_comm", data=True)
        elif loss == "engine node":
            time.sleep(PUBLISHED)
            self.kill("wmx_engine_node")
        self.asked("wmx/params/get", index=[0])
        self.require_rest()
        status = self.status()
        assert not status.servo_on.any()
        assert stopped is (status.emergency_stop is not None)
        assert self.settings_of(self.driver.motion.parameters()) == before
        self.asked("wmx/axis/confirm", index=axes)  # references are lost with an engine

    def set_something(self) -> ParameterSet:
        """Change the direction or the unit of an axis; the parameters then in force."""
        axis = self.random.randrange(AXES)
        if self.random.random() < 0.5:
            sign = self.random.choice([1, -1])
            self.asked("wmx/axis/set_polarity", index=[axis], data=[sign])
        else:
            way = self.random.choice([6.283185, 6.0, 6.5])
            unit = {"numerator": [8388608.0], "denominator": [way]}
            self.asked("wmx/axis/set_gear_ratio", index=[axis], **unit)
        self.status()  # an engine that was lost before is found
        return self.driver.motion.parameters()

    def settings_of(self, parameters: ParameterSet) -> list[AxisParameters]:
        """What is to outlive the engine; modes are changed by stops and commands, too."""
        position = CommandMode.POSITION
        return [replace(parameters.axis(axis), command_mode=position) for axis in range(AXES)]

    def status(self) -> MotionStatus:
        """What the engine shows; that which is there now, where the one before was lost."""
        engine = self.driver.engine
        try:
            return self.driver.motion.status()
        except EngineLost:
            engine.close_device()
            engine.create_device(str(self.machine), "observer")
            return self.driver.motion.status()

    def _moving(self) -> bool:
        status = self.status()
        acts = (status.op_state != OperationState.IDLE) | (status.velocity_cmd != 0.0)
        return bool((acts | (abs(status.actual_velocity) > RESTS)).any())

    def _end_of(self, axis: int, id: Any) -> EndMotion:
        """The end of a move of `axis`, as the observer heard it."""
        return eventually(
            lambda: next((end for end in self.observer.ends if end.command_id == id), None),
            f"a move of axis {axis} ends",
        )

    def _commanded_to_rest(self, axes: list[int]) -> bool:
        zeros, ones = [0] * len(axes), [1] * len(axes)
        for name, fields in (
            ("stop", {}),
            ("clear_alarm", {"index": axes}),
            ("set_mode", {"index": axes, "data": zeros}),
            ("set_on", {"index": axes, "data": ones}),
        ):
            answer = self.client.call(f"wmx/axis/{name}", **fields)
            if not answer.success:
                print(f"{name}: {answer.message}")
                return False
        return not any(self.client.states.next().velocity_cmd)

    def _move(self, axis: int, most: float = 1.0) -> object:
        here = float(self.status().pos_cmd[axis])  # efforts may have turned it far
        answer = self.actuators.execute(
            f"axis_{axis}",
            ActuatorCommand.POSITION,
            here + self.random.choice([-1.0, 1.0]) * self.random.uniform(most / 2.0, most),
            velocity=5.0,
            acceleration=50.0,
        )
        return answer.accepted and answer.command_id


def _held(status: MotionStatus) -> Flags:
    """Which axes are held by their position loops."""
    held: Flags = status.servo_on & (status.command_mode == CommandMode.POSITION)
    return held


def radians(folder: Path) -> Path:
    """A parameter file of eight axes that turn in radians."""
    six = read_parameters(CONFIG / "wmx_parameters_6_axes.xml")
    ratio = six.axis(0).gear_ratio_numerator, six.axis(0).gear_ratio_denominator
    for axis in 6, 7:
        six = six.with_axis(axis, gear_ratio_numerator=ratio[0], gear_ratio_denominator=ratio[1])
    file = folder / "radians.xml"
    file.write_text(six.to_xml())
    return file


SLOW = pytest.mark.slow, pytest.mark.timeout(7200)


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        (300, 300),
        *(pytest.param(300, seed, marks=SLOW) for seed in range(1, 6)),
        pytest.param(MANY, MANY, marks=SLOW),
    ],
)
def test_begins_and_ends_pair_one_to_one(
    count: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with systems.place() as place:
        machine = place.machine(axes=8, parameters=radians(place.folder))
        settings = [*SETTINGS, f"device_path:={machine}"]
        with systems.system(place, *settings, executables=NODES) as system:
            system.ready()
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(place.folder))
            driver = open_driver("fake")
            driver.engine.create_device(str(machine), "observer")
            stage = Stage(system, machine, driver, seed)
            try:
                ordered = 0
                while ordered < count:
                    stage.round(min(ROUND, (count - ordered) // HANDS + 1), kills=ordered > 0)
                    ordered = sum(sum(hand.counts.values()) for hand in stage.hands)
                    stage.rest()
                client = system.client
                client.must("wmx/axis/set_on", index=list(range(AXES)), data=[0] * AXES)
                stage.observer.require_pairs(stage.kills)
                figures = (
                    f"{ordered} commands, {stage.faults.injected} faults, "
                    f"{stage.kills.total()} nodes killed, lost {dict(stage.losses)}: "
                    f"{stage.observer.figures()}; "
                    f"goals of joints {dict(stage.goals)}"
                )
                print(figures)
                reasons = {end.reason for end in stage.observer.ends}
                wanted = {EndMotion.ARRIVED, EndMotion.REPLACED, EndMotion.REFUSED}
                assert wanted | {EndMotion.STOPPED} <= reasons
                if JOINTS:
                    assert {"accepted", "refused"} <= {*stage.goals}
                if JOINTS and count >= MANY:
                    assert {"succeeded", "canceled", "preempted"} <= {*stage.goals}
            finally:
                stage.close()
                driver.engine.close_device()
