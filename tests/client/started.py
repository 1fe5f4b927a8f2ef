"""One system at a time, of the robot that a program needs."""

from contextlib import ExitStack

import system as systems
from system import Place

from wmx_ros2_package.client import Machine


class Started:
    """The one system that runs, of the robot that is asked for."""

    def __init__(self) -> None:
        self._robot: str | None = None
        self._running = ExitStack()
        self.place: Place

    def of(self, robot: str) -> Place:
        """A place in which the system of `robot` ("" for none) runs, with its servos on."""
        if robot != self._robot:
            self.end()
            self._robot = robot
            self.place = self._running.enter_context(systems.place())
            self.place.start("bringup", options=["--robot", robot] if robot else [])
            with Machine(domain=self.place.domain, timeout=30.0) as machine:
                machine.axes.on()
        return self.place

    def end(self) -> None:
        self._running.close()
        self._robot = None
