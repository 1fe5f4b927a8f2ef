"""The path of a node's motions on a simulated engine; the test is its threads and its clock."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, TypeVar

from held_engine import HeldEngine

from wmx_core.errors import EngineLost
from wmx_core.interface import Driver, Motion
from wmx_core.values import MotionStatus
from wmx_ros2_package.control.gate import Gate
from wmx_ros2_package.control.leases import MotionLeases, StreamLeases
from wmx_ros2_package.control.motion_ends import IN_POSITION_WIDTH
from wmx_ros2_package.control.ownership import Ownership
from wmx_ros2_package.control.request import Begin, End, EndReason, MotionKind, MotionRequest
from wmx_ros2_package.control.settings.kept import KeptSettings
from wmx_ros2_package.control.settings.restorer import SettingsRestorer
from wmx_ros2_package.control.stop_inputs import StopInputs
from wmx_ros2_package.control.tracker import MotionTracker
from wmx_ros2_package.node_base.clock import RosClock
from wmx_ros2_package.node_base.motion_path import MotionPath
from wmx_ros2_package.node_base.threads import settle
from wmx_ros2_package.node_base.waiting import Awaited

T = TypeVar("T")
LATENCY = 0.005


class EngineClock(RosClock):
    """The steady clock of nodes on `held`; it goes on where somebody sleeps."""

    def __init__(self, held: HeldEngine) -> None:
        self.now, self.sleep = held.now, held.sleep  # type: ignore[method-assign]


class Tasks:
    """What a supervisor calls: `read` is called by the test, and there is no thread."""

    def __init__(self, log: Callable[[str], object]) -> None:
        self._log = log
        self._tasks: list[tuple[str, Callable[[MotionStatus], object]]] = []
        self._sinks: list[tuple[Callable[[MotionStatus], object], bool]] = []

    def add_task(
        self, name: str, task: Callable[[MotionStatus], object], _period: float = 0.0
    ) -> None:
        self._tasks.append((name, task))

    def ensure_task(
        self, name: str, task: Callable[[MotionStatus], object], _period: float, **_: object
    ) -> None:
        if name not in self.names():
            self._tasks.append((name, task))

    def add_sink(
        self,
        sink: Callable[[MotionStatus], object],
        _rate: float | None = None,
        *,
        offline: bool = False,
        **_: object,
    ) -> None:
        self._sinks.append((sink, offline))

    def start(self) -> None:
        pass

    def stop(self) -> None:
        self._tasks.clear()

    def names(self) -> list[str]:
        """Those of the tasks that go on."""
        return [name for name, _ in self._tasks]

    def read(self, status: MotionStatus) -> None:
        """Call everything with a sample, whenever it is due."""
        for sink, offline in self._sinks:
            if offline or status.communicating:
                sink(status)
        tasks, self._tasks = self._tasks, []
        for name, task in tasks:
            try:
                goes_on = task(status)
            except Exception as error:
                self._log(f"{name}: {error!r}")
                goes_on = True
            if goes_on:
                self._tasks.append((name, task))


class HeldNode:
    """A node as its behaviour sees it, on `held`, whose servos are on."""

    def __init__(
        self,
        held: HeldEngine,
        name: str = "/node",
        *,
        parameters: Any = None,
        motion: Motion | None = None,
    ) -> None:
        """`motion` commands the engine in the place of that of `held`."""
        self.held = held
        self.period = 0.005
        """How often the supervisor reads the status, s."""
        self.name = self.full_name = name
        self.parameters = parameters
        self.clock = EngineClock(held)
        self.events: list[Begin | End] = []
        self.fed: list[tuple[Sequence[int], Sequence[int]]] = []
        """The axes that are fed to the dead man before each command."""
        self.logged: list[str] = []
        self.lost: list[EngineLost] = []
        """What was met of an engine that seems lost; this node lets go of none."""
        self.published: dict[str, list[Any]] = {}
        self.commands: dict[str, Callable[..., None]] = {}
        """What is called with the messages of each topic."""
        self.on_attach: list[Callable[[], None]] = []
        self.on_attached: list[Callable[[], None]] = []
        self.on_let_go: list[Callable[[], None]] = []
        self.on_detach: list[Callable[[], None]] = []
        self.on_activate: list[Callable[[], None]] = []
        self.on_deactivate: list[Callable[[], None]] = []
        self.on_change: list[Callable[[Any], None]] = []
        self.driver = Driver(
            name="fake",
            simulated=True,
            engine=held.engine,
            motion=motion or held.motion,
            io=held.io,
            ecat=held.ecat,
            reactions=held.reactions,
            status_latency=LATENCY,
        )
        self.engine_axes = held.status().axes
        self.engine_lost = ""
        self.ownership = Ownership("held", self.driver.motion.status, LATENCY, clock=self.clock)
        self.ownership.open("", name)
        self.tracker = MotionTracker(
            name,
            LATENCY,
            self.now,
            in_position_widths=self.in_position_widths,
            recorded_stops=self.recorded_stops,
        )
        self.tracker.listen(self._on_event)
        self.leases = StreamLeases(self.clock, lambda: self.ownership.stopped)
        self.stop_inputs = StopInputs(self.driver, self.ownership)
        self.settings = KeptSettings(self.driver, self.ownership)
        self.restorer = SettingsRestorer(self.driver, self.settings.store)
        self.supervisor = Tasks(self.logged.append)
        self.gate = Gate(
            self.driver.motion,
            self.ownership,
            self.tracker,
            self.supervisor,
            LATENCY,
            self.logged.append,
            feed=lambda *axes: self.fed.append(axes),
            stop_inputs=self.stop_inputs,
            settings=self.settings,
        )
        self.gate.open()
        self.motion_leases = MotionLeases(self.tracker, self.gate.refuse_earlier, self.clock)
        self.supervisor.add_sink(self.tracker.update)
        self.supervisor.add_sink(lambda status: self.gate.follow_speed(status, IN_POSITION_WIDTH))
        self.log = SimpleNamespace(
            error=lambda text, **_: self.logged.append(text),
            info=lambda text, **_: self.logged.append(text),
            warning=lambda text, **_: self.logged.append(text),
        )
        self.log_info = self.log_error = self.logged.append
        self.ros_time = SimpleNamespace(
            is_simulated=False,
            at=lambda steady: int(steady * 1e9),
            now=lambda: int(self.now() * 1e9),
            when_in=self._when_in,
        )
        self.graph = SimpleNamespace(
            full_name=name,
            publishers=lambda *_: [],
            subscribers=lambda *_: [],
            count_servers=lambda *_: 1,
        )
        self.worker = SimpleNamespace(do=lambda work, **_: work())
        self.deactivating = SimpleNamespace(wait=self._wait, is_set=lambda: False)

    def lose_engine(self, error: EngineLost) -> None:
        self.lost.append(error)

    def _on_event(self, event: Begin | End) -> None:
        self.events.append(event)
        if isinstance(event, End):
            self.leases.on_motion_end(event)

    def _when_in(self, seconds: float) -> Callable[[], bool]:
        due = self.now() + seconds
        return lambda: self.now() >= due

    def _wait(self, seconds: float) -> bool:
        self.held.sleep(seconds)
        return False

    # What a behaviour asks of its node

    in_position_widths = MotionPath.in_position_widths
    recorded_stops = MotionPath.recorded_stops
    units: Mapping[int, float] = {}

    def create_publisher(self, _kind: Any, topic: str, *_: Any) -> Any:
        sent = self.published.setdefault(topic, [])
        return SimpleNamespace(publish=sent.append, get_subscription_count=lambda: 1)

    def on_command(
        self, _kind: Any, topic: str, act: Callable[..., None], *_: Any, **__: Any
    ) -> None:
        self.commands[topic] = act

    def subscribe(self, _kind: Any, topic: str, act: Callable[..., None], *_: Any) -> None:
        self.commands[topic] = act

    def create_service(self, *_: Any, **__: Any) -> None:
        pass

    create_timer = create_service

    def require_prompt(self, _sent: float) -> None:
        """Nothing waits in the process of the test."""

    def in_worker(self, work: Callable[[], T]) -> Awaited[T]:
        done: Future[T] = Future()
        settle(done, work)
        return Awaited(done)

    def until(self, condition: Callable[[], bool], timeout: float) -> Awaited[bool]:
        """Let time pass until `condition` is true."""

        def wait() -> bool:
            self.after(timeout, condition)
            return condition()

        return self.in_worker(wait)

    # Time

    def now(self) -> float:
        return self.held.now()

    def after(self, seconds: float, until: Callable[[], object] = lambda: False) -> MotionStatus:
        """Let `seconds` pass, or less when `until` is true, while the supervisor reads."""
        for _ in range(max(1, round(seconds / self.period))):
            status = self.held.after(self.period)
            self.supervisor.read(status)
            if until():
                break
        return status

    # What became of motions

    def begins(self) -> list[Begin]:
        return [event for event in self.events if isinstance(event, Begin)]

    def ends(self) -> list[End]:
        ends = [event for event in self.events if isinstance(event, End)]
        with_code = EndReason.ALARM, EndReason.REFUSED
        assert all(end.reason in with_code or not end.code for end in ends)
        return ends

    def reasons(self) -> list[EndReason]:
        return [end.reason for end in self.ends()]

    def request(
        self, *axes: int, kind: MotionKind = MotionKind.POSITION, **fields: Any
    ) -> MotionRequest:
        """One that is asked for just now."""
        return MotionRequest(
            **{"kind": kind, "axes": axes or (0,), "asked_at": self.now(), **fields}
        )


def close_all(nodes: Iterable[HeldNode]) -> None:
    for node in nodes:
        node.ownership.close()
