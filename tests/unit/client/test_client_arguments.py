"""What programs ask for: refused in our words before anything is sent, or sent as it is meant."""

from collections.abc import Callable
from concurrent.futures import Future
from math import inf, nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from motion_events import handle
from rcl_interfaces.msg import ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.reactions import StopKind
from wmx_ros2_package.client import (
    Machine,
    MachineError,
    NoPart,
    NotAnswered,
    Refused,
    SeveralSystems,
    Stream,
    UnknownAxis,
    plans,
)
from wmx_ros2_package.client.axes import Axes, Axis
from wmx_ros2_package.client.checked import made
from wmx_ros2_package.client.description import parameters, running_name
from wmx_ros2_package.client.errors import coded_refusal
from wmx_ros2_package.client.io import Inputs, Outputs
from wmx_ros2_package.client.link import Link
from wmx_ros2_package.client.network import Network
from wmx_ros2_package.client.parameters import Parameters
from wmx_ros2_package.client.simulation import Simulation
from wmx_ros2_package.client.speed import set_speed
from wmx_ros2_package.executables import names_of


class Session:
    """Takes what would be asked of a machine of three axes."""

    names = "joint1", "joint2", "2"
    units = "rad", "rad", "u"
    description = SimpleNamespace(require_names=lambda _: None)
    release_time: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.begun: list[dict[int, dict[str, Any]]] = []
        self.asked: list[Any] = []
        self.once: list[Any] = []
        self.states = SimpleNamespace(outdate=list)
        self.link = SimpleNamespace(call_once=self.call, meet=lambda *_: None)

    def begin(self, commands: Any, *_: object) -> None:
        for fields in commands.values():
            made(ActuatorCommand, **fields)
        self.begun.append(commands)

    def request(
        self, kind: Any, _service: str, _axes: Any, *, to_all: bool = False, **f: Any
    ) -> None:
        self.asked.append(made(kind.Request, **f))
        self.to_all = to_all

    def require_no_other(self) -> None:
        """As one beside which there is no other system."""

    def call(self, kind: Any, _service: str, **fields: Any) -> None:
        self.asked.append(made(kind.Request, **fields))

    def call_once(self, kind: Any, _service: str, **fields: Any) -> Any:
        self.once.append(made(kind.Request, **fields))
        return SimpleNamespace(message="")

    def gear(self, *asked: Any) -> None:
        self.asked.append(asked)

    def commanded(self, axes: Any) -> list[float]:
        return [0.0] * len(axes)


@pytest.fixture
def session() -> Session:
    return Session()


@pytest.fixture
def axes(session: Session) -> Axes:
    return Axes(session, [Axis(session, number) for number in range(3)])  # type: ignore[arg-type]


