"""A machine: a running system of WMX nodes, as a program uses it."""

from __future__ import annotations

import atexit
import warnings
from collections.abc import Callable, Sequence
from threading import TIMEOUT_MAX, Lock
from typing import Any

from rcl_interfaces.srv import GetParameterTypes
from std_srvs.srv import SetBool, Trigger
from wmx_ros2_message.srv import SetAxis

from ..actuators.description import Actuator
from ..control.axis_file.records import Speed
from ..diagnosis.typed_commands import start_system
from ..node_base.clock import ROS, NodeClock
from ..node_base.domain.discovery import HIGHEST_DOMAIN
from .aio import aio
from .arm import Arm, Gripper
from .axes import Axes, Axis
from .base import Base
from .checked import real, whole
from .commands import Targets, option
from .curves import Recording
from .description import parameters
from .discovery import TIMEOUT
from .engine import FIND_TIMEOUT, Engine, Nodes
from .errors import Closed, NoPart, UnknownAxis
from .events import Event, Result
from .explanation import Explanation
from .io import Io
from .link import DISARM, Link, nothing
from .motion import Motion
from .network import Network
from .parameters import Parameters
from .plans import Plan, Step, plan_of
from .session import Session
from .simulation import Simulation
from .speed import pause, read_speed, resume, set_speed
from .states import TOPIC as STATE_TOPIC
from .status import Status
from .stream import Stream

RECORDER = "wmx_recorder_node"
SAVE = "wmx/recorder/save"
START_RECORDER = """\
make run RECORDER=1    # a system with a recorder, in place of the one that runs
wmx_recorder_node    # beside it"""
SAVE_TIMEOUT = 60.0
"""How long the recorder may take to write a file, s."""


