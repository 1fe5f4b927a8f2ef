"""The panel's machine, whose nodes answer late or not at all."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Event
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
from motion_events import begun
from std_msgs.msg import String
from test_panel_history import status
from waits import WAIT_TIMEOUT, eventually
from wmx_ros2_message.msg import HardwareError

from wmx_ros2_package.client import Closed, NoPart, NotAnswered, SeveralSystems, Stream, SystemLost
from wmx_ros2_package.control.request import MotionKind
from wmx_ros2_package.panel import machine_link
from wmx_ros2_package.panel.description import ANSWER_TIMEOUT
from wmx_ros2_package.panel.machine_link import NO_STATUS, MachineLink


class SlowMachine:
    """A machine of one axis, whose nodes name it when they are asked for the third time."""

    simulated = True
    asked = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self.nodes = SimpleNamespace(running=lambda nodes: nodes, parameters=self._not_there)
        self.network = SimpleNamespace(state=self._not_there)
        self.ros = SimpleNamespace(
            subscribe=lambda *_, **__: lambda: None, publishers=lambda _: 1, call=self._not_there
        )

    def open(self) -> None:
        """As a machine that is there."""

    def close(self) -> None:
        """As a machine that is there."""

    def require_own_system(self) -> None:
        """As a machine that is alone."""

    def describe(self) -> bool:
        self.asked += 1
        if self.asked == 2:
            raise NotAnswered("manipulator_state/get_parameters does not answer within 5 s")
        return self.asked > 2

    @property
    def axes(self) -> list[Any]:
        return [SimpleNamespace(number=0, name="joint1" if self.asked > 2 else "0", unit="rad")]

    @property
    def actuators(self) -> Any:
        if self.asked <= 2:
            raise NotAnswered("wmx_actuator_node/get_parameters does not answer within 5 s")
        limits = {"position_min": -1.0, "position_max": 1.0, "velocity_max": 2.0}
        return {"joint1": SimpleNamespace(axis=0, **limits)}

    def states(self) -> Any:
        return Stream(lambda put: lambda: None)

    def events(self, *, history: bool = False) -> Any:
        return Stream(lambda put: lambda: None)

    def explain(self, *, timeout: float) -> Any:
        return self._not_there()

    def _not_there(self, *_: Any, **__: Any) -> Any:
        raise NoPart("it is not offered within 2 s")


def broke(name: str, at: int, *, active: bool = True) -> HardwareError:
    path = ["engine"] if name == "EngineLost" else ["engine", "axis 0"]
    error = HardwareError(path=path, name=name, message=name, active=active)
    error.header.stamp.sec = at
    return error


LinkTo: TypeAlias = Callable[[type], MachineLink]


@pytest.fixture
def link_to(monkeypatch: pytest.MonkeyPatch) -> Iterator[LinkTo]:
    """Starts a link that finds such a machine."""
    monkeypatch.setattr(machine_link, "POLL_PERIOD", 0.01)
    monkeypatch.setattr(machine_link, "DESCRIBE_PERIOD", WAIT_TIMEOUT)
    with ExitStack() as started:

        def start(machine: type) -> MachineLink:
            monkeypatch.setattr(machine_link, "Machine", machine)
            link = MachineLink()
            started.callback(link.stop)
            link.start()
            return link

        yield start


class Known(SlowMachine):
    """One whose nodes name its axis at once, and may say something else later, or nothing."""

    name = "joint1"
    limit = 1.0
    answers = True
    """What reads actuators beside their names gets nothing where it is not so."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()
        self.nodes.parameters = lambda _, *names, **__: [None] * len(names)  # of ros2_control

    def describe(self) -> bool:
        self.asked += 1
        return bool(self.name)

    @property
    def axes(self) -> list[Any]:
        return [SimpleNamespace(number=0, name=self.name or "0", unit="rad")]

    @property
    def actuators(self) -> Any:
        if not (self.name and self.answers):
            raise NotAnswered("wmx_actuator_node/get_parameters does not answer within 5 s")
        limits = {"position_min": -1.0, "position_max": self.limit, "velocity_max": 2.0}
        return {self.name: SimpleNamespace(axis=0, **limits)}


@pytest.fixture
def always_read(monkeypatch: pytest.MonkeyPatch, link_to: LinkTo) -> LinkTo:
    """Starts a link that reads what the machine consists of in each round."""
    monkeypatch.setattr(machine_link, "DESCRIBE_PERIOD", 0.0)
    return link_to


