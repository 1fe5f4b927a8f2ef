"""What the nodes of a system describe, of which some answer nothing any more."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.parameter import Parameter

from wmx_ros2_package.actuators.description import Actuator
from wmx_ros2_package.client.axes import Axes, Axis
from wmx_ros2_package.client.description import Description
from wmx_ros2_package.client.errors import MachineError, NoPart, NotAnswered, UnknownAxis


class Link:
    """The link to a system of two axes whose node `dead` was killed, and is discovered still."""

    at = " -n /cell1"

    def __init__(self, dead: str, error: type[MachineError] = NotAnswered) -> None:
        self.dead = dead
        self.error = error

    def offered(self, _kind: Any, service: str) -> bool:
        return service == f"{self.dead}/get_parameters"

    def call(self, _kind: Any, service: str, **_: Any) -> Any:
        if not service.startswith("wmx_core_motion_node/"):
            raise self.error(f"{service} is silent for 2 s")
        values = (Parameter("", value=value).get_parameter_value() for value in ("fake", 2))
        return SimpleNamespace(values=[*values])

    def require_other_thread(self) -> None:
        """It has no callbacks."""

    def wait_until_true(self, topics: Sequence[str], _timeout: float) -> bool:
        self.awaited = topics
        return True


@pytest.mark.parametrize("dead", ["diff_drive_controller", "manipulator_state"])
def test_a_node_that_was_killed_leaves_the_axes_described(
    monkeypatch: pytest.MonkeyPatch, dead: str
) -> None:
    """It may have had them in degrees: no unit is told before it is gone, or answers."""
    named = SimpleNamespace(axis=0, name="a", unit="rad")
    monkeypatch.setattr(Description, "actuators", lambda *_, **__: {"a": named})
    link: Any = Link(dead)
    states: Any = SimpleNamespace()
    description = Description(link, states)
    assert [*link.awaited] == ["wmx/core_motion/ready", "wmx/actuator/ready"]
    assert (states.names, states.units) == (("a", "1"), ("u", "u"))
    assert not description.read()
    link.dead = ""
    assert description.read()
    assert states.units == ("rad", "u")
    description.require_names("'b'")  # it has named them: 'b' is none of them


def test_units_stay_known_while_they_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread reads them meanwhile."""
    monkeypatch.setattr(
        Description, "actuators", lambda *_, **__: {"a": Actuator(name="a", axis=0)}
    )
    link: Any = Link("")
    states: Any = SimpleNamespace()
    description = Description(link, states)
    read: list[Sequence[str]] = []
    monkeypatch.setattr(link, "offered", lambda *_: read.append(states.units))
    assert description.read()
    assert {*read} == {("rad", "u")}


def test_a_node_that_is_asked_again_and_is_busy_leaves_the_axes_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that has gone does not."""
    answers: list[Any] = [{"a": Actuator(name="a", axis=0)}, NotAnswered("busy"), NoPart("gone")]

    def actuators(*_: object, **__: object) -> Any:
        if isinstance(answer := answers.pop(0), MachineError):
            raise answer
        return answer

    monkeypatch.setattr(Description, "actuators", actuators)
    link: Any = Link("")
    states: Any = SimpleNamespace()
    description = Description(link, states)
    assert not description.read(), "not all is known"
    assert (states.names, description.actuator(0)) == (("a", "1"), "a")
    assert not description.read()
    assert states.names == ("0", "1")


def test_units_stay_where_the_node_that_has_told_them_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The axes are in degrees still, whoever moves them."""
    named = Actuator(name="a", axis=0)
    monkeypatch.setattr(Description, "actuators", lambda *_, **__: {"a": named})
    link: Any = Link("manipulator_state")

    def told(kind: Any, service: str, **_: Any) -> Any:
        if service.startswith("wmx_core_motion_node/"):
            return Link.call(link, kind, service)
        values = (Parameter("", value=value).get_parameter_value() for value in ([0], [1]))
        return SimpleNamespace(values=[*values])

    link.call = told
    states: Any = SimpleNamespace()
    description = Description(link, states)
    assert states.units == ("deg", "u")
    link.dead = ""
    assert description.read()
    assert states.units == ("deg", "u")


@pytest.mark.parametrize("error", [NotAnswered, NoPart])
@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda axes, _: axes["joint1"], "'joint1'"),
        (lambda axes, _: axes[0, "joint1"], "'joint1'"),
        (lambda axes, _: axes[0:1]["joint1"], "'joint1'"),
        (lambda axes, _: axes.move({"joint1": 0.5}), "'joint1'"),
        (lambda _, description: description.actuator(0), "axis 0"),
    ],
)
def test_where_no_node_has_named_the_axes_none_is_denied(
    ask: Callable[[Axes, Description], object], what: str, error: type[MachineError]
) -> None:
    """Its name may be right: the node that has it was killed, is suspended, or was too slow."""
    link: Any = Link("wmx_actuator_node", error)
    session: Any = SimpleNamespace()
    description = session.description = Description(link, session)
    axes = Axes(session, [Axis(session, 0), Axis(session, 1)])
    with pytest.raises(error, match=rf"of {what}: wmx_actuator_node.* is silent for 2 s") as failed:
        ask(axes, description)
    assert type(failed.value) is error
    assert "wmx stop -n /cell1 " in failed.value.remedy
    with pytest.raises(UnknownAxis, match="there is no axis 2"):
        axes[2]
    assert axes[1].number == 1, "numbers need no name"
