"""What `wmx stop` and its like ask of a machine: they reach what they can."""

from unittest.mock import MagicMock, PropertyMock, call

import pytest
from command_line import Shell

from wmx_ros2_package.client import MachineError, NoPart, NoSystem, NotAnswered


@pytest.mark.parametrize("verb", ["stop", "off"])
@pytest.mark.parametrize(
    ("words", "axes", "unknown"),
    [
        ("0 nosuch", [0], "'nosuch'"),
        ("foo 2", [2], "'foo'"),
        ("joint1,joint9", [1], "'joint9'"),
        ("1-3", [1, 2], "3"),
        ("0 99999999999", [0], "99999999999"),
        ("3-1 0", [0], "must be FIRST-LAST"),
        ("0 0 joint0", [0], ""),
        ("0 all", [0, 1, 2], ""),
    ],
)
def test_a_misspelt_axis_keeps_no_other_one_from_being_stopped(
    shell: Shell, machine: MagicMock, verb: str, words: str, axes: list[int], unknown: str
) -> None:
    ended = shell(verb, *words.split())
    if verb == "off":
        [asked] = machine.session.request.call_args_list
        assert asked.kwargs["index"] == axes
    assert ended.code == (2 if unknown else 0), ended
    assert ended.out.endswith(": " + ", ".join(f"joint{i}" for i in axes) + "\n")
    assert unknown in ended.err
    data = shell(verb, *words.split(), "--json").data
    assert (data["axes"], len(data["unknown"])) == (axes, bool(unknown))


@pytest.mark.parametrize("options", [{}, {"quick": True}])
@pytest.mark.parametrize(
    ("words", "stops"),
    [
        ("0", [[0]]),
        ("2,0-1 0", [[2, 0, 1]]),
        ("0 nosuch", [[0]]),
        ("joint1 0", [[0], [1]]),
        ("0 joint0", [[0]]),
        ("0 all", [[0], [1, 2]]),
        ("joint2", [[2]]),
        ("1-3", [[1, 2, 3], [1, 2]]),
    ],
)
def test_axes_are_stopped_once_and_by_number_before_anything_is_asked(
    shell: Shell, machine: MagicMock, words: str, stops: list[list[int]], options: dict[str, bool]
) -> None:
    """A second stop would end what was commanded since the first one."""
    shell("stop", *words.split(), *(f"--{name}" for name in options))
    quick = options.get("quick", False)
    assert machine.stop.call_args_list == [call(axes, quick=quick) for axes in stops]


@pytest.mark.parametrize("error", [NoPart, NotAnswered])
@pytest.mark.parametrize(
    ("words", "stops"),
    [
        ("joint9", [call(quick=False)]),
        ("joint9 --quick", [call(quick=True)]),
        ("0 joint9 joint1", [call([0], quick=False), call(quick=False)]),
    ],
)
def test_a_name_stops_all_axes_where_no_node_has_named_them(
    shell: Shell, machine: MagicMock, words: str, stops: list[object], error: type[MachineError]
) -> None:
    """It may be the name of any of them, and whoever types it has one that is to rest."""
    silent = error("wmx_actuator_node has not answered", remedy="wmx node")
    machine.session.description.require_names.side_effect = silent
    ended = shell("stop", *words.split())
    assert machine.stop.call_args_list == stops
    assert (ended.code, ended.out) == (2, "stopped: all axes\n")
    assert ended.err == f"wmx: {silent.text}\n    wmx node\n"
    data = shell("stop", *words.split(), "--json").data
    assert (data["done"], data["unknown"]) == ("stopped", [silent.text])
    assert "axes" not in data, "as of a stop of all"


def test_a_name_stops_all_axes_where_none_is_described(shell: Shell, machine: MagicMock) -> None:
    """The node that would describe them is the one that stops them: it may do that."""
    for error, stops in (NotAnswered, 1), (NoSystem, 0):
        type(machine).axes = PropertyMock(side_effect=error("it is silent"))
        machine.stop.reset_mock(side_effect=True)
        assert shell("stop", "joint1").code == 2
        assert machine.stop.call_args_list == [call(quick=False)] * stops


def test_a_name_switches_nothing_where_no_node_has_named_the_axes(
    shell: Shell, machine: MagicMock
) -> None:
    """A load may hang on an axis that was not meant."""
    silent = NoPart("wmx_actuator_node has not answered")
    machine.session.description.require_names.side_effect = silent
    for verb in "off", "on", "home", "clear":
        ended = shell(verb, "joint9")
        assert (ended.code, ended.out, ended.err) == (2, "", f"wmx: {silent.text}\n")
    assert not machine.session.request.called
    assert not machine.stop.called
    assert shell("off", "0", "joint9").code == 2
    [asked] = machine.session.request.call_args_list
    assert asked.kwargs["index"] == [0], "as far as axes are known"


