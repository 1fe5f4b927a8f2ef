"""Machine files: what the shipped ones describe, and how each mistake is refused."""

import os
from pathlib import Path

import pytest
import yaml
from cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wmx_core.errors import ErrorCode, WmxError
from wmx_sim.engine.machine.description import (
    CONFIG,
    AxisModel,
    MachineFileError,
    SlaveDescription,
    default_machine,
    load_machine,
)
from wmx_sim.engine.machine.wires import Bit, Wire

ONE_AXIS = {"masters": [{"slaves": [{"name": "drive", "axes": 1}]}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "machine.yaml"


def refusal(path: Path) -> str:
    """The rule by which the file is refused, after its path."""
    with pytest.raises(MachineFileError) as refused:
        load_machine(path)
    assert isinstance(refused.value, WmxError)
    assert refused.value.code == ErrorCode.ParamOutOfRange
    where, _, rule = refused.value.detail.partition(f"{path}: ")
    assert where == ""
    return rule


# What files describe


def test_the_default_machine() -> None:
    machine = default_machine()
    (master,) = machine.masters
    assert [slave.axes for slave in master.slaves] == [1] * 6 + [0]
    assert [slave.serial for slave in master.slaves] == [1001, 1002, 1003, 1004, 1005, 1006, 2001]
    io = master.slaves[6]
    assert (io.name, io.input_size, io.output_size) == ("digital I/O", 4, 4)
    assert machine.axes == (AxisModel(),) * 6, "the file states the defaults of the code"
    assert machine.parameters is not None
    assert machine.parameters.samefile(CONFIG / "wmx_parameters_6_axes.xml")


def test_the_default_machine_states_every_key_of_an_axis() -> None:
    content = yaml.safe_load((CONFIG / "fake_network.yaml").read_text())
    assert content["axis_model"].keys() == set(AxisModel.__slots__)


def test_the_shipped_machine_of_128_axes() -> None:
    machine = load_machine(CONFIG / "fake_network_128_axes.yaml")
    assert [len(master.slaves) for master in machine.masters] == [17, 16]
    assert len(machine.axes) == 128
    assert [axis.position_gain for axis in machine.axes] == [40.0] * 64 + [60.0] * 64


def test_the_smallest_file(file: Path) -> None:
    file.write_text(yaml.safe_dump(ONE_AXIS))
    machine = load_machine(file)
    assert machine.masters[0].slaves == (SlaveDescription(name="drive", axes=1),)
    assert machine.axes == (AxisModel(),)
    assert machine.parameters is None


def test_a_slave_changes_some_of_the_axis_model(file: Path) -> None:
    file.write_text(
        """
        axis_model: {servo_on_time: 1, coulomb_friction: 2.5}
        masters:
        - slaves:
          - {name: a, axes: 2, count: 2, axis_model: {servo_on_time: 0.25}}
          - {name: b, axes: 1, axis_model: {servo_on_time: }}
        """
    )
    quick = AxisModel(servo_on_time=0.25, coulomb_friction=2.5)
    slow = AxisModel(servo_on_time=1.0, coulomb_friction=2.5)
    machine = load_machine(file)
    assert machine.axes == (quick,) * 4 + (slow,)
    assert all(isinstance(axis.servo_on_time, float) for axis in machine.axes)


def test_wires_and_a_clock_rate(file: Path) -> None:
    file.write_text(
        yaml.safe_dump(ONE_AXIS)
        + """
        clock_rate: 10
        wiring:
        - {output: "2.0", input: "5.1", delay: 0.03, inverted: true}
        - {output: "7999.7", input: "0.0"}
        """.replace("\n        ", "\n")
    )
    machine = load_machine(file)
    assert machine.clock_rate == 10.0
    assert machine.wiring == (
        Wire(output=Bit(2, 0), input=Bit(5, 1), delay=0.03, inverted=True),
        Wire(output=Bit(7999, 7), input=Bit(0, 0), delay=0.0, inverted=False),
    )
    file.write_text(yaml.safe_dump(ONE_AXIS))
    assert (load_machine(file).wiring, load_machine(file).clock_rate) == ((), 1.0)


def test_serial_numbers_and_aliases_count_up_where_given(file: Path) -> None:
    file.write_text(
        """
        masters:
        - slaves: [{name: a, axes: 1, count: 3, serial: 7, alias: 20}]
        - slaves: [{name: b, count: 2}]
        """
    )
    first, second = load_machine(file).masters
    assert [(slave.serial, slave.alias) for slave in first.slaves] == [(7, 20), (8, 21), (9, 22)]
    assert [(slave.serial, slave.alias) for slave in second.slaves] == [(0, 0), (0, 0)]


def test_a_key_without_a_value_counts_as_left_out(file: Path) -> None:
    file.write_text("parameters:\naxis_model:\nmasters:\n- slaves: [{name: a, axes: 1, alias: }]\n")
    machine = load_machine(file)
    assert (machine.parameters, machine.axes) == (None, (AxisModel(),))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_and_crlf_are_fine(file: Path, encoding: str) -> None:
    text = yaml.safe_dump(ONE_AXIS).replace("\n", "\r\n")
    file.write_bytes(text.encode(encoding))
    assert len(load_machine(file).axes) == 1


def test_parameters_are_relative_to_the_file_or_absolute(file: Path) -> None:
    for given_path, found in (("sub/p.xml", file.parent / "sub/p.xml"), ("/p.xml", Path("/p.xml"))):
        file.write_text(yaml.safe_dump(ONE_AXIS | {"parameters": given_path}))
        assert load_machine(file).parameters == found


def test_the_largest_machine(file: Path) -> None:
    slaves = [{"name": "io", "count": 248}, {"name": "drive", "axes": 16, "count": 8}]
    io = [{"name": "io", "count": 256}]
    file.write_text(yaml.safe_dump({"masters": [{"slaves": slaves}, {"slaves": io}]}))
    machine = load_machine(file)
    assert (len(machine.axes), [len(m.slaves) for m in machine.masters]) == (128, [256, 256])


# Mistakes in one value

SLAVE = "masters[0].slaves[0]"
PLACE = "{}: must be -1000000000.0 to 1000000000.0 revolutions"


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("name", 5, "5: must be text"),
        ("name", "", "'': must be 1 to 64 characters"),
        ("axes", 17, "17: must be 0 to 16 axes a slave"),
        ("axes", -1, "-1: must be 0 to 16 axes a slave"),
        ("axes", 1.5, "1.5: must be a whole number"),
        ("axes", True, "True: must be a whole number"),
        ("axes", "one", "'one': must be a whole number"),
        ("axes", [1], "[1]: must be a whole number"),
        ("count", 0, "0: must be 1 to 256 slaves"),
        ("count", 257, "257: must be 1 to 256 slaves"),
        ("vendor_id", -1, "-1: must be 0 to 4294967295"),
        ("serial", 2**32, "4294967296: must be 0 to 4294967295"),
        ("alias", 65536, "65536: must be 0 to 65535"),
        ("input_size", -1, "-1: must be 0 to 8000 bytes"),
        ("output_size", 8001, "8001: must be 0 to 8000 bytes"),
        ("cable", -0.1, "-0.1: must be 0 to 100 m"),
        ("cable", 101, "101: must be 0 to 100 m"),
        ("axis_model", [], "[]: must be a mapping of keys to values"),
    ],
)
def test_a_slave_is_judged(file: Path, key: str, value: object, rule: str) -> None:
    slave = {"name": "drive", "axes": 1} | {key: value}
    file.write_text(yaml.safe_dump({"masters": [{"slaves": [slave]}]}))
    assert refusal(file) == f"{SLAVE}.{key} = {rule}"


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("servo_on_time", float("nan"), "nan: must be 0 to 3600 s"),
        ("servo_on_time", -0.1, "-0.1: must be 0 to 3600 s"),
        ("home_time", float("inf"), "inf: must be 0 to 3600 s"),
        ("position_gain", 0, "0: must be 0.01 to 10000 1/s"),
        ("position_gain", "40", "'40': must be a number like 40 or 1e9"),
        ("position_gain", False, "False: must be a number like 40 or 1e9"),
        ("rated_acceleration", 0.0, "0.0: must be 1 to 1000000000000000.0 counts/s^2"),
        ("coulomb_friction", -1, "-1: must be 0.01 to 1000 percent of rated torque"),
        ("viscous_friction", 1001, "1001: must be 0 to 1000 percent of rated torque"),
        ("counts_per_revolution", 0, "0: must be 1 to 4294967296 counts"),
        ("counts_per_revolution", 1.0, "1.0: must be a whole number"),
        ("z_pulse", float("nan"), PLACE.format("nan")),
        ("home_switch_from", "1", "'1': must be a number like 40 or 1e9"),
        ("home_switch_to", -2e9, PLACE.format("-2000000000.0")),
        ("positive_limit_switch", float("inf"), PLACE.format("inf")),
        ("negative_limit_switch", float("-inf"), PLACE.format("-inf")),
        ("positive_end", 1.1e9, PLACE.format("1100000000.0")),
        ("negative_end", True, "True: must be a number like 40 or 1e9"),
    ],
)
def test_an_axis_model_is_judged(file: Path, key: str, value: object, rule: str) -> None:
    file.write_text(yaml.safe_dump(ONE_AXIS | {"axis_model": {key: value}}))
    assert refusal(file) == f"axis_model.{key} = {rule}"
    slave = {"name": "drive", "axes": 1, "axis_model": {key: value}}
    file.write_text(yaml.safe_dump({"masters": [{"slaves": [slave]}]}))
    assert refusal(file) == f"{SLAVE}.axis_model.{key} = {rule}"


