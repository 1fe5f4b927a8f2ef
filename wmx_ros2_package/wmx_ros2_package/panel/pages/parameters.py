"""The engine's parameters: searched, edited, compared with a file and the defaults, and saved."""

from __future__ import annotations

import asyncio
from datetime import datetime
from hashlib import sha256

from nicegui import events, ui

from wmx_core.parameters.differences import Difference

from ...client import MachineError
from ...diagnosis.parameter_changes import (
    Change,
    Texts,
    compare,
    doubts,
    loaded,
    read_texts,
)
from ..file_reader import FileError
from ..frame import Frame
from ..numbers import NoNumber
from ..parameter_edits import (
    in_force,
    read_change,
    unit_of,
    unmet,
    upload,
    words,
)
from ..parameter_rows import (
    COLUMNS,
    FILE,
    MOST_ROWS,
    SHOWN,
    Row,
    element_rows,
    file_rows,
    place_of,
)
from .tables import table

EDIT_SLOT = r"""<q-td :props="props"><input v-if="!props.row.fixed" class="edit" inputmode="decimal"
  autocomplete="off" spellcheck="false" :aria-label="'New value of ' + props.row.key"
  :value="props.row.new" @keydown.enter="event => event.target.blur()"
  @change="event => $parent.$emit('edit', {key: props.row.key, text: event.target.value})">
</q-td>"""


def build(frame: Frame) -> None:
    """Make the page."""
    _ParametersPage(frame).build()


