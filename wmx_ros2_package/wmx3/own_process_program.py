"""The program of the process that does one of the calls of `own_process`."""

import json
import sys
from typing import Any

from wmx_core.clock import STEADY
from wmx_core.errors import WmxError
from wmx_core.options import DriverOptions

from .device import WmxEngine
from .loading import load_sdk
from .own_process import WORK
from .sdk import Sdk


def main(device_path: str, word: str, *words: str) -> None:
    """Do the work on a device of its own, and print the refusal as the last line."""
    options = DriverOptions(device_path=device_path, starts_engine=False)
    refused: list[Any] = []
    try:
        engine = WmxEngine(Sdk(load_sdk(device_path)), options, STEADY)
        engine.create_device(device_path, f"wmx {word}")
        try:
            WORK[word](engine.session(), *words)
        finally:
            engine.close_device()
    except WmxError as error:
        refused = [error.code, error.detail, error.name]
    print(json.dumps(refused))


if __name__ == "__main__":
    main(*sys.argv[1:])
