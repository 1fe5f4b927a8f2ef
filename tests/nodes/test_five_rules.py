"""The five rules of docs/safety.md over random commands from every source, while all is lost.

Motors are blocked, late and frozen, messages are late, files are deleted, emptied and overwritten,
and engines are lost after clients have set what their machine is. Time is held, so that thousands
of commands take a minute. Nodes that are killed are in `integration/test_motion_campaign.py`.
"""

from bisect import bisect
from collections.abc import Callable
from pathlib import Path

import pytest
import system as systems
from campaign import AXES, JOINTS
from campaign_losses import Losses
from campaign_observer import GOAL_TOLERANCE
from campaign_settings import Settings
from campaign_stage import ALL, SETTINGS, Stage, radians
from held_system import HeldSystem, held_system
from recording import stamp_of
from ros import Client
from system import NODES
from wmx_ros2_message.msg import BeginMotion, EndMotion

from wmx_core.opening import open_driver
from wmx_core.options import DriverOptions

pytestmark = pytest.mark.long

EXECUTABLES = (
    *NODES,
    "wmx_actuator_node",
    "diff_drive_controller",
    *(("follow_joint_trajectory_server",) if JOINTS else ()),
)
HANDS = 3
ROUND = 50
"""Commands between two rests."""
BLOCKED = 4
REFUSED = 0.6
"""How long it takes to refuse what is to start later, s."""
SEEN = 30_000_000
"""Within what time of an end a state shows where its motors were, ns."""
MACHINE = """
parameters: {parameters}
masters:
  - slaves:
      - {{name: drive, count: 3, axes: 1}}
      - {{name: late drive, axes: 1, axis_model: {{position_gain: 8.0}}}}
      - {{name: blocked drive, axes: 1, axis_model: {{positive_end: 0.1, negative_end: -0.1}}}}
      - {{name: drive, count: 3, axes: 1}}
      - {{name: digital I/O, input_size: 4, output_size: 4}}
"""


class HeldStage(Stage):
    """All in this process, on held time."""

    blocked = (BLOCKED,)

    def __init__(self, system: HeldSystem, machine: Path, seed: int) -> None:
        driver = open_driver("fake", DriverOptions(clock=system.time))
        driver.engine.create_device(str(machine), "observer")
        client = system.client
        super().__init__(system, machine, driver, seed, [client] * HANDS)
        self.set = Settings(self, system.place.folder)
        self.lose = Losses(self)
        self.judged = 0
        """How many ends have been held against what motors did."""

    def round(self, count: int) -> None:
        """Clients command so many times in all, while things go wrong and are lost."""
        for hand in self.hands:
            hand.servo()
        for _ in range(count):
            self.random.choice(self.hands).act()
            self.client.clock.sleep(self.random.choice([0.0, 0.0, 0.01, 0.05, 0.2]))
            if self.random.random() < 0.04:
                self.faults.one()
            if self.random.random() < 0.02:
                self.lose.one()
                self.client.ask("wmx/axis/confirm", index=ALL)  # which motion may prevent
                self.random.choice(self.hands).servo()
        for hand in self.hands:
            hand.await_answers()
        require_truth(self.observer.ends[self.judged :], self.observer.begins, self.client)
        self.judged = len(self.observer.ends)

    def rest(self) -> None:
        """All five rules, one after the other."""
        self.asked("wmx/params/get", index=[0])
        self.encoders(range(AXES), "free")
        self.client.must("wmx/axis/stop")
        self.require_rest()
        self.set.forgive()
        self.make_ready()
        for _ in range(4):
            self.set.change()
        self.lose_something()
        self.set.forgive()
        self.make_ready()
        self.require_nothing_begins(self.hands[0].late)
        self.move_each()
        self.stand_still(self.random.choice([i for i in range(AXES) if i != BLOCKED]))
        self.client.states.forget()

    def require_nothing_begins(self, act: Callable[[], object]) -> None:
        """What is refused changes nothing, and what comes late is refused."""
        self.require_rest()
        begun, before = len(self.observer.begins), self.seen_at_rest()
        for _ in range(3):
            act()
        self.client.clock.sleep(REFUSED)
        new = [(b.source, b.type, b.axes, b.target_position) for b in self.observer.begins[begun:]]
        assert not new, new
        assert self.seen_at_rest() == before

    def seen_at_rest(self) -> list[object]:
        """What a command may change of an axis that rests."""
        status = self.status()
        seen = status.op_state, status.command_mode, status.servo_on, status.amp_alarm
        return [*(each.tolist() for each in seen), status.pos_cmd.round(4).tolist()]

    def lose_something(self) -> None:
        """Nothing starts by itself, and all is as clients have set it, or blocks motion."""
        if self.random.random() < 0.3:
            self.asked("wmx/engine/estop", data=True)
        self.asked("wmx/axis/set_on", index=ALL, data=[0] * len(ALL))
        before = self.set.seen()
        self.require_nothing_begins(lambda: self.hands[0].act(moves=True))
        self.lose.one()
        self.require_rest()
        self.require_nothing_begins(lambda: self.hands[0].act(moves=True))
        self.set.require_kept(before, self.lose.last)


def require_truth(ends: list[EndMotion], begins: list[BeginMotion], client: Client) -> None:
    """Fail unless each motion that has arrived has a motor that was there."""
    targets = {bytes(begin.command_id.uuid): begin.target_position for begin in begins}
    states = client.states.since(0.0)
    stamps = [stamp_of(state) for state in states]
    for end in ends:
        wanted = targets.get(bytes(end.command_id.uuid), ())
        if end.reason != EndMotion.ARRIVED:
            continue
        first, last = (bisect(stamps, stamp_of(end) + by) for by in (-SEEN, SEEN))
        for axis, target in zip(end.axes, wanted, strict=False):
            off = [abs(state.actual_pos[axis] - target) for state in states[first:last]]
            assert target != target or min(off, default=0.0) <= GOAL_TOLERANCE, (end, target, off)


@pytest.mark.parametrize(
    ("count", "seed"),
    [(100, 1), *(pytest.param(1000, seed, marks=pytest.mark.slow) for seed in range(10))],
)
def test_the_five_rules_hold(count: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with systems.place() as place:
        machine = place.folder / "machine.yaml"
        machine.write_text(MACHINE.format(parameters=radians(place.folder)))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(place.folder))
        settings = [*SETTINGS, f"device_path:={machine}"]
        with held_system(place, *settings, executables=EXECUTABLES) as system:
            system.ready()
            stage = HeldStage(system, machine, seed)
            try:
                while stage.commanded < count:
                    stage.round(min(ROUND, count - stage.commanded))
                    stage.rest()
                system.client.must("wmx/axis/set_on", index=ALL, data=[0] * len(ALL))
                stage.observer.require_pairs({})
                print(
                    f"{stage.commanded} commands, {stage.faults.injected} faults, "
                    f"{dict(stage.losses)}: {stage.observer.figures()}; "
                    f"goals of joints {dict(stage.goals)}"
                )
                reasons = {end.reason for end in stage.observer.ends}
                assert {EndMotion.ARRIVED, EndMotion.NOT_ARRIVED, EndMotion.REFUSED} <= reasons
            finally:
                stage.driver.engine.close_device()
