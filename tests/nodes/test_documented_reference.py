"""The `ros2` commands of the reference and of some other pages, carried out as they stand there."""

import pytest
from documented_commands import Command, carry_out, commands, settings
from lifecycle import Managed
from ros import OFFERED, Client
from system import CONFIG, System

LEAST = {
    "docs/reference.md": 4,
    "docs/reference-axes.md": 20,
    "docs/reference-machine.md": 20,
    "docs/safety.md": 5,
    "docs/speed-and-pause.md": 3,
    "docs/who-moves-an-axis.md": 0,
    "docs/what-outlives.md": 0,
}
"""More commands than that are on each page."""
MANAGER = "wmx/lifecycle/"
FAR = 50.0
"""The target of a move that is to last while its velocity is changed."""
SHELL = "$PWD/config"
"""What the shell of a reader makes a path of, in the folder of the repository."""


@pytest.fixture(scope="module")
def ready(system: System) -> System:
    """With servos that are on, as a reader has them who begins with the README."""
    system.client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    return system


def rests(client: Client) -> None:
    """Axes and their motors, for as long as it takes a reader to type the next command."""
    client.states.next(
        lambda s: not any(s.velocity_cmd) and all(abs(v) < 5e-4 for v in s.actual_velocity)
    )
    client.clock.sleep(0.2)


def published(client: Client, command: Command) -> None:
    """The axis of the message goes where it says, or as fast."""
    [axis] = command.values["index"]
    before = client.state().pos_cmd[axis]
    carry_out(client, command)
    if command.name.endswith("jog"):  # one message is not enough to be as fast as it says
        client.states.next(lambda s: s.velocity_cmd[axis] > 0.0)
        rests(client)
    elif command.name.endswith("velocity"):
        [velocity] = command.values["velocity"]
        client.states.next(lambda s: s.velocity_cmd[axis] == pytest.approx(velocity))
        if not velocity:
            rests(client)
    elif command.values["target"] == [FAR]:
        client.states.next(lambda s: s.velocity_cmd[axis] > 0.0)
    else:
        [target] = command.values["target"]
        client.at_rest(axis, before + target if command.name.endswith("relative") else target)
        rests(client)


def answered(system: System, command: Command) -> None:
    """It is done, and axes that it brings to rest do."""
    client, values = system.client, command.values
    if "file_path" in values:
        values = {"file_path": values["file_path"].replace(SHELL, str(CONFIG))}
    answer = client.must(command.name, **values)
    if command.name == "wmx/axis/explain":
        assert answer.message == "OK"
    elif command.name == "wmx/axis/set_override":
        client.states.next(lambda s: s.velocity_cmd[0] == pytest.approx(0.25))
        client.must("wmx/axis/stop")
        rests(client)
    elif command.name == "wmx/axis/stop":
        rests(client)
    elif command.name == "wmx/engine/set_comm" and values["data"]:
        system.ready()


@pytest.mark.parametrize(("page", "least"), LEAST.items())
def test_every_command_is_carried_out(ready: System, page: str, least: int) -> None:
    found = [each for each in commands(page) if not each.name.startswith(MANAGER)]
    assert len(found) > least
    for command in found:
        if command.verb == "pub":
            published(ready.client, command)
        else:
            answered(ready, command)


@pytest.mark.parametrize("page", ["docs/reference.md", "docs/safety.md", "docs/actuators.md"])
def test_every_parameter_is_set(ready: System, page: str) -> None:
    for node, name, value in settings(page):
        assert Managed(ready.client, node).set(**{name: value}) == ""


def test_no_service_of_a_page_is_of_another_type() -> None:
    for page in LEAST:
        for command in commands(page):
            if command.name in OFFERED:
                assert command.kind is OFFERED[command.name], command
