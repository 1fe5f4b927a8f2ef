"""What tests of single pages share."""

from collections.abc import Awaitable, Callable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

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


@pytest.fixture
def frame(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a page has around it, but for a machine: what its buttons do is done by the test.

    `acts` is what a click on each button does, by its text, and `orders` what was ordered, each
    with its work.
    """
    from nicegui import ui

    make = ui.button
    acts: dict[str, Callable[[], Awaitable[Any]]] = {}
    orders: list[tuple[str, Callable[[], Any]]] = []

    def note(text: str = "", *, on_click: Any = None, **options: Any) -> ui.button:
        acts[text] = on_click
        return make(text, on_click=on_click, **options)

    def on_click(button: ui.button, act: Callable[[], Awaitable[Any]], **_: object) -> ui.button:
        acts[button.text] = act
        return button

    def button(label: str, *_: object, **__: object) -> ui.button:
        return ui.button(label)

    async def order(what: str, work: Callable[[], Any]) -> None:
        orders.append((what, work))

    monkeypatch.setattr(ui, "button", note)
    given = {"on_click": on_click, "button": button, "stop_button": button, "order": order}
    return SimpleNamespace(acts=acts, orders=orders, **given)
