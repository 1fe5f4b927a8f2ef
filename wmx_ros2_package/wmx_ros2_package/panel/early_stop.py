"""The emergency stop of a page, which stops before anything else of the page is there.

What a browser is told to load holds up all that comes behind it: a style the scripts, and what is
drawn. So the script of the stop is the first of all.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BUTTON = """<div class="stop"><button id="estop" aria-keyshortcuts="Escape">EMERGENCY STOP<br>
<small>Esc</small></button></div>"""
SCRIPT = """<script>
// Until panel.js is there, which stops from then on, and tells what came of a press before.
function stopEarly() {
  if (window.wmxLoaded) return;
  const say = (text) => {
    const line = document.querySelector("#estop small");
    if (line && !window.wmxLoaded) line.textContent = text;
  };
  say("SENT");
  window.wmxStopped = fetch("/estop", { method: "POST" }).then((answer) => answer.json())
    .catch(() => ({ done: false, answer: "the panel does not answer" }));
  window.wmxStopped.then(({ done }) => say(done ? "STOPPED" : "NOT STOPPED"));
}
// Where panel.css has the button, which may not be there yet: the page before may be shown still.
function isOnStop({ clientX: x, clientY: y }) {
  return innerWidth <= 700 ? innerHeight - y < 78 : innerWidth - x < 230 && y < 60;
}
addEventListener("pointerdown", (event) => { if (isOnStop(event)) stopEarly(); }, true);
addEventListener("keydown", ({ key, repeat }) => {
  if (key === "Escape" && !repeat) stopEarly();
}, true);
</script>"""
_HEAD = b"<head>"


class StopFirst:
    """Puts the script of the stop in front of all that the pages of an application load."""

    def __init__(self, pages: ASGIApp) -> None:
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        start: Message = {}

        async def put_first(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            if start:
                headers = MutableHeaders(raw=start["headers"])
                if headers.get("content-type", "").startswith("text/html"):
                    body = message.get("body", b"")
                    message["body"] = body.replace(_HEAD, _HEAD + SCRIPT.encode(), 1)
                    headers["content-length"] = str(len(message["body"]))
                await send(dict(start))
                start.clear()
            await send(message)

        await self._pages(scope, receive, put_first if scope["type"] == "http" else send)