WRONG: list[tuple[Callable[[Axes], object], str]] = [
    (lambda a: a[0].move("0.1"), "the target of axis 0 is '0.1': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].move(None), "the target of axis 0 is None: must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].move(1.0, velocity="fast"), "velocity is 'fast': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].move_by("1"), "distance is '1': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].jog(0), "velocity is 0: must not be 0"),
    (lambda a: a[0].jog("1"), "velocity is '1': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].exert("1"), "effort is '1': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].follow_axis(1), "master is 1: must be an axis"),  # type: ignore[arg-type]
    (lambda a: a[0:2].move(1.0), "targets is 1.0: must be a list of 2 numbers"),  # type: ignore[arg-type]
    (lambda a: a[0:2].move("12"), "targets is '12': must be a list of 2 numbers"),  # type: ignore[arg-type]
    (lambda a: a[0:2].move([1.0]), "targets has 1 elements: must have 2"),
    (lambda a: a[0:2].move([]), "targets has 0 elements: must have 2"),
    (lambda a: a[0:2].move({}), "targets is empty: must name an axis"),
    (lambda a: a.move({0: 1.0, "joint1": 2.0}), "axis 0 is named twice: 0 and 'joint1'"),
    (lambda a: a[0, "joint1"], r"axis 0 \(joint1\) is named twice"),
    (lambda a: a[0:2].follow([1.0], [[0.1]]), "the point at 1.0 s has 1 numbers: must have 2"),
    (lambda a: a[0].follow([1.0], [["x"]]), "the point at 1.0 s is 'x': must be a number"),  # type: ignore[list-item]
    (lambda a: a[0].follow([1.0], [0.5]), "the point at 1.0 s is 0.5: must be a list"),  # type: ignore[list-item]
    (lambda a: a[0].follow(1.0, [[0.5]]), "times is 1.0: must be a list"),  # type: ignore[arg-type]
    (lambda a: a[0].follow([1.0, 2.0], [[0.5]]), "positions has 1 rows, and times has 2"),
    (lambda a: a[0].follow([nan], [[0.5]]), "a time is nan: must be finite, and 0 or above"),
    (lambda a: a[0].follow([1.0], [[0.5]], repeat=1.5), "repeat is 1.5: must be a whole number"),  # type: ignore[arg-type]
    (lambda a: a[0].follow([1.0], [[0.5]], repeat=0), "repeat is 0: must be 1 or more, or -1"),
    (lambda a: a.set_mode("foo"), "mode is 'foo': must be one of position, velocity, torque"),
    (lambda a: a.set_mode(7), "mode is 7: must be one of position, velocity, torque"),  # type: ignore[arg-type]
    (lambda a: a.stop_on_input(0, 3, kind="soft"), "kind is 'soft': must be one of stop, quick_"),
    (lambda a: a.stop_on_input(0, 3, 5), "value is 5: must be True or False"),  # type: ignore[arg-type]
    (lambda a: a.stop_on_input(0.5, 3), "byte is"),  # type: ignore[arg-type]
    (lambda a: a[0].switch_output(0, 3, "1"), "beyond is '1': must be a number"),  # type: ignore[arg-type]
    (lambda a: a[0].set_position("1"), "position is '1': must be a number"),  # type: ignore[arg-type]
    (lambda _: plans.move(1.0), "targets is 1.0: must name the axes"),  # type: ignore[arg-type]
    (lambda _: plans.move({0: "1"}), "the target of axis 0 is '1': must be a number"),  # type: ignore[dict-item]
    (lambda _: plans.jog(0, 0.0), "velocity is 0: must not be 0"),
    (lambda _: plans.follow([0, 1, 0], [1.0], [[0.1, 0.2, 0.3]]), "axis 0 is named twice"),
]


