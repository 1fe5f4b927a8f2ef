"""`wmx` in the process of the tests: what it prints and how it ends."""

import json
from typing import Any, NamedTuple

import pytest

from wmx_core.clock import STEADY, Clock
from wmx_ros2_package.cli import wmx


class Ended(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What it printed as one line of JSON."""
        [line] = self.out.splitlines()
        return json.loads(line)


class Shell:
    """Runs commands in the environment of the tests, which names the domain of a system."""

    def __init__(
        self, capture: pytest.CaptureFixture[str], clock: Clock = STEADY, typing: float = 0.0
    ) -> None:
        self._capture = capture
        self.clock = clock
        self.typing = typing
        """So many seconds pass before each command."""

    def __call__(self, *words: object) -> Ended:
        self.clock.sleep(self.typing)
        self._capture.readouterr()
        try:
            code = wmx.main([*map(str, words)])
        except SystemExit as end:  # of --help
            code = int(end.code or 0)
        said = self._capture.readouterr()
        return Ended(code, said.out, said.err)

    def done(self, *words: object) -> str:
        """What a command printed that must succeed."""
        ended = self(*words)
        assert ended.code == 0, ended
        return ended.out