class Machine:
    """A running system, reached over ROS. Use it as a context manager, or `open` and `close` it.

        with Machine() as machine:
            axis = machine.axes[0]
            axis.on()
            axis.move(1.0, velocity=0.5).wait()

    When the block is left, for whatever reason, what this client still moves is brought to rest.
    Should the process die or hang, the machine does that by itself after a second. A thread of the
    program that is stuck while the process runs is no such case: motions that it has begun go on.
    Give a jog or an effort a `duration` then.

    Every method may be called from any thread, and waits for the answer of the machine; but for
    callbacks of the library, which can wait for none, see `Motion.when_ended`. What lasts
    longer, a motion, is a handle that can be waited for or awaited. In asyncio `aio` awaits any
    method.
    """

    def __init__(
        self,
        namespace: str = "",
        domain: int | None = None,
        timeout: float | None = TIMEOUT,
        *,
        node: Any | None = None,
        clock: NodeClock = ROS,
    ) -> None:
        """`namespace` and ROS `domain` (None: `ROS_DOMAIN_ID`) are those of the system's nodes.

        `timeout` (s) holds for connecting and for each answer. None is 10 s, and NoSystem sooner
        where no other ROS program of the domain can be found. Inside a ROS program `node` may be
        its rclpy node: its context, and its namespace unless one is given, are used then; the
        machine still has a thread of its own, so that callbacks of `node` may use it. `clock` is
        another one than that of the computer, as in tests. ValueError for a domain or a time-out
        that cannot be, and WrongNamespace by `open`.
        """
        if timeout is not None and not 0.0 < real(timeout, "timeout") <= TIMEOUT_MAX:
            raise ValueError(f"timeout is {timeout}: must be above 0, and {TIMEOUT_MAX:g} at most")
        if domain is not None and not 0 <= whole(domain, "domain") <= HIGHEST_DOMAIN:
            raise ValueError(f"domain is {domain}: must be 0 to {HIGHEST_DOMAIN}")
        self.timeout = TIMEOUT if timeout is None else timeout
        self._place = (namespace, domain, timeout, node)
        self.clock = clock
        """By which a program sleeps that is to be tested, see `wmx_ros2_package.testing`."""
        self._session_or_none: Session | None = None
        self._opening = Lock()
        """Held while it connects: two threads that open it get one session."""

    # Its life

    def open(self, *, to_stop: bool = False) -> Machine:
        """Connect; NoSystem or SeveralSystems where there is not just one system in time.

        `to_stop`: several will do for stops and switching off, which are repeated until all of them
        have answered, and raise NotAnswered where one has not.
        """
        with self._opening:
            if self._session_or_none is None:
                self._connect(to_stop)
        return self

    def _connect(self, to_stop: bool) -> None:
        session = self._session_or_none = Session(*self._place, to_stop=to_stop, clock=self.clock)
        try:
            session.connect()
        except Exception:
            if self._session_or_none is not session:  # another thread has closed it
                session.link.require_open()
            raise
        finally:
            if not session.connected:
                self._session_or_none = None
        atexit.register(self.close)

    def close(self) -> None:
        """Stop what this client still moves, and disconnect; from any thread, also while it opens.

        Then `open` raises Closed. A fork of this process closes nothing: its parent goes on. In a
        callback of the library, which runs in the thread that ends here, it raises MachineError.
        """
        if (session := self._session_or_none) is not None:
            if session.link.is_forked:
                return
            session.link.require_other_thread()
        session, self._session_or_none = self._session_or_none, None
        if session is not None:
            atexit.unregister(self.close)
            session.close()

    def __enter__(self) -> Machine:
        return self.open()

    def __exit__(self, kind: object, *_: object) -> None:
        session = self._session_or_none
        moving = session.motions.axes if session is not None and kind is None else []
        self.close()
        if moving and self._session_or_none is None:  # else this is a fork
            warnings.warn(
                f"axes {moving} still moved as the machine was closed, and were stopped: wait for "
                "a motion before the block is left",
                stacklevel=2,
            )

    async def __aenter__(self) -> Machine:
        return await aio(self.open)

    async def __aexit__(self, kind: object, *_: object) -> None:
        await aio(self.__exit__, kind)

    def __repr__(self) -> str:
        session = self._session_or_none
        if session is None:
            return "<Machine: closed>"
        return f"<Machine: {len(session.names)} axes, namespace {session.link.namespace}>"

    # What it is

    @property
    def simulated(self) -> bool:
        """Whether the system runs on the simulated engine, so that no hardware moves."""
        return bool(self._session.description.driver == "fake")

    @property
    def systems(self) -> int:
        """How many systems stops reach: 1, unless `open` has connected to several to stop them.

        One that was killed counts for 20 s.
        """
        return self._session.systems

    @property
    def other_namespaces(self) -> list[str]:
        """The other namespaces in which systems have been found, whose axes no stop reaches."""
        return self._session.link.other_namespaces(STATE_TOPIC)

    @property
    def domain(self) -> int:
        """The ROS domain in which the system was found."""
        return self._session.link.domain

    @property
    def axes(self) -> Axes:
        """All axes, by number or by the name of their actuator or joint."""
        session = self._session
        return Axes(session, [Axis(session, number) for number in range(len(session.names))])

    @property
    def io(self) -> Io:
        """Its inputs and outputs."""
        return Io(self._session)

    @property
    def network(self) -> Network:
        """Its EtherCAT masters and slaves."""
        return Network(self._session)

    @property
    def parameters(self) -> Parameters:
        """The engine's parameters of the axes."""
        return Parameters(self._session, len(self._session.names))

    @property
    def actuators(self) -> dict[str, Actuator]:
        """Its named actuators, with their kinds and their limits as they are now, SI units.

        NoPart where no `wmx_actuator_node` runs.
        """
        return self._session.description.actuators()

    @property
    def engine(self) -> Engine:
        """Its engine: whether it communicates, and how it is started."""
        return Engine(self._session)

    @property
    def nodes(self) -> Nodes:
        """Its managed nodes, and how they are configured and activated."""
        return Nodes(self._session)

    @property
    def ros(self) -> Link:
        """Its services, topics and actions by their ROS names: what nothing else here offers."""
        return self._session.link

    def send_goal(
        self,
        kind: Any,
        action: str,
        goal: Any,
        axes: Sequence[int],
        *,
        feedback: Callable[[Any], None] | None = None,
        ended: Callable[[Result], object] = lambda _: None,
    ) -> Any:
        """The handle of a goal that an action server has accepted, and that moves `axes` (numbers).

        They stop when this program has gone, as all that it moves; `ros.result_of` and
        `cancel_goal` take the handle. `ended` gets how its motion has ended, also where its
        server has died, of which `ros.result_of` returns nothing. It and `feedback` run in the
        thread of the link, see `Motion.when_ended`. Refused with the reason and a remedy.
        """
        return self._session.send_goal(kind, action, goal, axes, feedback, ended)

    def cancel_goal(self, handle: Any) -> None:
        """Have its server end a goal that `send_goal` has sent, without waiting for its rest.

        NotAnswered where the server does not answer: the machine ends the goal about a second
        later, for its lease is not renewed any more.
        """
        self._session.motions.cancel_goal(handle)

    @property
    def arm(self) -> Arm:
        """Its arm or gantry; NoPart where it has none."""
        return self._session.part(Arm)

    @property
    def gripper(self) -> Gripper:
        """Its gripper, whether or not it has an arm; NoPart where it has none."""
        return self._session.part(Gripper)

    @property
    def base(self) -> Base:
        """Its base on two wheels; NoPart where it has none."""
        return self._session.part(Base)

    @property
    def simulation(self) -> Simulation:
        """What only a simulated machine offers: faults, held time; NoPart on real hardware."""
        if not self.simulated:
            raise NoPart(
                "the system runs on real hardware: no fault can be played there, no time be held",
                remedy=f"{start_system()}    # a system on the simulated engine",
            )
        return Simulation(self._session)

    # What it does now

    def status(self) -> Status:
        """All axes as they are now; NotReady while no engine communicates.

        SeveralSystems where another system is there as well, but to a machine that was opened to
        stop several, and SystemLost where it is there in place of that of this client.
        """
        return self._session.status()

    def states(self) -> Stream[Status]:
        """The status of all axes from now on, as often as it is published (100 Hz by default).

        What reads it gets SystemLost or NotReady when nothing is published any more.
        """
        session, states = self._session, self._session.states

        def read(data: bytes) -> Status:
            session.require_not_replaced()
            return states.read(data)

        return Stream(states.take, states.require_current, session.link.clock, read)

    def events(self, *, history: bool = False) -> Stream[Event]:
        """The begin and end of each motion from now on, of whichever node and client.

        With `history` the last hundred begins and ends of each node come before. What reads it gets
        SystemLost when no more can come.
        """
        session = self._session
        subscribe, link = session.motions.subscribe, session.link

        def check() -> None:
            link.require_other_thread()
            session.require_not_replaced()
            session.require_alive()

        def read(event: Event) -> Event:
            session.require_not_replaced()
            return event

        return Stream(lambda put: subscribe(put, history=history), check, link.clock, read)

    def require_own_system(self) -> None:
        """SystemLost or SeveralSystems where what is published is not that of its system alone.

        Nothing is asked for that: each system publishes its id.
        """
        self._session.require_own()

    def describe(self) -> bool:
        """Read the names and units of the axes again: a node may have started after this client.

        Returns whether a node has named any. Axes that were taken from `axes` before keep theirs.
        """
        return self._session.description.read()

    def explain(
        self, axes: Sequence[int] = (), *, timeout: float | None = None
    ) -> list[Explanation]:
        """What blocks motion of `axes` (all without), each with the commands that clear it.

        It is answered without an engine, too.
        """
        return self._session.explain(axes, timeout)

    def remedy(self, axes: Sequence[int] = ()) -> str:
        """The commands that clear what blocks `axes`, one a line; empty where none is known."""
        return self._session.remedy(axes)

    def record(self) -> Recording:
        """Record command and feedback of all axes, see `Recording`."""
        return self.axes.record()

    def save_recording(self) -> str:
        """Have the recorder write a file of what it keeps in memory; the path, where it runs.

        NoPart where no recorder runs, whatever its name, Refused where it cannot write.
        """
        self._session.require_no_other()
        link = self._session.link
        recorder = link.server_of(SAVE, FIND_TIMEOUT) or RECORDER
        parameters(link, recorder, "folder", start=START_RECORDER)
        first = GetParameterTypes, f"{recorder}/get_parameter_types"
        # It is asked once, for it would write a second file.
        answer = self._session.call_after(first, Trigger, SAVE, timeout=SAVE_TIMEOUT)
        return str(answer.message)

    # Moving and stopping

    def move_together(
        self,
        targets: Targets,
        *,
        velocity: float | None = None,
        acceleration: float | None = None,
        duration: float | None = None,
    ) -> Motion:
        """Move several axes to `targets` (u), by number or name, all starting in the same cycle.

        The options are those of `Axis.move`, and hold for each axis. All begin, or Refused is
        raised and none does.
        """
        return self.axes.move(
            targets, velocity=velocity, acceleration=acceleration, duration=duration
        )

    def plan(
        self,
        *steps: Step,
        line: bool = False,
        longest: float | None = None,
        samples: int = 0,
    ) -> Plan:
        """What `steps` would do from now on, each once the one before has ended; nothing moves.

        With `line` the axes of a move, which has no `duration`, go along a straight line. At most
        `longest` seconds of motion are computed (60), and paths of `samples` times are there. A
        refusal is no error: it is what the plan says.
        """
        options = {"line": line, "longest": option(longest, "longest"), "samples": samples}
        return plan_of(self._session, self.axes, steps, **options)

    def stop(self, axes: Sequence[int] | None = None, *, quick: bool = False) -> None:
        """Slow axes down to rest, all without, those of any client; nothing is asked before.

        `quick`: with quick stop deceleration. Of several systems, see `open`, those of each;
        Refused where one of them has no such axis, UnknownAxis for an empty list.
        """
        if axes is not None and not len(axes):  # a request that names none is one for all
            raise UnknownAxis("no axis is named: leave the list out to stop all axes")
        named = () if axes is None else tuple(axes)
        data = [int(bool(quick))] * (len(named) or 1)
        self._session.request(
            SetAxis, "wmx/axis/stop", named, index=list(named), data=data, to_all=True
        )

    def hold(self) -> None:
        """Bring all axes to rest from any mode, and have them hold where they are."""
        self.axes.hold()

    @property
    def speed(self) -> Speed:
        """How fast axes move in the whole system: `percent` of what is asked for, and `paused`."""
        return read_speed(self._session)

    def set_speed(self, percent: int) -> None:
        """Have all motions at 1 to 100 % of the speed that is asked for, those that run as well.

        Of streams, which have times of their own, efforts and homing the speed stays.
        """
        set_speed(self._session, percent)

    def pause(self) -> None:
        """Bring all that moves to rest, and wait for that; no motion begins until `resume`.

        Trajectories rest on their paths, moves to a position on their way: they stay open, and go
        on. Jogs, velocities, streams, efforts and homing end. NotAnswered, or Refused with the
        axes, where some still move after seconds. Of several systems, see `open`, in each.
        """
        pause(self._session)

    def resume(self, *, before: Callable[[], object] = nothing) -> None:
        """Let what was paused go on from where it rests, to where it was to go.

        Refused where nothing is paused, or a motor is elsewhere by now: then nothing moves.
        `before` is called just before the request is sent: what it raises is raised, and nothing
        goes on.
        """
        resume(self._session, before)

    def estop(self) -> None:
        """Emergency stop: all axes of all nodes and processes stop, and stay so until `release`.

        This is software: it does not replace an emergency stop in hardware.
        """
        self._session.request(SetBool, "wmx/engine/estop", (), data=True, to_all=True)

    def release(self, *, before: Callable[[], object] = nothing) -> None:
        """Release the emergency stop: nothing moves until it is commanded again.

        The request is sent once: a second one could release a stop that is newer. `before` is
        called just before it is sent: what it raises is raised, and nothing is released.
        """
        first = GetParameterTypes, "wmx_engine_node/get_parameter_types"
        self._session.call_after(first, SetBool, "wmx/engine/estop", before=before, data=False)

    def disarm(self) -> None:
        """Bring all axes to rest, switch all servos off, and set the safe outputs."""
        self._session.request(Trigger, DISARM, (), to_all=True)

    @property
    def _session(self) -> Session:
        if self._session_or_none is None:
            raise Closed("the machine is not connected", remedy="with Machine() as machine: ...")
        return self._session_or_none
