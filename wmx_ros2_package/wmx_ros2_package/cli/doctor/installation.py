"""What is installed: Python, ROS, the built messages, the vendor's SDK, and whether they fit."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from wmx3.loading import FOLDERS, MODULE, ROOTS, build_hint
from wmx_core.module_command import NOT_FROM_HERE
from wmx_core.opening import known_drivers

from .finding import Finding, Subject, note, right, wrong

PACKAGE, MESSAGES = "wmx_ros2_package", "wmx_ros2_message"
ASK_SDK = (
    "import sys; from wmx3.loading import describe, load_sdk; sdk = load_sdk(sys.argv[1]); "
    "print(describe(sdk), sdk.__file__, sep=', ')"
)
SDK_TIMEOUT = 30.0


def check_python(subject: Subject) -> Iterator[Finding]:
    """Say which Python this is: it is new enough, for an older one cannot import this."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield right("python", f"Python {version}, {sys.executable}")


def check_ros(subject: Subject) -> Iterator[Finding]:
    """Check that ROS and the messages of this package can be imported, from one release."""
    try:
        import_module("rclpy")
    except Exception as error:  # a library of another release may raise anything
        yield wrong("ros", f"rclpy cannot be imported: {_first_line(error)}", _how_to_source())
        return
    release = subject.environment.get("ROS_DISTRO", "of wheels")
    releases = _releases(subject)
    if len(releases) > 1:
        yield wrong(
            "ros",
            f"the releases {' and '.join(sorted(releases))} are sourced in one shell",
            "open a new terminal and source one of them",
        )
    else:
        yield right("ros", f"ROS 2 {release}, rclpy {_version('rclpy')}".rstrip())
    try:
        import_module(f"{MESSAGES}.srv")
    except Exception as error:
        yield wrong(
            "messages", f"{MESSAGES} cannot be imported: {_first_line(error)}", _how_to_source()
        )
        return
    yield from _same_version(subject)


def _releases(subject: Subject) -> set[str]:
    """Return the releases of ROS that the search paths of this shell lead to."""
    paths = " ".join(
        subject.environment.get(name, "")
        for name in ("AMENT_PREFIX_PATH", "PYTHONPATH", "LD_LIBRARY_PATH")
    )
    return set(re.findall(r"/opt/ros/([a-z]+)\b", paths))


def _same_version(subject: Subject) -> Iterator[Finding]:
    """Check that the messages were built for this package."""
    versions = {name: _package_xml_version(subject, name) for name in (PACKAGE, MESSAGES)}
    ours, theirs = versions.values()
    if ours and theirs and ours != theirs:
        yield wrong(
            "messages",
            f"{MESSAGES} is {theirs}, and {PACKAGE} is {ours}: they belong together",
            "make build",
        )
    else:
        yield right("messages", f"{MESSAGES} {theirs}".rstrip())


def _package_xml_version(subject: Subject, package: str) -> str:
    for prefix in subject.environment.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        path = Path(prefix, "share", package, "package.xml")
        if prefix and path.is_file():
            found = re.search(r"<version>\s*([^<\s]+)", path.read_text(errors="replace"))
            return found[1] if found else ""
    return ""


def check_driver(subject: Subject) -> Iterator[Finding]:
    """Check the driver's name, and of the vendor's engine the SDK."""
    if subject.driver not in (names := known_drivers()):
        yield wrong(
            "driver",
            f"there is no driver {subject.driver!r}: it is {' or '.join(names)}",
            "unset WMX_DRIVER",
        )
    elif subject.driver == "fake":
        yield right("driver", "fake: the simulated engine, no hardware moves")
    else:
        yield note("driver", f"{subject.driver}: REAL hardware")
        if subject.driver == "wmx3":
            yield from _check_sdk(subject)


def _check_sdk(subject: Subject) -> Iterator[Finding]:
    """Import the SDK in a process of its own, which it may crash."""
    if not any(Path(root).is_dir() for root in (subject.device_path, *ROOTS)):
        yield wrong(
            "sdk",
            f"there is no folder {subject.device_path}, nor {' or '.join(ROOTS)}",
            "install the vendor's SDK, or name its folder: --device-path",
        )
        return
    command = [sys.executable, "-c", NOT_FROM_HERE + ASK_SDK, subject.device_path]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=SDK_TIMEOUT)
    except subprocess.TimeoutExpired:
        yield wrong("sdk", f"importing the SDK takes more than {SDK_TIMEOUT:g} s")
        return
    if asked.returncode == 0:
        yield right("sdk", asked.stdout.strip())
        return
    lines = asked.stderr.strip().splitlines() or [f"it crashed with {asked.returncode}"]
    folders = ", ".join(FOLDERS[:3])
    yield wrong(
        "sdk",
        lines[-1].rpartition("): ")[2],
        f"{build_hint(subject.device_path)} builds a binding to the SDK; its module {MODULE} is "
        f"looked for in {folders}... below its folder, its libraries on LD_LIBRARY_PATH, such as "
        "/opt/wmx3/lib",
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _version(module: str) -> str:
    from importlib import metadata

    for name in (module, f"ros-{module}"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""


def _how_to_source() -> str:
    """Return the command that puts this shell into the workspace, where there is one."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "env.sh").is_file():
            return f". {folder}/env.sh"
    return ". /opt/ros/$ROS_DISTRO/setup.sh and . install/setup.sh of your workspace"


CHECKS = check_python, check_ros, check_driver
