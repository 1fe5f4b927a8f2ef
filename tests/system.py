"""The package's executables as processes, in a place of their own, and a client to talk to them."""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import circles
from ament_index_python.packages import get_package_prefix
from domain import Domain
from offered import offers
from ros import OFFERED, TOPICS, WAIT_TIMEOUT, Client, eventually

from wmx_core.interface import Driver
from wmx_core.opening import open_driver
from wmx_core.values import DEFAULT_DEVICE_PATH
from wmx_sim.server.engine_client import RemoteClient

EXECUTABLES = Path(get_package_prefix("wmx_ros2_package")) / "lib/wmx_ros2_package"
CONFIG = Path(__file__).resolve().parents[1] / "config"
SERVICES_OF: dict[str, Collection[str]] = {
    "wmx_engine_node": offers("engine"),
    "wmx_core_motion_node": offers("core_motion"),
    "wmx_io_node": offers("io"),
    "wmx_ethercat_node": offers("ethercat"),
    "bringup": OFFERED,
}
NODES = tuple(SERVICES_OF)[:4]
MOVING = NODES[:2]
"""The least that moves axes."""
LOST_RESPONSE = "RuntimeWarning: failed to send response (timeout)"
"""What rclpy says when a client asks before DDS has made it known to the node, see Client.meet."""
LEFT_BY_FORCE = re.compile(
    r"""^Timeout \(0:00:08\)!
(?:.*\n)*?Thread .*:
(?:  File ".*/rclpy/.*
(?:  File .*\n)*?)?  File ".*/node_base/runner\.py", line \d+ in (?:leave|end_spinning)$""",
    re.MULTILINE,
)
"""How faulthandler ends a process, with 1, over which Fast DDS waits for itself as it leaves: in
rclpy, or where Python collects a node, which `leave` does itself. Its nodes were closed before.
docs/processes.md, Ending, promises no more."""

START_TIMEOUT = 120.0
"""How long the start of a program may take where others start, too, s."""

MACHINE = """
parameters: {parameters}
axis_model: {{{axis_model}}}
masters:
  - slaves:
      - {{name: drive, count: {axes}, vendor_id: 0xFA4E, product_code: 0x0402, axes: 1}}
      - {{name: digital I/O, vendor_id: 0xFA4E, input_size: 4, output_size: 4}}
"""


class Process:
    """A program that runs, started as by its user, and what it says."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], output: Path) -> None:
        circles.require_mark()
        self.name = Path(command[0]).name
        self._output = output
        with output.open("wb") as file:
            self._popen = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    @property
    def output(self) -> str:
        return self._output.read_text(errors="replace")

    @property
    def pid(self) -> int:
        return self._popen.pid

    def running(self) -> bool:
        return self._popen.poll() is None

    def says(self, text: str) -> None:
        """Wait until the program has said `text`."""

        def said() -> bool:
            assert text in self.output or self.running(), f"{self.name} ended:\n{self.output}"
            return text in self.output

        eventually(said, f"{self.name} says {text!r} in\n{self.output}")

    def started(self) -> None:
        """Wait until the program logs something, or has ended: its node is there.

        Where many start at once on a busy machine that alone takes longer than anything after it.
        """
        eventually(
            lambda: "]: " in self.output or not self.running(), f"{self.name} starts", START_TIMEOUT
        )

    def send_signal(self, number: int = signal.SIGINT) -> None:
        """Send a signal; what is suspended stands still, with all its threads, on return."""
        self._popen.send_signal(number)
        if number == signal.SIGSTOP:
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def wait(self, timeout: float = WAIT_TIMEOUT) -> int:
        """The exit code, once the program has ended; one that does not says where it stands."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            self.send_signal(signal.SIGABRT)  # faulthandler then shows every thread
            self._popen.wait()
            raise AssertionError(f"{self.name} does not end:\n{self.output}") from None

    def stop(self, number: int = signal.SIGINT) -> None:
        """End the program as its user would; it has to end well."""
        self.send_signal(number)
        self.ended_well()

    def ended_well(self) -> None:
        code = self.wait()
        output = self.output.replace(LOST_RESPONSE, "")
        by_force = code == 1 and LEFT_BY_FORCE.search(output)
        assert code == 0 or by_force, f"{self.name} ended with {code}:\n{output}"
        for word in "Traceback", "Warning:", "Exception", "Internal error":
            assert word not in output, f"{self.name} said:\n{output}"

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._popen.kill()
        self._popen.wait()


