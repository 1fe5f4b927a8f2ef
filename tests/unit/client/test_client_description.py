"""What the nodes of a system describe, of which some answer nothing any more."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.parameter import Parameter

from wmx_ros2_package.client.description import Description
from wmx_ros2_package.client.errors import NotAnswered


class Link:
    """The link to a system of two axes whose node `dead` was killed, and is discovered still."""

    def __init__(self, dead: str) -> None:
        self.dead = dead

    def offered(self, _kind: Any, service: str) -> bool:
        return service == f"{self.dead}/get_parameters"

    def call(self, _kind: Any, service: str, **_: Any) -> Any:
        if not service.startswith("wmx_core_motion_node/"):
            raise NotAnswered(f"{service} does not answer within 2 s")
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