def test_names_are_asked_for_until_they_are_answered(always_read: LinkTo) -> None:
    link = always_read(SlowMachine)
    eventually(lambda: link.generation == 2, "it has been found, and its names")
    assert [axis.name for axis in link.actuators] == ["joint1"]


def reads_again(link: MachineLink) -> None:
    machine: Any = link.machine
    asked = machine.asked
    eventually(lambda: machine.asked > asked + 1, "it has been read, and all before is known")


@pytest.mark.parametrize(("field", "value"), [("name", "joint2"), ("limit", 3.0)])
def test_a_node_that_was_configured_or_started_again_is_read_again(
    always_read: LinkTo, field: str, value: Any
) -> None:
    link = always_read(Known)
    machine: Any = eventually(lambda: link.machine, "it has been found")
    reads_again(link)
    assert link.generation == 1, "nothing has changed, and no page is loaded again"
    setattr(machine, field, value)
    eventually(lambda: link.generation == 2, "pages are loaded again")
    [axis] = link.actuators
    assert (axis.name, axis.high) == (machine.name, machine.limit)


@pytest.mark.parametrize(("field", "value"), [("name", ""), ("answers", False)])
def test_what_a_node_has_said_stays_while_it_does_not_answer(
    always_read: LinkTo, field: str, value: Any
) -> None:
    """It may be busy, and a page that is loaded again loses control."""
    link = always_read(Known)
    machine: Any = eventually(lambda: link.machine, "it has been found")
    setattr(machine, field, value)
    reads_again(link)
    assert ([axis.name for axis in link.actuators], link.generation) == (["joint1"], 1)


def test_a_node_that_names_axes_and_then_is_silent_is_asked_again(always_read: LinkTo) -> None:
    class Interrupted(Known):
        @property
        def answers(self) -> bool:  # type: ignore[override]
            return self.asked > 1

    link = always_read(Interrupted)
    eventually(lambda: link.generation == 2, "it has been found, and what its names are")
    assert [axis.name for axis in link.actuators] == ["joint1"]


def test_a_machine_that_is_looked_for_is_closed_at_the_end(link_to: LinkTo) -> None:
    """Else its node stays in the graph after the process."""

    class Sought(SlowMachine):
        sought, closed = Event(), Event()

        def open(self) -> None:
            self.sought.set()
            self.closed.wait()
            raise Closed("the machine is closed")

        def close(self) -> None:
            self.closed.set()

    others = {*threading.enumerate()}
    link = link_to(Sought)
    assert Sought.sought.wait(WAIT_TIMEOUT)
    link.stop()
    assert {*threading.enumerate()} <= others


def test_a_system_that_was_lost_and_found_has_other_positions_and_no_robot_of_before(
    link_to: LinkTo,
) -> None:
    alive = [1]
    robots = ["that of the first"]

    class Lost(SlowMachine):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.ros.publishers = lambda _: alive[0]
            self.ros.subscribe = self._subscribe

        def _subscribe(self, _: Any, topic: str, act: Callable[[Any], None], **__: Any) -> Any:
            if topic == "robot_description" and robots:
                act(String(data=robots.pop()))
            return list

    link = link_to(Lost)
    eventually(lambda: link.machine, "it has been found")
    assert link.robot_description == "that of the first"
    first = link.machine
    assert not link.alarms.restarted
    alive[0] = 0
    eventually(lambda: link.problem == "the system has ended, or its core motion node has", "")
    alive[0] = 1
    eventually(lambda: link.machine is not first, "another one has been found")
    assert link.alarms.restarted
    assert link.alarms.words.startswith("1 alarm: system: the system was away: positions are ")
    assert not link.robot_description, "a system without one has not that of the first"


