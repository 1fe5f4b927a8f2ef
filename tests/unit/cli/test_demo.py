"""How `wmx demo` ends where it is interrupted."""

import signal
from argparse import Namespace
from contextlib import nullcontext
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import numpy as np
import pytest

from wmx_ros2_package.cli import demo
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.client import NotAnswered


@pytest.mark.parametrize("rests", [True, False])
def test_servos_go_off_once_the_axes_rest_however_often_ctrl_c_comes(
    monkeypatch: pytest.MonkeyPatch, rests: bool
) -> None:
    """Axes that do not come to rest are switched off in the end, as they were."""
    machine, axes = MagicMock(), MagicMock(numbers=(0,), names=["axis_0"])
    axes.__iter__.return_value = [SimpleNamespace(number=0, status=SimpleNamespace(servo_on=False))]
    machine.axes.__getitem__.return_value = axes
    machine.actuators = {"a": SimpleNamespace(name="axis_0", position_min=-1.0, position_max=1.0)}
    machine.status.return_value.command = np.zeros(1)
    motion = axes.move.return_value

    def wait(_: float) -> None:
        signal.raise_signal(signal.SIGINT)
        if not rests:
            raise NotAnswered("it has not ended")

    motion.wait.side_effect = wait
    monkeypatch.setattr(demo, "connected", lambda *_: nullcontext(machine))
    monkeypatch.setattr(demo, "follow", MagicMock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        demo.run_demo(Terminal(), Namespace(real=False, distance=0.5))
    assert axes.mock_calls[-3:] == [
        call.move().cancel(),
        call.move().wait(demo.REST_TIMEOUT),
        call.off(),
    ]
