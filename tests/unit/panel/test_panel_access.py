"""Who reaches the panel: decided by address, token and origin, without a server."""

import asyncio
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


def protected(tmp_path: Path) -> Address:
    file = tmp_path / "file.pem"
    file.write_text("")
    return Address(host="0.0.0.0", token=TOKEN, certificate=file, key=file)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_computer_needs_nothing(host: str) -> None:
    assert Address(host=host).local


@pytest.mark.parametrize(
    ("host", "token"), [("0.0.0.0", ""), ("0.0.0.0", TOKEN), ("::", TOKEN), ("panel.example", "")]
)
def test_others_need_a_token_and_tls(host: str, token: str) -> None:
    with pytest.raises(AccessRefused, match="TLS"):
        Address(host=host, token=token)


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_a_port_is_one_of_tcp(port: int) -> None:
    with pytest.raises(AccessRefused, match=f"{port}: it must be 1 to 65535"):
        Address(port=port)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_is_taken_is_refused_before_anything_is_announced(
    host: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        arguments = ["wmx_panel", "--host", host, "--port", str(port)]
        monkeypatch.setattr(sys, "argv", arguments)
        assert command.main() == 2
    words = capsys.readouterr()
    assert (words.out, words.err.count("\n")) == ("", 1)
    assert f"port {port} of {host} is taken, perhaps by another panel" in words.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", "0.0.0.0"], "others can reach 0.0.0.0: it needs a token"),
        (["--host", "192.168.1.5", "--token-file", "{token}"], "it needs TLS"),
        (["--certificate", "{token}"], "a certificate needs its key"),
        (["--token-file", "{short}"], "the token is too short"),
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
    for name, content in {"token": TOKEN, "short": "secret", "empty": ""}.items():
        (tmp_path / name).write_text(content)
    files = {name: tmp_path / name for name in ("token", "short", "empty", "none")}
    words = [word.format(**files) for word in options]
    monkeypatch.setattr(sys, "argv", ["wmx_panel", *words])
    assert command.main() == 2
    assert why in capsys.readouterr().err


def test_whether_a_port_is_free_is_said_without_serving(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["wmx_panel", "--check", "--port", str(port)])
        assert command.main() == 2
    assert command.main() == 0


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


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    with pytest.raises(AccessRefused, match="key"):
        Address(certificate=tmp_path)
    with pytest.raises(AccessRefused, match="no file"):
        Address(certificate=tmp_path / "none", key=tmp_path / "none")


def test_a_short_token_is_none() -> None:
    with pytest.raises(AccessRefused, match="too short"):
        Address(token="secret")


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


def test_no_other_page_may_show_it_in_a_frame() -> None:
    [start] = ask(Access(application, Address()), host="localhost")
    assert (b"x-frame-options", b"DENY") in start["headers"]


def test_a_websocket_of_another_origin_is_closed() -> None:
    guard = Access(application, Address())
    [closed] = ask(guard, "websocket", host="localhost", origin="http://evil.example")
    assert closed["type"] == "websocket.close"


def test_a_token_opens_it_for_one_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "WRONG_TOKEN_DELAY", 0.0)
    guard = Access(application, protected(tmp_path))
    assert ask(guard, host="panel")[0]["status"] == 401
    assert ask(guard, "websocket", host="panel")[0]["type"] == "websocket.close"
    assert ask(guard, host="panel", cookie="wmx_panel=guess")[0]["status"] == 401
    assert ask(guard, body=b"token=wrong", host="panel")[0]["status"] == 401
    answer = ask(guard, body=b"token=" + TOKEN.replace(" ", "+").encode(), host="panel")[0]
    assert answer["status"] == 303
    cookie = dict(answer["headers"])[b"set-cookie"].decode()
    assert "HttpOnly; SameSite=Strict; Path=/; Secure" in cookie
    assert TOKEN not in cookie
    assert ask(guard, host="panel", cookie=cookie.partition(";")[0])[0]["status"] == 200


def test_the_token_of_viewers_opens_pages_that_only_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope[access.VIEWER])
        await application(scope, receive, send)

    monkeypatch.setattr(access, "WRONG_TOKEN_DELAY", 0.0)
    viewers = "0123456789abcdef"
    guard = Access(app, replace(protected(tmp_path), viewer_token=viewers))
    for token, viewer in (viewers, True), (TOKEN.replace(" ", "+"), False):
        answer = ask(guard, body=b"token=" + token.encode(), host="panel")[0]
        cookie = dict(answer["headers"])[b"set-cookie"].decode().partition(";")[0]
        assert ask(guard, host="panel", cookie=cookie)[0]["status"] == 200
        assert seen.pop() is viewer
    assert ask(guard, body=b"token=", host="panel")[0]["status"] == 401
    assert ask(Access(app, Address()), host="localhost")[0]["status"] == 200
    assert seen == [False]


def test_a_token_of_viewers_is_another_one_and_needs_that_of_operators(tmp_path: Path) -> None:
    with pytest.raises(AccessRefused, match="must be another one"):
        replace(protected(tmp_path), viewer_token=TOKEN)
    with pytest.raises(AccessRefused, match="without one of operators"):
        Address(viewer_token=TOKEN)
    with pytest.raises(AccessRefused, match="too short"):
        replace(protected(tmp_path), viewer_token="look")


def test_no_empty_token_is_that_of_viewers(tmp_path: Path) -> None:
    guard = Access(application, protected(tmp_path))
    assert guard.is_viewer("") is None
    assert guard.is_viewer(TOKEN) is False
