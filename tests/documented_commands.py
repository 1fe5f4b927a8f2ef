"""The `ros2` commands of a page, carried out by rclpy: the arguments are those of the page."""

import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ros import HARMLESS, WAIT_TIMEOUT, Client

ROOT = Path(__file__).resolve().parents[1]
SENDING = ["service", "call"], ["topic", "pub"], ["action", "send_goal"]
SENT = {"srv": "Request", "action": "Goal", "msg": ""}
"""The part of an interface that a command sends, by the folder that has it."""
WITH_VALUE = ("--rate",)
"""Options that the next word belongs to."""


class Command(NamedTuple):
    """`ros2 VERB NAME TYPE VALUES`."""

    verb: str
    name: str
    kind: Any
    """The class of the interface."""
    values: Any


def shell_commands(page: str, heading: str = "") -> Iterator[str]:
    """The `ros2` commands of a page, from `heading` to the next one of its level."""
    text = (ROOT / page).read_text()
    if heading:
        level = heading.split()[0]
        text = text.split(f"{heading}\n", 1)[1].split(f"\n{level} ", 1)[0]
    begun = ""
    for line in text.splitlines():
        if re.match(r" {4,}ros2 ", line) or begun:  # deeper in a list
            begun += line[4:] + "\n"
            if _is_whole(begun):
                yield begun
                begun = ""


def _is_whole(command: str) -> bool:
    """Whether a shell would carry `command` out, and not wait for the rest of it."""
    try:
        shlex.split(command, comments=True)
    except ValueError:  # a quotation that goes on
        return False
    return not command.endswith("\\\n")


def commands(page: str, heading: str = "") -> Iterator[Command]:
    """Those that send something; their interfaces have every field that they name."""
    for command in shell_commands(page, heading):
        words = shlex.split(command.replace("\\\n", ""), comments=True)
        if words[1:3] not in SENDING:
            continue
        yield parsed(words)


def inline_commands(text: str) -> Iterator[Command]:
    """The commands that stand within lines of `text`, in backquotes."""
    for command in re.findall(r"`(ros2 service call [^`]+)`", text):
        yield parsed(shlex.split(command))


def parsed(words: list[str]) -> Command:
    """The command of these words, with an interface that has every field that it names."""
    _, _, verb, *words = words
    name, kind, *values = [
        word
        for word, before in zip(words, ["", *words], strict=False)
        if not word.startswith("--") and before not in WITH_VALUE
    ]
    package, folder, interface = kind.split("/")
    made = Command(
        verb=verb,
        name=name.lstrip("/"),
        kind=getattr(import_module(f"{package}.{folder}"), interface),
        values=yaml.safe_load(values[0]) if values else {},
    )
    filled(getattr(made.kind, SENT[folder], made.kind)(), made.values)
    return made


def settings(page: str) -> Iterator[tuple[str, str, Any]]:
    """Node, name and value of each parameter that a command of a page sets."""
    for command in shell_commands(page):
        words = shlex.split(command.replace("\\\n", ""), comments=True)
        if words[1:3] == ["param", "set"]:
            node, name, value = words[3:]
            yield node.lstrip("/"), name, yaml.safe_load(value)


def carry_out(client: Client, command: Command) -> Any:
    """Send what `command` says; the answer of a service, or what a goal ended with."""
    node, values = client.node, command.values
    if command.verb == "pub":
        publisher = node.create_publisher(command.kind, command.name, 10)
        client.eventually(publisher.get_subscription_count, f"somebody listens to {command.name}")
        publisher.publish(filled(command.kind(), values))
        return None
    if command.verb == "call":
        service = node.create_client(command.kind, command.name)
        assert service.wait_for_service(WAIT_TIMEOUT), command.name
        harmless = filled(command.kind.Request(), HARMLESS.get(command.name, {}))
        _meet(client, lambda: service.call_async(harmless))
        return client.answer(service.call_async(filled(command.kind.Request(), values))).result()
    assert command.verb == "send_goal", command
    action = client.action(command.kind, command.name)
    assert action.wait_for_server(WAIT_TIMEOUT), command.name
    goal = filled(command.kind.Goal(), values)
    _meet(client, lambda: client.in_thread(lambda: action.send_goal_async(command.kind.Goal())))
    handle = client.answer(client.in_thread(lambda: action.send_goal_async(goal))).result()
    assert handle.accepted, command
    return client.answer(client.in_thread(handle.get_result_async)).result()


def filled(message: Any, values: dict[str, Any]) -> Any:
    """`message` with these fields; a name that it does not have is an error, as for `ros2`."""
    kinds = message.get_fields_and_field_types()
    for name, value in values.items():
        kind = kinds[name]
        element = kind.removeprefix("sequence<").rstrip(">")
        if "/" in element:
            package, *_, interface = element.split("/")
            made = getattr(import_module(f"{package}.msg"), interface)
            several = isinstance(value, list)
            items = [filled(made(), item) for item in (value if several else [value])]
            value = items if several else items[0]
        setattr(message, name, value)
    return message


def _meet(client: Client, ask: Callable[[], Any]) -> None:
    """An empty request is answered, if only by a refusal: a first answer may be lost.

    See `Client.meet`.
    """
    client.eventually(lambda: client.answer(ask()).comes(), "an answer")