@pytest.mark.parametrize("key", ["output", "input"])
@pytest.mark.parametrize(
    "bit", [2.0, 2, None, "", "2", "2.8", "8000.0", "-1.0", "2.0 ", "2.00", "\u0663.0", [2, 0]]
)
def test_a_wire_is_between_bits(file: Path, key: str, bit: object) -> None:
    wire = {"output": "0.0", "input": "0.0", key: bit}
    file.write_text(yaml.safe_dump(ONE_AXIS | {"wiring": [wire]}))
    rule = f' = {bit!r}: must be "byte.bit", "0.0" to "7999.7"'
    missing = ": is missing, must be given"
    assert refusal(file) == f"wiring[0].{key}{missing if bit is None else rule}"


@pytest.mark.parametrize(
    ("wires", "rule"),
    [
        ("5", " = 5: must be a list"),
        ("[5]", "[0] = 5: must be a mapping of keys to values"),
        ("[{}]", "[0].output: is missing, must be given"),
        ('[{output: "0.0"}]', "[0].input: is missing, must be given"),
        ('[{output: "0.0", input: "0.0", delay: -0.1}]', "[0].delay = -0.1: must be 0 to 60 s"),
        ('[{output: "0.0", input: "0.0", delay: 60.1}]', "[0].delay = 60.1: must be 0 to 60 s"),
        ('[{output: "0.0", input: "0.0", delay: .nan}]', "[0].delay = nan: must be 0 to 60 s"),
        ('[{output: "0.0", input: "0.0", inverted: 1}]', "[0].inverted = 1: must be true or false"),
        (
            '[{output: "0.0", input: "5.1"}, {output: "0.1", input: "05.1"}]',
            "[1].input = '5.1': is the input of wiring[0] already",
        ),
        (
            '[{output: "0.0", wire: 1}]',
            "[0].wire: is unknown, must be one of output, input, delay, inverted",
        ),
    ],
)
def test_the_wiring_is_judged(file: Path, wires: str, rule: str) -> None:
    file.write_text(yaml.safe_dump(ONE_AXIS) + f"wiring: {wires}", encoding="utf-8")
    assert refusal(file) == f"wiring{rule}"


