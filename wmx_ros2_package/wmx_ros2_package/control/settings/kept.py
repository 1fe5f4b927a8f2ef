"""The gate asks here whether what clients have set of an axis is lost, which blocks its motion.

The node that sets something records it in a document (`store`) together with the engine's
taking it. The engine node puts it in force on a new engine (`restorer`). What cannot be
put back, such as where zero is, blocks motion of its axes until a client decides: it homes, sets
the position or the mode, loads parameters, or confirms the axes as they are. So does a document
that is lost.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from wmx_core.errors import CommandRefused, ErrorCode, ParameterFileError
from wmx_core.interface import Driver
from wmx_core.parameters.differences import differences, texts_by_group
from wmx_core.parameters.parameter_set import MAX_FILE_BYTES, ParameterSet, read_parameters
from wmx_core.reactions import PositionOutput
from wmx_core.regular_file import read_regular_file
from wmx_core.values import CommandMode, MotionStatus, OperationState

from ..ownership import Ownership
from .comparison import MODE_ELEMENT, close, differing, same, unequal
from .document import Loss, SettingsDocument
from .store import MadeOtherwise, SettingsStore

MOST_NAMED = 5
"""Elements that a refusal names."""
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


class KeptSettings:
    """The settings of the engine that `driver` reaches; any thread may call."""

    def __init__(self, driver: Driver, ownership: Ownership) -> None:
        self._motion = driver.motion
        self._reactions = driver.reactions
        self.store = SettingsStore(ownership)

    # What is blocked

    def losses(self, axes: Iterable[int], status: MotionStatus) -> dict[int, list[Loss]]:
        """Return what blocks those of `axes` that something blocks; homing brings zero back."""
        found = {}
        for axis, lost in self.store.document().lost(axes).items():
            known = axis < status.axes and bool(status.home_done[axis])
            if left := [
                each for each in Loss if each in lost - ({Loss.REFERENCE} if known else set())
            ]:
                found[axis] = left
        return found

    def blocking(self, axes: Sequence[int], *, homing: bool = False) -> CommandRefused | None:
        """Return why `axes` must not move, or None; they may home where zero alone was lost."""
        if not self.store.document().lost(axes):
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
        self.store.change(
            lambda: self._motion.set_command_mode(axis, mode),
            lambda document: document.having(
                axis, Loss.MODE, mode=None if mode is CommandMode.POSITION else mode
            ),
        )

    def set_polarity(self, axis: int, polarity: int) -> None:
        """Choose the positive direction of the axis."""

        def put_back(parameters: ParameterSet) -> None:
            self._motion.set_polarity(axis, parameters.axis(axis).polarity)

        def change() -> None:
            with self._or_put_back(put_back):
                self._motion.set_polarity(axis, polarity)
                self._require_taken(axis, polarity=polarity)

        self.store.change(change, lambda document: document.having(axis, polarity=polarity))

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        """Choose the user unit of the axis."""

        def put_back(parameters: ParameterSet) -> None:
            before = parameters.axis(axis)
            self._motion.set_gear_ratio(
                axis, before.gear_ratio_numerator, before.gear_ratio_denominator
            )

        def change() -> None:
            with self._or_put_back(put_back):
                self._motion.set_gear_ratio(axis, numerator, denominator)
                self._require_taken(
                    axis, gear_ratio_numerator=numerator, gear_ratio_denominator=denominator
                )

        ratio = float(numerator), float(denominator)
        self.store.change(change, lambda document: document.having(axis, gear_ratio=ratio))

    def set_position(self, axis: int, position: float) -> None:
        """Declare where the axis stands."""

        def change() -> None:
            before = self._motion.status()
            try:
                self._motion.set_position(axis, position)
            except CommandRefused as error:
                rested = 0 <= axis < before.axes and before.op_state[axis] == OperationState.IDLE
                if not rested or self._stands_at(axis, before.pos_cmd[axis]):
                    raise  # an axis that moves is elsewhere anyway, and gets no setting
                raise MadeOtherwise(error.code, error.detail, error.name) from error

        self.store.change(
            change, lambda document: document.having(axis, Loss.REFERENCE, reference=True)
        )

    @contextmanager
    def homing(self, axes: Sequence[int]) -> Iterator[None]:
        """Record that `axes` have a reference, which they get by what is begun inside."""
        new = [axis for axis in axes if not self.store.document().of(axis).reference]

        def record(document: SettingsDocument, *, reference: bool) -> SettingsDocument:
            for axis in new:
                document = document.having(axis, reference=reference)
            return document

        self.store.change(lambda: None, lambda document: record(document, reference=True))
        try:
            yield
        except CommandRefused:
            with suppress(CommandRefused):
                self.store.change(lambda: None, lambda document: record(document, reference=False))
            raise

    def set_position_outputs(self, axes: Sequence[int], outputs: Sequence[PositionOutput]) -> None:
        """Have `outputs` in the place of those that `axes` switch."""
        switching = {each.axis for each in outputs}

        def record(document: SettingsDocument) -> SettingsDocument:
            for axis in dict.fromkeys([*axes, *switching]):
                switches = axis in switching
                document = document.having(axis, Loss.POSITION_OUTPUT, position_output=switches)
            return document

        self.store.change(lambda: self._reactions.set_position_outputs(axes, outputs), record)

    def load(self, path: str, *, at_start: bool = False) -> None:
        """Apply a parameter file; one that a node loads `at_start` is not loaded so again."""
        given = wanted = read_parameters(path)
        digests = [_digest(path)] if at_start else []

        def record(document: SettingsDocument) -> SettingsDocument:
            nonlocal wanted
            wanted = given.over(self._in_force())
            return document.loading(given, wanted, digests)

        def change() -> None:
            with self._or_put_back(self._load):
                if wanted is given or self._shows_all_of(wanted, given):
                    self._motion.load_parameters(path)
                else:
                    self._load(wanted)
                if others := differing(wanted, self._motion.parameters(), wanted.axes):
                    detail = f"{path}: axes {sorted(others)} have other parameters after the load"
                    raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)

        self.store.change(change, record)

    def change_parameters(self, path: str) -> None:
        """Give the axes the elements that a file holds; all others stay as they are.

        Refused where an axis has lost parameters, which that would not bring back.
        """
        given = read_parameters(path)
        for where, texts in texts_by_group(given).items():
            if MODE_ELEMENT in texts:
                detail = f"{where}: its mode is not changed so, but by set_mode"
                raise CommandRefused(ErrorCode.ParamOutOfRange, detail)

        def record(document: SettingsDocument) -> SettingsDocument:
            if document.has_lost(Loss.PARAMETERS):
                detail = f"{WORDS[Loss.PARAMETERS]}: load all of them, or confirm those there are"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)
            return document.loading(None, given.changing(self._in_force()), ())

        def change() -> None:
            changed = given.changing(self._in_force())
            with self._or_put_back(self._load):
                self._load(changed)
                in_force = self._motion.parameters()
                if left := [*unequal(changed.of(given.axes), in_force.of(given.axes))]:
                    detail = f"they are other ones after the change: {', '.join(left[:MOST_NAMED])}"
                    raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)

        self.store.change(change, record)

    def is_loaded(self, path: str) -> bool:
        """Whether the file that a node has for its start needs no load.

        It was loaded in the life of this system: what clients have set since is not undone. Or its
        parameters are in force, or it is up to a client what replaces parameters that were lost.
        """
        document, digest = self.store.document(), _digest(path)
        if digest in document.loaded or document.has_lost(Loss.PARAMETERS):
            return True
        given, in_force = read_parameters(path), self._in_force()
        wanted = given.over(in_force)
        shown = self._motion.parameters()
        if not same(wanted, in_force) or any(
            _to_the_last_digit(wanted, axis) != _to_the_last_digit(shown, axis)
            for axis in given.axes
        ):
            return False
        self.store.change(lambda: None, lambda found: found.loading(given, wanted, [digest]))
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

        self.store.change(lambda: None, record)

    def _in_force(self) -> ParameterSet:
        """The parameters in force; what clients have set has digits that engines do not show."""
        in_force = self._motion.parameters()
        kept = self.store.document().over(in_force)
        return kept if same(kept, in_force) else in_force

    @contextmanager
    def _or_put_back(self, put_back: Callable[[ParameterSet], None]) -> Iterator[None]:
        """Put the parameters back that the engine had where what it made of a change is refused."""
        before = self._motion.parameters()
        try:
            yield
        except (CommandRefused, ParameterFileError) as error:  # the latter of what it shows of it
            if self._shows(before):
                raise
            try:
                put_back(before)
                outcome = "what there was before is put back"
            except (CommandRefused, ParameterFileError, OSError) as refused:  # or a disk is full
                outcome = f"what there was before cannot be put back: {refused}"
            detail = f"{error.detail}; {outcome}"
            raise MadeOtherwise(error.code, detail, error.name) from error

    def _shows(self, parameters: ParameterSet) -> bool:
        with suppress(CommandRefused, ParameterFileError):
            return same(parameters, self._motion.parameters())
        return False

    def _stands_at(self, axis: int, position: float) -> bool:
        with suppress(CommandRefused):
            return close(float(self._motion.status().pos_cmd[axis]), position)
        return False

    def _shows_all_of(self, wanted: ParameterSet, given: ParameterSet) -> bool:
        """Whether `given`, laid over what the engine shows, is `wanted` to the last digit."""
        return next(differences(wanted, given.over(self._motion.parameters())), None) is None

    def _load(self, parameters: ParameterSet) -> None:
        with TemporaryDirectory(prefix="wmx") as folder:
            file = Path(folder) / "parameters.xml"
            file.write_text(parameters.to_xml(), encoding="utf-8")
            self._motion.load_parameters(str(file))

    def _require_taken(self, axis: int, **values: float) -> None:
        """Refuse a change that the engine has not made, as it shows its parameters."""
        has = self._motion.parameters().axis(axis)
        for name, value in values.items():
            if not close(getattr(has, name), value):
                detail = f"axis {axis}: {name} is {getattr(has, name)} after it was set to {value}"
                raise CommandRefused(ErrorCode.ParameterSettingsInvalid, detail)


def _to_the_last_digit(parameters: ParameterSet, axis: int) -> tuple[object, ...]:
    """What is the same only where it is equal: another gear ratio makes all positions others."""
    its = parameters.axis(axis)
    return its.command_mode, its.gear_ratio_numerator, its.gear_ratio_denominator


def _digest(path: str) -> str:
    """Return the digest of a parameter file; ParameterFileError where it cannot be read."""
    try:
        return sha256(read_regular_file(path, MAX_FILE_BYTES)).hexdigest()
    except ValueError:
        read_parameters(path)
        raise
