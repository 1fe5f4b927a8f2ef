"""The rules of docs/safety.md, whatever is commanded by whomever and whatever is lost.

Each begin has one end; a stop that was answered leaves nothing that moves; and no loss of the
engine, its communication, a node or a file switches a servo on, takes an emergency stop away, or
changes what clients have set of an axis, unless that blocks it. What has arrived is where its motor
is, though encoders freeze now and then, and motors with them. The same over more commands, but
without nodes that are killed, is in `nodes/test_five_rules.py`.
"""

import threading
import time
from pathlib import Path

import pytest
import system as systems
from campaign import AXES, JOINTS
from campaign_losses import FILE, Losses
from campaign_settings import Settings
from campaign_stage import ALL, SETTINGS, Stage, radians
from ros import Client
from system import System
from wmx_ros2_message.msg import EndMotion

from wmx_core.interface import Driver

SERVER = ("follow_joint_trajectory_server",) if JOINTS else ()
NODES = (*systems.NODES, "wmx_actuator_node", "diff_drive_controller", *SERVER)
MORTAL = "wmx_core_motion_node", "wmx_actuator_node", "diff_drive_controller", *SERVER
MANY = 10_000
HANDS = 3
ROUND = 50
"""Commands of each client between two rests; a node is killed in each round but the first."""
MOST = 2
"""How many times as many commands it may take until every kind of end has come."""
PUBLISHED = 6.0
"""After how long the engine node has published the ends of a node that was killed, s: where both
are killed at once nothing is left that knows of these motions."""
LOOKS = 0.1
"""How often a fault may happen, s."""


class ProcessStage(Stage):
    """The nodes as processes, which are killed."""

    def __init__(self, system: System, machine: Path, driver: Driver, seed: int) -> None:
        clients = [Client(system.place.domain) for _ in range(HANDS)]
        super().__init__(system, machine, driver, seed, clients)
        self.arguments = [*SETTINGS, f"device_path:={machine}"]
        self.set = Settings(self, system.place.folder)
        self.lost = Losses(self)

    def close(self) -> None:
        for hand in self.hands:
            hand.client.close()

    def round(self, count: int, *, kills: bool) -> None:
        """Each client commands `count` times, while things go wrong."""
        self.make_ready()
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
        print(f"{time.time():.3f}: {name} is killed")  # to hold begins without an end against
        place.kill(name)
        place.start(name, *self.arguments)
        self.kills[f"/{name}"] += 1

    def rest(self) -> None:
        """A stop ends all; what is lost then starts nothing; each axis is where its end says."""
        self.client.meet(systems.SERVICES_OF["wmx_core_motion_node"])
        self.actuators.meet()
        self.encoders(range(AXES), "free")
        self.asked("wmx/axis/stop")
        self.require_rest()
        self.lose()
        self.set.forgive()
        self.make_ready()
        self.move_each()
        self.stand_still(self.random.randrange(AXES))

    def lose(self) -> None:
        """An engine, its communication, its node or a file is lost while all servos are off."""
        self.set.forgive()
        self.set.change()
        if self.random.random() < 0.5:
            self.asked("wmx/engine/estop", data=True)
        self.asked("wmx/axis/set_on", index=ALL, data=[0] * len(ALL))
        before, lost = self.set.seen(), self.lost
        if self.random.random() < 0.3:
            lost.damage(FILE)
            self.client.must("wmx/axis/stop")
        kinds = {
            "engine": lost.crash_engine,
            "communication": lost.stop_communication,
            "engine node": self.kill_engine_node,
        }
        loss = self.choose(kinds, none=0.25)
        self.asked("wmx/params/get", index=[0])
        self.require_rest()
        self.set.require_kept(before, [loss])

    def kill_engine_node(self) -> None:
        time.sleep(PUBLISHED)
        self.client.eventually(lambda: not self.observer.open(), "every motion has ended")
        self.kill("wmx_engine_node")


SLOW = pytest.mark.slow, pytest.mark.timeout(7200)


@pytest.mark.parametrize(
    ("count", "seed"),
    [
        (300, 300),
        *(pytest.param(300, seed, marks=SLOW) for seed in range(1, 6)),
        pytest.param(MANY, MANY, marks=SLOW),
    ],
)
def test_begins_and_ends_pair_one_to_one(count: int, seed: int) -> None:
    with systems.place() as place:
        machine = place.machine(axes=8, parameters=radians(place.folder))
        settings = [*SETTINGS, f"device_path:={machine}"]
        with systems.system(place, *settings, executables=NODES) as system:
            system.ready()
            with place.driver(str(machine)) as driver:
                stage = ProcessStage(system, machine, driver, seed)
                try:
                    campaign(stage, count)
                finally:
                    stage.close()


def campaign(stage: ProcessStage, count: int) -> None:
    """Command so many motions, with a loss after each round, and hold ends against begins.

    On a busy machine much of what is commanded at once is refused: then it goes on until it has met
    every kind of end.
    """
    ordered = 0
    while ordered < count or (ordered < MOST * count and missed(stage, count)):
        stage.round(min(ROUND, max(count - ordered, ROUND) // HANDS + 1), kills=ordered > 0)
        ordered = stage.commanded
        stage.rest()
    stage.client.must("wmx/axis/set_on", index=list(range(AXES)), data=[0] * AXES)
    stage.observer.require_pairs(stage.kills)
    print(
        f"{ordered} commands, {stage.faults.injected} faults, "
        f"{stage.kills.total()} nodes killed, lost {dict(stage.losses)}: "
        f"{stage.observer.figures()}; "
        f"goals of joints {dict(stage.goals)}"
    )
    assert not missed(stage, count)


def missed(stage: ProcessStage, count: int) -> set[int | str]:
    """What motions and goals of joints should have come to, and have not yet."""
    wanted = {EndMotion.ARRIVED, EndMotion.REPLACED, EndMotion.REFUSED, EndMotion.STOPPED}
    left: set[int | str] = wanted - {end.reason for end in stage.observer.ends}
    if JOINTS:
        left |= {"accepted", "refused"} - {*stage.goals}
    if JOINTS and count >= MANY:
        left |= {"succeeded", "canceled", "preempted"} - {*stage.goals}
    return left
