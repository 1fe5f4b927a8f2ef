"""Files that programs name: a path of this machine is taken as it is, one of another is not."""

from pathlib import Path, PureWindowsPath


def is_foreign(path: str) -> bool:
    """Whether `path` is one of another machine, with a drive or backslashes."""
    return "\\" in path or bool(PureWindowsPath(path).drive)


def here(path: str, folder: Path = Path()) -> Path:
    """Where the file is on this machine: of a path of another one, by its name in `folder`."""
    return folder / PureWindowsPath(path).name if is_foreign(path) else Path(path)
