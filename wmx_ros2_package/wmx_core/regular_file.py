"""Reads a file whose path comes from outside: never waits for anything but a disk."""

import os
import stat
from typing import BinaryIO


def read_regular_file(path: str, limit: int) -> bytes:
    """The content of the file at the absolute `path`, at most `limit` bytes.

    ValueError has the reason against reading it: relative, missing, unreadable, a directory or
    device, too large.
    """
    try:
        if not os.path.isabs(path):
            raise ValueError("the path must be absolute")
        with open_regular_file(path) as file:
            _must_fit(os.fstat(file.fileno()).st_size, limit)
            # None is a file of /proc that would have to be waited for.
            data = file.read(limit + 1) or b""
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    _must_fit(len(data), limit)  # the size that a file of /proc shows is none
    return data


def open_regular_file(path: str) -> BinaryIO:
    """Open the file at `path` for reading, which waits for no pipe, socket or device.

    ValueError where it is no regular file, OSError where it cannot be opened.
    """
    # Looked at before it is opened, because opening a device can already act on it.
    _must_be_regular(os.stat(path))
    return open(path, "rb", opener=open_without_waiting)


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file as an `opener` of `open` does; ValueError where it is no regular file."""
    file = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, 0o666)
    try:
        _must_be_regular(os.fstat(file))
    except ValueError:
        os.close(file)
        raise
    return file


def _must_fit(size: int, limit: int) -> None:
    if size > limit:
        raise ValueError(f"larger than {limit // 2**20} MiB")


def _must_be_regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ValueError("is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("must be a regular file")
