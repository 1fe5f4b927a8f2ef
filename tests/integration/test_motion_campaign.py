"""Whatever is commanded by whomever, and whoever is killed: each begin has one end."""

import random
import threading
import time
from collections import Counter
from typing import Any

import pytest
import system as systems
from actuator_client import Actuators
from campaign import AXES, JOINTS, Faults, Hand
from campaign_witness import Witness
from ros import Client, eventually
from system import System
from wmx_ros2_message.msg import ActuatorCommand, EndMotion

from wmx_ros2_package.drivers import open_driver
from wmx_ros2_package.drivers.interface import Driver

SERVER = ("follow_joint_trajectory_server",) if JOINTS else ()
NODES = (*systems.NODES, "wmx_actuator_node", "diff_drive_controller", *SERVER)
MORTAL = "wmx_core_motion_node", "wmx_actuator_node", "diff_drive_controller", *SERVER
MORTAL_SERVICES = [f"wmx/axis/{name}" for name in ("stop", "clear_alarm", "set_mode", "set_on")]
MANY = 10_000
HANDS = 3
ROUND = 50
"""Commands of each client between two rests; a node is killed in each round but the first."""
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

    def __init__(self, system: System, settings: list[str], driver: Driver, seed: int) -> None:
        self.system = system
        self.settings = settings
        self.driver = driver
        self.random = random.Random(seed)
        self.kills: Counter[str] = Counter()
        """By the full names of nodes."""
        self.witness = Witness(system.client)
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
            if self.random.random() < 0.2:
                self.faults.one()
            if fatal < 0.0:
                self.kill()
                fatal = float("inf")
        if fatal < 1.0:  # the round was over before
            self.kill()
        for client in clients:
            client.join()

    def kill(self) -> None:
        """One of the nodes that move axes dies, and is started again."""
        place, name = self.system.place, self.random.choice(MORTAL)
        [process] = [p for p in place.processes if p.name == name]
        process.kill()
        place.processes.remove(process)
        place.start(name, *self.settings)
        self.kills[f"/{name}"] += 1

    def rest(self) -> None:
        """Everything comes to rest, then each axis is where its last end says."""
        client, axes = self.client, list(range(AXES + 2))
        client.meet(MORTAL_SERVICES)
        eventually(lambda: client.call("wmx/engine/estop", data=False).success, "a release")
        eventually(lambda: self._commanded_to_rest(axes), "axes are on in position mode")
        self.actuators.meet()
        since = len(self.witness.ends)
        ids = [
            eventually(lambda a=axis: self._move(a), f"a move of axis {axis}")
            for axis in range(AXES)
        ]
        for axis, id in enumerate(ids):
            assert self._end_of(axis, id).reason == EndMotion.ARRIVED
        eventually(lambda: len(self.witness.ends) >= since + AXES, "the ends are heard")
        self.witness.require_positions(self.driver.motion.status(), since)

    def _end_of(self, axis: int, id: Any) -> EndMotion:
        """The end of a move of `axis`, as the witness heard it."""
        return eventually(
            lambda: next((end for end in self.witness.ends if end.command_id == id), None),
            f"a move of axis {axis} ends",
        )

    def _commanded_to_rest(self, axes: list[int]) -> bool:
        call = self.client.call
        return bool(
            call("wmx/axis/stop").success
            and call("wmx/axis/clear_alarm", index=axes).success
            and call("wmx/axis/set_mode", index=axes, data=[0] * len(axes)).success
            and call("wmx/axis/set_on", index=axes, data=[1] * len(axes)).success
            and not any(self.client.states.next().velocity_cmd)
        )

    def _move(self, axis: int) -> object:
        here = float(self.driver.motion.status().pos_cmd[axis])  # efforts may have turned it far
        answer = self.actuators.execute(
            f"axis_{axis}",
            ActuatorCommand.POSITION,
            here + self.random.uniform(-1.0, 1.0),
            velocity=5.0,
            acceleration=50.0,
        )
        return answer.accepted and answer.command_id


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
        machine = place.machine(axes=8)
        settings = [*SETTINGS, f"device_path:={machine}"]
        with systems.system(place, *settings, executables=NODES) as system:
            system.ready()
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(place.folder))
            driver = open_driver("fake")
            driver.engine.create_device(str(machine), "observer")
            stage = Stage(system, settings, driver, seed)
            try:
                ordered = 0
                while ordered < count:
                    stage.round(min(ROUND, (count - ordered) // HANDS + 1), kills=ordered > 0)
                    ordered = sum(sum(hand.counts.values()) for hand in stage.hands)
                    stage.rest()
                client = system.client
                client.must("wmx/axis/set_on", index=list(range(AXES)), data=[0] * AXES)
                stage.witness.require_pairs(stage.kills)
                figures = (
                    f"{ordered} commands, {stage.faults.injected} faults, "
                    f"{stage.kills.total()} nodes killed: {stage.witness.figures()}; "
                    f"goals of joints {dict(stage.goals)}"
                )
                print(figures)
                reasons = {end.reason for end in stage.witness.ends}
                wanted = {EndMotion.ARRIVED, EndMotion.REPLACED, EndMotion.REFUSED}
                assert wanted | {EndMotion.STOPPED} <= reasons
                if JOINTS:
                    assert {"accepted", "refused"} <= {*stage.goals}
                if JOINTS and count >= MANY:
                    assert {"succeeded", "canceled", "preempted"} <= {*stage.goals}
            finally:
                stage.close()
                driver.engine.close_device()
