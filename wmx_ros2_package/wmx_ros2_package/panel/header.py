"""What the header of every page shows, as HTML."""

from .safety.emergency_stop import RELEASE_HOLD
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
