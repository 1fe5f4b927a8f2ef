"""Shows the system move: switches servos on, moves all axes there and back, and ends.

A client like any other: it uses the topics and services that every ROS 2 program can use.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TextIO

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args
from wmx_ros2_message.msg import AxisPose, AxisState
from wmx_ros2_message.srv import SetAxis

from ..node.discovery import use_profile
from .control_messages import MISSING, is_missing

DISCOVERY_TIMEOUT = 15.0
FAREWELL_TIMEOUT = 3.0
"""How long a system that may be gone is asked to switch servos off, s."""
SILENCE = 2.0
"""A system that has said nothing for so long, s, is gone or has stopped."""
REFRESH_PERIOD = 0.1 if sys.stdout.isatty() else 1.0
"""How often the table is drawn, s: over itself in a terminal, else below each other."""
AXIS_DISTANCE, ROBOT_DISTANCE = 1.0, 0.05
"""How far axes and joints go unless told otherwise, u."""
VELOCITY, ACCELERATION = 1.0, 2.0
"""Of axis 0, in u/s and u/s^2; each further axis is a little slower, so that they differ."""

HEADER = "axis   command    actual  velocity  torque %  flags"
FLAGS = {
    "servo_on": "servo",
    "amp_alarm": "ALARM",
    "home_done": "homed",
    "home_switch": "home-switch",
    "negative_ls": "limit-",
    "positive_ls": "limit+",
    "motion_complete": "complete",
}


class DemoFailed(Exception):
    """The demonstration cannot go on; the text says why."""


class Demo(Node):
    """Commands the axes and draws their state."""

    def __init__(self, distance: float) -> None:
        super().__init__("wmx_demo")
        self._distance = distance
        self._state = AxisState()
        self._heard = -inf
        self._drawn = -inf
        self._screen = Screen(sys.stdout, over_itself=sys.stdout.isatty())
        self._set_on: Any = self.create_client(SetAxis, "wmx/axis/set_on")
        self._clear_alarm: Any = self.create_client(SetAxis, "wmx/axis/clear_alarm")
        self._parameters: Any = self.create_client(
            GetParameters, "wmx_core_motion_node/get_parameters"
        )
        self._move = self.create_publisher(AxisPose, "wmx/axis/position", 10)
        self.create_subscription(AxisState, "wmx/axis/state", self._on_state, 10)

    def run(self, *, real: bool) -> None:
        """The demonstration; DemoFailed when something does not answer or refuses."""
        self._screen.say("Looking for a running system...")
        self._wait(
            lambda: bool(self._state.pos_cmd),
            DISCOVERY_TIMEOUT,
            "no wmx/axis/state seen (is the system running? `make run` starts it; ROS_DOMAIN_ID is "
            f"{os.environ.get('ROS_DOMAIN_ID', '0')} here, and has to be the same there)",
        )
        self.require_simulation(real)
        axes = list(range(len(self._state.pos_cmd)))
        start = list(self._state.pos_cmd)
        self._screen.say(f"Found {len(axes)} axes. Switching servos on...")
        self._call(self._clear_alarm, SetAxis.Request(index=axes))
        before = list(self._state.servo_on)
        try:
            self._call(self._set_on, SetAxis.Request(index=axes, data=[1] * len(axes)))
            self._go([position + self._distance for position in start])
            self._go(start)
        except (DemoFailed, KeyboardInterrupt):
            # However the demonstration ends, no axis goes on moving: switching off stops it.
            try:
                self._switch_off(axes, FAREWELL_TIMEOUT)
            except DemoFailed as reason:
                self._screen.say(f"Servos may still be on: {reason}")
            raise
        self._switch_off([axis for axis in axes if not before[axis]], DISCOVERY_TIMEOUT)
        self._screen.say("Done: all axes are back, and servos are as they were.")

    def _switch_off(self, axes: Sequence[int], timeout: float) -> None:
        if axes:
            off = SetAxis.Request(index=list(axes), data=[0] * len(axes))
            self._call(self._set_on, off, timeout)
            self._screen.say(f"Switched servos off: {list(axes)}")

    def run_trajectory(self, *, real: bool) -> None:
        """The same of a robot, by its server of trajectories."""
        try:
            from .demo_trajectory import TrajectoryFailed, show_trajectory
        except ModuleNotFoundError as error:
            if not is_missing(error):
                raise
            raise DemoFailed(MISSING) from None
        self.require_simulation(real)
        try:
            show_trajectory(self, self._distance)
        except TrajectoryFailed as reason:
            raise DemoFailed(str(reason)) from None

    def require_simulation(self, real: bool) -> None:
        """DemoFailed on real hardware, unless that may move."""
        answer = self._call(self._parameters, GetParameters.Request(names=["driver"]))
        driver = answer.values[0].string_value
        if driver != "fake" and not real:
            raise DemoFailed(
                f"driver {driver!r} moves REAL hardware; say --real if every axis may move by "
                f"{self._distance} u"
            )

    def _go(self, targets: Sequence[float]) -> None:
        """Move all axes and draw them until they have arrived."""
        axes = range(len(targets))
        slower = [1.0 - 0.5 * axis / len(targets) for axis in axes]
        self._move.publish(
            AxisPose(
                index=list(axes),
                target=list(targets),
                velocity=[VELOCITY * factor for factor in slower],
                acc=[ACCELERATION] * len(targets),
                dec=[ACCELERATION] * len(targets),
            )
        )

        def arrived() -> bool:
            state = self._state
            there = all(abs(p - t) < 1e-9 for p, t in zip(state.pos_cmd, targets, strict=True))
            return there and all(state.motion_complete)

        # The slowest axis goes at half the velocity; acceleration and settling take the rest.
        patience = 2.0 * abs(self._distance) / VELOCITY + 10.0
        self._wait(arrived, patience, "the axes did not arrive (the log of the nodes says why)")
        self._draw()

    def _wait(self, condition: Callable[[], bool], timeout: float, otherwise: str) -> None:
        deadline = time.monotonic() + timeout
        next_drawing = time.monotonic()
        while not condition():
            now = time.monotonic()
            if self._state.pos_cmd and now > self._heard + SILENCE:
                raise DemoFailed(
                    f"the system has fallen silent: no wmx/axis/state for {SILENCE:g} s (it has "
                    "ended, or its engine does not communicate)"
                )
            if now > deadline:
                raise DemoFailed(f"{otherwise} within {timeout:g} s")
            rclpy.spin_once(self, timeout_sec=0.05)
            if self._heard > self._drawn and time.monotonic() >= next_drawing:
                next_drawing += REFRESH_PERIOD
                self._draw()

    def _call(self, client: Any, request: Any, timeout: float = DISCOVERY_TIMEOUT) -> Any:
        if not client.wait_for_service(timeout_sec=timeout):
            raise DemoFailed(f"{client.srv_name} is not offered")
        future = client.call_async(request)
        rclpy.spin_until_future_complete(self, future, timeout_sec=timeout)
        answer = future.result()
        if answer is None:
            raise DemoFailed(f"{client.srv_name} does not answer")
        if not getattr(answer, "success", True):
            raise DemoFailed(f"{client.srv_name}: {answer.message}")
        return answer

    def _on_state(self, state: AxisState) -> None:
        self._state = state
        self._heard = time.monotonic()

    def _draw(self) -> None:
        self._drawn = self._heard
        self._screen.draw(table(self._state))


class Screen:
    """Text, and below it one table: drawn over itself, or where that cannot be below each other."""

    def __init__(self, out: TextIO, *, over_itself: bool) -> None:
        self._out = out
        self._over_itself = over_itself
        self._table: list[str] = []
        """What stands at the end of the screen."""
        self._has_header = False

    def say(self, text: str) -> None:
        """Print `text` above the table, or below what was drawn."""
        table = self._take_away()
        print(text, file=self._out, flush=True)
        self._print(table)

    def draw(self, rows: Sequence[str]) -> None:
        """Draw the table anew; its header only once."""
        self._take_away()
        header = [] if self._has_header and not self._over_itself else [HEADER]
        self._has_header = True
        self._print([*header, *rows])

    def _take_away(self) -> list[str]:
        table, self._table = self._table, []
        if table:
            print(f"\x1b[{len(table)}A\x1b[J", end="", file=self._out)
        return table

    def _print(self, lines: list[str]) -> None:
        if lines:
            print("\n".join(lines), file=self._out, flush=True)
        self._table = lines if self._over_itself else []


def table(state: AxisState) -> list[str]:
    """One line per axis: command and actual position (u), velocity (u/s), torque, flags."""
    return [
        f"{axis:4}{command:10.4f}{actual:10.4f}{velocity:10.4f}{torque:10.2f}  "
        + " ".join(text for name, text in FLAGS.items() if getattr(state, name)[axis])
        for axis, (command, actual, velocity, torque) in enumerate(
            zip(
                state.pos_cmd,
                state.actual_pos,
                state.actual_velocity,
                state.actual_torque,
                strict=True,
            )
        )
    ]


def _length(text: str) -> float:
    length = float(text)
    if not 0.0 < abs(length) <= 1000.0:
        raise argparse.ArgumentTypeError(f"{text} must be -1000 to 1000 and not 0")
    return length


def main() -> int:
    """Run the demonstration; 0 when it went through."""
    parser = argparse.ArgumentParser(
        prog="wmx_demo",
        description=__doc__.splitlines()[0],
        epilog="nodes in a namespace: wmx_demo --ros-args -r __ns:=/cell1",
    )
    parser.add_argument(
        "--distance", type=_length, help="how far every axis moves, in user units (default 1)"
    )
    parser.add_argument(
        "--trajectory",
        action="store_true",
        help="lead a robot along a trajectory (default distance 0.05), see bringup --robot",
    )
    parser.add_argument("--real", action="store_true", help="allow real hardware to move")
    options = parser.parse_args(remove_ros_args(sys.argv)[1:])
    use_profile()
    # Without rclpy's handler Ctrl-C leaves the context alive, which stopping the axes needs.
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    demo = Demo(options.distance or (ROBOT_DISTANCE if options.trajectory else AXIS_DISTANCE))
    try:
        run = demo.run_trajectory if options.trajectory else demo.run
        run(real=options.real)
    except DemoFailed as reason:
        print(f"wmx_demo: {reason}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("wmx_demo: interrupted", file=sys.stderr)
        return 130
    finally:
        demo.destroy_node()
        rclpy.try_shutdown()
    return 0
