"""Who may reach the panel: from this computer, or with a token over TLS; never another origin.

A page of another origin that is open in the same browser could send requests to the panel with
the rights of its user. Browsers name the origin of each such request, so it is refused by that.
"""

from __future__ import annotations

import asyncio
import errno
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

VIEWER = "wmx_panel.viewer"
"""In the scope of a request: whether its browser has the token of viewers."""
NO_TOKEN = 401
"""Status of what is refused to a browser that has given no token; 4401 closes a WebSocket."""
TOKEN_LENGTH = 16
"""The fewest characters of a token."""
WRONG_TOKEN_DELAY = 1.0
"""How long the answer to a wrong token takes, s, so that tokens cannot be tried in numbers."""
MOST_LOGIN_BYTES = 4096
MOST_PORT = 65535
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_HEADERS = [
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
]


class AccessRefused(Exception):
    """The panel does not start at this address; the text names what it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the panel is served, and what protects it."""

    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    viewer_token: str = ""
    """What opens pages that only look, and stop."""
    certificate: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        """AccessRefused for an address that others reach without a token and TLS."""
        if not 1 <= self.port <= MOST_PORT:
            raise AccessRefused(f"the port is {self.port}: it must be 1 to {MOST_PORT}")
        for token in filter(None, (self.token, self.viewer_token)):
            if len(token) < TOKEN_LENGTH:
                rule = f"it must have {TOKEN_LENGTH} characters"
                raise AccessRefused(f"the token is too short: {rule}")
        if self.viewer_token and self.viewer_token == self.token:
            raise AccessRefused("the token of viewers is that of operators: it must be another one")
        if self.viewer_token and not self.token:
            raise AccessRefused(
                "a token of viewers protects nothing without one of operators: give --token-file"
            )
        if (self.certificate is None) != (self.key is None):
            raise AccessRefused("a certificate needs its key: give both --certificate and --key")
        for file in filter(None, (self.certificate, self.key)):
            if not file.is_file():
                raise AccessRefused(f"{file} is no file")
        if self.local:
            return
        missing = []
        if not self.token:
            missing.append("a token (--token-file, or WMX_PANEL_TOKEN)")
        if self.certificate is None:
            missing.append("TLS (--certificate and --key)")
        if missing:
            raise AccessRefused(
                f"others can reach {self.host}: it needs {' and '.join(missing)}; "
                "without, the panel is served on 127.0.0.1 only"
            )

    def require_free(self) -> None:
        """AccessRefused where another program has the port, or the host is not this computer."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            socket.create_server((self.host, self.port), family=family).close()
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            why = "is taken, perhaps by another panel" if taken else f"cannot be served at: {error}"
            raise AccessRefused(
                f"port {self.port} of {self.host} {why}; --port chooses another one"
            ) from None

    @property
    def local(self) -> bool:
        """Whether only this computer reaches it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        """What is typed into a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"


class Access:
    """A middleware of ASGI before everything that the panel serves."""

    def __init__(self, app: Callable[..., Awaitable[None]], address: Address) -> None:
        self._app = app
        self._address = address
        self.cookie = f"wmx_panel_{address.port}"
        """Browsers send cookies to all ports of a host, where another panel may be."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        if not self._right_origin(headers):
            await _refuse(scope, receive, send, 403, "The panel serves no page of another origin.")
        elif not self._address.token or (viewer := self._may_only_look(headers)) is not None:
            scope[VIEWER] = bool(self._address.token and viewer)
            await self._app(scope, receive, _protected(send))
        elif scope["type"] == "http":
            await self._log_in(scope, receive, send)
        else:
            await _refuse(scope, receive, send, NO_TOKEN, "The panel needs its token.")

    def _right_origin(self, headers: dict[str, str]) -> bool:
        """Whether the request comes from a page of the panel, or from no page."""
        host = headers.get("host", "")
        if self._address.local and _name(host) not in (*_LOOPBACK_NAMES, self._address.host):
            return False  # a name of another site that leads to this computer
        origin = headers.get("origin")
        return origin is None or origin == f"{urlsplit(self._address.url).scheme}://{host}"

    def _may_only_look(self, headers: dict[str, str]) -> bool | None:
        """Whether a browser has given the token of viewers; None where its cookie shows none.

        Cookies of other programs on this host come with it, whatever their names are.
        """
        pairs = (each.strip().partition("=") for each in headers.get("cookie", "").split(";"))
        given = next((value for name, _, value in pairs if name == self.cookie), "")
        nonce = given.partition(".")[0]
        return self._is_of_viewers(given, lambda token: _session(nonce, token))

    def _is_of_viewers(self, given: str, shown_by: Callable[[str], str]) -> bool | None:
        """Whether the token of viewers has what is given; None where no token has it."""
        known = self._address.token, self._address.viewer_token
        same = [
            bool(token) and secrets.compare_digest(given.encode(), shown_by(token).encode())
            for token in known
        ]
        return same[1] if True in same else None

    async def _log_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = ""
        if scope["method"] == "POST":
            given = parse_qs(await _body(receive)).get("token", [""])[0]
            if (viewer := self._is_of_viewers(given, str)) is not None:
                token = self._address.viewer_token if viewer else self._address.token
                session = _session(secrets.token_urlsafe(32), token)
                secure = "; Secure" if self._address.certificate else ""
                cookie = f"{self.cookie}={session}; HttpOnly; SameSite=Strict; Path=/{secure}"
                headers = [(b"location", b"/"), (b"set-cookie", cookie.encode())]
                await _answer(send, 303, "", headers)
                return
            await asyncio.sleep(WRONG_TOKEN_DELAY)
        complaint = "That is not the token." if given else ""
        await _answer(send, NO_TOKEN, _LOGIN.format(complaint=escape(complaint)))


_LOGIN = """<!doctype html><meta charset="utf-8"><title>WMX panel</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font: 18px sans-serif; max-width: 22em; margin: 15vh auto; padding: 1em }}
input, button {{ font: inherit; width: 100%; padding: .6em; margin: .3em 0 }}</style>
<h1>WMX panel</h1><form method="post" action="/"><label>Token
<input name="token" type="password" autofocus autocomplete="current-password"></label>
<button>Open</button><p role="alert">{complaint}</p></form>"""


def _session(nonce: str, token: str) -> str:
    """What the cookie of a browser that has given `token` holds.

    A panel that is started again knows it, for it keeps nothing but the token.
    """
    return f"{nonce}.{hmac.new(token.encode(), nonce.encode(), 'sha256').hexdigest()}"


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    return urlsplit(f"//{host}").hostname or ""


def _protected(send: Send) -> Send:
    """Send answers that no other page may show in a frame."""

    async def add_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return add_headers


async def _body(receive: Receive) -> str:
    body = b""
    while len(body) < MOST_LOGIN_BYTES:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body.decode(errors="replace")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        if status == NO_TOKEN:  # its page learns why, and is loaded again: it shows the login then
            await send({"type": "websocket.accept"})
        await send({"type": "websocket.close", "code": 4000 + status, "reason": text})
    else:
        await _answer(send, status, text)


async def _answer(
    send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    kind = (b"content-type", b"text/html; charset=utf-8")
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [kind, *_HEADERS, *(headers or [])],
        }
    )
    await send({"type": "http.response.body", "body": text.encode()})
