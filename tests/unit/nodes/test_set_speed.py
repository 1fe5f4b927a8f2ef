"""`wmx/engine/set_speed`: what a pause waits for, and when a resume is refused."""

from collections.abc import Callable
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from axis_files import axis_file
from held_engine import HeldEngine, position_move
from held_node import HeldNode
from refusing import refuses
from std_srvs.srv import SetBool
from stubborn import Stubborn
from wmx_ros2_message.srv import SetSpeed

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import REST_VELOCITY, EmergencyStop
from wmx_ros2_package.control.axis_file.records import AxisPause, Speed
from wmx_ros2_package.nodes.engine.emergency_stop import EmergencyStops
from wmx_ros2_package.nodes.engine.speed import REST_TIMEOUT, SpeedServices
from wmx_ros2_package.validation import NothingAsked

PAUSE, RESUME, OVERRIDE = SetSpeed.Request.PAUSE, SetSpeed.Request.RESUME, SetSpeed.Request.OVERRIDE


class Services:
    """The services of a node, whose coroutines go on while its time does."""

    def __init__(self, node: HeldNode) -> None:
        self.node = node
        node.parameters = SimpleNamespace(estop_level=EmergencyStop.LEVEL1)
        self.stops = EmergencyStops(node)  # type: ignore[arg-type]
        self.speed = SpeedServices(node, self.stops)  # type: ignore[arg-type]

    def ask(self, action: int, percent: int = 0, sent: float | None = None) -> str:
        request = SetSpeed.Request(action=action, percent=percent)
        now = self.node.now() if sent is None else sent
        coroutine = self.speed.set(request, SetSpeed.Response(), now)
        try:
            coroutine.send(None)
        except StopIteration as done:
            return str(done.value)
        raise AssertionError("it waits")

    def estop(self, active: bool, sent: float | None = None) -> str:
        now = self.node.now() if sent is None else sent
        return self.stops.set(SetBool.Request(data=active), SetBool.Response(), now)

    @property
    def published(self) -> Any:
        return self.node.published["wmx/engine/speed"][-1]


@pytest.fixture
def services(node: HeldNode) -> Services:
    return Services(node)


def test_what_names_no_action_asks_for_nothing(services: Services) -> None:
    """Clients meet the service with it: it is refused, and no error."""
    with pytest.raises(NothingAsked, match="action is 0: must be 1, 2 or 3"):
        services.ask(0)


def under_way(node: HeldNode, target: float = 9.0) -> None:
    moves = [position_move(1, target)]
    node.gate.issue([node.request(1)], lambda motion: motion.move_absolute(moves))
    node.after(1.0)


def speed(node: HeldNode) -> Speed:
    return axis_file(node).speed


def test_a_pause_is_answered_when_all_axes_rest(services: Services, node: HeldNode) -> None:
    under_way(node)
    asked = node.now()
    assert services.ask(PAUSE).startswith("Paused: all axes rest")
    assert node.now() > asked + 0.2, "2 u/s, 5 u/s^2"
    assert not node.held.status().velocity_cmd.any()
    assert abs(node.held.status().actual_velocity).max() <= REST_VELOCITY
    assert services.published.paused
    node.after(3.0)
    assert services.ask(RESUME) == "Resumed: axes [1] go on at 100 % of their speed"
    assert not services.published.paused
    assert node.after(1.0).velocity_cmd[1] > 1.0


