"""`wmx` where things go wrong: no system, one that dies, Ctrl-C, and no terminal."""

import json
import os
import re
import signal
import threading

import pytest
import system as systems
from command_line import Shell
from other_processes import suspended
from system import MOVING, Place, System
from terminal import InTerminal, in_terminal

pytestmark = pytest.mark.process

COLOUR = re.compile("\x1b\\[[0-9;]*3[0-7]m")
RIGHT, LEFT, CTRL_C = b"\x1b[C", b"\x1b[D", b"\x03"


@pytest.fixture(scope="module")
def system(program: System) -> System:
    """As its users start it."""
    program.client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    return program


def rests(system: System, axis: int = 0) -> None:
    system.client.states.next(lambda s: s.velocity_cmd[axis] == 0.0 and s.motion_complete[axis])


def moves(system: System, axis: int = 0) -> None:
    system.client.states.next(lambda s: s.velocity_cmd[axis] != 0.0)


def test_without_a_system_each_verb_says_what_helps(shell: Shell, place: Place) -> None:
    at = "--domain", place.domain, "--timeout", "0.3"
    for verb in ("status", "stop", "explain", "demo", "events", "plot --for 1"):
        ended = shell(*verb.split(), *at)
        assert ended.code == 2, ended
        assert "is not offered within 0.3 s" in ended.err
        assert f"ROS domain {place.domain}" in ended.err
        assert "make run" in ended.err
    long = *at[:2], "--timeout", "1.2"
    assert "wmx: looking for a system ..." in shell("status", *long).err
    assert "wmx: estop: waiting for the answer ..." in shell("estop", *long).err
    assert shell("status", *at, "--json").data["name"] == "NoSystem"


def test_a_system_that_dies_in_the_middle(shell: Shell, place: Place) -> None:
    bringup = place.start("bringup")
    bringup.says("wmx_core_motion_node is ready")
    shell.done("on", "0-1", "--domain", place.domain)
    watch, events = place.run(["wmx", "watch"]), place.run(["wmx", "events"])
    watch.says("axis_0")
    events.says("motions of 6 axes")
    move, jog = (place.run(["wmx", *v.split()]) for v in ("move 0 50 --yes", "jog 1 --for 50"))
    events.says("axis_0: position to 50.0000 rad begins")
    events.says("axis_1: velocity begins")
    bringup.kill()
    for command in (watch, events, move, jog):
        assert command.wait(30.0) == 1, command.output
        assert "Traceback" not in command.output
        lines = command.output.splitlines()
        assert any(line.startswith("wmx: ") for line in lines), command.output
        assert "Warning" not in command.output


def test_a_stop_by_name_reaches_its_axis_though_no_node_names_it(shell: Shell) -> None:
    """The node that names axes is suspended, and that which moves them lives on."""
    executables = (*MOVING, "wmx_actuator_node")
    with systems.place() as place, systems.system(place, executables=executables) as system:
        client = system.client
        client.attached()
        at = "--domain", place.domain
        shell.done("on", "axis_0", *at)
        [actuators] = [each for each in place.processes if each.name == "wmx_actuator_node"]
        with suspended(actuators.pid):
            client.move("wmx/axis/position", [0], [1e5], [1.0], [50.0], [50.0])
            client.states.next(lambda s: s.velocity_cmd[0] > 0.9)
            refused = shell("off", "axis_0", *at)
            assert (refused.code, refused.out) == (2, "")
            assert "wmx_actuator_node" in refused.err
            stopped = shell("stop", "axis_0", *at)
            assert (stopped.code, stopped.out) == (2, "stopped: all axes\n")
            client.states.next(lambda s: s.velocity_cmd[0] == 0.0)


@pytest.mark.parametrize(
    ("verb", "number"),
    [
        ("move 0 90 --yes --velocity 0.5", signal.SIGINT),
        ("jog 0 --velocity 0.5 --for 60", signal.SIGINT),
        ("move 0 -90 --yes --velocity 0.5", signal.SIGTERM),
    ],
)
def test_a_signal_lets_the_axis_slow_down(
    system: System, verb: str, number: signal.Signals
) -> None:
    command = system.place.run(["wmx", *verb.split()])
    moves(system)
    command.send_signal(number)
    assert command.wait() == -signal.SIGINT, command.output
    assert "Traceback" not in command.output
    rests(system)


def test_a_script_goes_on_to_nothing_after_ctrl_c(system: System) -> None:
    script = "wmx jog 0 --velocity 0.2 --for 60; echo went on"
    with in_terminal(["bash", "-c", script], system.place.environment) as shell:
        moves(system)
        shell.press(CTRL_C)
        assert shell.wait() == -signal.SIGINT, shell.output
        assert "went on" not in shell.output
    rests(system)


class Held:
    """A key that is held: pressed thirty times a second until it is let go."""

    def __init__(self, terminal: InTerminal, key: bytes) -> None:
        self._terminal, self._key = terminal, key
        self._let_go = threading.Event()
        self._thread = threading.Thread(target=self._press)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._let_go.set()
        self._thread.join()

    def _press(self) -> None:
        while not self._let_go.wait(1.0 / 30.0):
            self._terminal.press(self._key)


def test_a_held_key_moves_the_axis_both_ways(system: System) -> None:
    with in_terminal(["wmx", "jog", "0", "--velocity", "0.2"], system.place.environment) as jog:
        jog.says("hold ->")
        with Held(jog, RIGHT):
            system.client.states.next(lambda s: s.velocity_cmd[0] > 0.1)
        rests(system)
        with Held(jog, LEFT):
            system.client.states.next(lambda s: s.velocity_cmd[0] < -0.1)
        rests(system)
        jog.press(b"q")
        assert jog.wait() == 0, jog.output
        assert "axis_0 is at" in jog.output


def test_ctrl_c_while_a_key_is_held(system: System) -> None:
    with in_terminal(["wmx", "jog", "0", "--velocity", "0.2"], system.place.environment) as jog:
        jog.says("hold ->")
        with Held(jog, RIGHT):
            moves(system)
            jog.press(CTRL_C)
            assert jog.wait() == -signal.SIGINT, jog.output
        rests(system)
        assert "Traceback" not in jog.output


def test_a_terminal_that_is_closed_while_a_key_is_held(system: System) -> None:
    with in_terminal(["wmx", "jog", "1", "--velocity", "0.2"], system.place.environment) as jog:
        jog.says("hold ->")
        with Held(jog, RIGHT):
            moves(system, 1)
        os.killpg(jog.process.pid, signal.SIGHUP)
        assert jog.wait() == -signal.SIGINT
    rests(system, 1)


def test_a_terminal_has_a_live_table_in_colours(system: System) -> None:
    with in_terminal(["wmx", "watch"], system.place.environment) as watch:
        watch.says("axis_5")
        watch.press(CTRL_C)
        assert watch.wait() == -signal.SIGINT
        assert "\x1b[" in watch.output


def test_no_color_in_a_terminal(system: System) -> None:
    environment = {**system.place.environment, "NO_COLOR": "1"}
    with in_terminal(["wmx", "status"], environment) as status:
        assert status.wait() == 0
        assert "axis_5" in status.output
        table = status.output.partition("simulated engine")[2]  # what DDS prints is its own
        assert COLOUR.search(table) is None


def test_a_reader_that_goes_away(system: System) -> None:
    watch = "wmx watch --json --rate 50 2> /dev/null"  # where it says that it looks for a system
    command = system.place.run(["bash", "-c", f"{watch} | head -2"])
    assert command.wait() == 0
    assert [json.loads(line)["simulated"] for line in command.output.splitlines()] == [True, True]
