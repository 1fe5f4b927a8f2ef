"""What all pages have: simulated or real, the state, emergency stop, control, and the menu."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from nicegui import events, ui

from ..diagnosis.parameter_changes import Change
from .early_stop import BUTTON
from .file_reader import FileReader
from .front import Front
from .header import STATE, STRIP
from .io_names import IoNames
from .machine_link import MachineLink
from .numbers import NoNumber
from .order import Order
from .orders import MOST_NAME, Orders
from .safety.heartbeat import UNKNOWN, Click
from .safety.page_control import PageSession
from .stops import ALL_AXES
from .tool_jog import ToolJog

PAGES = {
    "/": ("Overview", "dashboard", "overview"),
    "/axes": ("Axes", "tune", "axes"),
    "/homing": ("Homing", "home", "homing"),
    "/scope": ("Scope", "show_chart", "scope"),
    "/robot": ("Robot", "precision_manufacturing", "robot"),
    "/trajectory": ("Trajectory", "timeline", "trajectory"),
    "/io": ("Inputs, outputs", "toggle_on", "io"),
    "/network": ("EtherCAT", "hub", "network"),
    "/parameters": ("Parameters", "list_alt", "parameters"),
    "/events": ("Events", "history", "events"),
    "/recordings": ("Recordings", "videocam", "recordings"),
    "/diagnostics": ("Diagnostics", "monitor_heart", "diagnostics"),
    "/faults": ("Faults", "bug_report", "faults"),
}
"""By path: the name, the icon, and the module of `pages` whose `build` makes the page."""
SEND_CLICK = "(event) => emit(window.wmx?.click(event))"
CLOSE_REFUSALS = "document.querySelectorAll('.refusal button').forEach((each) => each.click())"
"""Most were for want of control, and lie over what is to be clicked next."""
_click = ContextVar("click", default=UNKNOWN)
"""The click that is acted on: each is by a task of its own."""
CONFIRM_DELAY = 0.7
"""How long what asks for confirmation cannot be agreed to, s."""
CHANGED = "The button has changed since it was clicked, and nothing was done"
NARROW = 900
"""A window that is narrower, px, shows the menu only when asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the pages of all browsers share."""

    link: MachineLink
    orders: Orders
    """They belong to the thread of the network: pages reach them through `network`."""
    network: Front
    files: FileReader
    """Reads what browsers send, and what belongs to the robot."""
    recordings: FileReader
    names: IoNames
    """Of inputs and outputs."""
    urdf: Path | None
    tool: ToolJog
    positions: Path
    """The file of the positions that were taught."""


def _show(order: Order) -> None:
    """Show what came of an order."""
    if order.done:
        text = f"{order.what}: {order.outcome}"
        kind: Literal["info", "positive"] = "info" if order.begun else "positive"
        ui.notify(text, type=kind, position="bottom-right", timeout=2000)
        return
    why = order.outcome if order.end else order.answer
    ui.notify(
        "\n".join(filter(None, (f"{order.what}: {why}", order.remedy))),
        type="negative",
        position="bottom-right",
        multi_line=True,
        timeout=9000,
        close_button="Close",
        classes="refusal",
    )


def _refuse(error: Exception) -> None:
    raise error


class Frame:
    """One page in one browser; pages ask for orders through it."""

    def __init__(self, panel: Panel, session: PageSession) -> None:
        self.panel = panel
        self.link = panel.link
        self.session = session
        self.axis = 0
        """The axis that the page of axes shows, when its address names none."""
        self.taught = ""
        """The position that the page of the robot shows, so that who comes back finds it."""
        self.uploads: list[list[Change]] = []
        """The parameters that this page has changed, the newest last: what may be undone."""
        self._question: ui.dialog | None = None
        """What was asked last."""

    def build(self) -> None:
        """Make the page."""
        self._client = ui.context.client
        loop = asyncio.get_running_loop()
        self.session.show = lambda order: loop.call_soon_threadsafe(self.show, order)
        ui.add_head_html('<link rel="stylesheet" href="/panel/panel.css">')
        # Of the machine as it is known now: a page that was made before is loaded again.
        ui.add_body_html(
            f"<script>window.wmxGeneration = {self.session.generation};"
            "document.body.classList.add('stale', 'no-link', 'no-control')</script>"
        )
        ui.add_body_html(BUTTON)  # before all that takes time, or may fail
        for script in "aim", "panel", "kept":
            ui.add_body_html(f'<script type="module" src="/panel/{script}.js"></script>')
        ui.colors(primary="#1a5fb4", secondary="#4b5563", positive="#157347", negative="#c1121f")
        dark = ui.dark_mode(None)
        with ui.header().classes("panel-header"):
            with ui.element("div").classes("top"):
                menu = (
                    ui.button(icon="menu")
                    .props("flat round color=white aria-label=Menu")
                    .classes("menu")
                )
                ui.label("…").classes("kind").props("id=kind role=status")
                ui.html(STATE, sanitize=False).classes("state")
                ui.html('<span id="holder">viewer</span>', sanitize=False).classes("holder")
                with ui.element("div").classes("control"):
                    ui.button("Take control", icon="pan_tool", on_click=self._ask_name).props(
                        "id=take color=primary"
                    )
                    ui.button("Give back", icon="logout", on_click=self._give_back).props(
                        "id=give color=secondary"
                    )
                ui.button(icon="contrast", on_click=lambda: _turn(dark)).props(
                    'flat round color=white aria-label="Light or dark"'
                ).classes("contrast")
            # Always as high, whatever it shows: nothing below it moves.
            ui.html(STRIP, sanitize=False).classes("strip")
        # Open in a wide window; to ask the browser for that would take a slow one too long.
        drawer = ui.left_drawer(value=False).props(
            f"show-if-above width=210 breakpoint={NARROW} bordered"
        )
        with drawer, ui.list().props("padding").classes("w-full"):
            for path, (name, icon, module) in PAGES.items():
                self._menu_item(drawer, path, name, icon, module)
        menu.on_click(drawer.toggle)
        ui.sub_pages({path: self._builder(entry[2]) for path, entry in PAGES.items()}).classes(
            "w-full page"
        )

    async def order(self, what: str, work: Callable[[], Any]) -> Order:
        """Carry `work` out in another thread, and show what came of it.

        It needs control, and a click of now: it is called by what `on_click` calls.
        """
        order = await self.panel.network.run(
            self.panel.orders.carry_out(self.session, what, work, _click.get())
        )
        self.show(order)
        return order

    def show(self, order: Order) -> None:
        """Show what came of an order, whichever page of the panel is shown by now."""
        with self._client:
            _show(order)

    def button(self, label: str, what: str, work: Callable[[], Any], **options: Any) -> ui.button:
        """A button for an order."""
        return self.on_click(ui.button(label, **options), lambda: self.order(what, work))

    def stop_all_button(self) -> ui.button:
        """A button that stops all axes."""
        return self.stop_button("Stop all", ALL_AXES)

    def stop_button(self, label: str, what: str | int) -> ui.button:
        """A button for a stop of ALL_AXES or of one axis, which needs no control.

        panel.js sends it on the connection of the stops.
        """
        button = ui.button(label, icon="stop").props("color=red")
        button.props["data-stop"] = json.dumps(what)
        return button

    def confirm(self, text: str, label: str, what: str, work: Callable[[], Any]) -> None:
        """Show what an order will do, and give it when the user agrees.

        It is refused when an emergency stop came since it was shown.
        """
        record = self.link.emergency_stop
        stops = record.stops

        def agreed() -> Any:
            record.require_unchanged(stops)
            return work()

        is_agreed = False

        async def agree() -> None:
            nonlocal is_agreed
            if is_agreed:  # by the first click of a double one, which the dialog outlives
                return
            is_agreed = True
            dialog.close()
            await self.order(what, agreed)

        with ui.dialog() as dialog, ui.card().classes("confirm"):
            ui.label(text).classes("confirm-text")
            with ui.row():
                button = self.on_click(ui.button(label).props("color=negative"), agree)
                ui.button("Cancel", on_click=dialog.close).props("flat autofocus")
        button.disable()  # the second click of a double one is not meant for it
        with dialog:
            ui.timer(CONFIRM_DELAY, button.enable, once=True)
        dialog.on("hide", dialog.delete)
        self._ask(dialog)
        dialog.open()

    def _ask(self, question: ui.dialog) -> None:
        """Have a question take the place of the one before, so that a double click asks one."""
        if self._question is not None and not self._question.is_deleted:
            self._question.delete()
        self._question = question

    def on_click(
        self,
        button: ui.button,
        act: Callable[[], Awaitable[Any]],
        *,
        shown: Callable[[], str] | None = None,
    ) -> ui.button:
        """Let a button call `act`, which gives orders; it is dim while this page has no control.

        With `shown`, which returns what the button does now, a click counts only if the browser
        showed just that, see `show_on`. NoNumber that `act` raises is the answer of an order: who
        has no control is told that first.
        """

        async def do(event: events.GenericEventArguments) -> None:
            click = Click.read(event.args)
            _click.set(click)
            if shown is not None and click.shown != shown():
                ui.notify(f"{CHANGED}: {click.shown or button.text}", type="negative")
                return
            try:
                await act()
            except NoNumber as error:
                await self.order(button.text.lower(), partial(_refuse, error))

        button.on("click", do, js_handler=SEND_CLICK)
        return button.classes("needs-control")

    def show_on(self, button: ui.button, what: str) -> None:
        """Have a button carry what it does now, by which its clicks are checked."""
        if button.props.get("data-shown") != what:
            button.props["data-shown"] = what

    def _builder(self, module: str) -> Callable[[], Awaitable[None]]:
        async def build() -> None:
            ui.run_javascript(f"window.wmx?.leave(); window.wmxPage = '{module}'")
            making = import_module(f".pages.{module}", __package__).build(self)
            if making is not None:  # it has to read something first
                await making

        return build

    def _menu_item(
        self, drawer: ui.left_drawer, path: str, name: str, icon: str, module: str
    ) -> None:
        def go() -> None:
            ui.run_javascript(f"if (innerWidth < {NARROW}) getElement({drawer.id}).hide()")
            # The address names the axis: a page that is loaded again shows the same one.
            ui.navigate.to(f"{path}?axis={self.axis}" if path == "/axes" else path)

        with ui.item(on_click=go).classes(f"menu-{module}").props(f"data-page={module}"):
            with ui.item_section().props("avatar"):
                ui.icon(icon)
            with ui.item_section():
                ui.item_label(name)

    def clicked(self, sent: Any) -> None:
        """Take what a browser has sent of the click that is acted on."""
        _click.set(Click.read(sent))

    async def _give_back(self) -> None:
        await self.panel.network.call(self.panel.orders.give_back, self.session)

    async def _ask_name(self) -> None:
        with ui.dialog() as dialog, ui.card():
            ui.label("Who takes control?").classes("text-h6")
            ui.label("One page at a time may move the machine. It loses control when it is closed.")
            ui.label("A page that has it is asked; what it moves comes to rest when it gives it.")
            name = ui.input("Your name", value=self.session.name or "operator").props(
                f"autofocus maxlength={MOST_NAME}"
            )
            name.on("keydown.enter", lambda: dialog.submit(name.value))
            with ui.row():
                ui.button("Take control", on_click=lambda: dialog.submit(name.value))
                ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat")
        self._ask(dialog)
        given = await dialog
        if dialog.is_deleted:  # its page has gone
            return
        dialog.delete()
        if given is None:
            return
        order = await self.panel.network.call(self.panel.orders.take, self.session, given)
        if order.done:
            ui.run_javascript(CLOSE_REFUSALS)
        else:
            ui.notify(order.answer, type="negative", position="bottom-right")


def _turn(dark: ui.dark_mode) -> None:
    dark.value = {None: True, True: False, False: None}[dark.value]
