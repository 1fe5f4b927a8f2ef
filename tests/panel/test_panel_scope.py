"""The scope in a browser: curves of several axes, cursors, the trigger, and all samples."""

from functools import partial
from io import BytesIO
from typing import Any

from acts import arrives, bring, click_for, until
from mcap.reader import make_reader
from panels import CURVES as SERIES
from panels import LATE, downloaded, shows, shows_curves
from waits import eventually

from wmx_ros2_package.client import Machine

CURVES = "0:position,1:velocity,1:torque"
NAMES = SERIES.format(of="name")
PLOT = """
  const canvas = document.querySelector("canvas");
  const { chart } = getElement(Number(canvas.closest("[id^=c]").id.slice(1)));
  const samples = chart.getOption().series[0].data;
"""
"""The first plot, and the times and values of its first curve, for what follows."""

SAMPLE_AT = f"""(wanted) => {{{PLOT}
  const times = samples.map(([time]) => time);
  const far = (time) => Math.abs(time - wanted);
  const time = times.reduce((best, each) => (far(each) < far(best) ? each : best));
  const box = canvas.getBoundingClientRect();
  const [x] = chart.convertToPixel({{ gridIndex: 0 }}, [time, 0]);
  const rect = chart.getModel().getComponent("grid", 0).coordinateSystem.getRect();
  return {{ time, x: box.x + Math.ceil(x) + 1, y: box.y + rect.y + rect.height / 2 }};
}}"""
"""The sample that is nearest to a time, and where on the page it is, or just after.

A panel that stood still for a moment has no samples of it, and a cursor there has no value.
"""

ARRIVED = f"""() => {{{PLOT}
  const last = samples.filter(([time]) => time > -0.5);
  return last.length > 10 && last.every(([_, value]) => value > 0.499);
}}"""
"""Whether the curve has been at its end for a while."""

FIRST_ABOVE = f"""(level) => {{{PLOT}
  return samples.map(([_, value]) => value).find((each) => each > level);
}}"""
"""The first value of the curve above a level."""


def rows_of(page: Any) -> list[list[str]]:
    rows: list[str] = page.locator("#scope-values tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def has_value(page: Any, count: int, row: int, column: int) -> bool:
    """Whether the table has so many rows, and a value there; it is made anew all the while."""
    rows = rows_of(page)
    return len(rows) == count and len(rows[row]) > column and rows[row][column] != "—"


def add_curve(page: Any, axis: int) -> None:
    """Choose the position of one more axis."""
    joint = f"joint{axis + 1} position"
    option = page.get_by_role("option", name=f"{axis} · {joint}", exact=True)
    until(page, partial(page.get_by_label("Curves").fill, joint), option.is_visible, "it is there")
    option.click()
    page.wait_for_function(f"{NAMES}.at(-1) === '{axis} · {joint}'")


def test_curves_of_several_axes_are_measured_with_cursors_and_saved(
    browse: Any, machine: Machine
) -> None:
    page = browse(f"/scope?show={CURVES}")
    bring(machine, 0.5, 0.3)
    shows_curves(page, 50)
    page.wait_for_function(ARRIVED)
    page.click("#pause")
    shows(page, "#scope-state", "paused")

    sample_at = partial(page.evaluate, SAMPLE_AT)
    first, last = (sample_at(time)["time"] for time in (-1.0, -0.1))

    def set_cursors() -> None:
        page.get_by_role("button", name="No cursors").click()
        for time in first, last:
            sample = sample_at(time)
            page.mouse.click(sample["x"], sample["y"])

    until(page, set_cursors, lambda: all(has_value(page, 5, 2, cursor) for cursor in (1, 2)))
    head, time, position, velocity, torque = rows_of(page)
    assert head[:4] == ["", "A", "B", "B - A"]
    assert abs(float(time[3]) - (last - first)) < 0.1
    assert position[0] == "0 · joint1 position"
    assert abs(float(position[2]) - 0.5) < 1e-3
    assert abs(float(position[3]) - (float(position[2]) - float(position[1]))) < 1e-4
    assert [row[4] for row in (time, position, velocity, torque)] == ["s", "rad", "rad/s", "%"]
    bring(machine)
    page.wait_for_timeout(LATE)
    name, content = downloaded(page, "#csv")
    assert name == "scope.csv"
    head_row, *samples = content.decode().splitlines()
    assert head_row == "time_s,joint1 position (rad),joint2 velocity (rad/s),joint2 torque (%)"
    assert len(samples) > 100, "all samples of the window"
    assert abs(float(samples[-1].split(",")[1]) - 0.5) < 1e-3, "what moved later is not in it"
    name, content = downloaded(page, "#mcap")
    assert name == "scope.mcap"
    counts = make_reader(BytesIO(content)).get_summary().statistics
    assert counts.channel_count == 3
    assert counts.message_count == 3 * len(samples)
    add_curve(page, 2)
    page.wait_for_function("location.search.endsWith(',2:position')")


def test_the_trigger_pauses_where_the_level_is_crossed(browse: Any, machine: Machine) -> None:
    page = browse("/scope?show=2:position")
    shows_curves(page, 10)
    for option in ("2 s", "rises above"):
        field = page.get_by_label("Window" if option == "2 s" else "Trigger")
        item = page.get_by_role("option", name=option, exact=True)
        click_for(field, item)
        item.click()
    page.get_by_label("Level").fill("0,1")
    page.click("#arm")
    shows(page, "#scope-state", "armed")
    add_curve(page, 3)
    assert page.locator("#scope-state").inner_text() == "armed", "its curve is the same"
    arrives(lambda: machine.axes[2].move(0.4, velocity=0.5))
    shows(page, "#scope-state", "paused")
    eventually(lambda: has_value(page, 4, 2, 1), "it is marked")
    assert abs(float(rows_of(page)[2][1]) - page.evaluate(FIRST_ABOVE, 0.1)) < 1e-4
    for place in 0.0, 0.4:
        bring(machine, 0.0, 0.0, place)
    page.wait_for_function("wmx.frame().position[2] > 0.399")
    page.click("#arm")
    shows(page, "#scope-state", "armed")
    page.wait_for_timeout(1.5 * LATE)
    assert page.locator("#scope-state").inner_text() == "armed", "it was crossed before"
    page.locator(".q-chip__icon--remove").first.click()
    shows(page, "#scope-state", "disarmed: the first curve is another one")
