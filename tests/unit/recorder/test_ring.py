"""The ring is bounded in time, bytes and number, and says what a reader has missed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmx_ros2_package.recordings.ring import OVERHEAD, Item, Ring


class Span:
    def __init__(self, body: bytes) -> None:
        self.body = body

    def values(self) -> None:
        raise AssertionError("nothing is evaluated in the ring")


@given(st.lists(st.tuples(st.floats(0.0, 2.0), st.integers(0, 3000)), max_size=60))
def test_it_is_bounded(steps: list[tuple[float, int]]) -> None:
    ring, now = Ring(5.0, 10_000, 20), 0.0
    for step, size in steps:
        now += step
        ring.add(Item(now, "a", bytes(size)))
        items = list(ring)
        assert items[-1].time == now
        assert len(items) <= 20
        if len(items) > 1:
            assert items[0].time >= now - 5.0
            assert ring.bytes == sum(OVERHEAD + len(item.data) for item in items) <= 10_000


def test_spans_of_one_state_share_its_bytes() -> None:
    ring, body = Ring(5.0, 10_000), bytes(1000)
    ring.add(Item(0.0, "s", Span(body)))
    ring.add(Item(0.1, "s", Span(body)))
    assert ring.bytes == 1000 + 2 * OVERHEAD
    ring.add(Item(0.2, "s", Span(bytes(1000))))
    assert ring.bytes == 2000 + 3 * OVERHEAD


@pytest.mark.parametrize(("number", "lost", "topics"), [(0, 2, "cde"), (3, 0, "de"), (5, 0, "")])
def test_a_reader_gets_what_is_new_and_how_much_is_lost(
    number: int, lost: int, topics: str
) -> None:
    ring = Ring(5.0, 10_000, 3)
    for i, topic in enumerate("abcde"):
        ring.add(Item(float(i), topic, b""))
    newest, missed, items = ring.since(number)
    assert (newest, missed, "".join(item.topic for item in items)) == (5, lost, topics)
