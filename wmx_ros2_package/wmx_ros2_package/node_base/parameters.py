"""The parameters of a node as one frozen value.

A dataclass lists what there is, each field made by `parameter`; ROS gets its name, type, range
and description. Values may be set from the node's construction on and are read at configure, as
one value; its `__post_init__` may refuse combinations (BadRequest).
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from ..validation import BadRequest

P = TypeVar("P")
Scalar = bool | int | float | str
Limits = tuple[float, float]
"""The least and the greatest value."""

ARRAYS = {
    bool: Parameter.Type.BOOL_ARRAY,
    int: Parameter.Type.INTEGER_ARRAY,
    float: Parameter.Type.DOUBLE_ARRAY,
    str: Parameter.Type.STRING_ARRAY,
}
ALIKE = 0.88
"""How much a name is like another of which it is a misspelling, of 1."""
READ_AT_CONFIGURE = "is read at configure: deactivate and cleanup first"


def parameter(
    default: Scalar | tuple[Scalar, ...] | Callable[[], Scalar],
    description: str,
    limits: Limits | None = None,
    *,
    words: Collection[str] = (),
    changeable: bool = False,
    aliases: Mapping[str, float] = MappingProxyType({}),
) -> Any:
    """A field of a dataclass of parameters.

    A `default` that is a function is asked when a node is made. An empty text or tuple stands for
    what is not given. `limits` hold for numbers, in a tuple for
    each; `words` are all that a text may be. What is `changeable` may be set while the node is
    configured. `aliases` are the names that files of other generations of these packages have for
    it, each with a factor that makes its value one of this.
    """
    metadata = {
        "description": description,
        "limits": limits,
        "words": tuple(words),
        "changeable": changeable,
        "aliases": aliases,
    }
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoParameters:
    """The parameters of a node that has none of its own."""


def fields_of(*kinds: type) -> dict[str, tuple[Field[Any], Any]]:
    """The parameters that dataclasses describe, by their names, each with its type."""
    return {
        each.name: (each, types[each.name])
        for kind in kinds
        for types in [get_type_hints(kind)]
        for each in fields(kind)
    }


class Parameters(Generic[P]):
    """The parameters that `kind` describes, declared on `node`.

    Declaring a value of another type or out of range, as overrides of the node may be, raises
    one of rclpy's ParameterExceptions, or BadRequest.
    """

    def __init__(self, node: Node, kind: type[P]) -> None:
        self._node = node
        self._kind = kind
        self._fields: dict[str, tuple[Field[Any], Any]] = fields_of(kind)
        for name, (each, its_type) in self._fields.items():
            made = each.default_factory
            default: Any = each.default if made is MISSING else made()
            default = list(default) if get_origin(its_type) is tuple else default
            descriptor = _descriptor(each, its_type)
            given = node.declare_parameter(name, default, descriptor).value
            judged(each, its_type, given)
            if get_origin(its_type) is tuple and not given:  # which rclpy takes for bytes, or none
                kind_of = ARRAYS[get_args(its_type)[0]]
                node.set_parameters([Parameter(name, kind_of, [])])

    def read(self) -> P:
        """Return the parameters in force as one value; BadRequest where one breaks a rule."""
        return self._kind(
            **{
                name: judged(*of, self._node.get_parameter(name).value)
                for name, of in self._fields.items()
            }
        )

    def changed(self, current: P | None, changes: Mapping[str, Any]) -> P | None:
        """Return the value in force with `changes`, None while there is none in force.

        Changes of other parameters are ignored. BadRequest where one breaks a rule, or changes a
        parameter that is read at configure.
        """
        own = self._fields
        for name in changes:  # of a list rclpy would forget the declaration, too
            if name in own and changes[name] is None:
                raise BadRequest([f"{name} would be deleted: must be a list, which may be empty"])
        given = {name: judged(*own[name], changes[name]) for name in changes if name in own}
        if current is None or not given:
            return current
        for name, value in given.items():
            each, _ = own[name]
            if not each.metadata["changeable"] and value != getattr(current, name):
                raise BadRequest([f"{name} {READ_AT_CONFIGURE}"])
        return replace(current, **given)  # type: ignore[type-var]


def _descriptor(each: "Field[Any]", its_type: Any) -> ParameterDescriptor:
    """Return the descriptor for ROS, with the rules that it has no fields for as texts.

    It has no type for an empty array, so those are judged here alone.
    """
    ranges: dict[str, Any] = {}
    limits: Limits | None = each.metadata["limits"]
    if limits and its_type is float:
        low, high = map(float, limits)
        ranges["floating_point_range"] = [FloatingPointRange(from_value=low, to_value=high)]
    elif limits and its_type is int:
        low, high = limits
        ranges["integer_range"] = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
    return ParameterDescriptor(
        description=each.metadata["description"],
        additional_constraints="; ".join(_constraints(each, its_type)),
        dynamic_typing=get_origin(its_type) is tuple,
        **ranges,
    )


def _constraints(each: "Field[Any]", its_type: Any) -> Iterator[str]:
    if (limits := each.metadata["limits"]) and get_origin(its_type) is tuple:
        low, high = limits
        yield f"each {low:g} to {high:g}"
    if words := each.metadata["words"]:
        yield f"one of {', '.join(words)}"
    yield "may be set at any time" if each.metadata["changeable"] else "is read at configure"


def judged(each: "Field[Any]", its_type: Any, value: Any) -> Any:
    """`value` of a parameter as its field has it, or BadRequest."""
    name, limits, words = each.name, each.metadata["limits"], each.metadata["words"]
    if get_origin(its_type) is not tuple:
        return __judged_element(name, its_type, limits, words, value)
    element = get_args(its_type)[0]
    if value is None:  # an empty list on the command line
        return ()
    if isinstance(value, (str, bool, int, float)):
        raise BadRequest([f"{name} is {value!r}: must be a list"])
    return tuple(
        __judged_element(f"{name}[{i}]", element, limits, words, each_value)
        for i, each_value in enumerate(value)
    )


def __judged_element(
    name: str, its_type: Any, limits: Limits | None, words: tuple[str, ...], value: Any
) -> Any:
    if its_type is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not its_type:
        raise BadRequest([f"{name} is {value!r}: must be of type {its_type.__name__}"])
    if its_type is float and not math.isfinite(value):
        raise BadRequest([f"{name} is {value}: must be finite"])
    if limits and not limits[0] <= value <= limits[1]:
        low, high = limits
        raise BadRequest([f"{name} is {value}: must be {low:g} to {high:g}"])
    if words and value not in words:
        raise BadRequest([f"{name} is {value!r}: must be one of {', '.join(words)}"])
    return value
