"""Processes that cannot end by themselves end all the same, with the exit code they would have."""

import ctypes
import signal
import sys
import time
from collections.abc import Iterator

import pytest
import system as systems
from system import Place

HANG_WITH_THE_LOCK = "ctypes.PyDLL(None).sleep(100)"
HANGS = {"lock": HANG_WITH_THE_LOCK, "no lock": "ctypes.CDLL(None).sleep(100)"}

GUARDED = """
import ctypes
from wmx_ros2_package.node.exit_guard import ExitGuard
def arm():
    guard = ExitGuard()
    guard.end_within(100.0, 9, "not this one: it was called off")
    guard.end_within(1.5, {code}, "it hangs, 100%")

class Middleware:
    def __del__(self):
        {hang}

arm()  # nobody keeps the guard
print("armed", flush=True)
middleware = Middleware()
"""

NODE = """
import ctypes, sys
from wmx_ros2_package.node.managed_node import ManagedNode
from wmx_ros2_package.nodes import io
ManagedNode.destroy_node = lambda self: {hang}
sys.exit(io.main())
"""
FAILING = """
import sys
from wmx_ros2_package.node import runner
from wmx_ros2_package.node.managed_node import ManagedNode
from wmx_ros2_package.nodes import io
def fail(_):
    raise OSError("nobody can wait")
def close(node, close=ManagedNode.close):
    close(node)
    print(node.get_name(), "is closed", flush=True)
ManagedNode.close = close
runner._StopSignal.wait = fail
sys.exit(io.main())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the guard is one of Linux")


@pytest.fixture
def place() -> Iterator[Place]:
    with systems.place(afresh=True) as place:
        yield place


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS)
def test_a_destructor_that_hangs(place: Place, hang: str) -> None:
    guarded = {code: GUARDED.format(code=code, hang=hang) for code in (0, 1, 7)}
    processes = {c: place.run([sys.executable, "-c", script]) for c, script in guarded.items()}
    for code, process in processes.items():
        process.says("armed")
        start = time.monotonic()
        assert process.wait() == code
        assert time.monotonic() - start < 10.0
        assert "it hangs, 100%" in process.output


@pytest.mark.parametrize("crash", ["ctypes.string_at(0)", "ctypes.CDLL(None).abort()"])
def test_a_destructor_that_crashes(place: Place, crash: str) -> None:
    script = GUARDED.format(code=1, hang=f"ExitGuard().wait_for_the_end(), {crash}")
    process = place.run([sys.executable, "-c", script])
    process.says("armed")
    assert process.wait() == 1
    assert "it hangs, 100%" in process.output


def test_what_crashes_when_python_has_ended(place: Place) -> None:
    """faulthandler, which is on, takes its handlers back before."""
    late = "libc = ctypes.CDLL(None); libc.__cxa_atexit(libc.abort, None, None)"
    script = GUARDED.format(code=1, hang="pass")
    script += f"\nExitGuard().wait_for_the_end(); {late}"
    process = place.run([sys.executable, "-c", script])
    assert process.wait() == 1
    assert "it hangs, 100%" in process.output


def test_a_process_that_ends_is_left_alone(place: Place) -> None:
    process = place.run([sys.executable, "-c", GUARDED.format(code=1, hang="pass")])
    assert process.wait() == 0
    assert process.output == "armed\n"


def test_a_guard_that_is_called_off_does_nothing() -> None:
    from wmx_ros2_package.node.exit_guard import ExitGuard

    guard = ExitGuard()
    guard.end_within(0.2, 9, "it should have been called off")
    guard.call_off()
    ctypes.CDLL(None).usleep(400_000)


@pytest.mark.parametrize("hang", HANGS.values(), ids=HANGS)
def test_a_node_that_hangs_when_it_is_destroyed(place: Place, hang: str) -> None:
    node = place.run([sys.executable, "-c", NODE.format(hang=hang)])
    node.says("waiting for engine")
    node.send_signal()
    start = time.monotonic()
    assert node.wait() == 0
    assert 2.0 < time.monotonic() - start < 10.0
    assert "the nodes are closed but the process stays: it is ended without waiting" in node.output


def test_a_refused_start_that_hangs(place: Place) -> None:
    arguments = ["--ros-args", "-p", "driver:=nonsense"]
    command = [sys.executable, "-c", NODE.format(hang=HANG_WITH_THE_LOCK), *arguments]
    node = place.run(command)
    assert node.wait() == 1
    assert "unknown driver 'nonsense'" in node.output
    assert "no node runs but the process stays" in node.output


def test_whatever_ends_a_process_its_nodes_are_closed(place: Place) -> None:
    process = place.run([sys.executable, "-c", FAILING])
    assert process.wait() == 1
    assert "wmx_io_node is closed" in process.output
    assert "OSError: nobody can wait" in process.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
@pytest.mark.parametrize("delay", [0.0, 0.1, 0.3])
def test_a_signal_while_a_program_still_imports(
    place: Place, number: signal.Signals, delay: float
) -> None:
    """Counted from the moment at which it handles signals, which ends Python's own start."""
    script = "import sys; from wmx_ros2_package import programs; end = programs.end_at_once\n"
    script += "programs.end_at_once = lambda: (end(), print('begins', flush=True))\n"
    script += "sys.exit(programs.bringup())"
    process = place.run([sys.executable, "-c", script])
    process.says("begins")
    systems.pause(delay)
    process.stop(number)
