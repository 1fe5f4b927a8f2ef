"""The `wmx` commands of the pages, as they stand there."""

import re
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PAGES = (
    *("docs/first-steps.md", "docs/command-line.md", "docs/safety.md"),
    *("docs/reference.md", "docs/reference-axes.md", "docs/reference-machine.md"),
    *("docs/speed-and-pause.md", "docs/who-moves-an-axis.md", "docs/what-outlives.md"),
    *("docs/actuators.md", "docs/motion-events.md", "docs/faults.md"),
)
UNTIL_CTRL_C = {
    "wmx watch": "axis_0",
    "wmx plot": "axis_0",
    "wmx events": "motions of 6 axes",
    "wmx io watch": "in0:1 = 0x00",
    "wmx jog 0 --velocity 0.2": "axis_0",
}
"""What these draw, until they are interrupted."""
ELSEWHERE = (
    *("wmx sim ", "wmx disarm ", "wmx first-contact ", "wmx drive ", "wmx gripper "),
    *("wmx robot ",),
    *("wmx record ", "wmx recording ", "wmx replay "),
)
"""What needs a program, a robot, a file or a device with no node: tested where these verbs are."""


def commands(page: str) -> Iterator[str]:
    """Those of a page, in their order, without comments."""
    for line in re.findall(r"^ {4,}(wmx .*)$", (TOP / page).read_text(), re.MULTILINE):
        command = line.partition("#")[0]
        if not command.startswith(ELSEWHERE):
            yield command.strip()


def drawn_until_ctrl_c(command: str) -> str:
    """What a command draws that goes on until it is interrupted; nothing for one that ends."""
    if "--for" in command:
        return ""
    return next((text for verb, text in UNTIL_CTRL_C.items() if command.startswith(verb)), "")
