"""What is expected to be refused."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from wmx_core.errors import CommandRefused


@contextmanager
def refuses(code: int, match: str | None = None) -> Iterator[None]:
    """What is done here is refused with `code`, and says `match`."""
    with pytest.raises(CommandRefused, match=match) as refusal:
        yield
    assert refusal.value.code == code
