"""What no page sends, from a page with control: it moves nothing, and is no error of the panel."""

from typing import Any

from acts import take_control
from panels import LATE, Served
from waits import eventually

from wmx_ros2_package.client import Machine

NAMES = "home", "clear", "resume", "speed", "acknowledge", "keep"
SENT = (
    None,
    1,
    [],
    {},
    {"axis": "x", "key": 3, "click": {}, "percent": {}, "number": []},
    {"axis": 999, "key": "x", "click": {"heartbeat": 1e99, "delay": "x"}, "percent": "1e9"},
)


def test_what_is_forged_moves_nothing(browse: Any, machine: Machine, served: Served) -> None:
    page = browse()
    take_control(page)
    before = len(served.panel.output)
    for name in NAMES:
        for sent in SENT:
            page.evaluate("([name, sent]) => emitEvent(name, sent)", [name, sent])
    eventually(lambda: served.panel.output[before:].count("speed ") == len(SENT), "all are refused")
    page.wait_for_timeout(LATE)
    assert "Traceback" not in served.panel.output[before:]
    assert abs(machine.status().command).max() == 0.0
    assert machine.speed.percent == 100
