"""A running system is no place for tests."""

from domain import is_free
from system import System


def test_the_domain_of_a_running_system_is_not_free(system: System) -> None:
    assert not is_free(system.place.domain)
