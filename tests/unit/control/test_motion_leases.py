"""A motion that its client has leased ends when the lease does."""

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import pytest
from held_engine import position_move
from held_node import HeldNode

from wmx_ros2_package.control.leases import LEASE_TIMEOUT, LONGEST_WAIT, MotionLeases


class Leased:
    """A node with one motion of one axis, whose lease is renewed and checked here."""

    def __init__(self, node: HeldNode) -> None:
        self.node = node
        self.stopped: list[int] = []
        self.stop: Callable[[Sequence[int]], object] = self.stopped.extend
        self.leases = MotionLeases(node.tracker, lambda axes: self.stop(axes), node.held.clock)

    def move(self, axis: int, **fields: UUID) -> UUID:
        self.node.held.motion.move_absolute([position_move(axis, 1000.0)])
        request = self.node.request(axis, targets=(1000.0,), **fields)
        return self.node.tracker.begin(request, self.node.held.status(), self.node.now())

    def check_after(self, seconds: float) -> list[int]:
        self.node.held.clock.advance(seconds)
        self.leases.check()
        return self.stopped


@pytest.fixture
def leased(node: HeldNode) -> Leased:
    return Leased(node)


def test_a_motion_without_a_lease_goes_on(leased: Leased) -> None:
    leased.move(0)
    assert leased.check_after(1000.0) == []


def test_a_motion_goes_on_while_its_lease_is_renewed(leased: Leased) -> None:
    id = leased.move(0)
    for _ in range(10):
        leased.leases.renew(id)
        assert leased.check_after(0.9 * LEASE_TIMEOUT) == []
    assert leased.check_after(0.2 * LEASE_TIMEOUT) == [0]
    assert leased.check_after(10.0) == [0]  # once


def test_a_lease_that_is_renewed_while_another_is_ended_stays(leased: Leased) -> None:
    id, late = leased.move(0), leased.move(1)
    leased.leases.renew(id)
    leased.leases.renew(late)
    leased.stop = lambda _axes: leased.leases.renew(late)
    leased.check_after(1.1 * LEASE_TIMEOUT)
    leased.stop = leased.stopped.extend
    assert leased.check_after(0.9 * LEASE_TIMEOUT) == []
    assert leased.check_after(0.2 * LEASE_TIMEOUT) == [1]


def test_a_lease_that_expires_before_its_motion_begins_ends_it(leased: Leased) -> None:
    id = uuid4()
    leased.leases.renew(id)
    assert not leased.leases.has_expired(id)
    assert leased.check_after(20.0) == []
    assert leased.leases.has_expired(id)
    leased.move(1, id=id)
    assert leased.check_after(0.1) == [1]
    assert not leased.leases.has_expired(id), "it is forgotten then"


def test_a_lease_without_a_motion_is_forgotten_in_the_end(leased: Leased) -> None:
    id = uuid4()
    leased.leases.renew(id)
    leased.check_after(LONGEST_WAIT + 1.0)
    assert not leased.leases.has_expired(id)


def test_what_has_ended_or_is_elsewhere_is_not_stopped(leased: Leased) -> None:
    leased.leases.renew(uuid4())
    id = leased.move(0)
    leased.leases.renew(id)
    leased.node.held.motion.stop([0])
    leased.node.tracker.update(leased.node.held.after(10.0))
    assert leased.check_after(1.1 * LEASE_TIMEOUT) == []