def test_one_system_that_does_not_answer_keeps_no_axis_of_another_from_being_stopped(
    shell: Shell, machine: MagicMock
) -> None:
    machine.stop.side_effect = NotAnswered("1 of 2 systems has not answered")
    for words, stops in ("0 joint1", [[0], [0, 1]]), ("0", [[0]]):
        machine.stop.reset_mock()
        assert shell("stop", *words.split()).code == 1
        assert machine.stop.call_args_list == [call(axes, quick=False) for axes in stops]


def test_a_stop_by_number_is_done_whatever_else_answers(shell: Shell, machine: MagicMock) -> None:
    """It waits for no node, and is answered as it was: a node may be suspended, or was killed."""
    silent = NotAnswered("wmx_core_motion_node/get_parameters does not answer")
    type(machine).axes = PropertyMock(side_effect=silent)
    machine.stop.side_effect = None
    assert shell.done("stop", "0-1", "3", "--quick") == "stopped: 0, 1, 3\n"
    machine.stop.assert_called_once_with([0, 1, 3], quick=True)
    data = shell("stop", "2", "--json").data
    assert (data["axes"], data["names"], data["unknown"]) == ([2], ["2"], [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("stop", "stopped: all axes"),
        ("stop 0", "stopped: axis 0"),
        ("stop 0-2 --quick", "stopped: axis 0, axis 1, axis 2"),
        ("off 2", "off: axis 2"),
        ("pause", "paused: all axes rest; wmx resume lets them go on"),
        ("estop", "emergency stop"),
    ],
)
def test_a_stop_says_how_many_systems_it_has_reached_and_which_not(
    shell: Shell, machine: MagicMock, words: str, said: str
) -> None:
    machine.systems, machine.other_namespaces = 2, ["/cell1", "/cell2"]
    reached = f"{said}, of 2 systems; not reached: namespace /cell1, /cell2\n"
    assert shell.done(*words.split()) == reached
    machine.open.assert_called_once_with(to_stop=True)
    data = shell(*words.split(), "--json").data
    assert (data["systems"], data["not_reached"]) == (2, ["/cell1", "/cell2"])


def test_what_moves_or_switches_on_asks_nothing_with_a_misspelt_axis(
    shell: Shell, machine: MagicMock
) -> None:
    for words in (["on", "0", "nosuch"], ["home", "0", "0"], ["stop", "nosuch"], ["off", "7-9"]):
        ended = shell(*words)
        assert (ended.code, ended.out) == (2, ""), words
    assert not machine.session.request.called
    assert not machine.session.home.called
    assert not machine.stop.called


def test_a_name_may_be_that_of_another_axis_of_another_system(
    shell: Shell, machine: MagicMock
) -> None:
    """Whichever of them answers first says which axis it is."""
    machine.systems = 2
    for words, stops in {
        "joint1": [call(quick=False)],
        "0 joint1": [call([0], quick=False), call(quick=False)],
        "0 all": [call([0], quick=False), call([1, 2], quick=False)],
        "0-1": [call([0, 1], quick=False)],
    }.items():
        machine.stop.reset_mock()
        ended = shell("stop", *words.split())
        assert machine.stop.call_args_list == stops
        assert ended.code == (2 if "joint" in words else 0), ended
        assert ("several systems run" in ended.err) is ("joint" in words)
    for words in "joint1", "0 joint1":
        assert shell("off", *words.split()).code == 2
    assert not machine.session.request.called
    assert shell("off", "0").code == 0


@pytest.mark.parametrize("words", ["off", "off all", "off 0 all"])
def test_no_system_knows_how_many_axes_another_one_has(
    shell: Shell, machine: MagicMock, words: str
) -> None:
    """Those that are known are switched off, and that there may be more is no success."""
    machine.systems = 2
    ended = shell(*words.split())
    [asked] = machine.session.request.call_args_list
    assert asked.kwargs["index"] == [0, 1, 2]
    assert (ended.code, ended.out) == (2, "off: axis 0, axis 1, axis 2, of 2 systems\n")
    assert "may have more axes than these 3" in ended.err


def test_an_axis_that_one_of_several_systems_has_not_is_that_of_another(
    shell: Shell, machine: MagicMock
) -> None:
    machine.systems = 2
    ended = shell("stop", "5")
    assert (ended.code, machine.stop.call_args_list) == (1, [call([5], quick=False)])
    assert "AxisOutOfRange" in ended.err