def test_what_nodes_keep_is_listed_once_though_a_part_of_the_system_was_restarted(
    link_to: LinkTo,
) -> None:
    alive, kept = [1], [begun(MotionKind.POSITION, 0)]

    class Kept(SlowMachine):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.ros.publishers = lambda _: alive[0]
            self.ros.subscribe = self._subscribe

        def _subscribe(self, _: Any, topic: str, act: Callable[[Any], None], **__: Any) -> Any:
            if topic == "wmx/hardware_error":
                act(broke("AmpAlarm", 3))
            return list

        def events(self, *, history: bool = False) -> Any:
            if len(kept) > 1:
                link.take_motions(kept[1:])  # of the one before, which is followed still

            def subscribe(put: Callable[[Any], object]) -> Any:
                for event in kept:
                    put(event)
                return list

            return Stream(subscribe)

    link = link_to(Kept)
    eventually(lambda: link.events_count == 2, "both are listed")
    alive[0] = 0
    eventually(lambda: link.problem == "the system has ended, or its core motion node has", "")
    kept.append(begun(MotionKind.POSITION, 0))  # at the same time, where that is simulated
    alive[0] = 1
    eventually(lambda: link.published.open_motions == (*kept,), "all has come that is kept")
    eventually(lambda: "AmpAlarm" in link.alarms.words, "it is an alarm of this machine, too")
    assert [row.kind for row in link.events] == ["error", "begin", "begin"]


def test_a_system_that_was_killed_has_no_status_until_another_one_is_there(link_to: LinkTo) -> None:
    replaced = Event()

    class Killed(SlowMachine):
        def explain(self, *, timeout: float) -> Any:
            if replaced.is_set():
                raise SystemLost("another system runs in its place")
            raise NotAnswered(f"it does not answer within {timeout:g} s")

    link = link_to(Killed)
    eventually(lambda: link.problem == NO_STATUS, "it is found, and publishes no status")
    first = link.machine
    replaced.set()
    eventually(lambda: link.machine is not first, "the one in its place is found")
    assert link.alarms.restarted


def test_why_it_does_not_answer_is_said_while_it_is_asked_again(link_to: LinkTo) -> None:
    said: list[str] = []

    class Silent(SlowMachine):
        asked = 2

        def explain(self, *, timeout: float) -> Any:
            said.append(link.trouble)
            raise NotAnswered("it does not answer")

    link = link_to(Silent)
    eventually(lambda: len(said) > 1, "it was asked again")
    assert said[1] == "it does not answer"


def test_why_it_does_not_answer_is_said_before_the_next_node_is_asked(link_to: LinkTo) -> None:
    """Which may take seconds."""
    said: list[str] = []

    class Silent(SlowMachine):
        asked = 2

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.network.state = self._state

        def _state(self, timeout: float | None = None) -> Any:
            said.append(link.trouble)
            return self._not_there()

        def explain(self, *, timeout: float) -> Any:
            raise NotAnswered("it does not answer")

    link = link_to(Silent)
    eventually(lambda: said, "its network was asked")
    assert said[0] == "it does not answer"


def test_what_blocks_axes_does_not_wait_for_a_network_that_does_not_answer(
    link_to: LinkTo,
) -> None:
    waited: list[float | None] = []
    go_on = Event()

    class Unheard(SlowMachine):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.network.state = self._wait

        def explain(self, *, timeout: float) -> Any:
            return []

        def _wait(self, timeout: float | None = None) -> Any:
            waited.append(timeout)
            go_on.wait(WAIT_TIMEOUT)
            raise NotAnswered("wmx/ecat/get_network_state does not answer")

    link = link_to(Unheard)
    eventually(lambda: waited, "the network is asked")
    asked = link.published.asked_at
    go_on.set()
    assert waited == [ANSWER_TIMEOUT]
    assert asked > 0.0, "all else has answered"


def test_a_node_that_answers_what_nobody_asked_leaves_the_machine_looked_for(
    link_to: LinkTo, caplog: pytest.LogCaptureFixture
) -> None:
    """A program of somebody else may have the name of a node."""
    closed: list[object] = []

    class Strange(SlowMachine):
        def describe(self) -> bool:
            raise ValueError("not enough values to unpack")

        def close(self) -> None:
            closed.append(self)

    link = link_to(Strange)
    eventually(lambda: len(closed) > 2, "it is looked for again and again, and closed")
    assert "the system cannot be read: ValueError" in link.problem
    assert "not enough values" in caplog.text


def test_a_controller_of_ros2_control_describes_no_machine_again_and_again(
    link_to: LinkTo,
) -> None:
    """It has the name of the server of trajectories, and none of its parameters."""

    class Controlled(SlowMachine):
        asked = 2

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.nodes.parameters = lambda _, *names, **__: [None] * len(names)

    link = link_to(Controlled)
    machine: Any = eventually(lambda: link.machine, "it has been found")
    described, at = machine.asked, link.published.asked_at
    eventually(lambda: link.published.asked_at > at, "it was asked once more")
    assert (machine.asked, link.joints) == (described, {})


