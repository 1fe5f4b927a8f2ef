"""Scripted faults: each at its time, all of a script or none, and nobody else is held up."""

import threading
from collections.abc import Callable

import pytest
from cases import cases
from held_engine import HeldEngine, position_move, same
from hypothesis import given, settings
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.values import EcState, EngineState, MotionStatus
from wmx_sim.engine.clock import HeldClock, RunningClock, newest_cycle
from wmx_sim.engine.engine import SimulatedEngine
from wmx_sim.engine.machine.description import CONFIG, default_machine, load_machine
from wmx_sim.engine.proxies import FaultsProxy, MotionProxy

# What happens


def test_faults_happen_each_at_its_cycle_whatever_their_order() -> None:
    held = HeldEngine(3)
    held.clock.advance(0.0125)
    held.play(
        """
        - {after: 500, return_slave: {slave: 2}}
        - {after: 30, drop_slave: {slave: 2}}
        - {raise_alarm: {axis: 0, code: 0x7121}}
        """
    )
    assert held.status().alarm_code.tolist() == [0x7121, 0, 0]
    assert held.status().amp_alarm.tolist() == [True, False, False]
    assert not held.after(0.029).servo_offline.any()
    assert held.after(0.001).servo_offline.tolist() == [False, False, True]
    held.after(0.469)
    assert held.ecat.network_state(0).slaves[2].state is EcState.NONE
    held.after(0.001)
    assert held.ecat.network_state(0).slaves[2].state is EcState.INIT
    held.after(1.0)
    statistics = held.ecat.network_state(0).statistics
    assert statistics.packet_loss == 470, "one a cycle while the slave was missing"


kinds = st.sampled_from(
    [
        "raise_alarm: {axis: 0, code: 7}",
        "drop_slave: {slave: 0}",
        "return_slave: {slave: 0}",
        "drop_slave: {slave: 1}",
        "lose_packets: {count: 3}",
    ]
)
entries = st.lists(st.tuples(st.integers(0, 2000), kinds), min_size=1, max_size=10)


@settings(max_examples=cases(60))
@given(entries, st.lists(st.integers(1, 400), max_size=20))
def test_what_a_script_does_does_not_depend_on_who_looks_when(
    script: list[tuple[int, str]], looks: list[int]
) -> None:
    def run(looks: list[int]) -> tuple[MotionStatus, object]:
        held = HeldEngine(3).servo_on()
        held.motion.move_absolute([position_move(axis, target=5.0) for axis in range(3)])
        text = ", ".join(f"{{after: {after}, {fault}}}" for after, fault in script)
        held.play(f"[{text}]")
        for look in looks:
            held.after(look / 1000)
        held.clock.advance(10.0 - sum(looks) / 1000)
        return held.status(), held.ecat.network_state(0)

    status, network = run([])
    seen_status, seen_network = run(looks)
    assert same(status, seen_status)
    assert network == seen_network


@pytest.mark.parametrize("start", [True, False])
def test_faults_happen_whether_the_network_communicates_or_not(start: bool) -> None:
    held = HeldEngine(start=start)
    held.play(
        """
        - {after: 10, raise_alarm: {axis: 1, code: 9}}
        - {after: 10, drop_slave: {slave: 0}}
        - {after: 10, force_input: {input: "7.3", value: true}}
        """
    )
    assert held.after(0.010).alarm_code.tolist() == [0, 9]
    held.engine.start_communication()
    assert held.status().servo_offline.tolist() == [True, False]
    assert held.io.input_bit(7, 3)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("motion.raise_alarm", (0, 7)),
        ("ecat.drop_slave", (0,)),
        ("ecat.return_slave", (0,)),
        ("ecat.disturb", (0,)),
        ("io.force_input_bytes", (0, b"1")),
        ("io.release_input_bit", (0, 1)),
        ("engine.slow_calls", (0.5,)),
    ],
)
def test_plain_calls_of_faults_need_no_communication(method: str, arguments: tuple[object]) -> None:
    HeldEngine(start=False).fake.call(*method.split("."), *arguments)


