"""How programs here find the nodes: domain, discovery range, middleware and its shared memory."""

import os
from collections.abc import Iterator
from pathlib import Path

from ...node_base.domain.discovery import HIGHEST_DOMAIN, VARIABLE_OF, half_made_ports
from .finding import Finding, Subject, note, right, wrong

HIGHEST_USUAL = 101
"""Linux gives the ports of higher domains to outgoing connections, from 32768 on."""
RANGES = "SUBNET", "LOCALHOST", "OFF", "SYSTEM_DEFAULT"
TESTED = "rmw_fastrtps_cpp"
SEGMENTS = "fastrtps_*", "fastdds_*"
LEAST_FREE = 64 * 2**20
"""Bytes; Fast DDS takes about 2 MiB of shared memory for each participant."""


def check_domain(subject: Subject) -> Iterator[Finding]:
    """Check ROS_DOMAIN_ID."""
    text = subject.environment.get("ROS_DOMAIN_ID", "")
    if not text:
        yield right("domain", "ROS_DOMAIN_ID is not set: domain 0")
    elif not (text.isascii() and text.isdecimal()) or int(text) > HIGHEST_DOMAIN:
        yield wrong(
            "domain",
            f"ROS_DOMAIN_ID is {text!r}, must be 0 to {HIGHEST_DOMAIN}",
            "export ROS_DOMAIN_ID=0",
        )
    elif int(text) > HIGHEST_USUAL:
        yield note(
            "domain",
            f"ROS_DOMAIN_ID is {text}: Linux may give its ports to other connections",
            f"export ROS_DOMAIN_ID=N, with N from 0 to {HIGHEST_USUAL}, in every terminal",
        )
    else:
        yield right("domain", f"ROS_DOMAIN_ID is {text}")


def check_range(subject: Subject) -> Iterator[Finding]:
    """Check how far discovery reaches."""
    given = subject.environment
    reach = given.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper()
    if reach and reach not in RANGES:
        yield wrong(
            "discovery",
            f"ROS_AUTOMATIC_DISCOVERY_RANGE is {reach!r}: must be one of {', '.join(RANGES)}",
            "unset ROS_AUTOMATIC_DISCOVERY_RANGE",
        )
    elif reach == "OFF":
        yield wrong(
            "discovery",
            "ROS_AUTOMATIC_DISCOVERY_RANGE is OFF: no program finds another",
            "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST",
        )
    elif given.get("ROS_LOCALHOST_ONLY") == "1" or reach == "LOCALHOST":
        yield right("discovery", "programs on this computer are found, no others")
    else:
        yield right("discovery", "programs on this computer and its subnet are found")


def check_middleware(subject: Subject) -> Iterator[Finding]:
    """Check the RMW and the profile of Fast DDS."""
    rmw = subject.environment.get("RMW_IMPLEMENTATION", "")
    if rmw in ("", TESTED):
        yield right("middleware", f"{TESTED}{'' if rmw else ', the default'}")
    else:
        yield note(
            "middleware",
            f"RMW_IMPLEMENTATION is {rmw}; this package is tested with {TESTED}, and every "
            "program has to use the same",
            f"export RMW_IMPLEMENTATION={TESTED}",
        )
    for name in VARIABLE_OF.values():
        path = subject.environment.get(name, "")
        if path and not Path(path).is_file():
            yield wrong("middleware", f"{name} names {path}, which is no file", f"unset {name}")


def check_shared_memory(subject: Subject) -> Iterator[Finding]:
    """Check what Fast DDS has left in shared memory, and whether more fits."""
    folder = subject.shared_memory
    if not os.access(folder, os.W_OK):
        yield wrong("shared memory", f"{folder} cannot be written", f"sudo chmod 1777 {folder}")
        return
    segments = {path for pattern in SEGMENTS for path in folder.glob(pattern)}
    half_made = [path.name for path in half_made_ports(folder)]
    if half_made:
        yield wrong(
            "shared memory",
            "a program died while it made a port, and every ROS program waits for that at its "
            "start",
            f"cd {folder} && rm {' '.join(half_made)}",
        )
    status = os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    if free < LEAST_FREE:
        yield wrong(
            "shared memory",
            f"{folder} has {free // 2**20} MiB left, with {len(segments)} files of Fast DDS",
            "end all ROS programs, then: fastdds shm clean",
        )
    elif not half_made:
        yield right("shared memory", f"{free // 2**20} MiB free, {len(segments)} files of Fast DDS")


CHECKS = check_domain, check_range, check_middleware, check_shared_memory
