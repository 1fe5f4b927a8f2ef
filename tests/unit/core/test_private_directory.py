"""The directory of what is shared: the user's own, or none."""

import os
import tempfile
from pathlib import Path

import pytest

from wmx_core.private_directory import private_directory


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the directory is made."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / f"wmx-test-{os.getuid()}"


def test_it_is_made_for_its_user_alone(place: Path) -> None:
    assert private_directory("wmx-test") == place
    assert place.stat().st_mode & 0o777 == 0o700
    assert private_directory("wmx-test") == place


def test_without_a_runtime_directory_it_is_a_temporary_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr(tempfile, "tempdir", str(place.parent))
    assert private_directory("wmx-test") == place


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o770, 0o755])
def test_one_that_others_may_enter_is_refused(place: Path, mode: int) -> None:
    place.mkdir()
    place.chmod(mode)
    with pytest.raises(PermissionError, match="must belong to user"):
        private_directory("wmx-test")


def test_a_link_is_refused(place: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "mine")
    with pytest.raises(PermissionError, match="no link"):
        private_directory("wmx-test")


def test_a_file_is_refused(place: Path) -> None:
    place.write_text("")
    with pytest.raises(OSError, match="wmx-test"):
        private_directory("wmx-test")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a directory away")
def test_one_of_somebody_else_is_refused(place: Path) -> None:
    place.mkdir(mode=0o700)
    os.chown(place, 12345, 12345)
    with pytest.raises(PermissionError, match="must belong to user"):
        private_directory("wmx-test")