def test_faults_of_the_second_network() -> None:
    machine = load_machine(CONFIG / "fake_network_128_axes.yaml")
    clock = HeldClock()
    fake = SimulatedEngine(machine, clock)
    script = """
        - {drop_slave: {slave: 3, master: 1}}
        - {lose_packets: {count: 9, master: 1}}
        - {after: 1, return_slave: {slave: 3, master: 1}}
        """
    fake.call("faults", "play", script)
    for offline in True, False:
        first, second = (fake.call("ecat", "network_state", master) for master in (0, 1))
        assert [s.state is EcState.NONE for s in second.slaves] == [
            offline and s.id == 3 for s in second.slaves
        ]
        assert EcState.NONE not in [s.state for s in first.slaves]
        assert (first.statistics.packet_loss, second.statistics.packet_loss) == (0, 9)
        clock.advance(0.001)
    with pytest.raises(CommandRefused, match=r"drop_slave.slave = 16: must be 0 to 15"):
        fake.call("faults", "play", "[{drop_slave: {slave: 16, master: 1}}]")


def test_an_input_is_forced_and_released() -> None:
    held = HeldEngine()
    held.play(
        """
        - {after: 1, force_input: {input: "7999.7", value: on}}
        - {after: 3, release_input: {input: "7999.7"}}
        """
    )
    seen = []
    for _ in range(4):
        seen.append(held.io.input_bit(7999, 7))
        held.clock.advance(0.001)
    assert seen == [False, True, True, False]


def test_a_switch_sticks_until_it_is_freed() -> None:
    held = HeldEngine(3)
    held.play(
        """
        - {after: 1, stick_switch: {axis: 0, switch: home, state: true}}
        - {after: 1, stick_switch: {axis: 1, switch: positive, state: on}}
        - {after: 1, stick_switch: {axis: 2, switch: negative, state: yes}}
        - {after: 2, stick_switch: {axis: 0, switch: home, state: off}}
        - {after: 3, free_switch: {axis: 1, switch: positive}}
        """
    )
    switches = []
    for _ in range(4):
        status = held.status()
        switches.append((status.home_switch[0], status.positive_ls[1], status.negative_ls[2]))
        held.clock.advance(0.001)
    assert switches == [
        (False, False, False),
        (True, True, True),
        (False, True, True),
        (False, False, True),
    ]


def test_an_encoder_freezes_until_it_is_freed() -> None:
    held = HeldEngine().servo_on()
    held.motion.move_absolute([position_move(target=0.5)])
    before = held.after(0.1)
    held.play("[{freeze_encoder: {axis: 0}}, {after: 50, free_encoder: {axis: 0}}]")
    frozen = held.after(0.049)
    assert frozen.actual_pos[0] == pytest.approx(before.actual_pos[0])
    assert frozen.pos_cmd[0] > before.pos_cmd[0]
    assert held.after(1.0).actual_pos[0] == pytest.approx(0.5, abs=1e-3)


def test_a_cable_is_cut_and_mended() -> None:
    held = HeldEngine(3)
    held.play("[{cut_cable: {slave: 1}}, {after: 20, mend_cable: {slave: 1, master: 0}}]")
    assert [s.inaccessible for s in held.ecat.network_state(0).slaves] == [False, True, True]
    held.after(0.020)
    assert not any(s.inaccessible for s in held.ecat.network_state(0).slaves)


# Slow calls


