"""`wmx replay`: the commands of a recording on the simulated engine, and what differs there."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..recordings.errors import RecordingError
from ..recordings.reading import Recording
from ..recordings.words import clock
from .arguments import positive
from .failures import Exit, Failure, wrong
from .recording import needing_messages, require_whole
from .terminal import Terminal

if TYPE_CHECKING:
    from .comparing import Replay

TOLERANCE = 1e-6


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.epilog = "The exit code is 0 when nothing differs, 1 when something does, or is missing."
    add = parser.add_argument
    add("file", type=Path, help="of the recorder (.mcap, .part), or a program beside its log")
    words = "feedback that is further away differs, u, u/s and %% (default %(default)g)"
    add("--tolerance", type=positive, default=TOLERANCE, metavar="U", help=words)
    parser.set_defaults(run=run_replay)


def run_replay(out: Terminal, options: argparse.Namespace) -> None:
    """Replay, and print what differs; a Failure where something does."""
    if options.file.suffix == ".py":
        _replay_program(out, options.file)
        return
    with needing_messages():
        from .comparing import outline
        from .replaying import replay
    try:
        recording = Recording(options.file, skips=False)
        with out.progress(f"replaying {options.file.name}"):
            found = replay(recording, options.tolerance)
    except RecordingError as error:
        raise wrong(str(error), remedy=_remedy(options.file)) from None
    data = outline(found) | {"cut_off": recording.cut_off}
    out.show(data, lambda: "\n".join(lines_of(found, recording.cut_off)))
    if count := found.differences.count:
        words = f"{counted(count, 'difference')} from {options.file.name}"
        raise Failure(words, shown=True)
    require_whole(recording)


def _replay_program(out: Terminal, program: Path) -> None:
    """Run a program for the vendor's SDK, and compare its log with that of the real engine.

    Such a log has positions and no commands, so that it is replayed by the program that wrote it.
    """
    from wmx_sim.compare.programs import compare

    if not program.is_file():
        raise wrong(f"there is no file {program}")
    with out.progress(program.name):
        outcome = compare(program)
    out.show(
        outcome._asdict(), lambda: f"{program.name}: {outcome.verdict} {outcome.detail}".strip()
    )
    if outcome.verdict == "different":
        raise Failure(f"the log of {program.name} differs", shown=True)
    if outcome.verdict != "equal":
        raise Failure(
            f"the log of {program.name} cannot be compared: {outcome.verdict}",
            remedy="the log that the real engine wrote has to stand beside the program",
            exit_code=Exit.NOT_ASKED,
            shown=True,
        )


def _remedy(path: Path) -> str:
    """Return what helps with a log of the vendor's engine."""
    if path.suffix.lower() not in (".txt", ".log"):
        return ""
    return "wmx replay PROGRAM.py    # a log of the vendor is replayed by the program that wrote it"


def counted(count: int, word: str) -> str:
    """Return a number of things in words."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def lines_of(found: Replay, cut_off: str) -> Iterator[str]:
    """Return what people read."""
    seconds = (found.last - found.first) * 1e-9
    commands = counted(found.commands, "command")
    came = f"{counted(found.refusals, 'refusal')}, {counted(found.ends, 'end')}"
    yield f"replayed {commands} of {seconds:.3f} s from {clock(found.first)}: {came}"
    yield f"{found.equal} of {found.statuses} samples are equal to the last bit"
    if cut_off:
        yield f"the file is not whole, what follows was not replayed: {cut_off}"
    for words in found.left_out:
        yield f"left out: {words}"
    for name, away in found.differences.greatest.items():
        yield f"greatest difference of {name}: {away:.3g}"
    for at, text in found.differences.texts:
        yield f"  {clock(at)}  {text}"
    if left := found.differences.count - len(found.differences.texts):
        yield f"  and {left} more"
