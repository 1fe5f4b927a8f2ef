"""What `wmx` shows and does for a while, until it is interrupted or by itself, as programs."""

import json
import signal

import pytest
from command_line import Shell
from system import System
from terminal import in_terminal
from wmx_pages import PAGES, commands, drawn_until_ctrl_c

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def system(program: System) -> System:
    """As its users start it."""
    program.client.must("wmx/axis/set_on", index=[*range(6)], data=[1] * 6)
    return program


def test_the_pages_have_what_ends_by_ctrl_c(system: System) -> None:
    """Each in a terminal of its own, where it draws before Ctrl-C is pressed."""
    every = dict.fromkeys(command for page in PAGES for command in commands(page))
    drawn = {command: text for command in every if (text := drawn_until_ctrl_c(command))}
    assert len(drawn) >= 5
    for command, text in drawn.items():
        with in_terminal(["bash", "-c", f"exec {command}"], system.place.environment) as terminal:
            terminal.says(text)
            terminal.press(b"\x03")
            assert terminal.wait() == -signal.SIGINT, f"{command}\n{terminal.output}"
            assert "Traceback" not in terminal.output


def test_events_show_begin_and_end(shell: Shell, system: System) -> None:
    shell.done("move", "1", "0.05", "--by")
    watching = system.place.run(["wmx", "events"])
    as_json = system.place.run(["bash", "-c", "exec wmx events --json 2> /dev/null"])
    watching.says("motions of 6 axes")
    shell.done("move", "1", "-0.05", "--by")
    watching.says("axis_1: arrived at")
    while '"event": "MotionBegin"' not in as_json.output:
        shell.done("move", "1", "0.01", "--by")
    for program in (watching, as_json):
        program.send_signal()
        assert program.wait() == -signal.SIGINT
    lines = [line for line in watching.output.splitlines() if "axis_1:" in line]
    assert "axis_1: position to" in lines[0], "and not the motion of before"
    assert "axis_1: arrived at" in lines[1]
    events = [json.loads(line) for line in as_json.output.splitlines()]
    begin = next(event for event in events if event["event"] == "MotionBegin")
    assert (begin["kind"], begin["axes"], begin["names"]) == ("position", [1], ["axis_1"])


def test_the_demonstration_says_when_another_client_stops_it(shell: Shell, system: System) -> None:
    demo = system.place.run(["wmx_demo", "--distance", "20"])
    system.client.eventually(lambda: max(system.client.state().velocity_cmd) > 0.1, "they move")
    shell.done("stop")
    assert demo.wait() == 1
    assert "done" not in demo.output
    assert "stop" in demo.output.splitlines()[-1]


def test_the_last_table_in_a_terminal_shows_the_axes_at_rest(system: System) -> None:
    demo = ["wmx_demo", "--distance", "0.1"]
    with in_terminal(demo, system.place.environment) as terminal:
        assert terminal.wait() == 0, terminal.output
    lines = terminal.output.splitlines()
    rows = [line for line in lines if "axis_" in line and "." in line][-6:]
    assert len(rows) == 6
    assert all("at rest" in row for row in rows), rows
    assert "-0.0000" not in terminal.output


def test_a_system_without_events_announces_nothing(system: System) -> None:
    assert "The system is ready" not in system.main.output
