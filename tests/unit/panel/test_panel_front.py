"""The thread of the network: it stops the machine whatever the pages, and their files, take."""

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Event, Thread
from typing import Any

import pytest
from waits import eventually

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
import uvicorn
from websockets.sync.client import connect

from wmx_ros2_package.panel.front import (
    MOST_BODY_BYTES,
    MOST_UPLOAD_BYTES,
    UPLOADS,
    Front,
    PageLoop,
    bridged,
)


class Stops:
    """Keeps the stops that were asked for."""

    def __init__(self) -> None:
        self.given: list[tuple[str, Any]] = []
        self.presses: list[object] = []

    async def stop(
        self, client: str, address: str, what: Any, press: object = None
    ) -> dict[str, Any]:
        self.given.append((client, what))
        self.presses.append(press)
        return {"done": True, "answer": ""}


class Pages:
    """Pages, one of which takes the thread of all pages until it is let go on."""

    def __init__(self) -> None:
        self.blocked, self.go_on = Event(), Event()
        self.bodies: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (message := await receive())["type"] != "lifespan.shutdown":
                await send({"type": message["type"] + ".complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        if scope["path"] == "/block":
            self.blocked.set()
            self.go_on.wait()
        size = 0
        while True:
            message = await receive()
            size += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        self.bodies.append(size)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a page"})


@contextmanager
def served(pages: Any, stops: Stops) -> Iterator[int]:
    """The port of a server of `pages`."""

    async def live(socket: Any) -> None:
        await socket.accept()
        await socket.send_text("live")
        await socket.close()

    async def run() -> None:
        await asyncio.sleep(3600.0)

    loop = PageLoop(asyncio.new_event_loop())
    loop.start()
    front = Front(bridged(pages, loop), stops, live, run)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        config = uvicorn.Config(front, lifespan="on", log_level="warning", ws="wsproto")
        server = uvicorn.Server(config)
        thread = Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        eventually(lambda: server.started, "it serves")
        try:
            yield port
        finally:
            server.should_exit = True
            thread.join()
            loop.stop()
            loop.loop.close()


def post(port: int, path: str, body: Any = b"", **options: Any) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20.0)
    connection.request("POST", path, body, **options)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_a_stop_is_answered_while_all_pages_wait_for_one() -> None:
    pages, stops = Pages(), Stops()
    with served(pages, stops) as port:
        blocked = Thread(target=post, args=(port, "/block"))
        blocked.start()
        try:
            assert pages.blocked.wait(20.0)
            with connect(f"ws://127.0.0.1:{port}/stop", close_timeout=1) as own:
                own.send(json.dumps({"n": 7, "client": "ann", "stop": 3}))
                assert json.loads(own.recv(20.0)) == {"n": 7, "done": True, "answer": ""}
            assert json.loads(post(port, "/estop", headers={"x-client": "bob"})[1])["done"]
            with connect(f"ws://127.0.0.1:{port}/live?client=ann", close_timeout=1) as live:
                assert live.recv(20.0) == "live"
            press = {"x-client": "ann", "x-press": "8"}
            assert json.loads(post(port, "/estop", headers=press)[1])["done"]
            assert stops.given == [("ann", 3), ("bob", None), ("ann", None)]
            assert stops.presses == [7, None, "8"]
            assert pages.bodies == [], "no page was answered"
        finally:
            pages.go_on.set()
            blocked.join()
        assert post(port, "/other") == (200, "a page")


def test_whatever_comes_on_the_way_of_stops_is_a_stop() -> None:
    stops = Stops()
    with served(Pages(), stops) as port:
        for sent in "", "{", "[]", "null", '"stop"', "[" * 100_000, b'{"n": 1}', '{"stop": "x"}':
            with connect(f"ws://127.0.0.1:{port}/stop", close_timeout=1) as own:
                own.send(sent)
                assert json.loads(own.recv(20.0))["done"], sent[:20]
    assert stops.given == [("", None)] * 7 + [("", "x")]


def chunks() -> Iterator[bytes]:
    yield b"12"


UPLOAD = f"{UPLOADS}1/upload/2"


def test_the_server_reads_no_more_than_its_limits() -> None:
    asked: list[tuple[str, Any, int]] = [
        ("/x", bytes(MOST_BODY_BYTES), 200),
        ("/x", bytes(MOST_BODY_BYTES + 1), 413),
        (UPLOAD, bytes(MOST_UPLOAD_BYTES), 200),
        (UPLOAD, bytes(MOST_UPLOAD_BYTES + 1), 413),
        (UPLOAD, chunks(), 411),
    ]
    pages = Pages()
    with served(pages, Stops()) as port:
        for path, body, status in asked:
            try:
                assert post(port, path, body)[0] == status
            except OSError:
                assert status != 200, "the server closes the connection of what it does not read"
    assert pages.bodies == [MOST_BODY_BYTES, MOST_UPLOAD_BYTES]


def test_pages_that_no_browser_shows_are_forgotten_but_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from wmx_ros2_package.panel import server
    from wmx_ros2_package.panel.safety.page_control import PageSession

    forgotten: list[str] = []
    sessions = {f"{n}": PageSession(f"{n}", "", seen=n % 2 == 0) for n in range(20)}

    class Page:
        def __init__(self, id: str) -> None:
            self.id = id

        def delete(self) -> None:
            forgotten.append(self.id)
            del sessions[self.id]

    monkeypatch.setattr(server.Client, "instances", {id: Page(id) for id in sessions})
    server.make_room(sessions)
    assert forgotten == ["1", "3", "5", "7"]
    assert sum(not each.seen for each in sessions.values()) == server.MOST_UNSEEN
    server.make_room(sessions)
    assert len(forgotten) == 4
