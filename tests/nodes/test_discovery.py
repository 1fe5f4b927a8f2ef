"""The profile with which the nodes are found soon."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import system as systems
from other_processes import own_shared_memory

from wmx_ros2_package.node_base.domain.discovery import PROFILE, VARIABLE_OF, use_profile, variable

FAST_DDS_2, FAST_DDS_3 = "FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE"
VARIABLES = [*VARIABLE_OF.values()]
RECEIVE_BUFFERS = """
import os, rclpy, socket, stat
rclpy.init()
node = rclpy.create_node("listens")
for fd in map(int, os.listdir("/proc/self/fd")):
    try:
        is_socket = stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        continue
    if is_socket:
        with socket.socket(fileno=os.dup(fd)) as made:
            if made.type == socket.SOCK_DGRAM and made.family == socket.AF_INET:
                print(made.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF))
"""


pytestmark = pytest.mark.usefixtures("no_profile")


@pytest.mark.parametrize(
    ("libraries", "name"),
    [
        ([["libfastrtps.so"]], FAST_DDS_2),
        ([["libfastdds.so"]], FAST_DDS_3),
        ([[], ["libfastrtps.so", "libfastcdr.so"]], FAST_DDS_2),
        ([["libwmx.so"], ["libfastdds.so"]], FAST_DDS_3),
        ([[]], FAST_DDS_3),  # another middleware
    ],
)
def test_the_nodes_take_the_profile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, libraries: Sequence[Sequence[str]], name: str
) -> None:
    prefixes = [tmp_path / f"prefix{number}" for number in range(len(libraries))]
    for prefix, names in zip(prefixes, libraries, strict=True):
        (prefix / "lib").mkdir(parents=True)
        for library in names:
            (prefix / "lib" / library).touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", os.pathsep.join(map(str, prefixes)))
    use_profile()
    assert {v: os.environ[v] for v in VARIABLES if v in os.environ} == {name: str(PROFILE)}


@pytest.mark.parametrize("name", VARIABLES)
def test_the_profile_of_the_user_stays(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/mine.xml")
    use_profile()
    assert {v: os.environ[v] for v in VARIABLES if v in os.environ} == {name: "/mine.xml"}


def test_every_program_takes_the_profile() -> None:
    sources = [path.read_text() for path in PROFILE.parents[1].rglob("*.py")]
    programs = [text for text in sources if "rclpy.init(" in text]
    assert len(programs) == 2, "nodes, clients"
    for program in programs:
        assert 0 < program.find(" use_profile()") < program.find(" rclpy.init(")


@pytest.mark.process
@pytest.mark.parametrize("name", ["fastdds_discovery.xml", "fastdds_udp.xml"])
def test_fast_dds_understands_the_profile(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(variable(), str(systems.CONFIG / name))
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        assert "XMLPARSER" not in system.output


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is elsewhere")
def test_what_fast_dds_says_is_no_part_of_what_a_program_prints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fast DDS says that it cannot write to shared memory."""
    monkeypatch.setenv(variable(), str(PROFILE))
    code = "import rclpy; rclpy.init(); rclpy.create_node('prints'); print('printed')"
    with systems.place() as place:
        program = subprocess.run(
            [*own_shared_memory("ro"), sys.executable, "-c", code],
            env=place.environment,
            capture_output=True,
            text=True,
            timeout=60.0,
        )
    assert program.stdout == "printed\n"
    assert "RTPS_TRANSPORT_SHM" in program.stderr


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="shared memory is elsewhere")
def test_programs_hear_each_other_without_shared_memory() -> None:
    """They do so as in containers that share a network alone."""
    with systems.place() as place:
        place.run([*own_shared_memory(), str(systems.EXECUTABLES / "bringup")])
        client = place.run([*own_shared_memory(), "wmx", "status"])
        assert client.wait() == 0, client.output
        assert "axis_5" in client.output


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the sizes")
@pytest.mark.parametrize("name", ["fastdds_discovery.xml", "fastdds_udp.xml"])
def test_what_arrives_at_once_finds_room(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """By default sockets have room for less than a system has to tell a newcomer."""
    monkeypatch.setenv(variable(), str(systems.CONFIG / name))
    # With LOCALHOST ROS makes the sockets; this program meets nobody.
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF")
    monkeypatch.delenv("ROS_LOCALHOST_ONLY", raising=False)
    with systems.place() as place:
        program = subprocess.run(
            [sys.executable, "-c", RECEIVE_BUFFERS],
            env=place.environment,
            capture_output=True,
            text=True,
            timeout=60.0,
        )
    allowed = int(Path("/proc/sys/net/core/rmem_max").read_text())
    sizes = [int(line) for line in program.stdout.splitlines()]
    # Of what Linux doubles, for its own needs (socket(7)).
    assert sizes.count(2 * min(2**20, allowed)) >= 2, program