@pytest.mark.long
def test_more_wires_than_there_may_be(file: Path) -> None:
    wires = [{"output": "0.0", "input": f"{i // 8}.{i % 8}"} for i in range(1001)]
    file.write_text(yaml.safe_dump(ONE_AXIS | {"wiring": wires}))
    assert refusal(file).endswith("must be 0 to 1000 wires")
    file.write_text(yaml.safe_dump(ONE_AXIS | {"wiring": wires[1:]}))
    assert len(load_machine(file).wiring) == 1000


@pytest.mark.parametrize(
    ("rate", "shown"), [("0.09", "0.09"), ("100.1", "100.1"), (".nan", "nan"), ("-1", "-1")]
)
def test_the_clock_rate_is_judged(file: Path, rate: str, shown: str) -> None:
    file.write_text(yaml.safe_dump(ONE_AXIS) + f"clock_rate: {rate}")
    assert refusal(file) == f"clock_rate = {shown}: must be 0.1 to 100 times real time"


# Mistakes of the whole


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "content = None: must be a mapping of keys to values"),
        ("[1, 2]", "content = [1, 2]: must be a mapping of keys to values"),
        ("axis_model: {}", "masters: is missing, must be given"),
        ("masters: 3", "masters = 3: must be a list"),
        ("masters: []", "masters = []: must be 1 to 2 masters"),
        ("masters: [1, 2, 3]", "masters = [1, 2, 3]: must be 1 to 2 masters"),
        ("masters: [4]", "masters[0] = 4: must be a mapping of keys to values"),
        ("masters: [{}]", "masters[0].slaves: is missing, must be given"),
        ("masters: [{slaves: [{}]}]", "masters[0].slaves[0].name: is missing, must be given"),
        (
            "mastres: []",
            "mastres: is unknown, is masters meant? It must be one of masters, axis_model, "
            "parameters, wiring, clock_rate",
        ),
        (
            "{1: 2}",
            "1: is unknown, must be one of masters, axis_model, parameters, wiring, clock_rate",
        ),
        ("masters: [{slaves: [], name: a}]", "masters[0].name: is unknown, must be one of slaves"),
        (
            "axis_model: {gain: 1}\nmasters: [{slaves: [{name: a, axes: 1}]}]",
            "axis_model.gain: is unknown, must be one of servo_on_time, brake, "
            "brake_release_time, brake_engage_time, load, home_time, position_gain, "
            "rated_acceleration, coulomb_friction, viscous_friction, counts_per_revolution, "
            "start_position, z_pulse, home_switch_from, home_switch_to, positive_limit_switch, "
            "negative_limit_switch, positive_end, negative_end",
        ),
        (
            "parameters: 3\nmasters: [{slaves: [{name: a, axes: 1}]}]",
            "parameters = 3: must be text",
        ),
        ("masters: [{slaves: [{name: a}]}]", "axes of all slaves = 0: must be 1 to 128 axes"),
        (
            "masters: [{slaves: [{name: a, axes: 16, count: 8}, {name: a, axes: 1}]}]",
            "axes of all slaves = 129: must be 1 to 128 axes",
        ),
        (
            "masters: [{slaves: [{name: a, count: 256}, {name: b}]}]",
            "masters[0].slaves with their counts = 257: must be 1 to 256 slaves",
        ),
        (
            "masters: [{slaves: [{name: a, axes: 1, count: 2, input_size: 4001}]}]",
            "input_size of all slaves = 8002: must be 0 to 8000 bytes",
        ),
        (
            "masters: [{slaves: [{name: a, axes: 1, output_size: 8000}]}, "
            "{slaves: [{name: a, output_size: 1}]}]",
            "output_size of all slaves = 8001: must be 0 to 8000 bytes",
        ),
        (
            "masters: [{slaves: [{name: a, axes: 1, count: 2, alias: 65535}]}]",
            "masters[0].slaves[0].alias = 65536: must be 0 to 65535",
        ),
    ],
)
def test_a_file_is_judged(file: Path, text: str, rule: str) -> None:
    file.write_text(text)
    assert refusal(file) == rule


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("masters: [", "while parsing a flow node"),
        ("a: b: c", "mapping values are not allowed here"),
        ("a: &x [1]\nb: *x", 'aliases are not allowed in "machine.yaml", line 2, column 4'),
        ("axis_model: {}\naxis_model: {}", "key 'axis_model' is given twice in"),
        ("a: !!python/object/apply:os.getcwd []", "tags are not allowed in"),
        ("a: !!timestamp x", "tags are not allowed in"),
        ("a: !!int ''", "tags are not allowed in"),
        ("!!bool x: 1", "tags are not allowed in"),
        ("a: ! 1", "tags are not allowed in"),
        ('a: "\\uD800"', "holds half a character in"),
        ("{[1]: 2}", "found unhashable key"),
        ("a: 1\n---\na: 2", "expected a single document"),
        ("[" * 20_000, "nested too deeply"),
        ("#" * 262_145, "is larger than 262144 bytes"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_good_yaml_is_refused(file: Path, text: str, reason: str) -> None:
    file.write_text(text)
    message = refusal(file)
    assert reason in message
    assert "\n" not in message


def test_a_number_of_endless_digits_is_refused_in_few_words(file: Path) -> None:
    file.write_text("masters: " + "1" * 5000)
    assert len(refusal(file)) < 200


def test_what_is_not_text_is_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfa\x00\x01")
    assert "unacceptable character" in refusal(file)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == "no such file"
    assert refusal(tmp_path) == "is a directory"
    os.mkfifo(tmp_path / "pipe.yaml")
    assert refusal(tmp_path / "pipe.yaml") == "must be a regular file"
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    assert refusal(tmp_path / "device.yaml") == "must be a regular file"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["kmsg", "kcore", "self/mem", "self/pagemap"])
def test_a_file_that_may_block_is_refused(file: Path, name: str) -> None:
    """Regular files by what they say of themselves; reading the first one waits for news."""
    file.symlink_to(f"/proc/{name}")
    assert refusal(file)


