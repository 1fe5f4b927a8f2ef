"""What tests of single pages share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from nicegui.client import Client


@pytest.fixture
def client() -> Iterator["Client"]:
    """An empty page, which takes the elements that the test makes."""
    from nicegui import ui
    from nicegui.client import Client

    with Client(ui.page("")) as client:
        yield client
    client.delete()
