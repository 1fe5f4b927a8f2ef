"""What the engine node does with what clients have set: a new engine has it before anything moves.

A new engine is compared with the document by reading back, and what differs is put in force. What
cannot be put back is lost in the document, and blocks motion (`kept`).
"""

from contextlib import suppress
from dataclasses import replace

from wmx_core.errors import CommandRefused, ParameterFileError
from wmx_core.interface import Driver
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import CommandMode, MotionStatus, OperationState

from .comparison import differing, same
from .document import Loss, SettingsDocument
from .store import SettingsStore


class SettingsRestorer:
    """Keeps the engine that `driver` reaches and the document of `store` the same."""

    def __init__(self, driver: Driver, store: SettingsStore) -> None:
        self._motion = driver.motion
        self._store = store
        self._not_in_force: tuple[int, frozenset[int]] = 0, frozenset()
        """The axes whose mode was another one when they were looked at last, and the revision."""

    def restore(self, *, new: bool) -> SettingsDocument:
        """Put in force what the engine has not, and return the document.

        `new` is an engine whose communication has just been started: what ends with that is lost.
        """
        return self._store.restore(lambda document: self._put_back(document, new=new))

    def restore_parameters(self) -> None:
        """Put in force what parameters the engine takes before it communicates.

        So its axes never are in a network with its defaults. `restore` judges what it has taken.
        It is given every digit here, for a new one may have others that it does not show.
        """

        def put_back(document: SettingsDocument) -> SettingsDocument:
            self._put_back_parameters(document, exactly=True)
            return document

        self._store.restore(put_back, recorded=False)

    def _put_back(self, document: SettingsDocument, *, new: bool) -> SettingsDocument:
        status = self._motion.status()
        wanted, is_new = self._put_back_parameters(document)
        if is_new:
            in_force = self._motion.parameters()
            axes = [axis for axis in range(status.axes) if axis in in_force.axes]
            for axis in differing(wanted, in_force, axes):
                document = document.losing(axis, Loss.PARAMETERS)
        for axis, own in document.axes.items() if new else ():
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
        path = self._store.path
        assert path is not None
        file = path.with_name(f"{path.name}.xml")
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
            for axis, own in document.axes.items():
                homed = axis < status.axes and bool(status.home_done[axis])
                document = document.with_axis(
                    axis, replace(own, position_output=False, reference=own.reference and homed)
                )
            return document

        self._store.change(lambda: None, record)

    def tend(self, status: MotionStatus) -> None:
        """Record what has changed without a client, and repair a document that is damaged.

        To be called once a second, of an engine that is ready.
        """
        document = self._store.document()
        if not document.revision:
            return
        self._store.repair()
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
        before, self._not_in_force = self._not_in_force, (document.revision, frozenset(modes))
        left = modes & before[1] if before[0] == document.revision else set()
        if not (left or homed):
            return

        def record(document: SettingsDocument) -> SettingsDocument:
            for axis in left:
                document = document.having(axis, mode=None)
            for axis in homed:
                document = document.having(axis, Loss.REFERENCE, reference=True)
            return document

        self._store.change(lambda: None, record)
