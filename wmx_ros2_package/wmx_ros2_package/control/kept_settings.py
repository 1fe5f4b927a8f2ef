"""What clients have set outlives the engine: it is in force again before anything may move.

The node that sets something records it in the document beside the axis file (`settings_document`),
together with the engine's taking it. The engine node compares a new engine with the document by
reading back, and puts in force what differs. What cannot be put back, such as where zero is,
blocks motion of its axes until a client decides: it homes, sets the position or the mode, loads
parameters, or confirms the axes as they are. So does a document that is lost.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from wmx_core.errors import CommandRefused, ErrorCode, ParameterFileError
from wmx_core.interface import Driver
from wmx_core.parameters.differences import texts_by_group
from wmx_core.parameters.parameter_set import MAX_FILE_BYTES, ParameterSet, read_parameters
from wmx_core.reactions import PositionOutput
from wmx_core.regular_file import read_regular_file
from wmx_core.values import CommandMode, MotionStatus, OperationState

from .ownership import Ownership
from .settings_comparison import MODE_ELEMENT, close, differing, same, unequal
from .settings_document import (
    Loss,
    SettingsDocument,
    everything_lost,
    prepare,
    read_document,
)
from .shared_axis_file import SharedAxisFile

LOCK_TIMEOUT = 2.0
"""How long another node may take to set something, s: it takes some milliseconds."""
MOST_NAMED = 5
"""Elements that a refusal names."""
_RETRY_PERIOD = 0.002
_CODES = {
    Loss.PARAMETERS: ErrorCode.ParameterSettingsInvalid,
    Loss.MODE: ErrorCode.ParameterSettingsInvalid,
    Loss.REFERENCE: ErrorCode.NotHomeState,
    Loss.POSITION_OUTPUT: ErrorCode.ParameterSettingsInvalid,
}
WORDS = {
    Loss.PARAMETERS: "what clients have set of its parameters was lost",
    Loss.MODE: "its command mode was lost with the engine",
    Loss.REFERENCE: "its reference was lost with the engine: its positions are other places now",
    Loss.POSITION_OUTPUT: "the output that it switches was lost with the engine",
}

Record = Callable[[SettingsDocument], SettingsDocument]
"""What a document becomes by a change."""


class KeptSettings:
    """The settings of the engine that `driver` reaches; any thread may call."""

    def __init__(self, driver: Driver, ownership: Ownership) -> None:
        self._motion = driver.motion
        self._reactions = driver.reactions
        self._ownership = ownership
        self._changing = threading.RLock()
        """Held while a setting is given to the engine and recorded."""
        self._known = SettingsDocument()
        """The newest document that was read or written here."""
        self._seen: tuple[int, ...] = ()
        """What shows that the document in its place is the one that was read last."""
        self._not_in_force: tuple[int, frozenset[int]] = 0, frozenset()
        """The axes whose mode was another one when they were looked at last, and the revision."""

    # What is blocked

    def document(self) -> SettingsDocument:
        """Return the newest document; one that cannot be read is one that has lost everything."""
        file = self._ownership.file
        revision = 0 if file is None else file.settings_revision
        if file is None or not revision:
            return SettingsDocument()
        if self._known.revision != revision:
            if (read := _read(file, revision)) is None:
                return everything_lost(revision)
            self._known = read
        return self._known

    def losses(self, axes: Iterable[int], status: MotionStatus) -> dict[int, list[Loss]]:
        """Return what blocks those of `axes` that something blocks; homing brings zero back."""
        found = {}
        for axis, lost in self.document().lost(axes).items():
            known = axis < status.axes and bool(status.home_done[axis])
            if left := [
                each for each in Loss if each in lost - ({Loss.REFERENCE} if known else set())
            ]:
                found[axis] = left
        return found

    def blocking(self, axes: Sequence[int], *, homing: bool = False) -> CommandRefused | None:
        """Return why `axes` must not move, or None; they may home where zero alone was lost."""
        if not self.document().lost(axes):
            return None
        for axis, lost in self.losses(axes, self._motion.status()).items():
            for loss in lost:
                if not (homing and loss is Loss.REFERENCE):
                    return CommandRefused(_CODES[loss], f"axis {axis}: {WORDS[loss]}")
        return None

    def require_kept(self, axes: Sequence[int], *, homing: bool = False) -> None:
        """Refuse motion of axes that `blocking` blocks."""
        if (refused := self.blocking(axes, homing=homing)) is not None:
            raise refused

    # Changes by clients, which are refused as the engine refuses them

    def set_mode(self, axis: int, mode: CommandMode) -> None:
        """Choose what commands the axis."""
        self._change(
            lambda: self._motion.set_command_mode(axis, mode),
            lambda document: document.having(
                axis, Loss.MODE, mode=None if mode is CommandMode.POSITION else mode
            ),
        )

    def set_polarity(self, axis: int, polarity: int) -> None:
        """Choose the positive direction of the axis."""

        def change() -> None:
            self._motion.set_polarity(axis, polarity)
            self._require_taken(axis, polarity=polarity)

        self._change(change, lambda document: document.having(axis, polarity=polarity))

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        """Choose the user unit of the axis."""

        def change() -> None:
            self._motion.set_gear_ratio(axis, numerator, denominator)
            self._require_taken(
                axis, gear_ratio_numerator=numerator, gear_ratio_denominator=denominator
            )

        ratio = float(numerator), float(denominator)
        self._change(change, lambda document: document.having(axis, gear_ratio=ratio))

    def set_position(self, axis: int, position: float) -> None:
        """Declare where the axis stands."""
        self._change(
            lambda: self._motion.set_position(axis, position),
            lambda document: document.having(axis, Loss.REFERENCE, reference=True),
        )

    @contextmanager
    def homing(self, axes: Sequence[int]) -> Iterator[None]:
        """Record that `axes` have a reference, which they get by what is begun inside."""
        new = [axis for axis in axes if not self.document().of(axis).reference]

        def record(document: SettingsDocument, *, reference: bool) -> SettingsDocument:
            for axis in new:
                document = document.having(axis, reference=reference)
            return document

        self._change(lambda: None, lambda document: record(document, reference=True))
        try:
            yield
        except CommandRefused:
            with suppress(CommandRefused):
                self._change(lambda: None, lambda document: record(document, reference=False))
            raise

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        """Have `outputs` in the place of those that `axes` switch."""
        switching = {each.axis for each in outputs}

        def record(document: SettingsDocument) -> SettingsDocument:
            for axis in dict.fromkeys([*axes, *switching]):
                switches = axis in switching
                document = document.having(axis, Loss.POSITION_OUTPUT, position_output=switches)
            return document

        self._change(lambda: self._reactions.set_position_outputs(axes, outputs), record)

    def load(self, path: str, *, at_start: bool = False) -> None:
        """Apply a parameter file; one that a node loads `at_start` is not loaded so again."""
        given = wanted = read_parameters(path)
        digests = [_digest(path)] if at_start else []

        def record(document: SettingsDocument) -> SettingsDocument:
            nonlocal wanted
            wanted = given.over(self._motion.parameters())
            return document.loading(given, wanted, digests)

        def change() -> None:
            self._motion.load_parameters(path)
            if others := differing(wanted, self._motion.parameters(), given.axes):
                detail = f"{path}: axes {sorted(others)} have other parameters after the load"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)

        self._change(change, record)

    def change_parameters(self, path: str) -> None:
        """Give the axes the elements that a file holds; all others stay as they are.

        Refused where an axis has lost parameters, which that would not bring back.
        """
        given = read_parameters(path)
        for where, texts in texts_by_group(given).items():
            if MODE_ELEMENT in texts:
                detail = f"{where}: its mode is not changed so, but by set_mode"
                raise CommandRefused(ErrorCode.ParamOutOfRange, detail)

        def wanted() -> ParameterSet:
            # What clients have set has more digits than the engine may show of it.
            in_force = self._motion.parameters()
            kept = self.document().over(in_force)
            return given.changing(kept if same(kept, in_force) else in_force)

        def record(document: SettingsDocument) -> SettingsDocument:
            if document.has_lost(Loss.PARAMETERS):
                detail = f"{WORDS[Loss.PARAMETERS]}: load all of them, or confirm those there are"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)
            return document.loading(None, wanted(), ())

        def change() -> None:
            changed = wanted()
            with TemporaryDirectory(prefix="wmx") as folder:
                file = Path(folder) / "parameters.xml"
                file.write_text(changed.to_xml(), encoding="utf-8")
                self._motion.load_parameters(str(file))
            in_force = self._motion.parameters()
            if left := [*unequal(changed.of(given.axes), in_force.of(given.axes))]:
                detail = f"they are other ones after the change: {', '.join(left[:MOST_NAMED])}"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)

        self._change(change, record)

    def is_loaded(self, path: str) -> bool:
        """Whether the file that a node has for its start needs no load.

        It was loaded in the life of this system: what clients have set since is not undone. Or its
        parameters are in force, or it is up to a client what replaces parameters that were lost.
        """
        document, digest = self.document(), _digest(path)
        if digest in document.loaded or document.has_lost(Loss.PARAMETERS):
            return True
        given, in_force = read_parameters(path), self._motion.parameters()
        if given.over(in_force) != in_force:
            return False
        self._change(lambda: None, lambda found: found.loading(given, in_force, [digest]))
        return True

    def confirm(self, axes: Sequence[int]) -> None:
        """Let the axes be as they are: nothing of them is lost any more."""
        status = self._motion.status()
        for axis in axes:
            if not 0 <= axis < status.axes:
                detail = f"axis {axis}: must be 0 to {status.axes - 1}"
                raise CommandRefused(ErrorCode.AxisOutOfRange, detail)

        def record(document: SettingsDocument) -> SettingsDocument:
            lost = document.lost(axes)
            if any(Loss.PARAMETERS in each for each in lost.values()):
                in_force = self._motion.parameters()
                document = document.loading(None, in_force, ())
            for axis, losses in lost.items():
                changes: dict[str, object] = {"reference": bool(status.home_done[axis])}
                if Loss.MODE in losses:
                    changes["mode"] = None
                if Loss.POSITION_OUTPUT in losses:
                    changes["position_output"] = False
                document = document.having(axis, *Loss, **changes)
            return document

        self._change(lambda: None, record)

    # What the engine node does

    def restore(self, *, new: bool) -> SettingsDocument:
        """Put in force what the engine has not, and return the document.

        `new` is an engine whose communication has just been started: what ends with that is lost.
        """
        if (file := self._ownership.file) is None:
            return SettingsDocument()
        with self._writing(file):
            found = self._found(file)
            kept = found if found.says_nothing else self._put_back(found, new=new)
            if kept != found or not kept.revision == self._known.revision == file.settings_revision:
                self._write(file, kept)
            return kept

    def restore_parameters(self) -> None:
        """Put in force what parameters the engine takes before it communicates.

        So its axes never are in a network with its defaults. `restore` judges what it has taken.
        It is given every digit here, for a new one may have others that it does not show.
        """
        if (file := self._ownership.file) is None:
            return
        with self._writing(file):
            if not (found := self._found(file)).says_nothing:
                self._put_back_parameters(found, exactly=True)

    def _found(self, file: SharedAxisFile) -> SettingsDocument:
        """Return the newest document, also where the axis file is a new one."""
        if file.settings_revision or not os.path.lexists(file.settings_path):
            self._known = self._known if file.settings_revision else SettingsDocument()
            return self.document()
        return _read(file, 0) or everything_lost(0)

    def _put_back(self, document: SettingsDocument, *, new: bool) -> SettingsDocument:
        status = self._motion.status()
        wanted, is_new = self._put_back_parameters(document)
        if is_new:
            in_force = self._motion.parameters()
            axes = [axis for axis in range(status.axes) if axis in in_force.axes]
            for axis in differing(wanted, in_force, axes):
                document = document.losing(axis, Loss.PARAMETERS)
        for axis, own in dict(document.axes).items() if new else ():
            if axis >= status.axes:
                continue
            if own.mode is not None and not self._put_back_mode(axis, own.mode, status):
                document = document.losing(axis, Loss.MODE)
            if own.reference and not status.home_done[axis]:
                document = document.losing(axis, Loss.REFERENCE)
            if own.position_output:
                document = document.losing(axis, Loss.POSITION_OUTPUT)
        return document

    def _put_back_parameters(
        self, document: SettingsDocument, *, exactly: bool = False
    ) -> tuple[ParameterSet, bool]:
        """Return those that are wanted, and whether they had to be given to the engine."""
        in_force = self._motion.parameters()
        wanted = document.over(in_force)
        if wanted == in_force or (not exactly and same(wanted, in_force)):
            return wanted, False
        with suppress(CommandRefused, ParameterFileError, OSError):
            self._load_text(wanted)
        return wanted, True

    def _load_text(self, wanted: ParameterSet) -> None:
        assert self._ownership.file is not None
        path = self._ownership.file.settings_path
        file = path.with_name(f"{path.name}.xml")
        file.unlink(missing_ok=True)
        file.write_text(wanted.to_xml(), encoding="utf-8")
        try:
            self._motion.load_parameters(str(file))
        finally:
            file.unlink(missing_ok=True)

    def _put_back_mode(self, axis: int, mode: CommandMode, status: MotionStatus) -> bool:
        """Whether the axis has `mode`. Torque mode, in which nothing holds it, is not put back."""
        if status.command_mode[axis] == mode:
            return True
        if mode is CommandMode.VELOCITY:
            with suppress(CommandRefused):
                self._motion.set_command_mode(axis, mode)
                return True
        return False

    def forget_ended(self, status: MotionStatus) -> None:
        """Forget what ends with communication: it was stopped, and the engine lives."""

        def record(document: SettingsDocument) -> SettingsDocument:
            for axis, own in dict(document.axes).items():
                homed = axis < status.axes and bool(status.home_done[axis])
                document = document.with_axis(
                    axis, replace(own, position_output=False, reference=own.reference and homed)
                )
            return document

        self._change(lambda: None, record)

    def tend(self, status: MotionStatus) -> None:
        """Record what has changed without a client, and repair a document that is damaged.

        To be called once a second, of an engine that is ready.
        """
        if (file := self._ownership.file) is None or not file.settings_revision:
            return
        document = self.document()
        self.repair()
        modes = {
            axis
            for axis, own in document.axes.items()
            if own.mode is not None
            and Loss.MODE not in own.lost
            and axis < status.axes
            and status.op_state[axis] == OperationState.IDLE
            and status.command_mode[axis] == CommandMode.POSITION
        }
        homed = [
            axis
            for axis, own in document.axes.items()
            if Loss.REFERENCE in own.lost and axis < status.axes and status.home_done[axis]
        ]
        # A mode that is not in force may be on its way: it counts the second time.
        before, self._not_in_force = (
            self._not_in_force,
            (document.revision, frozenset(modes)),
        )
        left = modes & before[1] if before[0] == document.revision else set()
        if not (left or homed):
            return

        def record(document: SettingsDocument) -> SettingsDocument:
            for axis in left:
                document = document.having(axis, mode=None)
            for axis in homed:
                document = document.having(axis, Loss.REFERENCE, reference=True)
            return document

        self._change(lambda: None, record)

    def repair(self) -> None:
        """Write the document again that is in force, where another one is in its place, or none.

        The node that has recorded it knows it, and so does each one that has read it. To be called
        once a second; nothing is waited for.
        """
        file, known = self._ownership.file, self._known
        if file is None or not known.revision or known.revision != file.settings_revision:
            return
        with suppress(OSError, ValueError):
            found = os.lstat(file.settings_path)
            seen = found.st_ino, found.st_mtime_ns, found.st_size, known.revision
            if seen == self._seen:
                return
            if read_document(file.settings_path).revision >= known.revision:
                self._seen = seen
                return
        if not self._changing.acquire(blocking=False):
            return
        try:
            if file.lock_settings():
                with suppress(OSError):
                    if file.settings_revision == known.revision:
                        os.replace(prepare(file.settings_path, known), file.settings_path)
                file.unlock_settings()
        finally:
            self._changing.release()

    # The document

    def _change(self, change: Callable[[], None], record: Record) -> None:
        """Make a `change` of the engine and record it; what is refused is not recorded.

        The document is written before, and put in its place after: a disk that is full refuses.
        """
        if (file := self._ownership.file) is None:
            change()
            return
        with self._writing(file):
            before = self.document()
            after = record(before)
            if after == before:
                change()
                return
            after = replace(after, revision=_next(before))
            try:
                prepared = prepare(file.settings_path, after)
            except OSError as error:
                raise _not_kept(error) from error
            try:
                change()
            except BaseException:
                prepared.unlink(missing_ok=True)
                raise
            os.replace(prepared, file.settings_path)
            self._know(file, after)

    def _write(self, file: SharedAxisFile, document: SettingsDocument) -> None:
        document = replace(document, revision=_next(document))
        try:
            os.replace(prepare(file.settings_path, document), file.settings_path)
        except OSError as error:
            raise _not_kept(error) from error
        self._know(file, document)

    def _know(self, file: SharedAxisFile, document: SettingsDocument) -> None:
        self._known = document
        file.settings_revision = document.revision

    @contextmanager
    def _writing(self, file: SharedAxisFile) -> Iterator[None]:
        """Let no other thread or node change the document; refused where one does for long."""
        with self._changing:
            deadline = time.monotonic() + LOCK_TIMEOUT
            while not file.lock_settings():
                if time.monotonic() > deadline:
                    detail = f"another node sets something for {LOCK_TIMEOUT:g} s already"
                    raise CommandRefused(ErrorCode.ResourceInUse, detail)
                time.sleep(_RETRY_PERIOD)
            try:
                yield
            finally:
                file.unlock_settings()

    def _require_taken(self, axis: int, **values: float) -> None:
        """Refuse a change that the engine has not made, as it shows its parameters."""
        has = self._motion.parameters().axis(axis)
        for name, value in values.items():
            if not close(getattr(has, name), value):
                detail = f"axis {axis}: {name} is {getattr(has, name)} after it was set to {value}"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)


def _read(file: SharedAxisFile, revision: int) -> SettingsDocument | None:
    """The document of a file; None where there is none that is new enough."""
    try:
        document = read_document(file.settings_path)
    except ValueError:
        return None
    if document.revision < revision:
        return None
    if document.revision > revision > 0:  # who wrote it died before the file had its revision
        file.settings_revision = document.revision
    return document


def _not_kept(error: OSError) -> CommandRefused:
    return CommandRefused(ErrorCode.FileOperationFailed, f"settings cannot be kept: {error}")


def _next(document: SettingsDocument) -> int:
    """A revision that no document of another system has had."""
    return max(document.revision + 1, time.monotonic_ns())


def _digest(path: str) -> str:
    """That of a parameter file; ParameterFileError where it cannot be read."""
    try:
        return sha256(read_regular_file(path, MAX_FILE_BYTES)).hexdigest()
    except ValueError:
        read_parameters(path)
        raise
