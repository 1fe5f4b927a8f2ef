"""A directory for what the processes of one user share, which no other user can reach."""

import os
import stat
import tempfile
from pathlib import Path


def private_directory(name: str) -> Path:
    """`<name>-<user id>` in the user's runtime directory, made if need be.

    Raises what `require_private` raises.
    """
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    directory = Path(base) / f"{name}-{os.getuid()}"
    require_private(directory)
    return directory


def require_private(directory: Path) -> None:
    """Make `directory` if need be.

    PermissionError unless it is a directory, no link to one, that belongs to this user alone
    (mode 0700): in a directory that all users share, another user may have made it first.
    """
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise PermissionError(f"{directory} must be a directory, no link and no file")
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"{directory} must belong to user {os.getuid()} alone (mode 0700)")
