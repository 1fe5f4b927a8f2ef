"""Keeps a test run to itself: simulated hardware, this machine, a ROS domain of its own.

All of it is set before anything imports rclpy, and whatever the caller's environment says.
"""

import atexit
import faulthandler
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import circles
import late_threads
import pytest
from cases import load_the_product
from domain import Domain
from hypothesis import HealthCheck, settings
from hypothesis.internal.detection import is_hypothesis_test  # Humble's has it nowhere else
from hypothesis.internal.entropy import deterministic_PRNG
from other_processes import engine_processes, wait_until

from wmx_ros2_package.node_base.domain.discovery import VARIABLE_OF, use_profile

if TYPE_CHECKING:
    from command_line import Shell
    from held_robots import Robots
    from held_system import HeldSystem
    from system import Place, System

# What tests of several folders share; `pythonpath` in pyproject.toml is unknown to Humble's pytest.
sys.path += [str(Path(__file__).parent / folder) for folder in ("unit", "wmx3")]

DOMAIN = Domain()
atexit.register(DOMAIN.release)

os.environ["WMX_DRIVER"] = "fake"
os.environ.pop("WMX_DEVICE_PATH", None)
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN.number)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
if os.environ.get("ROS_DISTRO") == "humble":
    # The older name; newer releases warn about it.
    os.environ["ROS_LOCALHOST_ONLY"] = "1"

# As the nodes do by themselves: clients without it may crash, or leave each other deaf.
use_profile()

# A shell has what it starts in the background ignore Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Under `nohup` it would outlive its terminal. What is started has the default in a handler's place.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

TIME_LIMIT = float(os.environ.get("PYTEST_TIMEOUT", "300"))
"""A test that takes longer hangs, s; its mark `timeout` may give it another limit."""
_stderr = 2
"""Where the process writes errors, also while pytest keeps what a test prints."""


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's runtime directory, with a path short enough for any socket in it.

    After the test every engine in it has to be gone.
    """
    with tempfile.TemporaryDirectory(prefix="wmx") as directory:
        monkeypatch.setenv("XDG_RUNTIME_DIR", directory)
        yield Path(directory)
        place = Path(directory)
        try:
            # An engine inside this process ends a moment after its last client has.
            wait_until(lambda: not engine_processes(place) and not [*place.glob("*/*.sock")])
        finally:
            for process in engine_processes(place):
                os.kill(process, signal.SIGKILL)


@pytest.fixture
def place() -> Iterator["Place"]:
    """A domain and a folder of programs, which are ended with the test."""
    import system as systems

    with systems.place() as place:
        yield place


@pytest.fixture(scope="module")
def system() -> Iterator["HeldSystem"]:
    """The whole system on the default machine in the process of the test, ready."""
    import system as systems
    from held_system import held_system

    with systems.place() as place, held_system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def program() -> Iterator["System"]:
    """The whole system on the default machine as its users start it, ready."""
    import system as systems

    with systems.place() as place, systems.system(place) as system:
        system.ready()
        yield system


@pytest.fixture(scope="module")
def robots() -> Iterator["Robots"]:
    """Systems of robots in the process of the test, one at a time."""
    from held_robots import Robots

    robots = Robots()
    yield robots
    robots.end()


@pytest.fixture
def own_signals() -> Iterator[None]:
    """What the test does with signals that interrupt a command ends with it."""
    from wmx_ros2_package.cli.interrupts import INTERRUPTS

    before = {number: signal.getsignal(number) for number in (*INTERRUPTS, signal.SIGALRM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], own_signals: None) -> "Shell":
    """Runs `wmx` in the process of the test; `tests/cli` has one that reaches the system."""
    from command_line import Shell

    return Shell(capsys)


@pytest.fixture
def no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    """What starts from now on has Fast DDS as it is, but for what takes the profile by itself."""
    for name in VARIABLE_OF.values():
        monkeypatch.setenv(name, "")  # so that it goes again with what the test sets
        monkeypatch.delenv(name)


# How fast a machine is proves nothing, and a change is judged by the cases of the run before it.
# New cases are looked for with `--hypothesis-profile=searching`.
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("searching"), derandomize=True)
settings.register_profile("fewer", settings.get_profile("repeatable"), max_examples=30)
settings.register_profile("quick", settings.get_profile("repeatable"), max_examples=10)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--late-threads", type=float, default=0.0, help="how late each thread begins its work, s"
    )


def pytest_configure(config: pytest.Config) -> None:
    if (late := config.getoption("--late-threads")) > 0.0:
        late_threads.begin_late(late)
    global _stderr
    _stderr = os.dup(2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        circles.mark(item)


def watch(item: pytest.Item) -> None:
    """From now on end the process of a test that hangs, and show what each of its threads does.

    The middleware may wait for itself for ever with Python's lock held (docs/processes.md, Ending),
    and this alone needs no lock.
    """
    mark = item.get_closest_marker("timeout")
    limit = mark.args[0] if mark else TIME_LIMIT
    faulthandler.dump_traceback_later(limit, exit=True, file=_stderr)
    faulthandler.enable(_stderr)  # where a crash is told, too: rclpy's executor has it elsewhere


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Watch a test that has failed on: pytest has just ended that, for the sake of debuggers."""
    if isinstance(node, pytest.Item):
        watch(node)


def pytest_sessionfinish() -> None:
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    watch(item)
    circles.begin(item)
    if is_hypothesis_test(getattr(item, "obj", None)):
        load_the_product()


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """A quarter of the time was spent on looking through thousands of tests for garbage."""
    gc.disable()
    # Hypothesis asks the collector who refers to its generator, and warns where that is nobody. On
    # Python 3.14 it would be a dictionary that is frozen below, so the generator is made before.
    with deterministic_PRNG():
        pass
    yield
    gc.freeze()
    gc.set_threshold(20_000, 10, 50)
    gc.enable()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what the system of a test that fails has said last."""
    outcome = yield
    report = outcome.get_result()
    given = getattr(item, "funcargs", {}).values()
    systems = {id(system): system for system in (getattr(each, "system", each) for each in given)}
    for system in systems.values() if report.failed and report.when != "teardown" else ():
        output = getattr(system, "output", "")
        if isinstance(output, str) and output:
            report.sections.append(("what the system said last", output[-3000:]))
