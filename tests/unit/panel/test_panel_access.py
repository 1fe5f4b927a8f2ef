"""Who reaches the panel: decided by address, token and origin, without a server."""

import asyncio
import hmac
import re
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wmx_ros2_package.panel import access, command
from wmx_ros2_package.panel.access import Access, AccessRefused, Address

TOKEN = "a token of some length"
REFUSED = ["websocket.accept", "websocket.close"]
"""What a connection without a login gets: it is told the code, and nothing else."""


def protected(tmp_path: Path) -> Address:
    file = tmp_path / "file.pem"
    file.write_text("")
    return Address(host="0.0.0.0", token=TOKEN, certificate=file, key=file)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_computer_needs_nothing(host: str) -> None:
    assert Address(host=host).local


VIEWERS = "0123456789abcdef"
HERE, NOWHERE = Path(__file__), Path("/no/such/file")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"host": "0.0.0.0"}, "others can reach 0.0.0.0: it needs a token .* and TLS"),
        ({"host": "panel.example"}, "it needs a token"),
        ({"host": "0.0.0.0", "token": TOKEN}, "it needs TLS"),
        ({"host": "::", "token": TOKEN}, "it needs TLS"),
        ({"token": "secret"}, "too short"),
        ({"token": TOKEN, "viewer_token": "look"}, "too short"),
        ({"token": TOKEN, "viewer_token": TOKEN}, "must be another one"),
        ({"viewer_token": VIEWERS}, "without one of operators"),
        ({"certificate": HERE}, "a certificate needs its key"),
        ({"certificate": NOWHERE, "key": NOWHERE}, "is no file"),
        *(({"port": port}, f"{port}: it must be 1 to 65535") for port in (-1, 0, 65536)),
    ],
)
def test_where_nothing_is_served(given: dict[str, Any], why: str) -> None:
    with pytest.raises(AccessRefused, match=why):
        Address(**given)


