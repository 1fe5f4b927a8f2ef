"""What the panel costs: the rate and jitter of AxisState, and its processor time, by its viewers.

python benchmarks/panel.py [--axes 128] [--viewers 0 1 20] [--seconds 20] [--rounds 1]

Starts a system of its own on the simulated engine. One viewer is Chromium without a screen where
it is installed; the others take frames and answer them as browsers do, without drawing them. What
all of them take of the same computer stands beside, and how long tasks waited for a processor.
"""

import argparse
import asyncio
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import websockets.asyncio.client
from ament_index_python.packages import get_package_prefix
from system import isolate
from wmx_ros2_message.msg import AxisState

from wmx_core.values import Floats
from wmx_ros2_package.client import Machine

EXECUTABLES = Path(get_package_prefix("wmx_ros2_package")) / "lib/wmx_ros2_package"
MACHINE = Path(__file__).parents[1] / "config/fake_network_128_axes.yaml"
PORT = 8765
URL = f"http://127.0.0.1:{PORT}"
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def running(name: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program of the package, until the block ends."""
    process = subprocess.Popen([str(EXECUTABLES / name), *arguments], stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


def cpu(pid: int) -> float:
    """The processor time of a process so far, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def group_cpu(group: int) -> float:
    """The processor time so far of the processes in a group that live, s."""
    total = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += (int(fields[11]) + int(fields[12])) / TICKS
    return total


async def view(count: list[int], opening: asyncio.Lock) -> None:
    """Take frames as a browser does, for ever."""
    async with opening:  # the panel keeps few pages that are asked for and not shown
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(URL).read().decode())
        found = re.search(r"client_id\W+([0-9a-f-]{36})", page)
        assert found, "a page has the id of its client"
        address = f"ws://127.0.0.1:{PORT}/live?client={found[1]}"
        socket = await websockets.asyncio.client.connect(address, compression=None)
    async with socket:
        async for frame in socket:
            count[0] += 1
            number = re.search(r'"n":(\d+)', str(frame))
            if number:
                await socket.send(f'{{"n":{number[1]},"hold":null}}')


@contextmanager
def viewers(number: int, browser: str | None) -> Iterator[tuple[list[int], int]]:
    """So many viewers, the first of them a real browser where there is one.

    Gives the count of the frames that the others took, and the process group of the browser or -1.
    """
    count, group = [0], -1
    with ExitStack() as stack:
        if number and browser:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}"]
            command = [browser, *flags, "--remote-debugging-port=0", URL]
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True
            )
            stack.callback(process.wait)
            stack.callback(os.killpg, process.pid, signal.SIGTERM)
            number, group = number - 1, process.pid
        loop, opening = asyncio.new_event_loop(), asyncio.Lock()
        Thread(target=loop.run_forever, daemon=True).start()
        views = [view(count, opening) for _ in range(number)]
        tasks = [asyncio.run_coroutine_threadsafe(each, loop) for each in views]
        time.sleep(8.0)
        yield count, group
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()


def waiting() -> float:
    """How long tasks of this computer have waited for a processor so far, s."""
    text = Path("/proc/pressure/cpu").read_text()
    return int(text.partition("total=")[2].split()[0]) * 1e-6


def measure(machine: Machine, seconds: float) -> tuple[float, float, float]:
    """Messages a second, and the jitter of their stamps (s): its 99th percentile and highest."""
    stamps: list[float] = []

    def take(message: bytes) -> None:
        sec, nanosec = struct.unpack_from("<iI", message, 4)
        stamps.append(sec + nanosec * 1e-9)

    end = machine.ros.subscribe(AxisState, "wmx/axis/state", take, raw=True)
    time.sleep(seconds)
    end()
    gaps = np.diff(stamps)
    jitter = np.abs(gaps - np.median(gaps))
    return len(gaps) / float(np.sum(gaps)), float(np.quantile(jitter, 0.99)), float(jitter.max())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--axes", type=int, default=128)
    parser.add_argument("--viewers", type=int, nargs="+", default=[0, 1, 20])
    parser.add_argument("--no-browser", action="store_true", help="no viewer is Chromium")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=1, help="with and without, by turns")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        os.environ |= isolate(Path(folder))
        parameters = [f"axis_count:={options.axes}", f"device_path:={MACHINE}"]
        words = [word for each in parameters for word in ("-p", each)]
        stack.enter_context(running("bringup", "--ros-args", *words))
        machine = stack.enter_context(Machine(timeout=30.0))
        machine.status()
        print("| panel | AxisState, Hz | jitter 99 %, ms | highest, ms | tasks wait, % ", end="")
        print("| panel, % of a core | browser, % | benchmark, % | frames/s each |")
        print("|---|---|---|---|---|---|---|---|---|")

        def row(name: str, *panel: Any) -> None:
            before = waiting()
            rate, usual, worst = measure(machine, options.seconds)
            noise = 100.0 * (waiting() - before) / options.seconds
            numbers = [f"{rate:.2f}", f"{1e3 * usual:.2f}", f"{1e3 * worst:.2f}", f"{noise:.0f}"]
            cells = [name, *numbers, *panel]
            print(f"| {' | '.join(cells)}", end="", flush=True)

        def row_with(panel: subprocess.Popen[bytes], number: int) -> None:
            browser = None if options.no_browser else shutil.which("chromium")
            with viewers(number, browser) as (count, group):

                def times() -> Floats:
                    return np.array([cpu(panel.pid), group_cpu(group), time.process_time()])

                before, frames, began = times(), count[0], time.monotonic()
                row(f"{number} viewers")
                lasted = time.monotonic() - began
                cells = [f"{100.0 * used / lasted:.1f}" for used in times() - before]
                each = (count[0] - frames) / lasted / max(number - bool(browser), 1)
                cells.append(f"{each:.1f}" if number > 1 else "-")
                print(f" | {' | '.join(cells)} |", flush=True)

        for _ in range(options.rounds):
            row("none", "-", "-", "-", "- |\n")
            with running("wmx_panel", "--port", str(PORT)) as panel:
                time.sleep(8.0)
                for number in options.viewers:
                    row_with(panel, number)


if __name__ == "__main__":
    main()