class _ParametersPage:
    """The page in one browser. What it uploads or loads is what it shows."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._exported = ""
        """What was in force at `_read_at`, as the text of a file; empty while that is not known."""
        self._read_at = ""
        self._texts: Texts = {}
        self._edits: dict[str, str] = {}
        """What was typed, by the key of its row."""
        self._previewed: tuple[str, list[Difference]] | None = None
        """The path of a file, and what a load of it changes."""

    def build(self) -> None:
        """Make the elements, and have the parameters read."""
        with ui.row().classes("items-center w-full"):
            self._search = ui.input("Search", placeholder="SoftLimit, Gear ...").props(
                "clearable id=search debounce=200"
            )
            self._which = ui.select(SHOWN, value="all", label="Show").classes("w-56")
            self._which.props("id=which")
            ui.button("Read again", icon="refresh", on_click=self._read).props("outline")
            self._save = ui.button("Save as a file", icon="download", on_click=self._download)
            self._save.props("outline id=save")
        with ui.row().classes("items-center w-full"):
            path = ui.input("Parameter file (on the computer of the panel)")
            self._path = path.classes("w-96 max-w-full").props("id=parameter-file")
            ui.button("Preview", icon="difference", on_click=self._preview)
            load = ui.button("Load into the engine", icon="file_upload")
            self._load = self._frame.on_click(load, self._load_file, shown=self._file_shown)
        with ui.row().classes("items-center w-full"):
            give = ui.button("Upload", icon="upload").props("id=upload")
            self._upload = self._frame.on_click(give, self._give, shown=self._edits_shown)
            discard = ui.button("Discard", icon="clear", on_click=self._discard)
            self._discard_button = discard.props("outline")
            undo = ui.button("Undo", icon="undo").props("outline id=undo")
            self._undo = self._frame.on_click(undo, self._take_back, shown=self._undo_shown)
        self._preview_text = ui.label().classes("mono parameter-edits")
        self._preview_text.props("id=edits role=status")
        self._message = ui.label().classes("text-h6").props("id=changes role=status")
        self._listed = table(COLUMNS, pagination=50, sortable=True)
        self._listed.add_slot("body-cell-new", EDIT_SLOT)
        self._listed.on("edit", self._edit)
        self._search.on_value_change(lambda: self._show())
        self._which.on_value_change(lambda: self._show())
        path.on_value_change(self._forget_file)
        self._show()
        ui.timer(0.0, self._read, once=True)

    # What is in force

    async def _read(self) -> bool:
        machine = self._frame.link.machine
        try:
            if machine is None:
                raise FileError(self._frame.link.problem)
            self._exported = await asyncio.to_thread(machine.parameters.export)
            self._texts = await self._frame.panel.files.run(read_texts, self._exported)
            self._read_at = f"{datetime.now():%H:%M:%S}"
        except (MachineError, FileError) as error:
            # Nothing stands below the error that may be of another time.
            self._exported, self._texts, self._previewed = "", {}, None
            self._show(str(getattr(error, "text", error)))
            return False
        self._previewed = None  # it was compared with what was in force before
        self._show()
        return True

    async def _download(self) -> None:
        if not await self._read():  # others may have changed them since they were listed
            return
        name = f"wmx_parameters_{datetime.now():%Y-%m-%d_%H%M%S}.xml"
        ui.download.content(self._exported, name, "application/xml")

    # What is edited

    def _edit(self, event: events.GenericEventArguments) -> None:
        key, text = str(event.args["key"]), str(event.args["text"]).strip()
        if text:
            self._edits[key] = text
        else:
            self._edits.pop(key, None)
        self._show()

    def _discard(self) -> None:
        self._edits.clear()
        self._show()

    def _read_edits(self) -> tuple[list[Change], list[str]]:
        """What the edits change, and what is wrong with them."""
        changes, wrong = [], []
        for key, typed in self._edits.items():
            axis, name = place_of(key)
            old = self._texts.get(axis, {}).get(name)
            if old is None:
                wrong.append(f"{key}: it is not known what is in force")
                continue
            try:
                change = read_change(axis, name, old, typed, unit_of(name, self._unit(axis)))
            except NoNumber as error:
                wrong.append(str(error))
                continue
            changes += [change] if change is not None else []
        return changes, wrong

    def _edits_shown(self) -> str:
        changes, wrong = self._read_edits()
        return "" if wrong else "\n".join(map(str, changes))

    async def _give(self) -> None:
        changes, _ = self._read_edits()
        typed = dict(self._edits)
        if await self._set(f"set {words(changes)}", changes):
            self._frame.uploads.append(changes)
            for key in [key for key in typed if self._edits.get(key) == typed[key]]:
                del self._edits[key]  # what was typed meanwhile stays
            await self._read()

    def _undo_shown(self) -> str:
        return "\n".join(map(str, self._frame.uploads[-1])) if self._frame.uploads else ""

    async def _take_back(self) -> None:
        uploads = self._frame.uploads
        newest = uploads[-1]
        back = [change.back for change in reversed(newest)]
        if await self._set(f"undo: set {words(back)}", back):
            # Another upload may have ended meanwhile, and the same one may have been undone.
            uploads[:] = [each for each in uploads if each is not newest]
            await self._read()

    async def _set(self, what: str, changes: list[Change]) -> bool:
        order = await self._frame.order(what, lambda: upload(self._frame.link.connected, changes))
        return order.done

    # The file

    def _forget_file(self) -> None:
        self._previewed = None
        self._show()

    async def _preview(self) -> None:
        path = str(self._path.value or "")
        self._previewed = None
        if self._frame.session.viewer:  # of other programs' files it would tell secrets
            self._show("a page that only looks reads no file of the panel's computer")
            return
        if not await self._read():
            return
        try:
            found = await self._compared(path)
        except FileError as error:
            self._which.value = FILE
            self._show(str(error))
            return
        if path == self._path.value:
            self._previewed = path, found
            self._which.value = FILE
            self._show()

    async def _compared(self, path: str) -> list[Difference]:
        return await self._frame.panel.files.run(compare, self._exported, path)

    def _file_shown(self) -> str:
        """What tells what a load of the file does; nothing is loaded but what was previewed."""
        if self._previewed is None:
            return ""
        path, found = self._previewed
        return f"{path} {sha256(repr(found).encode()).hexdigest()[:12]}"

    async def _load_file(self) -> None:
        if self._previewed is None:
            return
        path, before = self._previewed
        machine = self._frame.link.connected
        try:
            self._exported = await asyncio.to_thread(machine.parameters.export)
            now = await self._compared(path)
        except (MachineError, FileError) as error:
            self._forget_file()
            self._show(str(getattr(error, "text", error)))
            return
        if now != before:
            ui.notify(
                "the file, or what is in force, has changed since its preview", type="negative"
            )
            return
        order = await self._frame.order(
            f"load parameters from {path}", lambda: machine.parameters.load(path)
        )
        if order.done and await self._read():
            if taken := in_force(loaded(before), self._texts):
                self._frame.uploads.append(taken)
            self._show(await self._outcome(path, len(before)))

    async def _outcome(self, path: str, number: int) -> str:
        """What came of a load, by what is in force: the node may have another file of this path."""
        try:
            left = unmet(await self._compared(path))
        except FileError as error:
            return f"{path} was loaded; what of it is in force is not known: {error}"
        if left:
            first = f"{left[0].where} {left[0].name} is {left[0].second}"
            return f"{path} was loaded, and {_count(len(left))} of it not in force: {first}"
        return f"{path} is loaded: it changed {_count(number)}"

    # What is shown

    def _show(self, message: str = "") -> None:
        changes, wrong = self._read_edits()
        status = self._frame.link.status
        positions = dict(enumerate(status.command.tolist())) if status is not None else {}
        notes = [f"Not taken: {each}" for each in wrong]
        notes += [f"! {each}" for each in doubts(changes, self._texts, positions)]
        if self._previewed is not None:
            file = loaded(self._previewed[1])
            notes += [f"! The file: {each}" for each in doubts(file, self._texts, positions)]
        self._preview_text.text = "\n".join([*map(str, changes), *notes])
        self._upload.text = f"Upload {len(changes)}" if changes else "Upload"
        self._upload.set_enabled(bool(changes) and not wrong)
        self._discard_button.set_enabled(bool(self._edits))
        self._undo.set_enabled(bool(self._frame.uploads))
        self._load.set_enabled(self._previewed is not None)
        self._save.set_enabled(bool(self._exported))
        for button, shown in (
            (self._upload, self._edits_shown()),
            (self._undo, self._undo_shown()),
            (self._load, self._file_shown()),
        ):
            self._frame.show_on(button, shown)
        self._listed.rows, number = self._rows()
        if message:
            self._message.text = message
        elif self._which.value == FILE and self._previewed is not None:
            self._message.text = f"Loading the file changes {_count(len(self._previewed[1]))}"
        elif self._which.value == FILE:
            self._message.text = "no file is previewed"
        else:
            more = f", the first {MOST_ROWS} are shown: search" if number > MOST_ROWS else ""
            # Other pages and programs change them, and the engine does not tell.
            at = f", in force at {self._read_at}" if self._exported else ""
            self._message.text = f"{_count(number)}{at}{more}"

    def _rows(self) -> tuple[list[Row], int]:
        search = str(self._search.value or "")
        if self._which.value == FILE:
            return file_rows(self._previewed[1] if self._previewed is not None else [], search)
        return element_rows(self._texts, self._edits, self._which.value, search, self._unit)

    def _unit(self, axis: int) -> str:
        actuators = self._frame.link.actuators
        return actuators[axis].unit if axis < len(actuators) else "u"


def _count(number: int) -> str:
    return "1 parameter" if number == 1 else f"{number} parameters"
