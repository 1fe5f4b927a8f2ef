"""A stream of positions over ROS: how soon an axis answers a message, and how it follows.

    . ./env.sh && python benchmarks/streams_live.py
    python benchmarks/streams_live.py --command 'PYTHONPATH=/tmp/before/wmx_ros2_package:$PYTHONPATH
        exec {bringup}' --machine /tmp/before/wmx_ros2_package/config/robots/arm/machine.yaml

A client publishes what MoveIt Servo would on the topic of `joint_position_controller`, and reads
what the first joint is commanded to do in every cycle. How a busy machine lets both run is in these
figures; `streams.py` has those of the controller alone.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from streams import CYCLE, GROWING, SWINGS, Floats, figures, swing
from system import EXECUTABLES, System, Variant, isolate, waited_seconds
from table import Figures, print_table

from wmx_core.interface import Driver
from wmx_core.options import DriverOptions
from wmx_ros2_package.robots.catalogue import find_robot
from wmx_sim.driver import open_fake

JOINTS = [f"joint{i}" for i in range(1, 7)]
TOPIC = "/movensys_manipulator_arm_controller/joint_trajectory"
PAUSE = 0.5
"""After a stream, s: it is over, and the arm rests."""
STEP = 0.01
STEPS = 40
TIMEOUT = 30.0


class Axis:
    """What the first joint is commanded to do, cycle by cycle: a device of its own."""

    def __init__(self, path: str) -> None:
        self._driver: Driver = open_fake(DriverOptions(device_path=path))
        self._driver.engine.create_device(path, "wmx_streams_benchmark")
        assert self._driver.history is not None
        self._history = self._driver.history()

    def wait_for_servos(self) -> None:
        """Until the servos are on, which the arm switches on at its start."""
        deadline = time.monotonic() + TIMEOUT
        while not self._driver.motion.status().servo_on[: len(JOINTS)].all():
            assert time.monotonic() < deadline, "the servos do not come on"
            time.sleep(0.1)

    def read(self) -> tuple[Floats, Floats]:
        """When each cycle was (time.monotonic, s), and the commanded position, since last time."""
        spans = self._history.read()
        found = [values for span in spans for values in span.values()]
        times = np.concatenate([np.empty(0), *(each["time"] for each in found)])
        positions = np.concatenate([np.empty(0), *(each["pos_cmd"][:, 0] for each in found)])
        if not len(times):
            return times, positions
        every = np.arange(times[0], times[-1], CYCLE)  # at rest, some cycles are left out
        return every, np.interp(every, times, positions)


class Source:
    """What publishes positions, the same of all joints."""

    def __init__(self) -> None:
        import rclpy
        from builtin_interfaces.msg import Duration
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        rclpy.init()
        self._node: Any = rclpy.create_node("wmx_streams_benchmark", enable_rosout=False)
        self._publisher = self._node.create_publisher(JointTrajectory, TOPIC, 1)
        self._duration, self._point = Duration, JointTrajectoryPoint
        self._trajectory = JointTrajectory

    def wait(self) -> None:
        """Until the controller listens."""
        deadline = time.monotonic() + TIMEOUT
        while not self._publisher.get_subscription_count():
            assert time.monotonic() < deadline, "nobody subscribes"
            time.sleep(0.1)

    def publish(self, position: float, ahead: float) -> float:
        """Ask for `position` in `ahead` s; when that was (time.monotonic, s)."""
        point = self._point(positions=[position] * len(JOINTS))
        point.time_from_start = self._duration(nanosec=round(1e9 * ahead))
        message = self._trajectory(joint_names=JOINTS, points=[point])
        at = time.monotonic()
        self._publisher.publish(message)
        return at

    def stream(self, path: Callable[[float], float], rate: float, seconds: float) -> float:
        """Publish `path` at `rate` (Hz); when its time 0 was. The last message comes in motion."""
        begin = time.monotonic() + 0.01
        for i in range(round(rate * seconds)):
            while (left := begin + i / rate - time.monotonic()) > 0.0:
                time.sleep(max(0.0, left - 1e-4))
            self.publish(path((i + 1) / rate), 1.0 / rate)
        return begin


def answers(axis: Axis, source: Source) -> Figures:
    """How soon the axis begins to move after a message was published."""
    delays = []
    for i in range(STEPS):
        axis.read()
        at = source.publish(STEP * ((i + 1) % 2), 0.05)
        time.sleep(PAUSE)
        times, positions = axis.read()
        moved = np.flatnonzero((np.abs(np.diff(positions)) > 1e-12) & (times[1:] > at))
        if len(moved):
            delays.append(times[moved[0]] - at)  # the command is in force in the cycle before
    milliseconds = 1000.0 * np.array(delays)
    return {
        "message to axis, p50, ms": float(np.percentile(milliseconds, 50)),
        "message to axis, p95, ms": float(np.percentile(milliseconds, 95)),
        "messages that moved nothing": float(STEPS - len(delays)),
    }


def following(axis: Axis, source: Source, name: str, rate: float, seconds: float) -> Figures:
    """How the axis follows a swing."""
    path = swing(*SWINGS[name])
    source.publish(0.0, 0.5)
    time.sleep(0.7 + PAUSE)
    axis.read()
    waited = waited_seconds()
    begin = source.stream(lambda at: float(path(at)), rate, seconds)
    waited = waited_seconds() - waited
    time.sleep(PAUSE)
    times, positions = axis.read()
    whole = (times > begin + GROWING) & (times < begin + seconds)
    return {
        **figures(path, times[whole] - begin, positions[whole]),
        "tasks wait for a CPU, %": 100.0 * waited / seconds,
    }


def main() -> None:
    """Start the arm, publish, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=float, nargs="+", default=[40.0, 100.0, 500.0, 1000.0])
    parser.add_argument("--seconds", type=float, default=9.25, help="of each stream")
    parser.add_argument("--command", default="exec {bringup}", help="what starts the arm")
    parser.add_argument("--machine", help="the machine file of that, if not this tree's")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wmxbench") as folder:
        environment = isolate(Path(folder))
        os.environ.update(environment)
        bringup = f"{EXECUTABLES / 'bringup'} --robot arm"
        command = options.command.format(bringup=bringup)
        system = System(Variant("arm", [command], shell=True), len(JOINTS), environment)
        system.start()
        try:
            source = Source()
            source.wait()
            time.sleep(3.0)
            axis = Axis(str(options.machine or find_robot("arm").machine))
            axis.wait_for_servos()
            print_table("a message", {"arm": answers(axis, source)})
            for name in SWINGS:
                columns = {
                    f"{rate:g} Hz": following(axis, source, name, rate, options.seconds)
                    for rate in options.rates
                }
                print_table(name, columns)
        except BaseException:
            print(system.output.read_text(errors="replace")[-3000:])
            raise
        finally:
            system.stop()


if __name__ == "__main__":
    main()
