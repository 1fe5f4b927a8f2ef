"""Tables whose columns have the names of what they show."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui


def table(
    names: Sequence[str], *, key: str = "key", pagination: int | None = None, sortable: bool = False
) -> ui.table:
    """Make a table that is empty; each row has a field of each name, and another one at `key`."""
    columns = [
        {"name": name, "label": name, "field": name, "align": "left", "sortable": sortable}
        for name in names
    ]
    made = ui.table(columns=columns, rows=[], row_key=key, pagination=pagination)
    return made.classes("w-full").props("dense")


def row_filter(hint: str) -> None:
    """Make the field whose words the rows of the page's table have to have to be shown."""
    ui.html(
        f'<input id="row-filter" type="search" placeholder="{hint}" '
        'aria-label="Show rows with these words"> <span id="no-rows">no row has these words</span>',
        sanitize=False,
    )
