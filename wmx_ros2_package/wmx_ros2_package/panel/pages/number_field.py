"""Fields for numbers: text, so that nothing between the keyboard and the machine changes them."""

from __future__ import annotations

from nicegui import ui

from ..numbers import NumberRule, number_text

FIRST_SHARE = 25.0
"""Percent."""


class NumberField:
    """A field with the rule of what it takes; it shows at once what it does not take."""

    def __init__(
        self,
        label: str,
        value: float | None,
        rule: NumberRule,
        id: str = "",
        *,
        kept: str = "",
    ) -> None:
        """Show `value`; nothing where it is None.

        With `kept`, which says of what it is, the tab of the browser keeps what is typed: a page
        that is loaded again has that in place of `value`, see kept.js.
        """
        text = "" if value is None else number_text(value)
        self.rule = rule
        self.input = ui.input(label or None, value=text, validation=self._complaint)
        self.input.classes("number")
        self.input.props("inputmode=decimal autocomplete=off spellcheck=false")
        if id:
            self.input.props(f"for={id}")
        if kept:
            self.input.props["data-kept"] = f"{kept}: {label}"

    @property
    def text(self) -> str:
        """What is typed."""
        return str(self.input.value or "")

    def read(self) -> float:
        """Return the number; NoNumber where the text is none that the rule takes."""
        return self.rule.read(self.text)

    def read_whole(self) -> int:
        """Return the number of a rule for whole ones; NoNumber as `read`."""
        return int(self.read())

    def show(self, value: float | None) -> None:
        """Show another number; nothing for None."""
        self.input.value = "" if value is None else number_text(value)
        if value is None:
            self.input.error = None  # nobody has typed that

    def _complaint(self, text: str) -> str | None:
        complaint = self.rule.complaint(text)
        return complaint and complaint.removeprefix(f"{self.rule.name}: ")


def share_field(of: str) -> NumberField:
    """Make the field of how fast joints move, in percent of the highest velocity of each.

    The tab keeps what is typed for the moves `of` this kind.
    """
    rule = NumberRule(name="share of the highest velocity", above=0.0, high=100.0)
    field = NumberField("Move at, % of the highest velocity", FIRST_SHARE, rule, kept=of)
    field.input.classes("w-52")
    return field
