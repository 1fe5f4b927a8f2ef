"""The server of the panel: one process that holds the machine, and one page for each browser."""

from __future__ import annotations

import asyncio
import csv
import io
import logging
from pathlib import Path

import numpy as np
from nicegui import app, background_tasks, ui
from nicegui.client import Client
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.websockets import WebSocket

from ..drivers.values import Floats
from .access import Access, Address
from .frame import PAGES, Frame, Panel
from .history import LENGTH, QUANTITIES, thinned
from .live import Live
from .machine_link import MachineLink
from .orders import Orders
from .page_control import PageSession
from .pages.io import names_from

STATIC = Path(__file__).parent / "static"
MOST_POINTS = 2000
RECONNECT_TIMEOUT = 3.0
"""How long the page of a browser that has left is kept, s."""
_log = logging.getLogger("wmx_panel")


def serve(
    address: Address,
    namespace: str = "",
    names: Path | None = None,
    urdf: Path | None = None,
    *,
    open_browser: bool = False,
) -> None:
    """Serve the panel until a signal ends it."""
    link = MachineLink(namespace)
    orders = Orders(link)
    live = Live(link, orders)
    panel = Panel(link=link, orders=orders, names=names_from(names), urdf=urdf)
    sessions: dict[str, PageSession] = {}

    def page() -> None:
        client = ui.context.client
        session = PageSession(id=client.id, address=client.ip)
        sessions[client.id] = session

        def leave(_: Client) -> None:
            sessions.pop(session.id, None)
            orders.give_back(session, "loses control: its page was closed")

        client.on_delete(leave)
        Frame(panel, session).build()

    for path in PAGES:
        ui.page(path)(page)

    @app.websocket("/live")
    async def serve_live(socket: WebSocket) -> None:
        await live.serve(socket, sessions.get)

    @app.post("/estop")
    async def estop(request: Request) -> JSONResponse:
        """A way of its own, so that a stop waits for nothing else of a page."""
        session = sessions.get(request.headers.get("x-client", ""))
        if session is None:
            session = PageSession(id="", address=request.client.host if request.client else "")
        link.emergency_stop.press(str(session))
        order = await orders.carry_out(
            session, "EMERGENCY STOP", lambda: link.connected.estop(), needs_control=False
        )
        return JSONResponse({"done": order.done, "answer": order.answer})

    def last(axis: int, seconds: float) -> tuple[Floats, Floats]:
        return link.history.last(axis, min(max(seconds, 0.1), LENGTH))

    @app.get("/history")
    async def history(axis: int, seconds: float, points: int = 600) -> JSONResponse:
        times, values = last(axis, seconds)
        times, values = thinned(times, values, min(max(points, 10), MOST_POINTS))
        times = times - times[-1] if len(times) else times
        rows = {
            name: np.round(row, 6).tolist() for name, row in zip(QUANTITIES, values, strict=True)
        }
        return JSONResponse({"time": np.round(times, 3).tolist(), **rows})

    @app.get("/history.csv")
    async def history_csv(axis: int, seconds: float) -> Response:
        times, values = last(axis, seconds)
        text = await asyncio.to_thread(_csv, times, values)
        name = f'attachment; filename="axis_{axis}.csv"'
        return Response(text, media_type="text/csv", headers={"content-disposition": name})

    app.add_static_files("/panel", STATIC)
    app.add_middleware(Access, address=address)
    app.on_startup(lambda: background_tasks.create(live.run(), name="live"))
    app.on_startup(link.start)
    app.on_startup(lambda: _log.info("the panel is at %s", address.url))
    app.on_shutdown(link.stop)
    ui.run(
        host=address.host,
        port=address.port,
        title="WMX panel",
        dark=None,
        show=open_browser,
        reload=False,
        show_welcome_message=False,
        reconnect_timeout=RECONNECT_TIMEOUT,
        message_history_length=0,
        favicon="⚙️",
        ssl_certfile=str(address.certificate) if address.certificate else None,
        ssl_keyfile=str(address.key) if address.key else None,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=1,
    )


def _csv(times: np.ndarray, values: np.ndarray) -> str:
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(["time_s", *QUANTITIES, "following_error"])
    for time, row in zip(times, values.T, strict=True):
        rows.writerow([f"{time:.3f}", *(f"{x:.6f}" for x in row), f"{row[0] - row[1]:.6f}"])
    return file.getvalue()
