"""The address of the engine of a device path: a socket that only its user can reach."""

import os
from hashlib import sha256
from pathlib import Path

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.private_directory import private_directory
from wmx_core.values import DEFAULT_DEVICE_PATH

_LONGEST_PATH = 4096
_LONGEST_ADDRESS = 107
"""What Linux allows, in bytes."""


def address_of(device_path: str) -> Path:
    """Return the socket of the engine at `device_path`, in a directory of this user alone.

    CommandRefused for a path that is none, or a directory that other users may enter.
    """
    if "\0" in device_path or len(os.fsencode(device_path)) > _LONGEST_PATH:
        detail = f"a device path must have at most {_LONGEST_PATH} bytes, none of them zero"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    try:
        directory = private_directory("wmx-fake")
    except PermissionError as error:
        raise CommandRefused(ErrorCode.StartProcessFailed, str(error)) from None
    key = os.path.realpath(device_path or DEFAULT_DEVICE_PATH)
    address = directory / f"{sha256(os.fsencode(key)).hexdigest()[:16]}.sock"
    if len(os.fsencode(address)) > _LONGEST_ADDRESS:
        detail = f"{address} is longer than the {_LONGEST_ADDRESS} bytes a socket's path may have"
        raise CommandRefused(ErrorCode.StartProcessFailed, detail)
    return address
