"""A second process with a device of its own, which carries out one command a line.

stop AXIS             stops the axis; answers when the call began and ended, and its refusal
jog AXIS V A T        jogs at V u/s with A u/s^2 for T s (0: without end); answers the same
"""

import subprocess
import sys
import time
from collections.abc import Callable

from wmx3.driver import open_wmx3
from wmx_core.errors import WmxError
from wmx_core.module_command import module_command
from wmx_core.options import DriverOptions
from wmx_core.values import VelocityMove

READY = "ready"
CLOSE_TIMEOUT = 20.0
"""How long it may take to close its device, s."""


class OtherProcess:
    """The second process, seen from the first."""

    def __init__(self, device_path: str) -> None:
        self._process = subprocess.Popen(
            module_command(__name__, device_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the first process, which ends this one
        )
        if (said := self._read()) != READY:
            self.kill()
            raise RuntimeError(f"the second process does not start: {said!r}")

    def command(self, *words: object) -> None:
        """Write a command, and return at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def answer(self) -> tuple[float, float, str]:
        """When the last command began and ended (steady clock, s), and what it was refused with."""
        began, ended, refused = self._read().split(" ", 2)
        return float(began), float(ended), refused.strip()

    def kill(self) -> None:
        """End it as a crash would: it cleans nothing up."""
        self._process.kill()
        self._process.communicate()

    def end(self) -> None:
        """Let it close its device and end; one that does not is killed."""
        if self._process.returncode is not None:
            return
        try:
            self._process.communicate(timeout=CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


def main(device_path: str) -> None:
    """What the second process does until its input ends."""
    driver = open_wmx3(DriverOptions(device_path=device_path, starts_engine=False))
    driver.engine.create_device(device_path, "wmx_first_contact_2")
    motion = driver.motion
    print(READY, flush=True)
    for line in sys.stdin:
        command, axis, *numbers = line.split()
        act: Callable[[], None]
        if command == "stop":
            act = lambda: motion.stop([int(axis)])  # noqa: B023, E731
        else:
            velocity, acc, run_time = map(float, numbers)
            move = VelocityMove(
                axis=int(axis), velocity=velocity, acc=acc, dec=acc, run_time=run_time
            )
            act = lambda: motion.jog([move])  # noqa: B023, E731
        began, refused = time.monotonic(), ""
        try:
            act()
        except WmxError as error:
            refused = str(error)
        print(began, time.monotonic(), refused, flush=True)
    driver.engine.close_device()


if __name__ == "__main__":
    main(sys.argv[1])
