"""What every page shows, as HTML: the header, and the stop."""

from .emergency_stop import RELEASE_HOLD
from .stops import PAUSE

SPEEDS = 100, 75, 50, 30, 20, 10, 5, 1
"""The overrides that it offers, percent."""
STATE = (
    """<span data-state="engine"></span><span data-state="network"></span><span id="link"></span>"""
)
_SPEED = f"""<div id="speed-box"><button id="pause-axes" data-stop='"{PAUSE}"'>Pause</button>
<button id="resume-axes" data-emit="resume" class="needs-control">Resume</button>
<select id="speed-axes" class="needs-control" aria-label="Speed of all axes" disabled>
{"".join(f'<option value="{each}">{each} %</option>' for each in SPEEDS)}
</select></div>"""
STRIP = f"""{_SPEED}<button id="release" data-hold='{{"release": true}}' data-keys="" hidden
style="--hold: {RELEASE_HOLD}s">Release: hold</button>
<div id="problem" role="alert" hidden></div>
<button id="keep" data-emit="keep" hidden>Keep</button>
<a id="alarms" href="/events" role="status" hidden></a>
<button id="acknowledge" data-emit="acknowledge" class="needs-control" hidden>Noted</button>"""
STOP = """<div class="stop"><button id="estop" aria-keyshortcuts="Escape">EMERGENCY STOP<br>
<small>Esc</small></button></div>
<script>
// Until panel.js is there, which stops from then on, and tells what came of a press before.
function stopEarly() {
  if (window.wmxLoaded) return;
  const say = (text) => { document.querySelector("#estop small").textContent = text; };
  say("SENT");
  window.wmxStopped = fetch("/estop", { method: "POST" }).then((answer) => answer.json())
    .catch(() => ({ done: false, answer: "the panel does not answer" }));
  window.wmxStopped.then(({ done }) => {
    if (!window.wmxLoaded) say(done ? "STOPPED" : "NOT STOPPED");
  });
}
document.getElementById("estop").addEventListener("click", stopEarly);
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") stopEarly(); });
</script>"""
