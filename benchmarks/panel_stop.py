"""How long the panel takes to answer an emergency stop, alone and with everything else at once.

python benchmarks/panel_stop.py [--stops 200] [--clients 8]

Starts an arm on the simulated engine, and a panel. The clients upload files that take long to
read, export ten minutes as CSV and MCAP, and ask for plots and pages, again and again. They are
other computers as a rule, so here they give way to the panel (nice 19). Each stop is sent on the
connection of stops, as a page does, and by a request of its own (`POST /estop`).
"""

import argparse
import json
import multiprocessing
import os
import re
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
from panel import PORT, URL, running
from system import isolate
from websockets.sync.client import ClientConnection, connect

from wmx_ros2_package.client import Machine

POINTS = 40_000
OF_AXIS = "0:command,0:position,0:following_error,0:velocity,0:torque"
CHANNELS = "0:position,1:position,2:velocity,3:velocity,4:torque,5:torque,0:velocity,1:torque"
YAML = b"points:\n" + b"".join(
    b"- {time: %d, %s}\n" % (n, b", ".join(b"joint%d: 0.0" % j for j in range(1, 7)))
    for n in range(POINTS)
)
FORM = b'--x\r\nContent-Disposition: form-data; name="f"; filename="x.yaml"\r\n\r\n%s\r\n--x--'
UPLOADS = FORM % YAML, FORM % (b"[" * 4_000_000)


def get(path: str) -> str:
    """What the panel serves at `path`."""
    with urllib.request.urlopen(URL + path, timeout=60.0) as answer:
        return str(answer.read().decode(errors="replace"))


def upload(number: int) -> None:
    """Send a file to a page of its own."""
    path = re.search(r"/_nicegui/client/[0-9a-f-]+/upload/\d+", get("/trajectory"))
    assert path, "a page of trajectories has an address for uploads"
    kind = {"content-type": "multipart/form-data; boundary=x"}
    request = urllib.request.Request(URL + path[0], UPLOADS[number % len(UPLOADS)], kind)
    urllib.request.urlopen(request, timeout=60.0).read()


def load(client: int) -> None:
    """Ask for one thing of a few, again and again."""
    asked: list[Callable[[], object]] = [
        lambda: upload(client // 6),
        lambda: get(f"/scope-data?channels={OF_AXIS}&seconds=600&points=2000"),
        lambda: get(f"/scope.csv?channels={OF_AXIS}&seconds=600"),
        lambda: get("/robot"),
        lambda: get(f"/scope.mcap?channels={CHANNELS}&seconds=600"),
        lambda: get(f"/scope-data?channels={CHANNELS}&seconds=600&points=2000"),
    ]
    os.nice(19)
    while True:
        with suppress(OSError):
            asked[client % len(asked)]()


@contextmanager
def loaded(clients: int) -> Iterator[None]:
    """Clients, each a process, that ask for everything at once."""
    processes = [multiprocessing.Process(target=load, args=(client,)) for client in range(clients)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def ask_by_socket(way: ClientConnection, number: int) -> Any:
    """Stop on the connection of stops, as a page does."""
    way.send(json.dumps({"n": number, "stop": "emergency"}))
    return json.loads(way.recv(60.0))


def ask_by_request() -> Any:
    """Stop by a request with a connection of its own."""
    connection = HTTPConnection("127.0.0.1", PORT, timeout=60.0)
    connection.request("POST", "/estop")
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def measure(stops: int) -> Iterator[str]:
    """The name of each way, and the median, the 99th percentile and the highest time of it, ms."""
    with connect(URL.replace("http", "ws") + "/stop") as way:
        ways: dict[str, Callable[[int], Any]] = {
            "/stop (WebSocket)": lambda number: ask_by_socket(way, number),
            "POST /estop": lambda _: ask_by_request(),
        }
        for name, ask in ways.items():
            times = []
            for number in range(stops):
                begin = time.monotonic()
                assert ask(number)["done"]
                times.append(time.monotonic() - begin)
                time.sleep(0.05)
            cells = " | ".join(
                f"{1e3 * float(np.quantile(times, q)):.1f}" for q in (0.5, 0.99, 1.0)
            )
            yield f"{name} | {cells} | {os.getloadavg()[0]:.1f}"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        os.environ |= isolate(Path(folder))
        stack.enter_context(running("bringup", "--robot", "arm"))
        stack.enter_context(Machine(timeout=60.0)).status()
        stack.enter_context(running("wmx_panel", "--port", str(PORT)))
        time.sleep(10.0)
        print("| beside | sent by | 50 %, ms | 99 %, ms | highest, ms | load of the computer |")
        print("|---|---|---|---|---|---|")
        for row in measure(options.stops):
            print(f"| nothing | {row} |", flush=True)
        with loaded(options.clients):
            time.sleep(2.0)
            for row in measure(options.stops):
                print(f"| all at once | {row} |", flush=True)


if __name__ == "__main__":
    main()
