"""One whole run of `wmx first-contact --virtual` in real time, over the binding.

Backend, binding, declarations for C++, simulated SDK, and an engine in a process of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sdk_headers import build

from wmx_ros2_package.cli.first_contact.command import STEPS
from wmx_ros2_package.cli.first_contact.report import DONE, SKIPPED
from wmx_ros2_package.cli.first_contact.virtual import NETWORK, PLATFORMS
from wmx_sim.engine.machine.description import default_machine

TESTS = Path(__file__).resolve().parent
MODULE = "from shared_binding import sdk\n\nglobals().update(vars(sdk))\n"
"""The binding, as any process imports it."""
NOT_VIRTUAL = {"touch probe", "killed engine"}
"""Steps that need a person, or the engine's process."""
WAY = ["--distance=0.2", "--velocity=1", "--rounds=4", "--torque=10"]
"""For the simulated axes, whose unit is the radian; of the real virtual ones it is a count."""


@pytest.mark.slow  # one or two minutes
@pytest.mark.process
def test_a_whole_run(runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking := build.missing():
        pytest.skip(lacking)
    (tmp_path / "wmx_sdk_binding.py").write_text(MODULE)
    folders = tmp_path, TESTS, TESTS.parent, TESTS.parent / "unit"
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    root, output = tmp_path / "sdk", tmp_path / "report"
    (root / NETWORK).parent.mkdir(parents=True)
    (root / PLATFORMS).write_text("[Platform 0]\nDllName = ec_platform.so\ndisable = 0\n")
    slaves = len(default_machine().masters[0].slaves)
    (root / NETWORK).write_text(f"[rtnd0]\nUseNicDrvDll=ndd_vnw.so\nnumofslaves={slaves}\n")
    ended = subprocess.run(
        [sys.executable, "-m", "wmx_ros2_package.cli.wmx", "first-contact", "--virtual",
         f"--device-path={root}", f"--output={output}", *WAY],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    report = json.loads((output / "first_contact.json").read_text())
    found = {each["step"]: each for each in report["findings"]}
    outcomes = {step.name: SKIPPED if step.name in NOT_VIRTUAL else DONE for step in STEPS}
    assert {name: each["outcome"] for name, each in found.items()} == {**outcomes, "the end": DONE}
    facts = {name: each["facts"] for name, each in found.items()}
    assert facts["parameters"]["equal"] is True
    assert facts["stops"]["of these, the axis moved on"] == 0
