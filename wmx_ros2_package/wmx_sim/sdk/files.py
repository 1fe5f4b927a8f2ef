"""Files that programs name: a path of this machine is taken as it is, one of another is not."""

from pathlib import Path, PureWindowsPath


def is_foreign(path: str) -> bool:
    """Return whether `path` is one of another machine, with a drive or backslashes."""
    return "\\" in path or bool(PureWindowsPath(path).drive)


def here(path: str, folder: Path = Path()) -> Path:
    """Return the file on this machine; one of another machine by its name in `folder`."""
    return folder / PureWindowsPath(path).name if is_foreign(path) else Path(path)
