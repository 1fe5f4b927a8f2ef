"""Prints what a status of the wmx3 backend costs, for 6 and 128 axes.

    PYTHONPATH=wmx_ros2_package:tests/unit:tests/wmx3 python tests/wmx3/measure_status.py

The SDK is the simulated one, which answers the same status object over and over: what is measured
is taking that apart, with objects in Python where the SDK has SWIG's.
"""

import timeit

from checked_sdk import CheckedSdk
from held_engine import HeldEngine

RUNS = 500


def microseconds(axes: int) -> float:
    """The quickest of a few rounds, per status."""
    vendor = CheckedSdk(HeldEngine(axes).fake)
    driver = vendor.attached()
    answer = vendor.real("CoreMotion.GetStatus")
    vendor.play("CoreMotion.GetStatus", lambda _: answer)
    return 1e6 * min(timeit.repeat(driver.motion.status, number=RUNS, repeat=7)) / RUNS


if __name__ == "__main__":
    for axes in (6, 128):
        print(f"{axes:3} axes: {microseconds(axes):.0f} us")