class WatchedClock(HeldClock):
    """A clock that knows who slept on it, and at which something else happens meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.slept: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.meanwhile()
        super().sleep(seconds)


@pytest.fixture
def slow() -> HeldEngine:
    held = HeldEngine()
    held.clock = held.fake.clock = WatchedClock()
    return held


def slept(held: HeldEngine, call: Callable[[], object]) -> list[float]:
    """How long a call waited for its answer."""
    assert isinstance(held.clock, WatchedClock)
    held.clock.slept = []
    call()
    return held.clock.slept


def test_the_next_calls_are_slow_but_never_the_status(slow: HeldEngine) -> None:
    assert slept(slow, lambda: slow.play("[{slow_calls: {seconds: 0.5, count: 2}}]")) == []
    assert slept(slow, slow.status) == []
    assert slept(slow, slow.engine.state) == [0.5]
    assert slept(slow, slow.status) == []
    assert slept(slow, lambda: slow.motion.stop([0])) == [0.5]
    assert slept(slow, slow.engine.state) == []


def test_calls_of_one_method_are_slow(slow: HeldEngine) -> None:
    slow.play("[{after: 10, slow_calls: {seconds: 2, method: set_servo}}]")
    servo = lambda: slow.motion.set_servo(0, on=True)  # noqa: E731
    assert slept(slow, servo) == [], "not due yet"
    slow.clock.advance(0.010)
    assert slept(slow, slow.engine.state) == []
    assert slept(slow, servo) == [2.0], "it is the first to look"
    assert slept(slow, servo) == []


def test_a_later_order_takes_the_place_of_an_earlier_one(slow: HeldEngine) -> None:
    slow.play("[{slow_calls: {seconds: 1, count: 9}}, {slow_calls: {seconds: 3, method: stop}}]")
    assert slept(slow, lambda: slow.motion.stop([0])) == [3.0]
    slow.play("[{slow_calls: {seconds: 2}}]")
    assert slept(slow, slow.engine.state) == [2.0]
    assert slept(slow, slow.engine.state) == []


def test_a_slow_call_is_carried_out_at_once_and_holds_up_nobody_else(slow: HeldEngine) -> None:
    assert isinstance(slow.clock, WatchedClock)
    seen: list[object] = []

    def others() -> None:
        seen.append(slow.engine.state())
        seen.append(bool(slow.status().servo_on[0]))

    def meanwhile() -> None:
        slow.clock.advance(0.05)  # MODEL.servo_on_time: the order is under way
        other = threading.Thread(target=others, daemon=True)
        other.start()
        other.join(20.0)

    slow.clock.meanwhile = meanwhile
    slow.play("[{slow_calls: {seconds: 1}}]")
    slow.motion.set_servo(0, on=True)
    assert seen == [EngineState.COMMUNICATING, True]


def test_a_refused_call_is_slow_too(slow: HeldEngine) -> None:
    slow.play("[{slow_calls: {seconds: 1}}]")

    def refused() -> None:
        with pytest.raises(CommandRefused, match="AxisOutOfRange"):
            slow.motion.home(99)

    assert slept(slow, refused) == [1.0]


# Time that is held


def test_time_is_held_at_its_cycle_and_goes_on_from_there() -> None:
    engine = SimulatedEngine(default_machine(), RunningClock())
    faults = FaultsProxy(engine.call)
    faults.play("[{hold_time: {}}]")
    for cycles in 3, 2:
        before, is_held = faults.time()
        assert is_held
        faults.play(f"[{{run_time: {{}}}}, {{after: {cycles}, hold_time: {{}}}}]")
        while not faults.time()[1]:
            pass
        held = faults.time()
        assert held[0] == pytest.approx(before + cycles / 1000)
        first, second = MotionProxy(engine.call).status(), MotionProxy(engine.call).status()
        assert first.cycle == second.cycle == round(held[0] * 1000)
        assert first.time < second.time, "a status is as new as the look at it"
        assert faults.time() == held


@given(st.integers(1, 10**9), st.sampled_from([0.1, 0.3, 1.0, 7.0, 100.0]))
def test_a_clock_that_goes_on_does_not_go_back(cycle: int, rate: float) -> None:
    clock = RunningClock(rate)
    clock.hold(cycle / 1000)
    assert newest_cycle(clock).cycle == cycle
    clock.run()
    assert cycle <= newest_cycle(clock).cycle < cycle + 1_000_000
