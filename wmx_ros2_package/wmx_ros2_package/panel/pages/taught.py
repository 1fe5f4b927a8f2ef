"""Positions of the joints that were taught under names: kept, gone to, renamed and deleted."""

from __future__ import annotations

from asyncio import Lock

from nicegui import ui

from ...client import Motion
from ...trajectories.point_files import Trajectory
from ...trajectories.taught_positions import Place, TaughtPositions, read_taught
from ..description import numbers_of
from ..file_reader import FileError
from ..foreseen import foresee
from ..frame import Frame
from ..joint_targets import JointsNotReady, joints_in, move_of_joints
from ..numbers import NoNumber, number_text
from ..trajectories import follow, require_start
from .number_field import share_field

PERIOD = 2.0
"""How often the file is read, s: another panel may have changed it."""
NONE_CHOSEN = "no position is chosen"


def taught(frame: Frame) -> None:
    """Make the part of the page."""
    _Taught(frame)


class _Taught:
    """The part of one page."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._server = frame.link.joints
        units = {actuator.name: actuator.unit for actuator in frame.link.actuators}
        self._joints = {name: units.get(name, "?") for name in self._server["joint_name"]}
        self._file = TaughtPositions(frame.panel.positions, self._joints)
        self._reading = Lock()
        """What is shown is what was read last, not what began to be read before a change."""
        self._known: dict[str, Place] = {}
        self._wrong = ""
        """Why the file is not read."""
        ui.label("Taught positions").classes("text-h6")
        with ui.row().classes("items-center w-full no-wrap gap-2"):
            self._name = ui.input("Name").classes("w-44").props("id=taught-name maxlength=40")
            save = ui.button("Save where it is", icon="save")
        with ui.row().classes("items-center w-full no-wrap gap-2"):
            self._chosen = ui.select([], label="Position").classes("w-44").props("id=taught")
            self._share = share_field("taught positions")
        with ui.row().classes("items-center w-full gap-2"):
            go = ui.button("Go ...", icon="play_arrow")
            rename = ui.button("Rename to the name above").props("outline")
            delete = ui.button("Delete ...").props("outline")
        self._of_one = go, rename, delete
        for button in self._of_one:
            button.disable()  # until a position is chosen
        self._shown = (
            ui.label(NONE_CHOSEN).classes("tool-said").props("id=taught-place role=status")
        )
        frame.on_click(save, self._save)
        frame.on_click(go, self._go)
        frame.on_click(rename, self._rename)
        frame.on_click(delete, self._delete)
        self._chosen.on_value_change(self._show)
        ui.timer(PERIOD, self._read)

    async def _read(self) -> None:
        async with self._reading:
            await self._read_alone()

    async def _read_alone(self) -> None:
        files = self._frame.panel.files
        try:
            found, wrong = await files.run(read_taught, self._file.path, self._joints), ""
        except FileError as error:
            found, wrong = {}, str(error)
        if self._shown.is_deleted or (found, wrong) == (self._known, self._wrong):
            return
        self._known, self._wrong = found, wrong
        name = self._chosen.value or self._frame.taught
        self._chosen.set_options(list(found), value=name if name in found else None)
        self._show()

    def _choose(self, name: str) -> None:
        if name in self._known:  # another panel may have deleted it
            self._chosen.value = name

    def _show(self) -> None:
        self._frame.taught = str(self._chosen.value or "")
        place = self._known.get(self._frame.taught)
        for button in self._of_one:
            button.set_enabled(place is not None)
        self._shown.text = self._wrong or (NONE_CHOSEN if place is None else self._words(place))

    def _words(self, place: Place) -> str:
        return ", ".join(
            f"{joint} {number_text(at)} {self._joints[joint]}" for joint, at in place.items()
        )

    def _one(self) -> tuple[str, Place]:
        """What is chosen; NoNumber, which is shown, where nothing is."""
        name = str(self._chosen.value or "")
        if name not in self._known:
            raise NoNumber(self._wrong or f"{NONE_CHOSEN}: choose one first")
        return name, self._known[name]

    async def _save(self) -> None:
        name = str(self._name.value or "").strip()

        def save() -> None:
            self._file.save(name, self._measured())

        if (await self._frame.order(f"teach the position {name!r}", save)).done:
            await self._read()
            self._choose(name)

    def _measured(self) -> Place:
        """Where the joints are measured to be; JointsNotReady while one moves or is not known."""
        status = self._frame.link.status
        numbers = numbers_of(self._frame.link.actuators)
        if status is None or not {*self._joints} <= {*numbers}:
            raise JointsNotReady("it is not known where the joints are")
        if busy := [name for name in self._joints if not status.at_rest[numbers[name]]]:
            raise JointsNotReady(f"{', '.join(busy)} moves: wait until it rests")
        return {name: float(status.position[numbers[name]]) for name in self._joints}

    async def _rename(self) -> None:
        name, _ = self._one()
        new = str(self._name.value or "").strip()
        what = f"rename the position {name!r} to {new!r}"
        if (await self._frame.order(what, lambda: self._file.rename(name, new))).done:
            await self._read()
            self._choose(new)

    async def _delete(self) -> None:
        name, place = self._one()
        self._frame.confirm(
            f"Forget the position {name!r}: {self._words(place)}?",
            "Delete it",
            f"delete the position {name!r}",
            lambda: self._file.delete(name, place),
        )

    async def _go(self) -> None:
        name, place = self._one()
        try:
            move = self._way_to(place)
        except ValueError as error:
            raise NoNumber(f"{name}: {error}") from None
        ways = "\n".join(
            f"{joint}: {start:.4f} to {end:.4f} {self._joints[joint]}"
            for joint, start, end in zip(
                move.joints, move.positions[0], move.positions[-1], strict=True
            )
            if start != end
        )

        record = self._frame.link.pause
        speed = record.speed

        def go() -> Motion:
            self._file.require(name, place)
            if record.speed != speed:
                raise JointsNotReady("the speed is another one than was shown: ask again")
            return self._follow(move)

        within = record.lasts(move.duration)
        self._frame.confirm(
            f"The joints move to {name!r}, all at once, within {within}:\n{ways}",
            "Move",
            f"move to the position {name!r}",
            go,
        )

    def _way_to(self, place: Place) -> Trajectory:
        """The move from where the joints are; ValueError with the joint and what is against it."""
        share = self._share.read() / 100.0
        velocities = [(limit or 1.0) * share for limit in self._server["velocity_limit"]]
        now, moving = self._now()
        move = move_of_joints(list(self._joints), place, now, moving, velocities)
        if reasons := foresee(move, self._server).reasons:
            raise ValueError("; ".join(reasons))
        return move

    def _now(self) -> tuple[dict[str, float], list[str]]:
        """Where the joints are, and which of them move, by one status."""
        return joints_in(self._frame.link.actuators, self._frame.link.status)

    def _follow(self, move: Trajectory) -> Motion:
        """Follow a move that was shown, if it is still from where the joints are."""
        checked = require_start(move, *self._now())
        return follow(self._frame.link.connected, self._server, checked)
