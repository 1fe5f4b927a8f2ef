"""Files that programs name: parameters out and in, by paths of this machine and of another."""

from pathlib import Path
from typing import Any

import pytest

from wmx_core.errors import CommandRefused
from wmx_sim.sdk.runtime import Runtime

FILE_OPERATION_FAILED = 1562
ELSEWHERE = ["C:\\temp\\x.xml", "C:/temp/x.xml", "\\\\server\\share\\x.xml"]


@pytest.fixture
def config(sdk: Any, api: Any, runtime: Runtime, tmp_path: Path) -> Any:
    runtime.folder = tmp_path
    return sdk.CoreMotion(api).config


@pytest.mark.parametrize("path", ELSEWHERE)
def test_a_path_of_another_machine_is_a_file_in_the_folder_of_the_logs(
    config: Any, tmp_path: Path, path: str, reported: list[str]
) -> None:
    assert config.GetAndExportAll(path) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["x.xml"]
    assert config.ImportAndSetAll(path)[0] == 0
    assert reported == [], "it is there, and loaded"


def test_a_file_of_another_machine_that_is_not_here_is_reported_once(
    config: Any, reported: list[str]
) -> None:
    for _ in range(2):
        assert config.ImportAndSetAll("C:\\temp\\x.xml")[0] == 0
    (line,) = reported
    assert "the parameters of C:\\temp\\x.xml are not loaded" in line


def test_a_path_of_this_machine_is_taken_as_it_is(config: Any, tmp_path: Path) -> None:
    path = tmp_path / "own" / "x.xml"
    assert config.GetAndExportAll(str(path)) == FILE_OPERATION_FAILED, "no such folder"
    assert config.GetAndExportAll("a\0b") == FILE_OPERATION_FAILED
    path.parent.mkdir()
    assert config.GetAndExportAll(str(path)) == 0
    assert config.ImportAndSetAll(str(path))[0] == 0


def test_a_file_of_this_machine_that_is_not_there(config: Any, reported: list[str]) -> None:
    assert config.ImportAndSetAll("/nonexistent.xml")[0] == FILE_OPERATION_FAILED
    assert reported == []


@pytest.fixture
def logs(sdk: Any, api: Any, runtime: Runtime, tmp_path: Path) -> Any:
    """Two channels that are on; the folder of the first is not there."""
    logs = sdk.Log(api)
    for channel, folder in enumerate((tmp_path / "missing", tmp_path)):
        runtime.folder, path = folder, sdk.LogFilePath()
        path.fileName = f"{channel}.txt"
        assert (logs.SetLogFilePath(channel, path), logs.StartLog(channel)) == (0, 0)
    return logs


def test_a_log_that_cannot_be_written_is_answered(logs: Any, tmp_path: Path) -> None:
    assert (logs.StopLog(0), logs.StopLog(1)) == (FILE_OPERATION_FAILED, 0)
    assert [each.name for each in tmp_path.iterdir()] == ["1.txt"]


def test_a_log_that_cannot_be_written_at_the_end_takes_no_other_along(
    logs: Any, runtime: Runtime, tmp_path: Path
) -> None:
    with pytest.raises(CommandRefused, match=r"missing/0\.txt is not written"):
        runtime.close()
    assert [each.name for each in tmp_path.iterdir()] == ["1.txt"]


def test_the_name_of_a_log_may_be_a_path_of_another_machine(
    sdk: Any, api: Any, runtime: Runtime, tmp_path: Path
) -> None:
    runtime.folder = tmp_path
    path = sdk.LogFilePath()
    path.fileName = "D:\\logs\\log.txt"
    log = sdk.Log(api)
    answers = [log.SetLogFilePath(0, path), log.StartLog(0), log.StopLog(0)]
    assert answers == [0, 0, 0]
    assert [each.name for each in tmp_path.iterdir()] == ["log.txt"]