def test_a_pause_that_axes_do_not_follow_is_no_success(
    services: Services, node: HeldNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way(node, 100.0)
    monkeypatch.setattr(node.gate, "follow_speed", lambda *_: None)
    asked = node.now()
    with refuses(ErrorCode.WaitTimeout, match=r"paused, but axes \[1\] still move"):
        services.ask(PAUSE)
    assert node.now() == pytest.approx(asked + REST_TIMEOUT, abs=0.1)
    assert speed(node).paused, "all the same"


@pytest.mark.parametrize("refusals", [1, inf])
def test_a_pause_is_in_force_though_a_status_is_refused(
    held: HeldEngine, nodes: Callable[..., HeldNode], refusals: float
) -> None:
    motion = Stubborn(held, "status", refusals=0, code=ErrorCode.StatusChannelError)
    services = Services(nodes(held, motion=motion))
    under_way(services.node)
    motion.refusals = refusals
    if refusals == 1:
        assert services.ask(PAUSE).startswith("Paused: all axes rest")
        assert not held.status().velocity_cmd.any()
    else:
        with refuses(ErrorCode.StatusChannelError, match="paused, but no status shows whether"):
            services.ask(PAUSE)
    assert speed(services.node).paused


def test_a_resume_is_refused_where_a_motor_is_elsewhere(services: Services, node: HeldNode) -> None:
    under_way(node)
    services.ask(PAUSE)
    axis_file(node).set_pause(1, AxisPause.AWAY)  # as its owner does
    with refuses(ErrorCode.NotIdleState, match=r"axis 1 of /node, process \d+ is .* u from"):
        services.ask(RESUME)
    assert speed(node).paused
    node.after(0.1)  # its owner finds it where it was
    assert "[1] go on" in services.ask(RESUME)


def test_a_resume_is_refused_during_an_emergency_stop(services: Services, node: HeldNode) -> None:
    under_way(node)
    services.ask(PAUSE)
    node.gate.emergency_stop(EmergencyStop.LEVEL1)
    node.after(0.1)
    with refuses(ErrorCode.EmergencyStopSignalOn, match="release the emergency stop first"):
        services.ask(RESUME)
    assert speed(node).paused
    assert services.published.paused
    node.gate.release_emergency_stop()
    node.after(0.1)
    assert services.ask(RESUME).startswith("Resumed: nothing was on its way")


def test_what_was_away_and_has_ended_is_no_obstacle(services: Services, node: HeldNode) -> None:
    under_way(node)
    services.ask(PAUSE)
    node.gate.stop([1])
    node.after(0.5)
    axis_file(node).set_pause(1, AxisPause.AWAY)
    assert services.ask(RESUME).startswith("Resumed: nothing was on its way")


def test_what_an_earlier_pause_has_left_says_nothing_of_this_one(
    services: Services, node: HeldNode
) -> None:
    file = axis_file(node)
    file.set_pause(2, AxisPause.AWAY)
    under_way(node)
    services.ask(PAUSE)
    assert file.pauses() == {1: AxisPause.HELD}
    services.ask(PAUSE)
    assert file.pauses() == {1: AxisPause.HELD}, "the pause is the same one"


def test_a_resume_that_was_sent_before_a_pause_is_late(services: Services, node: HeldNode) -> None:
    sent = node.now()
    node.after(0.1)
    services.ask(PAUSE)
    with pytest.raises(CommandRefused, match="before the newest pause"):
        services.ask(RESUME, sent=sent)
    assert speed(node).paused
    services.ask(RESUME)


def test_a_release_that_was_sent_before_a_stop_is_late(services: Services, node: HeldNode) -> None:
    services.estop(True)
    asked = node.now()
    node.after(0.1)
    services.estop(True)
    with pytest.raises(CommandRefused, match="before the newest stop"):
        services.estop(False, sent=asked)
    assert services.stops.active
    services.estop(False)
    assert not services.stops.active


def test_each_stop_and_each_pause_is_counted(services: Services) -> None:
    """Also one that changes nothing: whoever is about to take back another one learns of it."""
    counts = []
    for _ in range(2):
        services.estop(True)
        counts.append((services.published.emergency_stops, services.published.pauses))
    services.estop(False)
    for _ in range(2):
        services.ask(PAUSE)
        counts.append((services.published.emergency_stops, services.published.pauses))
    assert counts == [(1, 0), (2, 0), (2, 1), (2, 2)]


def test_an_override_of_a_pause_waits_for_the_resume(services: Services, node: HeldNode) -> None:
    services.ask(PAUSE)
    assert services.ask(OVERRIDE, 30) == "Axes move at 30 % of their speed, once resumed"
    assert speed(node) == Speed(30, paused=True)
    assert (services.published.percent, services.published.paused) == (30, True)
