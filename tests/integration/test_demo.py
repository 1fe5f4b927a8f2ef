"""The program that shows the system: what it says when things go wrong."""

import io
import signal
import time

import system as systems
from ros import eventually

from wmx_ros2_package.commands.demo import HEADER, Screen


def test_when_the_system_ends_while_it_moves_it_says_so() -> None:
    with systems.place() as place, systems.system(place, "driver:=fake") as system:
        system.ready()
        demo = place.run(["wmx_demo", "--distance", "20"])
        eventually(
            lambda: max(system.client.state().velocity_cmd) > 0.5, f"they move: {demo.output}"
        )
        system.main.send_signal(signal.SIGINT)
        system.main.wait()
        gone = time.monotonic()
        assert demo.wait() == 1
        assert time.monotonic() - gone < 12.0
        last = demo.output.splitlines()[-1]
        assert last.startswith("wmx_demo: the system has fallen silent: no wmx/axis/state for 2 s")
        assert demo.output.count(HEADER) == 1
        place.processes.clear()


def test_without_a_system_it_thinks_of_the_domain() -> None:
    with systems.place() as place:
        demo = place.run(["wmx_demo"])
        assert demo.wait(40.0) == 1
        assert f"ROS_DOMAIN_ID is {place.domain} here" in demo.output


def shown(text: str) -> list[str]:
    """The lines of a terminal after `text`, in which the cursor goes up and what is below goes."""
    lines = [""]
    for part in text.replace("\x1b[J", "\x1b[0J").split("\x1b["):
        number = part[: len(part) - len(part.lstrip("0123456789"))]
        command, rest = part[len(number) : len(number) + 1], part[len(number) + 1 :]
        if number and command == "A":
            lines = [*lines[: len(lines) - 1 - int(number)], ""]
            part = rest
        elif number and command == "J":
            part = rest
        for i, line in enumerate(part.split("\n")):
            if i:
                lines.append(line)
            else:
                lines[-1] += line
    return [line for line in lines if line]


def test_on_a_terminal_there_is_one_table_below_all_text() -> None:
    out = io.StringIO()
    screen = Screen(out, over_itself=True)
    screen.say("Looking...")
    screen.draw(["0 a", "1 b"])
    screen.say("Found")
    screen.draw(["0 c", "1 d"])
    screen.draw(["0 e", "1 f"])
    screen.say("Done")
    assert shown(out.getvalue()) == ["Looking...", "Found", "Done", HEADER, "0 e", "1 f"]


def test_elsewhere_tables_follow_each_other_under_one_header() -> None:
    out = io.StringIO()
    screen = Screen(out, over_itself=False)
    screen.say("Looking...")
    screen.draw(["0 a"])
    screen.say("Found")
    screen.draw(["0 b"])
    assert out.getvalue().splitlines() == ["Looking...", HEADER, "0 a", "Found", "0 b"]
    assert "\x1b" not in out.getvalue()
