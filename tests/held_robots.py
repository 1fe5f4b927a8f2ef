"""Systems in the process of the test, one at a time, and programs that run in it."""

import runpy
from contextlib import ExitStack
from pathlib import Path

import pytest
import system as systems
from held_system import HeldSystem, held_system
from ros import eventually


class Robots:
    """The system of the robot that was asked for last."""

    def __init__(self) -> None:
        self._asked: tuple[str, ...] = ()
        self._running = ExitStack()
        self._system: HeldSystem

    def of(self, robot: str, *parameters: str) -> HeldSystem:
        """The system of `robot`, "" for none, ready and with its servos on."""
        if (robot, *parameters) != self._asked:
            self.end()
            place = self._running.enter_context(systems.place())
            options = ["--robot", robot] if robot else []
            held = held_system(place, *parameters, options=options)
            self._system = self._running.enter_context(held)
            self._asked = (robot, *parameters)
        client = self._system.client
        client.attached()
        axes = [*range(len(client.state().servo_on))]
        on = {"index": axes, "data": [1] * len(axes)}
        eventually(lambda: client.call("wmx/axis/set_on", **on).success, "its servos are on")
        return self._system

    def end(self) -> None:
        self._asked = ()
        self._running.close()


def said_by(program: Path, capture: pytest.CaptureFixture[str]) -> str:
    """What a program prints that runs to its end in this process."""
    capture.readouterr()
    runpy.run_path(str(program), run_name="__main__")
    return capture.readouterr().out
