"""Keeps a test run to itself: simulated hardware, this machine, a ROS domain of its own.

All of it is set before anything imports rclpy, and whatever the caller's environment says.
"""

import atexit
import os

from domain import Domain

DOMAIN = Domain()
atexit.register(DOMAIN.release)

os.environ["WMX_DRIVER"] = "fake"
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN.number)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
if os.environ.get("ROS_DISTRO") == "humble":
    # The older name; newer releases warn about it.
    os.environ["ROS_LOCALHOST_ONLY"] = "1"

# Where pytest-timeout is installed, a test that hangs fails.
os.environ.setdefault("PYTEST_TIMEOUT", "120")
