"""How a verb ends that its system does not let go on."""

from argparse import Namespace
from unittest.mock import MagicMock

import pytest

from wmx_ros2_package import client
from wmx_ros2_package.cli.connection import connected
from wmx_ros2_package.cli.failures import Exit, Failure
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.client import (
    NoPart,
    NoSystem,
    NotAnswered,
    Refused,
    SeveralSystems,
    SystemLost,
    UnknownAxis,
)
from wmx_ros2_package.client.errors import MachineError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SystemLost("the system has ended"), Exit.REFUSED),
        (Refused("no"), Exit.REFUSED),
        (NotAnswered("nothing comes"), Exit.REFUSED),
        (NoSystem("none runs"), Exit.NOT_ASKED),
        (SeveralSystems("two run"), Exit.NOT_ASKED),
        (NoPart("a robot without a base"), Exit.NOT_ASKED),
        (UnknownAxis("no axis 9"), Exit.NOT_ASKED),
    ],
)
def test_nothing_was_asked_only_where_nothing_can_have_been(
    error: MachineError, code: Exit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "Machine", MagicMock())
    options = Namespace(namespace="", domain=None, timeout=None)
    with pytest.raises(Failure) as failed, connected(Terminal(), options):
        raise error
    assert failed.value.exit_code is code
