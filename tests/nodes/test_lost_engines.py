"""What clients have set outlives an engine that is lost, or its axes are blocked: rule 5."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from motion_events import EVENTS_QOS
from recording import Recording
from ros import COMMANDS, Client
from system import CONFIG, System
from wmx_ros2_message.msg import EndMotion

from wmx_core.errors import ErrorCode
from wmx_core.parameters.parameter_set import ParameterSet

ABSOLUTE, *_ = COMMANDS
AXES = list(range(6))
PLACE = {"byte": [1], "bit": [2], "position": [0.5], "value": [1]}


@pytest.fixture
def limits(tmp_path: Path) -> Path:
    """A parameter file with limits of its own for axis 0."""
    file = tmp_path / "limits.xml"
    parameters = ParameterSet.defaults(1).with_axis(
        0,
        gear_ratio_numerator=8388608.0,
        gear_ratio_denominator=6.283185307179586,
        soft_limit_type=3,
        soft_limit_positive=0.1,
        soft_limit_negative=-0.1,
    )
    file.write_text(parameters.to_xml())
    return file


@pytest.fixture(autouse=True)
def as_at_first(system: System) -> Iterator[None]:
    """Axes as a new system has them; what is set by a test is taken back."""
    client = system.client
    before = shown(client)
    yield
    client.attached()
    client.must("wmx/engine/estop", data=False)
    client.must("wmx/axis/stop")
    client.must("wmx/axis/set_mode", index=AXES, data=[0] * 6)
    client.must("wmx/params/load", file_path=str(CONFIG / "wmx_parameters_6_axes.xml"))
    client.must("wmx/axis/set_position_outputs", index=[0])
    client.must("wmx/axis/confirm", index=AXES)
    assert shown(client) == before


def shown(client: Client) -> list[str]:
    return list(client.must("wmx/params/get", index=[0]).params_dump)


def crash(client: Client) -> None:
    """Lose the engine, and wait for the next one."""
    client.play("crash_engine: {}")
    client.attached()


def create_device_again(client: Client) -> None:
    """Close the device of an engine that lives, and communicate by another one."""
    client.must("wmx/engine/set_device", data=False)
    client.must("wmx/engine/set_device", data=True)
    client.must("wmx/engine/set_comm", data=True)
    client.attached()


def explained(client: Client) -> str:
    (text,) = client.must("wmx/axis/explain", index=[0]).explanations
    return str(text)


@pytest.fixture(scope="module")
def ends(client: Client) -> Recording:
    return client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)


def end_of_move(client: Client, ends: Recording) -> EndMotion:
    """The end of a move of axis 0, or its refusal."""
    client.must("wmx/axis/set_on", index=[0], data=[1])
    here = client.state().pos_cmd[0]
    start = client.clock.now()
    client.move(ABSOLUTE, [0], [here + 0.01], [1.0], [50.0], [50.0])
    return ends.first(start, lambda end: list(end.axes) == [0])


Set = Callable[[Client, Path], object]
KEPT: dict[str, Set] = {
    "polarity": lambda client, _: client.must("wmx/axis/set_polarity", index=[0], data=[-1]),
    "gear ratio": lambda client, _: client.must(
        "wmx/axis/set_gear_ratio", index=[0], numerator=[8388608.0], denominator=[360.0]
    ),
    "parameters": lambda client, file: client.must("wmx/params/load", file_path=str(file)),
}


@pytest.mark.parametrize("name", KEPT)
def test_a_setting_is_in_force_again(
    client: Client, ends: Recording, limits: Path, name: str
) -> None:
    KEPT[name](client, limits)
    before = shown(client)
    crash(client)
    assert shown(client) == before
    assert end_of_move(client, ends).reason == EndMotion.ARRIVED
    client.must("wmx/engine/set_comm", data=False)
    create_device_again(client)
    assert shown(client) == before


def test_a_reference_ends_with_the_device_and_blocks_nothing(
    client: Client, ends: Recording
) -> None:
    """As the shipped parameters say by ClearHomeDoneOnCommStop."""
    client.must("wmx/axis/reference", index=[0], position=[1.5])
    client.eventually(lambda: client.state().home_done[0], "its home is done")
    create_device_again(client)
    assert not client.state().home_done[0]
    assert "reference" not in explained(client)
    assert end_of_move(client, ends).reason == EndMotion.ARRIVED


LOST: dict[str, tuple[Set, ErrorCode, str]] = {
    "position": (
        lambda client, _: client.must("wmx/axis/reference", index=[0], position=[1.5]),
        ErrorCode.NotHomeState,
        "its reference was lost",
    ),
    "homing": (
        lambda client, _: client.must("wmx/axis/homing", index=[0]),
        ErrorCode.NotHomeState,
        "its reference was lost",
    ),
    "torque mode": (
        lambda client, _: client.must("wmx/axis/set_mode", index=[0], data=[2]),
        ErrorCode.ParameterSettingsInvalid,
        "its command mode was lost",
    ),
    "position output": (
        lambda client, _: client.must("wmx/axis/set_position_outputs", index=[0], **PLACE),
        ErrorCode.ParameterSettingsInvalid,
        "the output that it switches was lost",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_what_cannot_be_put_back_blocks_until_a_client_decides(
    client: Client, ends: Recording, limits: Path, name: str
) -> None:
    change, code, words = LOST[name]
    client.must("wmx/axis/set_on", index=[0], data=[1])
    change(client, limits)
    crash(client)
    end = end_of_move(client, ends)
    assert (end.reason, end.error_code) == (EndMotion.REFUSED, code)
    assert words in explained(client)
    client.must("wmx/axis/stop", index=[0])
    assert "wmx confirm 0" in explained(client)
    client.must("wmx/axis/confirm", index=[0])
    assert words not in explained(client)
    assert end_of_move(client, ends).reason == EndMotion.ARRIVED


def test_a_document_that_is_damaged_is_repaired(system: System, ends: Recording) -> None:
    client = system.client
    client.must("wmx/axis/set_polarity", index=[0], data=[-1])
    before = shown(client)
    [document] = system.place.folder.glob("wmx-axes-*/*.settings")
    client.clock.sleep(1.5)  # by then the engine node has read it
    document.write_bytes(b"garbage")
    crash(client)
    assert shown(client) == before
    assert end_of_move(client, ends).reason == EndMotion.ARRIVED
    client.eventually(lambda: b"polarity" in document.read_bytes(), "it is repaired")


def test_a_document_that_is_lost_as_soon_as_it_was_recorded_is_written_again(
    system: System,
) -> None:
    """By the node that has recorded it: the engine node has yet to read it."""
    system.client.must("wmx/axis/set_polarity", index=[0], data=[-1])
    [document] = system.place.folder.glob("wmx-axes-*/*.settings")
    recorded = document.read_bytes()
    document.unlink()
    system.client.clock.sleep(1.1)
    assert document.read_bytes() == recorded