@dataclass
class Place:
    """A ROS domain and a folder that the programs started here share with nobody else."""

    folder: Path
    lock: Domain = field(default_factory=Domain)
    processes: list[Process] = field(default_factory=list)

    @property
    def domain(self) -> int:
        return self.lock.number

    def start(
        self,
        executable: str,
        *parameters: str,
        ros: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> Process:
        """Start an executable of the package with parameters like ``rate:=50``."""
        arguments = [word for parameter in parameters for word in ("-p", parameter)]
        program = str(EXECUTABLES / executable)
        return self.run([program, *options, "--ros-args", *arguments, *ros])

    def run(self, command: Sequence[str], **environment: str) -> Process:
        """Start any program as its user does."""
        name = f"{len(self.processes)}_{Path(command[0]).name}.txt"
        process = Process(command, self.environment | environment, self.folder / name)
        self.processes.append(process)
        return process

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "ROS_DOMAIN_ID": str(self.domain),
            "XDG_RUNTIME_DIR": str(self.folder),
            "ROS_LOG_DIR": str(self.folder / "log"),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
        }

    def machine(
        self,
        name: str = "machine.yaml",
        *,
        axes: int = 6,
        parameters: Path | str = "",
        **axis_model: float,
    ) -> Path:
        """Write the file of a machine whose axes turn in radians; beyond six with `parameters`."""
        parameters = CONFIG / "wmx_parameters_6_axes.xml" if axes <= 6 else parameters
        model = ", ".join(f"{key}: {value}" for key, value in axis_model.items())
        path = self.folder / name
        unfinished = path.with_suffix(".new")
        unfinished.write_text(MACHINE.format(parameters=parameters, axes=axes, axis_model=model))
        return unfinished.rename(path)

    # The engine

    @property
    def engines(self) -> Path:
        """The folder of the engines here; where it is a file, none can be started."""
        return self.folder / f"wmx-fake-{os.getuid()}"

    def sockets(self) -> list[Path]:
        return sorted(self.folder.glob("wmx-fake-*/*.sock"))

    def engine_pids(self) -> list[int]:
        """The processes of engines that were started here."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if any(w.startswith(bytes(self.folder) + b"/wmx-fake-") for w in words):
                    found.append(int(entry.name))
        return found

    @contextmanager
    def engine(self) -> Iterator[RemoteClient]:
        """A device on the one engine here, on which faults can be called."""
        [address] = self.sockets()
        link = RemoteClient(address)
        try:
            yield link
        finally:
            link.close()

    def resources(self) -> dict[str, float]:
        """Memory (MiB), descriptors and threads of all that was started here, the engine too."""
        total = {"memory": 0.0, "descriptors": 0.0, "threads": 0.0}
        for pid in [*(process.pid for process in self.processes), *self.engine_pids()]:
            with suppress(OSError):
                status = Path(f"/proc/{pid}/status").read_text()
                fields = dict(line.split(":", 1) for line in status.splitlines())
                total["memory"] += int(fields["VmRSS"].split()[0]) / 1024
                total["threads"] += int(fields["Threads"])
                total["descriptors"] += len(os.listdir(f"/proc/{pid}/fd"))
        return total

    def is_empty(self) -> bool:
        """Nothing of any engine is left."""
        left = [*self.folder.glob("wmx-fake-*/*")]
        return not left and not self.engine_pids()

    @contextmanager
    def driver(self, path: str = DEFAULT_DEVICE_PATH, name: str = "observer") -> Iterator[Driver]:
        """A device of this process on an engine here, which is no node."""
        with patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.folder)):
            driver = open_driver("fake")
            driver.engine.create_device(path, name)
            try:
                yield driver
            finally:
                driver.engine.close_device()

    def kill(self, *names: str) -> None:
        """Kill the programs of these names, which are programs of this place no more."""
        killed = [process for process in self.processes if process.name in names]
        assert {process.name for process in killed} == {*names}
        for process in killed:
            process.kill()
            self.processes.remove(process)

    def clear(self) -> None:
        """End whatever still runs, whether it wants to or not."""
        for process in self.processes:
            process.kill()
        for pid in self.engine_pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.lock.release()


@dataclass
class System:
    """Programs that run together, and a client that talks to them."""

    place: Place
    client: Client
    main: Process
    """`bringup`, or the process of the engine node."""

    @property
    def output(self) -> str:
        return "".join(process.output for process in self.place.processes)

    def says(self, text: str) -> None:
        """Wait until one of the programs has said `text`."""
        self.client.eventually(lambda: text in self.output, f"somebody says {text!r}")

    def meet(self, executables: Sequence[str]) -> None:
        """Wait until the programs and the client hear each other."""
        for executable in executables:
            services = SERVICES_OF.get(executable, {})
            self.client.meet(services)
            if "wmx/axis/set_on" in services:
                for topic, kind in TOPICS.items():
                    complaint = f"{topic}: "
                    while complaint not in self.output:
                        self.client.send(topic, kind())
                        self.client.clock.sleep(0.02)

    def ready(self) -> None:
        """Wait until every node answers for the engine."""
        self.client.states.next()
        self.client.attached()
        for service, fields in (
            ("wmx/engine/get_status", {}),
            ("wmx/io/get_input_bit", {}),
            ("wmx/ecat/get_network_state", {}),
        ):
            self.client.eventually(
                lambda s=service, f=fields: self.client.call(s, **f).success, f"{service} answers"
            )


@contextmanager
def place() -> Iterator[Place]:
    """A place that is cleared in the end."""
    with tempfile.TemporaryDirectory(prefix="wmx") as folder:
        place = Place(Path(folder))
        try:
            yield place
        finally:
            place.clear()


@contextmanager
def system(
    place: Place,
    *parameters: str,
    executables: Sequence[str] = ("bringup",),
    namespace: str = "",
    ros: Sequence[str] = (),
    options: Sequence[str] = (),
) -> Iterator[System]:
    """Start programs and a client; in the end all of them must end well."""
    remap = ("-r", f"__ns:={namespace}") if namespace else ()
    for executable in executables:
        place.start(executable, *parameters, ros=(*remap, *ros), options=options)
    client = Client(place.domain, namespace)
    system = System(place, client, place.processes[0])
    try:
        try:
            for process in place.processes:
                process.started()
            system.meet(executables)
        except AssertionError as error:
            raise AssertionError(f"{error}; what runs has said:\n{system.output}") from None
        yield system
    finally:
        # First: Fast DDS may wait for itself for ever where others leave, see docs/processes.md.
        client.close()
    running = [process for process in place.processes if process.running()]
    for process in running:
        if process.name in executables:
            process.started()  # one that was started again may still be loading Python
    for process in running:
        process.send_signal()
    for process in running:
        process.ended_well()
    eventually(place.is_empty, "nothing of the engine is left")


def pause(seconds: float) -> None:
    """Let real time pass, for what must not happen meanwhile."""
    time.sleep(seconds)
