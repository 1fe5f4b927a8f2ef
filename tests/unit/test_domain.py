"""The domains that tests take: nobody's, and nobody gets them meanwhile."""

import socket
from collections.abc import Iterator

import domain
import pytest
from domain import Domain, is_free


def udp(port: int, address: str) -> socket.socket:
    """A port taken as Fast DDS takes it."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind((address, port))
    return taken


@pytest.fixture
def number() -> Iterator[int]:
    """A domain that is free, and that no other test run takes meanwhile."""
    domain = Domain()
    yield domain.number
    domain.release()


@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.1"])
@pytest.mark.parametrize("offset", [0, 10, 11, 12, 40])
def test_a_domain_with_a_participant_is_not_free(number: int, offset: int, address: str) -> None:
    with udp(7400 + 250 * number + offset, address):
        assert not is_free(number)
    assert is_free(number)


def test_a_domain_that_is_not_free_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def third_is_free(number: int) -> bool:
        asked.append(number)
        return len(asked) == 3

    monkeypatch.setattr(domain, "is_free", third_is_free)
    claim = Domain()
    claim.release()
    assert len(asked) == 3
    assert claim.number == asked[2]


def test_each_claim_has_a_domain_of_its_own() -> None:
    claims = [Domain() for _ in range(3)]
    numbers = {claim.number for claim in claims}
    for claim in claims:
        claim.release()
    assert len(numbers) == 3
    assert numbers <= {*range(1, 102)}
