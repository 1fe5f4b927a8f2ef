"""Judging requests: each rule in its words, and nothing but refusals whatever is sent."""

import array
from collections.abc import Callable, Sequence
from math import inf, isfinite, nan
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused
from wmx_core.io_range import require_bits, require_block
from wmx_ros2_package.validation import (
    MOST_REASONS,
    BadRequest,
    finite,
    one_of,
    positive,
    register,
    rows,
)


def reasons(index: Sequence[int], *, count: int | None = 6, **columns: Any) -> list[str]:
    with pytest.raises(BadRequest) as bad:
        rows(index, count=count, **columns)
    return str(bad.value).split("; ")


def on_off(values: Sequence[int]) -> Any:
    return one_of(values, (0, 1), "Invalid data {value} for axis {axis}")


# Good requests


def test_a_good_request_becomes_one_order_an_axis() -> None:
    made = rows(
        array.array("i", [3, 0]),
        count=6,
        target=finite(array.array("d", [-1.5, 0.0]), "target"),
        velocity=positive([1.0, 2.0], "velocity"),
    )
    assert made == [(3, -1.5, 1.0), (0, 0.0, 2.0)]
    assert rows([5, 2]) == [(5,), (2,)]


def test_which_axes_there_are_is_the_engines_to_say_unless_it_is_given() -> None:
    assert rows([130, -1]) == [(130,), (-1,)]
    assert reasons([130, -1], count=2) == [
        "index[0] is 130: must be 0 to 1",
        "index[1] is -1: must be 0 to 1",
    ]


def test_all_axes_at_once() -> None:
    assert len(rows(range(128), count=128, data=on_off([1] * 128))) == 128


# Each rule


def test_an_empty_index() -> None:
    assert reasons([]) == ["index has 0 elements: must have 1 to 128"]


def test_a_ragged_request() -> None:
    found = reasons([0, 1], target=finite([1.0], "target"), acc=positive([1.0, 2.0, nan], "acc"))
    assert found == [
        "target has 1 elements but index has 2: must be equal",
        "acc has 3 elements but index has 2: must be equal",
    ]


def test_every_reason_is_given_up_to_a_few() -> None:
    found = reasons([0, 9, 0, 1], acc=positive([inf, 1.0, 0.0, -1.0], "acc"))
    assert found == [
        "index[1] is 9: must be 0 to 5",
        "index names axis 0 more than once: must name each axis once",
        "acc of axis 0 is inf: must be finite and greater than 0",
        "acc of axis 0 is 0.0: must be finite and greater than 0",
        "acc of axis 1 is -1.0: must be finite and greater than 0",
    ]
    assert len(reasons(range(100), data=on_off([*range(7, 107)]))) == MOST_REASONS


def test_what_is_wrong_with_several_axes_is_one_reason() -> None:
    targets = finite([nan, 1.0, nan, inf], "target")
    assert reasons([0, 1, 2, 3], target=targets, data=on_off([7, 0, 7, 1])) == [
        "target of axes 0, 2 is nan: must be finite",
        "target of axis 3 is inf: must be finite",
        "Invalid data 7 for axes 0, 2",
    ]
    assert reasons(range(100), count=None, data=on_off([7] * 100)) == [
        "Invalid data 7 for axes 0, 1, 2, 3, 4, 5, 6, 7 and 92 more"
    ]


class Unread(Sequence[Any]):
    """A million elements of which none may be looked at."""

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: Any) -> Any:
        raise AssertionError("looked at")


def test_a_million_elements_are_refused_unread() -> None:
    rule = "index has 1000000 elements: must have 1 to 128"
    assert reasons(Unread(), target=finite(Unread(), "target")) == [rule]
    assert reasons([0] * 129) == ["index has 129 elements: must have 1 to 128"]
    assert reasons([0, 1], target=finite(Unread(), "target")) == [
        "target has 1000000 elements but index has 2: must be equal"
    ]


# Whatever is sent

int32 = st.integers(-(2**31), 2**31 - 1)


def column(values: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[list[Any]]:
    """Mostly of the length it should have."""
    exact = st.lists(values, min_size=size, max_size=size)
    return st.one_of(exact, exact, exact, st.lists(values, max_size=140))


requests = st.integers(0, 4).flatmap(
    lambda size: st.tuples(
        column(st.one_of(st.integers(0, 5), int32), size),
        column(st.floats(), size),
        column(st.one_of(st.just(1.0), st.floats()), size),
        column(st.one_of(st.integers(0, 1), int32), size),
    )
)


@given(requests, st.integers(1, 128))
def test_a_request_is_either_refused_or_right(
    request_: tuple[list[int], list[float], list[float], list[int]], count: int
) -> None:
    index, targets, accs, data = request_
    columns = {
        "target": finite(targets, "target"),
        "acc": positive(accs, "acc"),
        "data": on_off(data),
    }
    right = (
        1 <= len(index) <= 128
        and len(set(index)) == len(index) == len(targets) == len(accs) == len(data)
        and all(0 <= axis < count for axis in index)
        and all(map(isfinite, targets))
        and all(0.0 < acc < inf for acc in accs)
        and all(on in (0, 1) for on in data)
    )
    if right:
        expected = list(zip(index, targets, accs, data, strict=True))
        assert rows(index, count=count, **columns) == expected
    else:
        found = reasons(index, count=count, **columns)
        assert 1 <= len(found) <= MOST_REASONS
        assert len("; ".join(found)) < 1000


# Inputs, outputs and registers


@pytest.mark.parametrize(
    ("judge", "text"),
    [
        (
            lambda: require_block(0, 0),
            "Error=1551 (IOSizeOutOfRange): 0 bytes from byte 0 on: must be 1 to 8000",
        ),
        (
            lambda: require_block(7000, 1001),
            "Error=1551 (IOSizeOutOfRange): 1001 bytes from byte 7000 on: must be 1 to 1000",
        ),
        (lambda: register(-1, 1), "Invalid reg_address: must be in [0x000, 0xFFF]."),
        (lambda: register(0x1000, 1), "Invalid reg_address: must be in [0x000, 0xFFF]."),
        (lambda: register(0, 0), "Invalid length: must be in [1, 4096]."),
        (lambda: register(0, 4097), "Invalid length: must be in [1, 4096]."),
        (lambda: register(0xFFF, 2), "reg_address + length exceeds 0x1000."),
    ],
)
def test_addresses_out_of_range(judge: Callable[[], None], text: str) -> None:
    with pytest.raises((BadRequest, CommandRefused)) as refused:
        judge()
    assert str(refused.value) == text


def accepted(judge: Callable[[int, int], None], first: int, second: int) -> bool:
    try:
        judge(first, second)
    except (BadRequest, CommandRefused):
        return False
    return True


addresses = st.one_of(int32, st.integers(-2, 8002))


@given(addresses, addresses)
@example(0, 0)
@example(7999, 7)
@example(0, 8000)
@example(7999, 1)
@example(0, 4096)
@example(0xFFF, 1)
def test_only_addresses_in_range_are_accepted(first: int, second: int) -> None:
    last = first + second
    assert accepted(lambda byte, bit: require_bits([(byte, bit)]), first, second) is (
        0 <= first < 8000 and 0 <= second < 8
    )
    assert accepted(require_block, first, second) is (
        0 <= first < 8000 and second > 0 and last <= 8000
    )
    inside = 0 <= first < 4096 and second > 0 and last <= 4096
    assert accepted(register, first, second) is inside
