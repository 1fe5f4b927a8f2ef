"""What a page leaves to a search for garbage, which stops every thread."""

import gc
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from nicegui import ui
from nicegui.client import Client

from wmx_ros2_package.panel.garbage import free_removed_elements


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No search for garbage, and the panel's way to remove elements, while the test runs."""
    monkeypatch.setattr(Client, "remove_elements", Client.remove_elements)
    free_removed_elements()
    gc.disable()
    yield
    gc.enable()


def close(client: Client, _: ui.element) -> None:
    client.delete()


def leave(_: Client, content: ui.element) -> None:
    content.clear()


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize("end", [close, leave])
def test_what_an_element_keeps_is_freed_with_its_page(end: Callable[..., Any]) -> None:
    client = Client(ui.page("/"))
    with client, ui.element() as content:
        field = ui.input().classes("b").style("color: red").props("outline")
        field.on_value_change(partial(setattr, field, "text"))
    kept = [weakref.ref(each) for each in (field, field.classes, field.style, field.props)]
    del field
    end(client, content)
    assert [each() for each in kept] == [None] * 4


def page_with_upload() -> weakref.ref[Any]:
    """A page that was shown and closed, whose upload knows an object of it."""

    class Kept:
        def take(self, _: Any) -> None:
            """Take what is uploaded."""

    client, kept = Client(ui.page("/")), Kept()
    with client:
        ui.upload(on_upload=kept.take)
    client.delete()
    return weakref.ref(kept)


@pytest.mark.usefixtures("no_search")
def test_nothing_keeps_a_page_with_an_upload() -> None:
    kept = page_with_upload()
    gc.collect()
    assert kept() is None
