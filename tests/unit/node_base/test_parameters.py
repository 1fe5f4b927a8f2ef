"""Parameters as one frozen value: what is declared, read, refused and changed."""

from array import array
from dataclasses import FrozenInstanceError, dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.parameter import Parameter

from wmx_ros2_package.node_base.parameters import Parameters, parameter
from wmx_ros2_package.validation import BadRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    axes: tuple[int, ...] = parameter((), "axes", (0, 127))
    gains: tuple[float, ...] = parameter((1.0,), "gains, 1/s", (0.0, 10.0), changeable=True)
    names: tuple[str, ...] = parameter((), "names")
    rate: float = parameter(10.0, "messages a second, Hz", (0.1, 100.0), changeable=True)
    count: int = parameter(2, "how many", (1, 4))
    path: str = parameter("", "a file, empty for none")
    shape: str = parameter("round", "its shape", words=("round", "square"))
    loud: bool = parameter(False, "whether it is loud", changeable=True)

    def __post_init__(self) -> None:
        if len(self.names) not in (0, len(self.axes)):
            raise BadRequest([f"names has {len(self.names)} elements: must be as long as axes"])
        if self.loud and self.rate > 50.0:
            raise BadRequest([f"rate is {self.rate}: must be 50 or less of what is loud"])


class Node:
    """As much of a node as parameters need, with values that override the defaults."""

    def __init__(self, **overrides: Any) -> None:
        self.values = overrides
        self.descriptors: dict[str, ParameterDescriptor] = {}
        self.kinds: dict[str, Parameter.Type] = {}

    def declare_parameter(self, name: str, default: Any, descriptor: ParameterDescriptor) -> Any:
        self.descriptors[name] = descriptor
        self.values.setdefault(name, default)
        return self.get_parameter(name)

    def get_parameter(self, name: str) -> Any:
        return SimpleNamespace(value=self.values[name])

    def set_parameters(self, parameters: list[Parameter]) -> None:
        for each in parameters:
            self.values[each.name], self.kinds[each.name] = each.value, each.type_


def read(**overrides: Any) -> Settings:
    node: Any = Node(**overrides)
    return Parameters(node, Settings).read()


def refused(**overrides: Any) -> str:
    with pytest.raises(BadRequest) as caught:
        read(**overrides)
    return str(caught.value)


def test_without_overrides_the_defaults_are_in_force() -> None:
    assert read() == Settings()
    with pytest.raises(FrozenInstanceError):
        read().rate = 1.0  # type: ignore[misc]


def test_arrays_come_as_tuples_whatever_ros_has_them_in() -> None:
    settings = read(axes=array("q", [1, 2]), names=["a", "b"], gains=array("d", [0.5]))
    assert (settings.axes, settings.names, settings.gains) == ((1, 2), ("a", "b"), (0.5,))
    assert read(gains=array("q", [2, 3])).gains == (2.0, 3.0), "whole numbers are numbers"
    assert read(axes=None).axes == (), "as an empty list comes from the command line"


def test_ros_is_told_ranges_and_descriptions_and_the_rules_that_it_has_no_fields_for() -> None:
    node: Any = Node()
    Parameters(node, Settings)
    rate, count = node.descriptors["rate"], node.descriptors["count"]
    [floats], [integers] = rate.floating_point_range, count.integer_range
    assert (floats.from_value, floats.to_value) == (0.1, 100.0)
    assert (integers.from_value, integers.to_value) == (1, 4)
    assert rate.description == "messages a second, Hz"
    assert node.descriptors["axes"].dynamic_typing
    told = {name: each.additional_constraints for name, each in node.descriptors.items()}
    assert told["axes"] == "each 0 to 127; is read at configure"
    assert told["gains"] == "each 0 to 10; may be set at any time"
    assert told["shape"] == "one of round, square; is read at configure"
    assert told["loud"] == "may be set at any time"


def test_an_empty_array_is_one_of_what_it_may_hold() -> None:
    node: Any = Node(gains=None)  # as [] comes from the command line
    Parameters(node, Settings)
    assert node.kinds == {
        "axes": Parameter.Type.INTEGER_ARRAY,
        "names": Parameter.Type.STRING_ARRAY,
        "gains": Parameter.Type.DOUBLE_ARRAY,
    }


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ({"axes": [1, 128]}, "axes[1] is 128: must be 0 to 127"),
        ({"axes": ["one"]}, "axes[0] is 'one': must be of type int"),
        ({"axes": [True]}, "axes[0] is True: must be of type int"),
        ({"axes": 3}, "axes is 3: must be a list"),
        ({"names": "a"}, "names is 'a': must be a list"),
        ({"gains": [float("nan")]}, "gains[0] is nan: must be finite"),
        ({"rate": float("nan")}, "rate is nan: must be finite"),
        ({"rate": 0.0}, "rate is 0.0: must be 0.1 to 100"),
        ({"count": 5}, "count is 5: must be 1 to 4"),
        ({"shape": "flat"}, "shape is 'flat': must be one of round, square"),
        ({"loud": 1}, "loud is 1: must be of type bool"),
        ({"names": ["a"]}, "names has 1 elements: must be as long as axes"),
    ],
)
def test_what_breaks_a_rule_is_refused(overrides: dict[str, Any], reason: str) -> None:
    assert refused(**overrides) == reason


def changed(current: Settings | None, **changes: Any) -> Settings | None:
    node: Any = Node()
    return Parameters(node, Settings).changed(current, changes)


def test_what_is_changeable_changes_in_a_new_value() -> None:
    assert changed(Settings(), rate=20.0, loud=True) == Settings(rate=20.0, loud=True)


def test_what_is_not_changeable_is_refused_while_it_is_in_force() -> None:
    with pytest.raises(BadRequest) as caught:
        changed(Settings(), count=3)
    assert str(caught.value) == "count is read at configure: deactivate and cleanup first"
    assert changed(Settings(count=3), count=3) == Settings(count=3), "the same is no change"


def test_before_configure_values_are_judged_alone() -> None:
    assert changed(None, count=3) is None
    with pytest.raises(BadRequest, match="count is 9: must be 1 to 4"):
        changed(None, count=9)


@pytest.mark.parametrize("current", [None, Settings()])
@pytest.mark.parametrize("name", ["gains", "axes"])
def test_none_is_deleted(current: Settings | None, name: str) -> None:
    """Which ROS would do for good with a list, whose declaration and limits go with it."""
    with pytest.raises(BadRequest, match=f"{name} would be deleted: must be a list, which may be"):
        changed(current, **{name: None})


def test_a_change_that_makes_a_wrong_whole_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"rate is 60.0: must be 50 or less of what is loud"):
        changed(Settings(loud=True), rate=60.0)
