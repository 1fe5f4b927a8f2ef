"""Calls that take seconds and cannot be polled, in a process of their own.

A call of the SDK may hold Python's interpreter for as long as it takes: no other thread of the
process could stop an axis then. What is done here acts on the engine, not on a device: any
device of it will do.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from wmx_core.clock import STEADY
from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.module_command import module_command
from wmx_core.options import DriverOptions

from .engine import WmxEngine
from .loading import load_sdk
from .parameter_files import import_file
from .sdk import Sdk
from .session import SdkSession

WORK: dict[str, Callable[..., Any]] = {
    "scan": lambda session: session.ecat.ScanNetwork(),
    "import": import_file,
}
"""What can be done aside, by its word: a function of a session and of words."""
LONGEST = 120.0
"""How long it may take, s."""

Aside = Callable[..., None]
"""Does the work of a word, with more words, on the engine of a session; or raises its refusal."""


def here(session: SdkSession, word: str, *words: str) -> None:
    """Do it in this process."""
    WORK[word](session, *words)


def in_a_process(options: DriverOptions) -> Aside:
    """What does it in a process of its own, on the engine at the device path of `options`."""

    def run(_session: SdkSession, word: str, *words: str) -> None:
        command = module_command(__name__, options.device_path, word, *words)
        try:
            ended = subprocess.run(
                command,
                stdout=subprocess.PIPE,
                text=True,
                timeout=LONGEST,
                start_new_session=True,  # Ctrl-C is for the nodes: this has to come to its end
                check=False,
            )
        except subprocess.TimeoutExpired:
            detail = f"{word} has not ended within {LONGEST:g} s"
            raise CommandRefused(ErrorCode.WaitTimeout, detail) from None
        try:
            refused = json.loads(ended.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            detail = f"the process for {word} ended with {ended.returncode}"
            raise CommandRefused(ErrorCode.StartProcessFailed, detail) from None
        if refused:
            raise CommandRefused(*refused)

    return run


def main(device_path: str, word: str, *words: str) -> None:
    """Do the work on a device of its own, and print the refusal as the last line.

    What the SDK's libraries print goes to stderr: they may do so when they end, too.
    """
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    options = DriverOptions(device_path=device_path, starts_engine=False)
    refused: list[Any] = []
    try:
        engine = WmxEngine(Sdk(load_sdk(device_path)), options, STEADY)
        engine.create_device(device_path, f"wmx {word}")
        try:
            WORK[word](engine.session(), *words)
        finally:
            with suppress(WmxError):  # what was done, or refused, is the answer
                engine.close_device()
    except WmxError as error:
        refused = [error.code, error.detail, error.name]
    with os.fdopen(answer, "w") as stdout:
        print(json.dumps(refused), file=stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
