"""What a command ends with: its exit code, and what it prints instead of a traceback."""

from enum import IntEnum
from pathlib import Path

from wmx_core.regular_file import read_regular_file

MOST_TEXT = 64 * 2**20
"""Bytes of a file of text."""


class Exit(IntEnum):
    """The exit codes of `wmx`, the same for every verb."""

    DONE = 0
    """It was done; what was asked is so."""
    REFUSED = 1
    """It was refused or it failed; or `explain` and `doctor` found something."""
    NOT_ASKED = 2
    """Nothing was asked: a wrong argument, or no system answers."""
    INTERRUPTED = 130
    """Ctrl-C ended it, as a shell counts it."""
    UNREAD = 141
    """What reads its output has gone, as a shell counts SIGPIPE: not all of it may be done."""


class Failure(Exception):
    """A command cannot go on. `text` has the reason, `remedy` is a command or words that help."""

    def __init__(
        self,
        text: str,
        *,
        remedy: str = "",
        exit_code: Exit = Exit.REFUSED,
        code: int = 0,
        name: str = "",
        shown: bool = False,
    ) -> None:
        """`code` and `name` are those of the engine's error, where it is one.

        `shown`: what was printed before has it, so that JSON gets no second line.
        """
        super().__init__(text)
        self.text = text
        self.remedy = remedy
        self.exit_code = exit_code
        self.code = code
        self.name = name
        self.shown = shown


def text_of(path: Path) -> str:
    """Return the text in a file; a Failure where it cannot be read, is too large, or is no text."""
    try:
        return read_regular_file(str(path.absolute()), MOST_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise wrong(f"{path}: byte {error.start} is 0x{byte:02x}: must be text in UTF-8") from None
    except ValueError as error:
        raise wrong(f"{path}: {error}") from None


def wrong(text: str, remedy: str = "") -> Failure:
    """Return the failure of a user's mistake, before anything was asked."""
    return Failure(text, remedy=remedy, exit_code=Exit.NOT_ASKED)
