"""The server of the panel: one process that holds the machine, and one page for each browser."""

from __future__ import annotations

import asyncio
import logging
import sys
import webbrowser
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from nicegui import app, ui
from nicegui.client import Client
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.websockets import WebSocket

from ..client import MachineError
from .access import VIEWER, Access, Address
from .description import recordings_folder
from .early_stop import BUTTON, StopFirst
from .ending import run_until_signal
from .file_reader import FileError, FileReader
from .frame import PAGES, Frame, Panel
from .front import MOST_BODY_BYTES, Front, PageLoop, bridged
from .garbage import free_removed_elements, freeze_what_stays
from .history import as_csv
from .io_names import IoNames
from .live import Live
from .machine_link import MachineLink
from .orders import Orders
from .page_events import PageEvents
from .recording_views import require_recording
from .safety.page_control import PageSession
from .scope import ScopeRequest, unit_of
from .scope_mcap import as_mcap
from .stops import PageStops

STATIC = Path(__file__).parent / "static"
RECONNECT_TIMEOUT = 3.0
"""How long the page of a browser that has left is kept, s."""
THREAD_TURN = 0.0005
"""After how long a thread that computes lets another one go on, s: a stop crosses a few of them."""
MOST_PAGES, MOST_UNSEEN = 64, 6
"""How many pages may be open, and how many that no browser has shown yet: the more there are, the
longer a search for garbage stops every thread."""
RECORDING_TIMEOUT = 60.0
"""A recording that takes longer to read is given up, s."""
CSV = "text/csv"
Handler = Callable[[Request], Coroutine[Any, Any, Response]]
_log = logging.getLogger("wmx_panel")


def serve(
    address: Address,
    namespace: str,
    names: Path,
    urdf: Path | None,
    positions: Path,
    *,
    open_browser: bool,
) -> None:
    """Serve the panel until a signal ends it."""
    sys.setswitchinterval(THREAD_TURN)
    link = MachineLink(namespace)
    orders = Orders(link)
    live = Live(link, orders)
    sessions: dict[str, PageSession] = {}
    files, recordings = FileReader(), FileReader(RECORDING_TIMEOUT)

    async def serve_live(socket: WebSocket) -> None:
        await live.serve(socket, sessions.get)

    nicegui = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    config = uvicorn.Config(
        lambda *_: None,
        host=address.host,
        port=address.port,
        log_level="warning",
        log_config=None,  # its own would write to stderr itself
        ws="wsproto",
        ws_max_size=MOST_BODY_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
        ssl_certfile=str(address.certificate) if address.certificate else None,
        ssl_keyfile=str(address.key) if address.key else None,
        lifespan="on",
    )
    pages = PageLoop(_new_loop(config))
    stops = PageStops(link, orders, sessions.get)
    front = Front(bridged(nicegui, pages), stops, serve_live, live.run)
    config.app = Access(front, address)
    panel = Panel(
        link=link,
        orders=orders,
        network=front,
        files=files,
        recordings=recordings,
        names=IoNames(names),
        urdf=urdf,
        tool=orders.tool,
        positions=positions,
    )

    def page() -> None:
        client = ui.context.client
        viewer = bool(client.request.scope.get(VIEWER))
        session = PageSession(
            id=client.id, address=client.ip, generation=link.generation, viewer=viewer
        )
        sessions[client.id] = session
        make_room(sessions)
        if len(sessions) > MOST_PAGES:
            sessions.pop(client.id)
            ui.label(f"{MOST_PAGES} pages of this panel are open: close another one.")
            ui.add_body_html(f'<link rel="stylesheet" href="/panel/panel.css">{BUTTON}')
            return

        def leave(_: Client) -> None:
            sessions.pop(session.id, None)
            session.show = lambda _: None
            front.call_soon(orders.give_back, session, "its page was closed")

        def see(_: Client) -> None:
            session.seen = True

        client.on_connect(see)
        client.on_delete(leave)
        frame = Frame(panel, session)
        frame.build()
        PageEvents(frame).listen()

    for path in PAGES:
        ui.page(path)(page)
    _serve_scope(link, files, recordings)
    _serve_recordings(link, recordings)
    app.add_static_files("/panel", STATIC)
    app.add_middleware(StopFirst)
    app.on_startup(_settle)
    app.on_startup(link.start)
    app.on_startup(lambda: _log.info("the panel is at %s", address.url))
    if open_browser:
        app.on_startup(lambda: webbrowser.open(address.url))
    ui.run_with(
        nicegui,
        title="WMX panel",
        dark=None,
        show_welcome_message=False,
        reconnect_timeout=RECONNECT_TIMEOUT,
        message_history_length=0,
        favicon="⚙️",
    )
    pages.start()
    try:
        run_until_signal(uvicorn.Server(config), link.stop)
    finally:
        files.close()
        recordings.close()
        pages.stop()