@pytest.mark.parametrize(("ask", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_cannot_be_meant(
    session: Session, axes: Axes, ask: Callable[[Axes], object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        ask(axes)
    assert session.begun == []
    assert session.asked == []


@pytest.mark.parametrize("one", [1, 1.0, np.float32(1.0), np.int64(1)])
def test_any_number_is_one(session: Session, axes: Axes, one: Any) -> None:
    axes[0].move(one, velocity=one)
    axes[0:2].move([one, one])
    axes[0:2].move(np.array([one, one]))
    axes[0].jog(one, duration=one)
    axes[0].follow([one], [[one]])
    axes[0].set_position(one)
    values = [fields["value"] for commands in session.begun for fields in commands.values()
              if "value" in fields]  # fmt: skip
    assert values == [1.0] * 6
    assert session.asked[0].position.tolist() == [1.0]


@pytest.mark.parametrize("value", [0.0, -1.0, nan, inf])
@pytest.mark.parametrize("option", ["velocity", "acceleration", "duration"])
def test_an_option_that_would_stand_for_the_default(
    session: Session, axes: Axes, option: str, value: float
) -> None:
    jogs = [] if option == "velocity" else [axes[0].jog]
    for ask in (axes[0].move, axes[0].move_by, *jogs):
        with pytest.raises(ValueError, match=f"{option} is {value}: must be finite and above 0"):
            ask(1.0, **{option: value})
    assert session.begun == []


def test_a_duration_that_rounds_to_zero_is_none_without_end(session: Session, axes: Axes) -> None:
    axes[0].jog(1.0, duration=1e-10)
    assert session.begun[0][0]["duration"] == Duration(nanosec=1)


def test_an_axis_that_there_is_not(axes: Axes) -> None:
    """None of the axes is never all of them, which an order to no axis would be."""
    masks: tuple[Any, ...] = np.array([True, False]), [np.True_, np.False_], [np.False_]
    for key in (3, -1, "joint9", True, *masks, slice(0, 0), [], ()):
        with pytest.raises(UnknownAxis):
            axes[key]
    with pytest.raises(TypeError):
        axes[None]  # type: ignore[call-overload]
    for targets in ({9: 1.0}, {"joint9": 1.0}, {np.True_: 1.0}, {np.False_: 1.0}):
        with pytest.raises(UnknownAxis):
            axes[0:2].move(targets)  # type: ignore[arg-type]


@pytest.mark.parametrize("numbers", [[2, 0], [1, 2], [0, 1, 2]])
def test_axes_are_in_the_order_in_which_they_were_named(axes: Axes, numbers: list[int]) -> None:
    """Their places are no numbers of axes."""
    some = axes[numbers]
    assert [axis.number for axis in some] == numbers
    assert [axis.number for axis in reversed(some)] == numbers[::-1]
    assert [some.index(axis) for axis in some] == [*range(len(numbers))]
    assert [some.index(axis.name) for axis in axes[numbers]] == [*range(len(numbers))]
    assert [some.index(axis) for axis in axes[numbers]] == [*range(len(numbers))]
    with pytest.raises(ValueError, match="not in"):
        axes[2, 1].index(axes[0])


def test_axes_are_found_by_number_name_and_slice(axes: Axes) -> None:
    one: Any = np.int64(1)
    assert axes["joint2"] is axes[1] is axes[one]
    assert axes[0:2].numbers == (0, 1)
    assert axes["joint2", 0].numbers == (1, 0)
    assert axes[[1, 2]].names == ("joint2", "2")
    assert (len(axes), "joint1" in axes, "joint9" in axes) == (3, True, False)


@pytest.mark.parametrize(
    ("ask", "data", "to_all"),
    [
        (lambda a: a.on(), [1, 1], False),
        (lambda a: a.clear(), [], False),
        (lambda a: a.confirm(), [], False),
        (lambda a: a.set_mode("torque"), [2, 2], False),
        (lambda a: a.off(), [0, 0], True),
        (lambda a: a.stop(), [0, 0], True),
        *((lambda a, quick=quick: a.stop(quick=quick), [1, 1], True) for quick in (0.5, 2, inf)),
    ],
)
def test_what_every_system_is_asked_only_ends_motion(
    session: Session, axes: Axes, ask: Callable[[Axes], None], data: list[int], to_all: bool
) -> None:
    """Each true word is quick: half of it would be a gentle stop."""
    ask(axes[0:2])
    assert ([*session.asked[0].data], session.to_all) == (data, to_all)


@pytest.mark.parametrize(
    "write",
    [
        lambda session: Network(session).write_object(0, 0x1010, 1, b"save"),
        lambda session: Parameters(session, 3).load("parameters.xml"),
        lambda session: Parameters(session, 3).change("parameters.xml"),
        lambda session: Simulation(session).fault("crash_engine"),
    ],
)
def test_what_must_not_be_done_twice_is_asked_once(
    session: Session, write: Callable[[Any], object]
) -> None:
    """A service that has not answered a client yet gets other requests again."""
    write(session)
    assert (len(session.once), session.asked) == (1, [])


def test_what_is_not_given_is_left_to_the_machine(session: Session, axes: Axes) -> None:
    axes[0].move(1.0)
    axes[0].jog(1.0)
    axes[0].follow([1.0], [[0.5]])
    move, jog, follow = (commands[0] for commands in session.begun)
    for command in move, jog:
        assert (command["acceleration"], command["duration"]) == (0.0, Duration())
    assert (move["velocity"], follow["repeat"]) == (0.0, 1)
    assert not follow["points"][0].velocities
    axes[0].follow_axis(axes[2])
    axes[0].stop_on_input(0, 3)
    axes[0].arm_touch_probe(0, 3)
    axes[0].switch_output(0, 3, 0.5)
    [gear], (stop, probe, output) = session.asked, session.once
    assert gear == (0, 2, 1.0)
    assert (*stop.value, *stop.data) == (0, StopKind.STOP)
    assert (*probe.value, *output.value) == (1, 1)


@pytest.mark.parametrize("state", [8.7, "OP", None, 7])
def test_a_state_that_there_is_not(session: Session, state: Any) -> None:
    network = Network(session)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"must be a whole number|not a valid EcState"):
        network.set_slave_state(6, state)
    assert session.asked == []


@pytest.mark.parametrize("percent", [inf, nan, None, True, "50", 50.5])
def test_a_speed_that_is_no_whole_number(session: Session, percent: Any) -> None:
    with pytest.raises(ValueError, match="percent is"):
        set_speed(session, percent)  # type: ignore[arg-type]
    assert session.asked == []


def test_a_misspelt_name_of_an_axis(axes: Axes) -> None:
    name = axes.names[0]
    with pytest.raises(UnknownAxis, match=f"did you mean {name}?"):
        axes[name[:-2] + name[:-3:-1]]


def test_levels_of_outputs(session: Session) -> None:
    outputs = Outputs(session)  # type: ignore[arg-type]
    for wrong in (2, "1", 0.5, None):
        with pytest.raises(ValueError, match="must be True or False"):
            outputs[0, 3] = wrong  # type: ignore[assignment]
        with pytest.raises(ValueError, match="must be True or False"):
            outputs.set({(0, 3): wrong})  # type: ignore[dict-item]
    assert session.asked == []
    outputs[0, 3] = 1  # type: ignore[assignment]
    assert session.asked[0].value == 1


@pytest.mark.parametrize("value", [4, np.uint8(4), np.int64(4), "abcd", None, 4.0, [0, 0, 0, 256]])
def test_what_is_no_bytes(session: Session, value: Any) -> None:
    """`bytes` makes zeros of a number, and those would be sent."""
    outputs = Outputs(session)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"must be bytes, such as bytes\(\[15, 14\]\)"):
        outputs[0:4] = value
    assert session.asked == []


@pytest.mark.parametrize("value", [b"\1\2", [1, 2], np.array([1, 2])])
def test_bytes_of_outputs(session: Session, value: Any) -> None:
    Outputs(session)[0:2] = value  # type: ignore[arg-type]
    assert [*session.asked[0].data] == [1, 2]


def test_places_of_inputs_and_outputs(session: Session) -> None:
    outputs: Any = Outputs(session)  # type: ignore[arg-type]
    for place in slice(0, 4, 2), slice(None, 4), slice(0, None):
        with pytest.raises(ValueError, match="both ends"):
            outputs[place]
        with pytest.raises(ValueError, match="both ends"):
            outputs[place] = b""
    for bit in 3, (1, 2, 3):
        with pytest.raises(ValueError, match=r"such as \[0, 3\]"):
            outputs[bit]
        with pytest.raises(ValueError, match=r"such as \[0, 3\]"):
            outputs[bit] = True
    with pytest.raises(ValueError, match="4 bytes"):
        outputs[0:4] = bytes(3)
    assert session.asked == []


def test_cycles_are_whole(session: Session) -> None:
    with pytest.raises(ValueError, match=r"cycles is 1\.5: must be a whole number"):
        Simulation(session).step(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", [Simulation.hold, Simulation.step])
@pytest.mark.parametrize("error", [Refused("no"), NotAnswered("in time"), SeveralSystems("two")])
def test_time_that_another_client_holds_stays_held(
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    ask: Callable[[Simulation], None],
    error: MachineError,
) -> None:
    """Where nothing was answered, this client may hold it."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(session, "call_once", fail)
    simulation = Simulation(session)  # type: ignore[arg-type]
    with pytest.raises(type(error)):
        ask(simulation)
    assert bool(session.release_time) is isinstance(error, NotAnswered)


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ({"domain": "77"}, "domain is '77': must be a whole number"),
        *(({"domain": n}, f"domain is {n}: must be 0 to 232") for n in (-1, 233)),
        ({"timeout": "5"}, "timeout is '5': must be a number"),
        *(({"timeout": t}, f"timeout is {t}: must be above 0") for t in (0.0, -1.0, nan, inf)),
    ],
)
def test_a_place_or_a_time_out_that_cannot_be(place: dict[str, Any], rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        Machine(**place)


def fail(*_: object) -> None:
    raise AssertionError("it waits, and would for ever")


@pytest.mark.parametrize("timeout", [nan, "5"])
@pytest.mark.parametrize(
    "wait",
    [
        lambda timeout: Inputs(waiting()).wait(0, 3, timeout=timeout),
        lambda timeout: Stream(lambda _: list, fail).get(timeout),
        lambda timeout: Link.wait(waiting().link, Future(), "it is silent", timeout),
        lambda timeout: handle(Future(), check=fail).wait(timeout),
    ],
)
def test_a_time_out_that_is_no_number(wait: Callable[[Any], object], timeout: object) -> None:
    """NaN is greater than nothing: no time would be past it."""
    with pytest.raises(ValueError, match=f"timeout is {timeout!r}: must be a number"):
        wait(timeout)


def waiting() -> Any:
    """A session in which no bit is set, and nothing is answered."""
    clock = SimpleNamespace(now=lambda: 0.0, sleep=fail, result=fail)
    bit = SimpleNamespace(value=0)
    link = SimpleNamespace(clock=clock, require_other_thread=list)
    return SimpleNamespace(link=link, call=lambda *_, **__: bit)


def test_who_waits_in_vain_may_expect_a_timeout_error() -> None:
    error = NotAnswered("it does not answer", remedy="wmx doctor")
    assert isinstance(error, TimeoutError)
    assert str(error) == "it does not answer\nwmx doctor"


def test_a_controller_of_ros2_control_is_no_arm() -> None:
    """It may have the name that the newer C++ packages give the server of trajectories."""
    own, newer = (f"{name}/get_parameters" for name in names_of("follow_joint_trajectory_server"))
    driver = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="fake")

    def link(discovered: list[str], ours: str) -> Any:
        return SimpleNamespace(
            discovered=lambda *_: discovered,
            require_other_thread=list,
            call=lambda _, service, **__: GetParameters.Response(
                values=[driver] if service == ours else []
            ),
        )

    for ours in own, newer:
        found = link([own, newer], ours)
        assert running_name(found, "follow_joint_trajectory_server", start="") in ours
    with pytest.raises(NoPart, match="joint_trajectory_controller") as refused:
        running_name(link([newer], own), "follow_joint_trajectory_server", start="make run")
    assert refused.value.remedy == "make run"


@pytest.mark.parametrize(
    ("message", "code", "name"),
    [
        ("axis_0 (axis 0): servo off", 1567, "ServoOff"),
        ("Error=1567 (ServoOff): axis 0", 1567, "ServoOff"),
        ("Error=-4 (Paused): the system is paused", -4, "Paused"),
        ("'a' is no actuator", 0, "Refused"),
    ],
)
def test_a_refusal_has_the_name_of_its_code(message: str, code: int, name: str) -> None:
    refused = coded_refusal(message, code)
    assert (refused.code, refused.name, refused.text) == (code, name, message)


def test_a_node_that_answers_no_parameter_has_none() -> None:
    """rclcpp answers nothing at all where it lacks one of them."""
    link: Any = SimpleNamespace(
        require_other_thread=list, call=lambda *_, **__: GetParameters.Response()
    )
    assert parameters(link, "diff_drive_controller", "left_axis", "right_axis") == [None, None]