def test_a_file_that_cannot_be_read_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    file.write_text(yaml.safe_dump(ONE_AXIS))
    monkeypatch.setattr("os.open", refuse)
    assert refusal(file) == "Permission denied"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["masters", "slaves", "axis_model", "name", "axes", "count", "serial"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(max_examples=cases(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values)
def test_whatever_a_file_holds_it_is_a_machine_or_a_machine_file_error(
    file: Path, content: object
) -> None:
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    try:
        load_machine(file)
    except MachineFileError as error:
        message = error.detail
    else:
        message = ""
    assert len(message) < len(str(file)) + 500


HALF_A_SWITCH = "home_switch_from and home_switch_to: must both be given, or neither"


@pytest.mark.parametrize(
    ("marks", "rule"),
    [
        (
            {"positive_limit_switch": -2.0, "negative_limit_switch": 2.0},
            "positive_limit_switch = -2: must be more than negative_limit_switch = 2",
        ),
        (
            {"positive_end": 1.0, "negative_end": 1.0},
            "positive_end = 1: must be more than negative_end = 1",
        ),
        (
            {"home_switch_from": 0.3, "home_switch_to": 0.2},
            "home_switch_to = 0.2: must be more than home_switch_from = 0.3",
        ),
        ({"positive_end": -0.5}, "positive_end = -0.5: must be at least 0, where the motor starts"),
        ({"negative_end": 0.5}, "negative_end = 0.5: must be at most 0, where the motor starts"),
        (
            {"start_position": 2.0, "positive_end": 1.0},
            "positive_end = 1: must be at least 2, where the motor starts",
        ),
        ({"home_switch_from": 0.3}, HALF_A_SWITCH),
        ({"home_switch_to": 0.3}, HALF_A_SWITCH),
    ],
)
def test_marks_the_wrong_way_round_are_refused(
    file: Path, marks: dict[str, float], rule: str
) -> None:
    file.write_text(yaml.safe_dump({**ONE_AXIS, "axis_model": marks}))
    assert refusal(file) == f"masters[0].slaves[0].axis_model.{rule}"
