"""The thread of the network, which answers what stops and what is live, and never waits for a page.

It serves every connection. Three things it answers itself: `/stop` (WebSocket), by which each
page stops; `/estop` (POST), the same for a browser whose `/stop` is away, or for a script; `/live`
(WebSocket). All else it hands to the pages, which have an event loop in a thread of their own:
whatever they read, draw or wait for holds up no stop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from contextlib import suppress
from threading import Thread
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.websockets import WebSocket

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
T = TypeVar("T")

UPLOADS = "/_nicegui/client/"
MOST_UPLOAD_BYTES = 4 << 20
"""The largest file that is taken, with what a form adds to it."""
MOST_BODY_BYTES = 256 << 10
"""The longest body of any other request, and message of a WebSocket."""


class Stops(Protocol):
    """What carries out stops; it belongs to the thread of the network."""

    async def stop(
        self, client: str, address: str, what: Any, press: object = None
    ) -> dict[str, Any]:
        """Stop `what` a page has sent, or all with the emergency stop where that is nothing known.

        `press` is the number of the press on the page `client`, where it says that. Returns what
        came of it.
        """


class PageLoop:
    """The event loop of the pages, in a thread of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._thread = Thread(target=loop.run_forever, name="panel-pages", daemon=True)

    def start(self) -> None:
        """Begin to run what is asked for."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is still asked for is not answered any more."""
        asyncio.run_coroutine_threadsafe(self._cancel(), self.loop)
        self._thread.join(1.0)

    async def _cancel(self) -> None:
        asked = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        self.loop.stop()


async def run_in(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in the loop of another thread, and wait for it in this one."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


def bridged(app: App, pages: PageLoop) -> App:
    """`app`, called in the loop of this thread and run in that of the pages."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        here = asyncio.get_running_loop()

        async def receive_there() -> MutableMapping[str, Any]:
            return await run_in(here, _awaited(receive()))

        async def send_there(message: MutableMapping[str, Any]) -> None:
            await run_in(here, _awaited(send(message)))

        await run_in(pages.loop, _awaited(app(scope, receive_there, send_there)))

    return serve


class Front:
    """What serves every connection, as an application of ASGI."""

    def __init__(
        self,
        pages: App,
        stops: Stops,
        live: Callable[[WebSocket], Awaitable[None]],
        run: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        """`pages` serves all else; `run` is run as long as the server is."""
        self._pages = pages
        self._stops = stops
        self._live = live
        self._run = run
        self._loop: asyncio.AbstractEventLoop | None = None

    async def call(self, act: Callable[..., T], *arguments: Any) -> T:
        """Call `act` in the thread of the network, from that of the pages."""

        async def do() -> T:
            return act(*arguments)

        return await self.run(do())

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` in the thread of the network, from that of the pages."""
        assert self._loop is not None, "a page is there once connections are served"
        return await run_in(self._loop, work)

    def call_soon(self, act: Callable[..., object], *arguments: Any) -> None:
        """Call `act` in the thread of the network, and do not wait for it."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the server has ended
                self._loop.call_soon_threadsafe(act, *arguments)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        kind, path = scope["type"], scope.get("path", "")
        if kind == "lifespan":
            self._loop = asyncio.get_running_loop()
            running = asyncio.create_task(self._run())
            try:
                # The loop of the server may end before the pages have returned from their end.
                with suppress(asyncio.CancelledError):
                    await self._pages(scope, receive, send)
            finally:
                running.cancel()
        elif kind == "websocket" and path == "/live":
            await self._live(WebSocket(scope, receive, send))
        elif kind == "websocket" and path == "/stop":
            await self._serve_stops(WebSocket(scope, receive, send))
        elif kind == "http" and path == "/estop":
            await self._serve_estop(scope, receive, send)
        elif kind == "http" and (refused := _too_large(scope)):
            await PlainTextResponse(refused[1], refused[0])(scope, receive, send)
        else:
            await self._pages(scope, receive, send)

    async def _serve_estop(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.method != "POST":
            await PlainTextResponse("POST stops", 405)(scope, receive, send)
            return
        client, press = request.headers.get("x-client", ""), request.headers.get("x-press")
        came = await self._stops.stop(client, _address(scope), None, press)
        await JSONResponse(came)(scope, receive, send)

    async def _serve_stops(self, socket: WebSocket) -> None:
        """Answer each message of a page: {"n": number, "client": id of the page, "stop": what}."""
        await socket.accept()

        async def answer(message: Any) -> None:
            known = message if isinstance(message, dict) else {}
            client, press = str(known.get("client", "")), known.get("n")
            came = await self._stops.stop(client, _address(socket.scope), known.get("stop"), press)
            await socket.send_text(json.dumps({"n": press, **came}))

        answers: set[asyncio.Task[None]] = set()
        # A stop that is on its way is carried out, whether its page is there or not.
        while (message := await socket.receive())["type"] != "websocket.disconnect":
            task = asyncio.create_task(answer(_parsed(message.get("text"))))
            answers.add(task)
            task.add_done_callback(answers.discard)


def _too_large(scope: Scope) -> tuple[int, str] | None:
    """The status and the reason against reading the body of a request; None where it is read."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return 411, "A request says how long it is."
    try:
        length = int(headers.get(b"content-length", b"0"))
    except ValueError:
        return 400, "The length of the request is no number."
    upload = scope["path"].startswith(UPLOADS)
    most = MOST_UPLOAD_BYTES if upload else MOST_BODY_BYTES
    return (413, f"It is larger than {most >> 10} KiB.") if length > most else None


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _parsed(text: str | None) -> Any:
    """What a message says; None for one of bytes, and for what is no JSON."""
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError):
        return None  # whatever was sent on this way is a stop


async def _awaited(work: Awaitable[T]) -> T:
    """`work` as a coroutine."""
    return await work
