"""Lets other programs find the nodes in half a second rather than three, and nodes leave well.

`config/fastdds_discovery.xml` describes what keeps them from it otherwise. From the start of four
processes to the first AxisState at a client that is there before them it took 3.6 s, and takes
1.5 s if the client has the profile too; the announcements take 0.06 % of a core per process.
"""

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

HIGHEST_DOMAIN = 232
"""DDS computes UDP ports from the domain; those of higher ones are above 65535 (DDSI-RTPS 2.2,
9.6.1)."""
PROFILE = Path(__file__).parents[2] / "config/fastdds_discovery.xml"
VARIABLE_OF = {
    "libfastdds.so": "FASTDDS_DEFAULT_PROFILES_FILE",  # Fast DDS 3, that of Kilted
    "libfastrtps.so": "FASTRTPS_DEFAULT_PROFILES_FILE",  # Fast DDS 2, that of Humble and Jazzy
}
"""The name that each Fast DDS takes without a warning, by its library."""
SHARED_MEMORY = Path("/dev/shm")
PORT = re.compile(r"(fastrtps|fastdds)_port\d+")
"""A file of shared memory by which the programs of this computer send to a port of one of them."""
HALF_MADE = 10.0
"""A port that is still half made after so long, s, was left by a program that died."""
LOOK_AGAIN, SAID_AFTER = 0.125, 0.5
"""How often younger ones are looked at again, and when that is said, s."""
MADE, BROKEN = (state.to_bytes(4, sys.byteorder) for state in (2, 3))
"""The first bytes of a port (Boost.Interprocess, managed_open_or_create_impl): a program opens one
that is made, waits while it is empty or half made, and fails with a broken one."""


def use_profile() -> None:
    """Let Fast DDS use the profile from the first node on, unless the user has named another.

    Every program here does so, before `rclpy.init`. What would keep it there for ever is removed.
    """
    wait_for_half_made_ports()
    if not any(variable in os.environ for variable in VARIABLE_OF.values()):
        os.environ[variable()] = str(PROFILE)


def variable() -> str:
    """The name for the Fast DDS that is installed; without one it does not matter."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for library, name in VARIABLE_OF.items():
        if any(Path(prefix, "lib", library).exists() for prefix in prefixes):
            return name
    return VARIABLE_OF["libfastdds.so"]


def half_made_ports(folder: Path = SHARED_MEMORY, age: float = HALF_MADE) -> Iterator[Path]:
    """Find ports whose program was killed while it made them: still half made after `age` s.

    Every program of Fast DDS that meets one waits there for ever: at its start, whatever its
    domain, so that no signal but SIGKILL ends it, and where it sends to a program that had the
    port before. Programs make the ports of those that have gone, again and again.
    """
    for path in sorted(folder.glob("fast*_port*")):
        with suppress(OSError):
            found = path.lstat()
            is_old = time.time() - found.st_mtime > age
            if PORT.fullmatch(path.name) and stat.S_ISREG(found.st_mode) and is_old:
                with open(path, "rb", opener=_open_no_other) as file:
                    if file.read(len(MADE)) not in (MADE, BROKEN):
                        yield path


def remove_half_made_ports(folder: Path = SHARED_MEMORY) -> None:
    """Remove them, and let the programs go on that wait for them already, by another port."""
    for path in half_made_ports(folder):
        with suppress(OSError):  # of another user: `wmx doctor` names it
            with open(path, "r+b", opener=_open_no_other) as file:
                file.write(BROKEN)
            path.unlink()


def wait_for_half_made_ports(
    folder: Path = SHARED_MEMORY, sleep: Callable[[float], None] = lambda s: time.sleep(s)
) -> None:
    """Remove them, and wait until young ones are made, or old enough to be removed.

    A port that another program is making is made within milliseconds. One whose program has been
    killed meanwhile would keep this one for ever; that it is waited for is said once.
    """
    waited = 0.0
    while waited < HALF_MADE + 1.0:
        remove_half_made_ports(folder)
        if not (young := [*half_made_ports(folder, age=0.0)]):
            return
        sleep(LOOK_AGAIN)
        waited += LOOK_AGAIN
        if waited == SAID_AFTER:
            names = ", ".join(path.name for path in young)
            print(
                f"waiting up to {HALF_MADE:g} s for {names} in {folder}: a program that was killed "
                "has left it half made",
                file=sys.stderr,
                flush=True,
            )


def _open_no_other(path: str, flags: int) -> int:
    """Open the file itself, without waiting: anybody may put a link or a pipe into that folder."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
