"""Calls that take seconds, in a process of their own: no stop waits behind them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wmx3.own_process import in_a_process
from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.options import DriverOptions

TESTS = Path(__file__).resolve().parent
PROGRAM = """
import json, pathlib, sys
import shared_sdk
from wmx_core.errors import WmxError
from wmx_core.options import DriverOptions
from wmx3.driver import open_wmx3

root, word, path = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
shared_sdk.install(root)
driver = open_wmx3(DriverOptions(device_path=str(root)))
driver.engine.create_device("", "test")
driver.engine.start_communication()
refused = None
try:
    if word == "scan":
        driver.ecat.scan_network(0)
    else:
        driver.motion.load_parameters(path)
except WmxError as error:
    refused = [error.code, error.detail, error.name]
found = {
    "refused": refused,
    "made here": [
        name for name, *_ in shared_sdk.vendor.calls if "Scan" in name or "Import" in name
    ],
    "quick stop": driver.motion.parameters().axis(0).quick_stop_dec,
}
driver.engine.close_device()
print(json.dumps(found))
"""


@pytest.fixture
def found(runtime: Path, tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, object]:
    """What a process finds that has the work of a word done, with a file."""
    word, content = request.param
    file = tmp_path / "parameters.xml"
    file.write_text(content)
    folders = [str(TESTS), str(TESTS.parent / "unit"), os.environ.get("PYTHONPATH", "")]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "sdk"), word, str(file)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    result: dict[str, object] = json.loads(ended.stdout.splitlines()[-1])
    return result


FILE = """<Parameters ver="1.00"><AxisParameters Axis="0"><MotionParam>
<QuickStopDec>77.5</QuickStopDec></MotionParam></AxisParameters></Parameters>"""


@pytest.mark.parametrize("found", [("scan", "")], indirect=True)
def test_the_network_is_scanned_by_another_process(found: dict[str, object]) -> None:
    assert found["refused"] is None
    assert found["made here"] == []


@pytest.mark.parametrize("found", [("import", FILE)], indirect=True)
def test_parameters_are_imported_by_another_process(found: dict[str, object]) -> None:
    assert found["refused"] is None
    assert found["made here"] == []
    assert found["quick stop"] == 77.5


def test_what_the_process_is_refused_is_refused_here(tmp_path: Path) -> None:
    scan = in_a_process(DriverOptions(device_path=str(tmp_path / "no_sdk")))
    with pytest.raises(CommandRefused) as refused:
        scan(None, "scan")
    assert refused.value.code == ErrorCode.NoSupportedFunction
    assert "needs the vendor SDK" in refused.value.detail


SDK = """from checked_sdk import CheckedSdk
from recorder import Recorder
vendor = CheckedSdk(Recorder()).refuse("WMX3Api.CloseDevice", 298)
if {scan}:
    vendor.refuse("Ecat.ScanNetwork", {scan})
globals().update(vars(vendor.sdk))
"""


@pytest.mark.parametrize("scan", [0, 1557])
def test_a_device_that_cannot_be_closed_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scan: int
) -> None:
    folders = [str(TESTS), str(TESTS.parent / "unit"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "WMX3ApiPython.py").write_text(SDK.format(scan=scan))
    work = in_a_process(DriverOptions(device_path=str(tmp_path)))
    if not scan:
        work(None, "scan")
        return
    with pytest.raises(CommandRefused) as refused:
        work(None, "scan")
    assert refused.value.code == scan


def test_what_a_library_prints_when_it_ends_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "WMX3ApiPython.py").write_text(
        "import atexit, os\natexit.register(os.write, 1, b'closed\\n')\nraise ImportError('old')"
    )
    with pytest.raises(CommandRefused, match="old"):
        in_a_process(DriverOptions(device_path=str(tmp_path)))(None, "scan")


def test_a_process_that_does_not_end_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wmx3.own_process.LONGEST", 0.0)
    with pytest.raises(CommandRefused, match="scan has not ended within 0 s") as refused:
        in_a_process(DriverOptions(device_path=str(tmp_path)))(None, "scan")
    assert refused.value.code == ErrorCode.WaitTimeout


@pytest.mark.parametrize("printed", [b"", b"opened"])
def test_a_process_that_gives_no_answer_is_a_refusal(tmp_path: Path, printed: bytes) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "WMX3ApiPython.py").write_text(
        f"import os\nos.write(1, {printed!r})\nos._exit(3)"
    )
    with pytest.raises(CommandRefused, match="scan ended with 3") as refused:
        in_a_process(DriverOptions(device_path=str(tmp_path)))(None, "scan")
    assert refused.value.code == ErrorCode.StartProcessFailed
