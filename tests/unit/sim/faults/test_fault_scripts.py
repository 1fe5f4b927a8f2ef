"""Which scripts of faults are refused, and by which rule."""

import sys
from dataclasses import fields
from types import FrameType

import pytest
from cases import cases
from held_engine import HeldEngine, same
from hypothesis import given, settings
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_sim.engine.faults import fault_script
from wmx_sim.engine.faults.call_delay import CAN_BE_LATE
from wmx_sim.engine.faults.fault_script import read_script

# What is refused

BAD = [
    ("", "script = None: must be a list"),
    ("5", "script = 5: must be a list"),
    ("[]", "script = []: must be 1 to 1000 entries"),
    ("[5]", "script[0] = 5: must be a mapping of keys to values"),
    ("[{}]", "script[0] has the faults none: must have exactly one"),
    ("[{after: 3}]", "script[0] has the faults none: must have exactly one"),
    ("[{crash_engine: }]", "script[0] has the faults none: must have exactly one"),
    (
        "[{drop_slave: {slave: 0}, crash_engine: {}}]",
        "script[0] has the faults drop_slave, crash_engine: must have exactly one",
    ),
    ("[{crash_engine: {}, after: -1}]", "script[0].after = -1: must be 0 to 3600000 cycles"),
    (
        "[{crash_engine: {}, after: 3600001}]",
        "script[0].after = 3600001: must be 0 to 3600000 cycles",
    ),
    ("[{crash_engine: {}, after: 1.5}]", "script[0].after = 1.5: must be a whole number"),
    ("[{crash_engine: {}, after: .nan}]", "script[0].after = nan: must be a whole number"),
    ("[{raise_alarm: {code: 1}}]", "script[0].raise_alarm.axis: is missing, must be given"),
    ("[{raise_alarm: {axis: 2, code: 1}}]", "script[0].raise_alarm.axis = 2: must be 0 to 1"),
    ("[{raise_alarm: {axis: -1, code: 1}}]", "script[0].raise_alarm.axis = -1: must be 0 to 127"),
    ("[{raise_alarm: {axis: 0, code: 0}}]", "script[0].raise_alarm.code = 0: must be 1 to 65535"),
    (
        "[{raise_alarm: {axis: true, code: 1}}]",
        "script[0].raise_alarm.axis = True: must be a whole number",
    ),
    ("[{drop_slave: {slave: 2}}]", "script[0].drop_slave.slave = 2: must be 0 to 1"),
    (
        "[{return_slave: {slave: 0, master: 1}}]",
        "script[0].return_slave.master = 1: must be 0 to 0",
    ),
    ("[{lose_packets: {count: 0}}]", "script[0].lose_packets.count = 0: must be 1 to 1000000"),
    ("[{freeze_encoder: {axis: 2}}]", "script[0].freeze_encoder.axis = 2: must be 0 to 1"),
    (
        "[{stick_switch: {axis: 0, switch: limit, state: on}}]",
        "script[0].stick_switch.switch = 'limit': must be one of home, positive, negative",
    ),
    (
        "[{stick_switch: {axis: 0, switch: home, state: 1}}]",
        "script[0].stick_switch.state = 1: must be true or false",
    ),
    (
        "[{force_input: {input: 2.0, value: on}}]",
        'script[0].force_input.input = 2.0: must be "byte.bit", "0.0" to "7999.7"',
    ),
    ("[{slow_calls: {seconds: 61}}]", "script[0].slow_calls.seconds = 61: must be 0 to 60 s"),
    ("[{slow_calls: {seconds: .inf}}]", "script[0].slow_calls.seconds = inf: must be 0 to 60 s"),
    ("[", "while parsing a flow node"),
    ("[" * 20_000, "nested too deeply: must be 16 levels at most"),
    ("- " * 17, "nested too deeply: must be 16 levels at most"),
    ("[a, " * 17, "nested too deeply: must be 16 levels at most"),
    (f"[[{'1,' * 20_000}]]", "has more than 20000 keys and values"),
    (" " * 65_537, "length of the script = 65537: must be 0 to 65536 characters"),
    (f"[{'{crash_engine: {}},' * 1001}]", "must be 1 to 1000 entries"),
    ("[{crash_engine: {}}]\0", "special characters are not allowed"),
    ("[!!int '']", "tags are not allowed"),
    (r'["\UFFFFFFFF"]', "holds an escape that is no character"),
    (r'["\U00110000"]', "holds an escape that is no character"),
    (f"[{':'.join(['9' * 99] * 99)}.0]", "must be a mapping of keys to values"),
    ("[{after: 1_0, crash_engine: {}}]", "after = '1_0': must be a whole number"),
]


@pytest.mark.parametrize(("script", "reason"), BAD, ids=lambda text: text[:40])
def test_a_script_is_judged(script: str, reason: str) -> None:
    held = HeldEngine()
    with pytest.raises(CommandRefused) as refused:
        held.play(script)
    assert refused.value.code == ErrorCode.ArgumentOutOfRange
    assert reason in refused.value.detail
    assert len(refused.value.detail) < 800
    assert "\n" not in refused.value.detail


@pytest.mark.parametrize("method", ["status", "load_parameters", "no_such", "x" * 10_000])
def test_a_method_that_cannot_be_slow(method: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        HeldEngine().play(f"[{{slow_calls: {{seconds: 1, method: {method}}}}}]")
    rule = f"script[0].slow_calls.method = {method[:40]!r}: must be one of "
    assert refused.value.detail.startswith(rule)
    assert "set_servo" in refused.value.detail


@pytest.mark.parametrize(
    "last", ["raise_alarm: {axis: 9, code: 1}", "drop_slave: {slave: 9}", "nonsense: {}"]
)
def test_a_refused_script_does_nothing_at_all(last: str) -> None:
    held = HeldEngine()
    before = held.status()
    with pytest.raises(CommandRefused, match=r"script\[2\]\."):
        held.play(
            "[{raise_alarm: {axis: 0, code: 1}}, {after: 9, drop_slave: {slave: 1}}, "
            f"{{{last}}}]"
        )
    assert same(held.after(1.0), before)


scripts = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["after", "drop_slave", "slave", "raise_alarm", "axis", "force_input"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@pytest.mark.long
@settings(max_examples=cases(150))
@given(scripts.map(repr) | st.text(max_size=50))
def test_whatever_a_script_holds_it_is_played_or_refused(text: str) -> None:
    held = HeldEngine()
    before = held.status()
    try:
        held.play(text)
    except CommandRefused:
        assert same(held.after(1.0), before)


@pytest.mark.long
def test_the_largest_script() -> None:
    script = f"[{', '.join(['{lose_packets: {count: 1}}'] * 1000)}]"
    assert len(read_script(script)) == 1000
    held = HeldEngine()
    held.play(script)
    assert held.ecat.network_state(0).statistics.packet_loss == 1000


def test_users_read_of_every_fault_and_of_every_method_that_can_be_slow() -> None:
    words = set((fault_script.__doc__ or "").split())
    keys = {field.name for field in fields(fault_script.Entry)}
    assert keys | CAN_BE_LATE <= words


def test_what_is_nested_deeply_is_refused_before_the_rest_is_read() -> None:
    """The scanner of PyYAML looks at every level for each token: its time grows with the square."""
    scanned = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal scanned
        scanned += event == "call" and frame.f_code.co_name == "fetch_more_tokens"

    sys.setprofile(count)
    try:
        with pytest.raises(CommandRefused):
            read_script("[" * 5000)
    finally:
        sys.setprofile(None)
    assert 16 <= scanned < 40
