"""SDO transfers as a master carries them out: requests are judged, aborts are refusals."""

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.slave_memory import require_object

from .object_dictionary import Abort, SdoAborted
from .slave import HAS_MAILBOX, Slave, SlaveRefused


class Mailbox:
    """The mailbox of `slave`, named `who` in a refusal; it can be reached while `online`."""

    def __init__(self, slave: Slave, who: str, *, online: bool) -> None:
        self._slave = slave
        self._who = who
        self._online = online

    def upload(self, index: int, subindex: int, size: int) -> bytes:
        """Return what an object holds; refused when that is more than `size` bytes."""
        entry = self._entry(index, subindex)
        if size < 1:
            rule = f"size {size} for {entry}: must be at least 1"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
        self._need_mailbox(entry)
        try:
            data = self._slave.dictionary.upload(index, subindex)
        except SdoAborted as aborted:
            raise _refused(entry, aborted.code, "SlaveSdoUploadError") from None
        if len(data) > size:
            rule = f"{entry} has {len(data)} bytes, more than {size}"
            raise CommandRefused(UNNUMBERED, rule, "SlaveActualSizeLargerThanBufferSize")
        return data

    def download(self, index: int, subindex: int, data: bytes) -> None:
        """Write an object."""
        entry = self._entry(index, subindex)
        self._need_mailbox(entry)
        try:
            self._slave.dictionary.download(index, subindex, data)
        except SdoAborted as aborted:
            raise _refused(entry, aborted.code, "SlaveSdoDownloadError") from None

    def _entry(self, index: int, subindex: int) -> str:
        """Return the name of an object in a refusal; itself refused with ArgumentOutOfRange."""
        require_object(index, subindex)
        return f"SDO 0x{index:04X}:{subindex:02X} of {self._who}"

    def _need_mailbox(self, entry: str) -> None:
        if not self._online:
            raise CommandRefused(ErrorCode.WaitTimeout, _aborted(entry, Abort.TIMED_OUT))
        state = self._slave.state
        if state not in HAS_MAILBOX:
            rule = f"{entry}: there is no mailbox in {state.name}"
            raise CommandRefused(UNNUMBERED, rule, "SlaveStateBelowPreop")


def _refused(entry: str, code: Abort, name: str) -> CommandRefused:
    return SlaveRefused(name, _aborted(entry, code), code)


def _aborted(entry: str, code: Abort) -> str:
    return f"{entry}: abort code 0x{code:08X} ({code.name})"
