"""A running system is no place for tests."""

import pytest
import system as systems
from domain import is_free


@pytest.mark.process
def test_the_domain_of_a_running_system_is_not_free() -> None:
    with systems.place() as place, systems.system(place):
        assert not is_free(place.domain)