def test_a_system_with_another_number_of_axes_is_found_again(link_to: LinkTo) -> None:
    """The parameter `axis_count` was changed, and the node configured again."""
    count = [1]

    class Counted(Known):
        @property
        def axes(self) -> list[Any]:
            return [SimpleNamespace(number=n, name=f"{n}", unit="rad") for n in range(count[0])]

    link = link_to(Counted)
    first = eventually(lambda: link.machine, "it has been found")
    count[0] = 2

    def is_found() -> bool:
        link.take_statuses([status(1.0, 0.5)])  # of two axes
        return link.machine is not first

    eventually(is_found, "it is found again")
    link.take_statuses([status(2.0, 0.5)])
    assert (len(link.actuators), link.history.select([], 10.0)[0].tolist()[-1]) == (2, 2.0)


def test_who_has_control_is_published_once_that_is_possible(
    link_to: LinkTo, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[int] = []
    told: list[str] = []

    class Busy(SlowMachine):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.ros.publisher, self.ros.create_timer = self._publisher, lambda *_: None

        def _publisher(self, *_: Any) -> Any:
            tries.append(1)
            if len(tries) < 4:
                raise NotAnswered("the thread of the link does not answer within 5 s")
            return SimpleNamespace(publish=lambda message: told.append(message.data))

    link = link_to(Busy)
    eventually(lambda: len(tries) == 4, "it is tried again")
    asked = link.published.asked_at
    eventually(lambda: link.published.asked_at > asked, "it goes on")
    link.panels.claim("Ann")
    assert len(tries) == 4
    assert "Ann" in told[-1]
    assert caplog.text.count("other panels do not learn") == 1


def test_what_another_system_beside_it_publishes_does_not_stay(link_to: LinkTo) -> None:
    errors, robot = "wmx/hardware_error", "robot_description"
    kept = [broke("EngineLost", 1), broke("EngineLost", 2, active=False), broke("AmpAlarm", 3)]
    beside: list[str] = []
    heard: list[str] = []
    ended: list[str] = []
    takes_robot: list[Callable[[Any], None]] = []

    class Shared(SlowMachine):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            self.ros.subscribe = self._subscribe

        def _subscribe(
            self, kind: Any, topic: str, act: Callable[[Any], None], **_: Any
        ) -> Callable[[], None]:
            heard.append(topic)
            for error in kept if topic == errors else ():
                act(error)
            if topic == robot:
                takes_robot.append(act)
                act(String(data="its own"))
            return lambda: ended.append(topic)

        def require_own_system(self) -> None:
            if beside:
                raise SeveralSystems(beside[0])

    link = link_to(Shared)
    eventually(lambda: link.machine, "it has been found")
    assert heard.count(errors) == 1
    link.alarms.acknowledge("Ann", link.alarms.to_acknowledge)
    noted = link.alarms.words
    assert noted.startswith("1 alarm: axis 0: AmpAlarm")
    beside.append("2 systems run here")
    eventually(lambda: link.problem == "2 systems run here", "it is doubted")
    kept.append(broke("FollowingErrorAlarm", 4))  # of this machine, as it turns out
    link.take_error(kept[-1])
    link.take_error(broke("AmpAlarm", 5, active=False))  # of the other one
    link.take_motions([begun(MotionKind.POSITION, 0)])
    takes_robot[0](String(data="that of the other one"))
    assert (link.alarms.words, link.published.open_motions) == (noted, ())
    assert link.robot_description == "its own"
    link.robot_description = "what the other one has published before that was known"
    asked = link.published.asked_at
    eventually(lambda: link.published.asked_at > asked, "it was asked while it was doubted")
    beside.clear()
    eventually(lambda: heard.count(errors) == 2, "its own errors of that time are heard")
    assert ended == [errors, robot]
    assert link.robot_description == "its own"
    assert "2 alarms, 1 not noted, the newest: axis 0: FollowingErrorAlarm" in link.alarms.words
    assert not link.alarms.restarted, "that was noted, and is not told anew"
    link.take_motions([begun(MotionKind.POSITION, 0)])
    assert len(link.published.open_motions) == 1
