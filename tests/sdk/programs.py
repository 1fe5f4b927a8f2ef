"""Programs for the vendor's SDK, as its users write them, and the logs they leave."""

from pathlib import Path
from textwrap import dedent

import pytest

from wmx_sim.compare.traces import Row, read_trace
from wmx_sim.sdk.not_simulated import NotSimulated
from wmx_sim.sdk.program import run
from wmx_sim.sdk.runtime import Runtime

_FRAME = """
from WMX3ApiPython import *
from time import *

api = WMX3Api()
folder = "C:\\\\Program Files\\\\SoftServo\\\\WMX3"
assert api.CreateDevice(folder, DeviceType.DeviceTypeNormal, 0xFFFFFFFF) == 0
assert api.StartCommunication(0xFFFFFFFF) == 0
cm = CoreMotion(api)
for axis in AXES:
    assert cm.axisControl.SetServoOn(axis, 1) == 0
    while not cm.GetStatus()[1].GetAxesStatus(axis).servoOn:
        sleep(0.01)
log = Log(api)
wanted = CoreMotionLogInput()
wanted.axisSelection.axisCount = len(AXES)
for i, axis in enumerate(AXES):
    wanted.axisSelection.SetAxis(i, axis)
wanted.axisOptions.commandPos = 1
assert log.SetCustomLog(0, wanted) == 0
path = LogFilePath()
path.dirPath, path.fileName = "\\\\\\\\elsewhere\\\\logs", "log.txt"
assert log.SetLogFilePath(0, path) == 0
assert log.StartLog(0) == 0
sleep(0.01)


def move(axis, target, velocity=1000, rate=10000, kind=ProfileType.Trapezoidal):
    command = Motion_PosCommand()
    command.axis, command.target = axis, target
    command.profile.type = kind
    command.profile.velocity, command.profile.acc, command.profile.dec = velocity, rate, rate
    return command


"""
_END = """
sleep(0.01)
log.StopLog(0)
api.StopCommunication(0xFFFFFFFF)
api.CloseDevice()
"""


def moved(
    folder: Path,
    body: str,
    *axes: int,
    missing: list[str] | None = None,
    runtime: Runtime | None = None,
) -> list[Row]:
    """The rows that a program logs of `axes`, from the last one at rest on."""
    program = folder / "program.py"
    text = _FRAME.replace("AXES", repr(axes or (0,))) + dedent(body) + _END
    program.write_text(text)
    not_simulated = NotSimulated(lambda _: None)
    run(program, fast=True, logs=folder, limit=60.0, missing=not_simulated, runtime=runtime)
    assert not_simulated.names == (missing or [])
    rows = read_trace(folder / "log.txt").rows
    first = next((i for i, row in enumerate(rows) if row != rows[0]), 1)
    return rows[first - 1 :]


def check(rows: list[Row], logged: dict[int, Row], within: float = 2e-3) -> None:
    """Fail unless the places of the first axes are, by cycle, those that were `logged`.

    A cycle after the last one is at rest as that is.
    """
    for cycle, places in logged.items():
        ours = rows[min(cycle, len(rows) - 1)][: len(places)]
        assert ours == pytest.approx(places, rel=0.0, abs=within), cycle