def make_room(sessions: Mapping[str, PageSession]) -> None:
    """Forget the oldest pages that were asked for and that no browser has shown."""
    unseen = [each.id for each in sessions.values() if not each.seen and each.gone]
    for page in unseen[:-MOST_UNSEEN]:
        if (client := Client.instances.get(page)) is not None:
            client.delete()


def _settle() -> None:
    """Load all pages; what is loaded stays."""
    for _, _, module in PAGES.values():
        import_module(f".pages.{module}", __package__)
    freeze_what_stays()
    free_removed_elements()


def _new_loop(config: uvicorn.Config) -> asyncio.AbstractEventLoop:
    """A loop of the kind that the server has."""
    make = config.get_loop_factory() if hasattr(config, "get_loop_factory") else None
    return make() if make is not None else asyncio.new_event_loop()


def _served(answer: Handler) -> Handler:
    """What serves `answer`: a ValueError has why that cannot be, FileError why it cannot now."""

    async def serve(request: Request) -> Response:
        try:
            return await answer(request)
        except ValueError as error:
            return PlainTextResponse(f"{error}", 503 if isinstance(error, FileError) else 422)

    return serve


def _file(data: str | bytes, kind: str) -> Response:
    """A file that a browser saves, under the name that the page gives it."""
    return Response(data, media_type=kind, headers={"content-disposition": "attachment"})


def _serve_scope(link: MachineLink, files: FileReader, recordings: FileReader) -> None:
    """Serve curves of any quantities of any axes; their files are written by the readers."""

    async def scope(request: Request) -> Response:
        asked = ScopeRequest.read(request.query_params, len(link.actuators))
        return JSONResponse(asked.answer(link.history))

    async def scope_csv(request: Request) -> Response:
        actuators = link.actuators
        asked = ScopeRequest.read(request.query_params, len(actuators))
        names = [
            f"{actuators[axis].name} {quantity} ({unit_of(quantity, actuators[axis].unit)})"
            for axis, quantity in asked.channels
        ]
        text = await files.run(as_csv, *asked.samples(link.history), names)
        return _file(text, CSV)

    async def scope_mcap(request: Request) -> Response:
        actuators = link.actuators
        asked = ScopeRequest.read(request.query_params, len(actuators))
        topics = [f"/{actuators[axis].name}/{quantity}" for axis, quantity in asked.channels]
        units = [unit_of(each.quantity, actuators[each.axis].unit) for each in asked.channels]
        data = await recordings.run(as_mcap, *asked.samples(link.history), topics, units)
        return _file(data, "application/octet-stream")

    app.add_route("/scope-data", _served(scope))
    app.add_route("/scope.csv", _served(scope_csv))
    app.add_route("/scope.mcap", _served(scope_mcap))


def _serve_recordings(link: MachineLink, files: FileReader) -> None:
    """Serve the files of recordings."""

    async def recording(request: Request) -> Response:
        machine = link.machine
        nodes = machine.nodes if machine is not None else None
        try:
            folder = await asyncio.to_thread(recordings_folder, nodes)
            path = await files.run(require_recording, folder, request.path_params["name"])
        except MachineError as error:
            return PlainTextResponse(error.text, 503)
        except ValueError as error:
            return PlainTextResponse(f"{error}", 404)
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    app.add_route("/recording/{name}", recording)
