"""This computer: its clock, what this user may do, and how busy it is."""

import ctypes
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

from wmx_core.private_directory import private_directory

from .finding import Finding, Subject, note, right, wrong

OLDEST = 1_700_000_000.0
"""November 2023: a clock before this was never set, s."""
NOT_SYNCHRONISED = 5
"""TIME_ERROR of adjtimex(2)."""
_SIZE_OF_TIMEX = 512
"""More than `struct timex` has on any platform, bytes."""
ENOUGH_PRIORITY = 50


def check_clock(subject: Subject) -> Iterator[Finding]:
    """Check that the clock was set, and whether anything keeps it right."""
    if time.time() < OLDEST:
        yield wrong(
            "clock",
            f"this computer believes it is {time.strftime('%Y-%m-%d')}: stamps and certificates "
            "will not fit",
            "sudo timedatectl set-ntp true",
        )
    elif _clock_state() == NOT_SYNCHRONISED:
        yield note(
            "clock",
            "nothing keeps the clock right: stamps from other computers will not fit",
            "sudo timedatectl set-ntp true",
        )
    else:
        yield right("clock", "it is set and kept right")


def _clock_state() -> int:
    """Return what adjtimex(2) reports of the clock; nothing is adjusted by empty modes."""
    return int(ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_SIZE_OF_TIMEX)))


def check_permissions(subject: Subject) -> Iterator[Finding]:
    """Check the folders that the nodes write into."""
    try:
        folder = private_directory("wmx-fake").parent
        yield right("permissions", f"{folder} can be used")
    except OSError as error:
        yield wrong(
            "permissions",
            f"the nodes keep their sockets and owners in a folder of this user alone: {error}",
            "export XDG_RUNTIME_DIR=/a/folder/of/yours",
        )
    home = subject.environment.get("ROS_HOME") or f"{subject.environment.get('HOME', '')}/.ros"
    logs = Path(subject.environment.get("ROS_LOG_DIR") or f"{home}/log")
    # Not `exists` of the path, which raises in a folder that may not be entered.
    if not os.access(next(filter(os.path.exists, (logs, *logs.parents))), os.W_OK):
        yield wrong(
            "permissions",
            f"{logs} cannot be written, and ROS puts its logs there",
            "export ROS_LOG_DIR=/a/folder/of/yours",
        )


def check_priorities(subject: Subject) -> Iterator[Finding]:
    """Check whether a real engine may have real-time priority."""
    soft, _ = resource.getrlimit(resource.RLIMIT_RTPRIO)
    enough = os.geteuid() == 0 or soft == resource.RLIM_INFINITY or soft >= ENOUGH_PRIORITY
    if subject.driver != "wmx3":
        yield right("priorities", "the simulated engine needs none")
    elif enough:
        yield right("priorities", "real-time priority is allowed")
    else:
        yield wrong(
            "priorities",
            f"this user may have real-time priority {soft}, and the engine needs root for it",
            'sudo env PYTHONPATH="$PYTHONPATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ...',
        )


def check_load(subject: Subject) -> Iterator[Finding]:
    """Check how many programs wait for a processor."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    text = f"{load:.1f} programs run or wait, on {processors} processors"
    if load > 2 * processors:
        yield note("load", f"{text}: answers and states will be late")
    else:
        yield right("load", text)


CHECKS = check_clock, check_permissions, check_priorities, check_load