@pytest.mark.parametrize("options", [[], ["--host", "localhost"], ["--check"]])
def test_a_port_that_is_taken_is_refused_before_anything_is_announced(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["wmx_panel", *options, "--port", str(port)])
        assert command.main() == 2
    words = capsys.readouterr()
    assert (words.out, words.err.count("\n")) == ("", 1)
    assert re.search(rf"port {port} of \S+ is taken, perhaps by another panel", words.err)
    monkeypatch.setattr(sys, "argv", ["wmx_panel", "--check", "--port", str(port)])
    assert command.main() == 0


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", "192.168.1.5", "--token-file", "{token}"], "it needs TLS"),
        (["--token-file", "{empty}"], "empty is empty"),
        (["--token-file", "{none}"], "No such file"),
    ],
)
def test_it_refuses_to_start_unprotected(
    options: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    files = {name: tmp_path / name for name in ("token", "empty", "none")}
    files["token"].write_text(TOKEN)
    files["empty"].touch()
    words = [word.format(**files) for word in options]
    monkeypatch.setattr(sys, "argv", ["wmx_panel", *words])
    assert command.main() == 2
    assert why in capsys.readouterr().err


def test_make_starts_nothing_where_another_panel_has_the_port() -> None:
    top = Path(__file__).resolve().parents[3]
    words = ["make", "-n", "-o", "build", "run", "PANEL=1"]
    recipe = subprocess.run(words, cwd=top, capture_output=True, text=True, check=True).stdout
    order = [
        recipe.find(word)
        for word in ("wmx_panel --check &&", "wmx_panel --restart --open", "bringup")
    ]
    assert -1 not in order
    assert order == sorted(order)


def test_an_address_of_another_computer_is_refused(tmp_path: Path) -> None:
    elsewhere = replace(protected(tmp_path), host="192.0.2.1")
    with pytest.raises(AccessRefused, match=r"port 8642 of 192\.0\.2\.1 cannot be served at"):
        elsewhere.require_free()


def test_launch_gives_the_namespace_as_it_does_to_nodes() -> None:
    given = ["--port", "8643", "--ros-args", "-r", "__ns:=/cell1", "--params-file", "a.yaml"]
    assert command.own_arguments(given) == ["--port", "8643", "--namespace", "/cell1"]


def test_an_option_that_is_misspelt_serves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ros = ["--ros-args", "-r", "__node:=panel", "--log-level", "info"]
    monkeypatch.setattr(sys, "argv", ["wmx_panel", "--check", "--namspace", "/cell2", *ros])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 2
    assert "arguments: --namspace /cell2: did you mean --namespace?\n" in capsys.readouterr().err


def ask(guard: Access, kind: str = "http", body: bytes = b"", **headers: str) -> list[Any]:
    """What the guard sends for a request; the application itself says 200."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": kind,
        "method": "POST" if body else "GET",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    asyncio.run(guard(scope, receive, send))
    return sent


async def application(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:8642", None, 200),
        ("localhost:8642", "http://localhost:8642", 200),
        ("localhost:8642", "http://evil.example", 403),
        ("localhost:8642", "http://localhost:9999", 403),
        ("localhost:8642", "https://localhost:8642", 403),
        ("localhost:8642", "null", 403),
        ("evil.example:8642", None, 403),
        ("evil.example:8642", "http://evil.example:8642", 403),
    ],
)
def test_the_origin_of_a_request(host: str, origin: str | None, status: int) -> None:
    guard = Access(application, Address())
    headers = {"host": host} | ({"origin": origin} if origin else {})
    assert ask(guard, **headers)[0]["status"] == status
    closed = ask(guard, "websocket", **headers)[0]["type"] == "websocket.close"
    assert closed == (status == 403)


def test_no_other_page_may_show_it_in_a_frame() -> None:
    [start] = ask(Access(application, Address()), host="localhost")
    assert (b"x-frame-options", b"DENY") in start["headers"]


def test_a_token_opens_it_for_one_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WRONG_TOKEN_DELAY", 0.0)
    guard = Access(application, protected(tmp_path))
    assert ask(guard, host="panel")[0]["status"] == 401
    assert [each["type"] for each in ask(guard, "websocket", host="panel")] == REFUSED
    assert ask(guard, host="panel", cookie=f"{guard.cookie}=guess")[0]["status"] == 401
    for wrong in b"token=wrong", b"token=":  # that of viewers is empty here
        assert ask(guard, body=wrong, host="panel")[0]["status"] == 401
    cookie = log_in(guard)
    assert "HttpOnly; SameSite=Strict; Path=/; Secure" in cookie
    assert TOKEN not in cookie
    assert ask(guard, host="panel", cookie=cookie.partition(";")[0])[0]["status"] == 200


def log_in(guard: Access, token: str = TOKEN) -> str:
    """The cookie that a browser gets for the token."""
    answer = ask(guard, body=b"token=" + token.replace(" ", "+").encode(), host="panel")[0]
    assert answer["status"] == 303
    return dict(answer["headers"])[b"set-cookie"].decode()


def test_a_browser_that_has_given_the_token_is_known_after_a_restart(tmp_path: Path) -> None:
    """Else its page, whose stops are refused then, could not stop the machine."""
    address = replace(protected(tmp_path), viewer_token=VIEWERS)
    cookies = {token: log_in(Access(application, address), token) for token in (TOKEN, VIEWERS)}
    seen: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope[access.VIEWER])
        await application(scope, receive, send)

    beside = Access(application, replace(address, port=1, token=TOKEN[::-1]))
    of_another_panel = log_in(beside, TOKEN[::-1]).partition(";")[0]
    others = f"{of_another_panel}; ", 'a/b=1; x@y=1; state={"a":1}; ', "\u00fc=1; wmx_panel2=1;"
    again = Access(app, address)
    for cookie in cookies.values():
        for other in others:
            headers = {"host": "panel", "cookie": other + cookie.partition(";")[0]}
            assert ask(again, **headers)[0]["status"] == 200
    assert seen == [False] * 3 + [True] * 3
    changed = Access(app, replace(address, token=TOKEN[::-1], viewer_token=""))
    nothing = hmac.new(b"", b"1", "sha256").hexdigest()  # as of the token of viewers that is none
    for cookie in (*cookies.values(), f"{changed.cookie}=1.{nothing}", f"{changed.cookie}=\u00fc"):
        headers = {"host": "panel", "cookie": cookie.partition(";")[0]}
        assert ask(changed, **headers)[0]["status"] == 401
        assert ask(changed, "websocket", **headers)[-1]["code"] == 4401
    assert len(seen) == 6


def test_the_token_of_viewers_opens_pages_that_only_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope[access.VIEWER])
        await application(scope, receive, send)

    monkeypatch.setattr(access, "WRONG_TOKEN_DELAY", 0.0)
    guard = Access(app, replace(protected(tmp_path), viewer_token=VIEWERS))
    for token, viewer in (VIEWERS, True), (TOKEN, False):
        cookie = log_in(guard, token).partition(";")[0]
        assert ask(guard, host="panel", cookie=cookie)[0]["status"] == 200
        assert seen.pop() is viewer
    assert ask(Access(app, Address()), host="localhost")[0]["status"] == 200
    assert seen == [False]
