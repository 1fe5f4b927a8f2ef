"""A shell without a system."""

import signal
from collections.abc import Iterator

import pytest
from command_line import Shell

from wmx_ros2_package.cli.wmx import INTERRUPTS


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    yield Shell(capsys)
    for number, handler in before.items():
        signal.signal(number, handler)
