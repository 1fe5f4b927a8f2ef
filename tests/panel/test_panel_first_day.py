"""What somebody does who has never seen the panel: from power-on to a trajectory, alarm, clear."""

from typing import Any

import numpy as np
import pytest
from panels import Served, free_port, picture, shows, start_panel, take_control
from ros import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.drivers.parameters.parameter_set import ParameterSet, read_parameters
from wmx_ros2_package.robots.catalogue import ROBOTS

CURVES = (
    "getElement(Number(document.querySelector('canvas').closest('[id^=c]').id.slice(1)))"
    ".chart.getOption().series.map(each => each.{of})"
)
"""Something of each curve of the first plot of a page."""
CURVE_POINTS = CURVES.format(of="data.length")


def assert_curves_differ(page: Any) -> None:
    """Without their colours, too: those of the six axes of the arm."""
    dashes = [str(style) for style in page.evaluate(CURVES.format(of="lineStyle.type"))]
    assert len({*dashes}) == len(dashes) == 6


def test_from_power_on_to_a_trajectory_and_out_of_an_alarm(
    browse: Any, machine: Machine, served: Served
) -> None:
    machine.axes.off()
    page = browse()
    shows(page, "#kind", "SIMULATED")
    shows(page, "tbody tr:nth-child(1)", "its servo is off")
    shows(page, "tbody tr:nth-child(1)", "servo off")
    picture(page, "overview_off")

    # As a viewer nothing can be moved.
    page.get_by_role("button", name="All servos on").click()
    shows(page, ".q-notification", "take control first")
    assert not machine.status().servo_on.any()

    take_control(page)
    shows(page, "#holder", "You have control")
    page.locator("tbody tr:nth-child(1)").get_by_role("button", name="Switch on").click()
    shows(page, "tbody tr:nth-child(1)", "ready")
    assert machine.axes[0].status.servo_on
    page.get_by_role("button", name="All servos on").click()
    shows(page, "tbody tr:nth-child(6)", "ready")
    picture(page, "overview_on")

    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    shows(page, "#trajectory-summary", "4.00 s")
    page.wait_for_timeout(500)
    picture(page, "trajectory")
    assert_curves_differ(page)
    with machine.events() as events:
        page.click("#run")
        shows(page, ".q-notification", "run a trajectory of 4.00 s: begun")
        begin = events.get()
        assert begin.kind.name == "TRAJECTORY"
        assert events.get(timeout=30.0).reason.name == "ARRIVED"

    page.click(".menu-faults")
    page.get_by_role("button", name="Alarm of the drive").click()
    eventually(lambda: machine.axes[0].status.alarm, "the drive has an alarm")
    picture(page, "faults")
    page.click(".menu-trajectory")
    page.get_by_role("button", name="Example").click()
    page.click("#run")
    refusal = page.locator(".q-notification").filter(has_text="does not accept it")
    refusal.filter(has_text="joint1: its drive has alarm 0x7121").wait_for()
    refusal.filter(has_text="Overview says what blocks an axis").wait_for()
    page.click(".menu-overview")
    shows(page, "[data-page][aria-current=page]", "Overview")
    row = page.locator("tbody tr:nth-child(1)")
    row.get_by_text("its drive has alarm").wait_for()
    row.get_by_text("ALARM", exact=True).wait_for()
    page.wait_for_timeout(700)
    picture(page, "overview_alarm")
    row.get_by_role("button", name="Clear alarm").click()
    row.get_by_text("its drive has alarm").wait_for(state="detached")
    row.get_by_role("button", name="Switch on").click()
    row.get_by_text("ready").wait_for()
    eventually(lambda: not machine.axes[0].status.alarm, "the alarm is cleared")

    page.click("#give")
    shows(page, "#holder", "nobody has control")
    log = served.panel.output
    assert log.count("tester (127.0.0.1): Clear alarm (axis 0): done") == 1, "a click is one order"


def test_an_axis_is_moved_stepped_and_plotted(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/axes?axis=1")
    take_control(page)
    page.get_by_label("Target, rad").fill("0.5")
    page.get_by_label("Velocity, rad/s").last.fill("1.0")
    page.get_by_role("button", name="Move to").click()
    eventually(lambda: abs(machine.axes[1].position - 0.5) < 1e-3, "the axis arrives")
    page.get_by_role("button", name="+ Step").click()
    eventually(lambda: abs(machine.axes[1].position - 0.6) < 1e-3, "it makes a step")
    shows(page, ".big", "0.6000")
    page.wait_for_timeout(1500)
    assert min(page.evaluate(CURVE_POINTS)) > 100
    picture(page, "axes")
    with page.expect_download() as download:
        page.click("#png")
    assert download.value.suggested_filename == "axis_1.png"
    answer = page.request.get(f"{served.url}/history.csv?axis=1&seconds=10")
    rows = [row.split(",") for row in answer.text().split()]
    assert rows[0] == ["time_s", "command", "position", "velocity", "torque", "following_error"]
    assert np.array(rows[1:], dtype=float)[-1, 2] == pytest.approx(0.6, abs=1e-3)
    page.click("#pause")
    shows(page, "#pause", "Continue")
    page.get_by_role("button", name="Off", exact=True).click()
    eventually(lambda: not machine.axes[1].status.servo_on, "the servo is off")


def test_the_robot_is_drawn_and_moved_by_its_joints(browse: Any, machine: Machine) -> None:
    page = browse("/robot")
    take_control(page)
    slider = page.get_by_role("slider", name="joint2")
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] * 0.55, "y": box["height"] / 2})
    page.wait_for_timeout(500)
    target = float(page.locator(".target-joint2").inner_text().removeprefix("→"))
    assert 0.3 < target < 1.0
    page.get_by_role("button", name="Move the joints").click()
    eventually(lambda: abs(machine.axes["joint2"].position - target) < 0.02, "the joint moves")
    page.wait_for_timeout(1500)
    turned = page.evaluate(
        "[...getElement(wmxRobot.scene()).objects.values()]"
        ".some(each => Math.abs((each.mesh ?? each).quaternion?.y ?? 0) > 0.15)"
    )
    assert turned
    picture(page, "robot")


ROBOT_OF_MESHES = """<robot name="meshes">
  <link name="base">
    <visual><geometry><mesh filename="package://no_such_robot/other.stl"/></geometry></visual>
    <visual><geometry><mesh filename="base.dae"/></geometry></visual>
    <visual><geometry><mesh filename="base.stl"/></geometry></visual>
  </link>
</robot>"""
TRIANGLE = """solid t
facet normal 0 0 1
outer loop
vertex 0 0 0.2
vertex 0.5 0 0.2
vertex 0 0.5 0.2
endloop
endfacet
endsolid t
"""


def test_meshes_are_drawn_and_named_where_they_are_not(
    browse: Any, machine: Machine, served: Served
) -> None:
    urdf = served.place.folder / "robot.urdf"
    urdf.write_text(ROBOT_OF_MESHES)
    urdf.with_name("base.stl").write_text(TRIANGLE)
    port = free_port()
    panel = start_panel(served.place, port, "--urdf", str(urdf))
    panel.says("connected to a SIMULATED machine")
    page = browse("/robot", base=f"http://127.0.0.1:{port}")
    shows(page, "#missing-meshes", "2 meshes are not shown:")
    shows(page, "#missing-meshes", "the package no_such_robot is not installed")
    shows(page, "#missing-meshes", "base.dae: .dae: only .stl, .gltf, .glb are drawn")
    page.wait_for_timeout(1500)
    picture(page, "meshes")
    answer = page.request.get(f"http://127.0.0.1:{port}/meshes{urdf.with_name('base.stl')}")
    assert answer.text() == TRIANGLE
    panel.kill()


def test_every_page_is_there(browse: Any, machine: Machine) -> None:
    page = browse()
    for name, text in {
        "io": "0.0",
        "network": "Master 0: OP",
        "parameters": "parameters",
        "events": "filter",
        "diagnostics": "OK",
        "faults": "SIMULATION ONLY",
    }.items():
        page.click(f".menu-{name}")
        page.locator(".page").get_by_text(text).first.wait_for(state="attached")
        page.wait_for_timeout(700)
        picture(page, name)


def test_an_output_is_switched(browse: Any, machine: Machine) -> None:
    page = browse("/io")
    take_control(page)
    page.get_by_role("button", name="0.1").last.click()
    eventually(lambda: machine.io.outputs[0, 1], "the output is on")
    page.get_by_role("button", name="0.1").last.filter(has_text="on").click()
    eventually(lambda: not machine.io.outputs[0, 1], "the output is off")


def test_a_slave_is_looked_into(browse: Any, machine: Machine) -> None:
    page = browse("/network")
    shows(page, "#master", "Master 0: OP")
    page.get_by_role("button", name="Read ports").click()
    rows = page.locator("#ports tbody tr")
    rows.nth(1).wait_for()
    assert rows.count() == 2
    assert rows.first.inner_text().split() == ["0", "yes", "yes", "0", "0", "0"]
    page.get_by_role("button", name="Read object").click()
    shows(page, "#object", "(0xfa4e, 64078)")
    page.get_by_label("Object").fill("0x6065")  # following error window
    page.get_by_label("Subindex").fill("0")
    page.get_by_label("New value").fill("4711")
    page.get_by_role("button", name="Write object").click()
    shows(page, ".q-notification", "take control first")
    take_control(page)
    page.get_by_role("button", name="Write object").click()
    shows(page, ".q-notification", "of slave 0: done")
    assert int.from_bytes(machine.network.read_object(0, 0x6065), "little") == 4711
    page.get_by_label("Object").fill("0x9999")
    page.get_by_role("button", name="Read object").click()
    shows(page, "#object", "0x06020000")
    page.get_by_label("Slave").fill("99")
    page.get_by_role("button", name="Read ports").click()
    shows(page, "#ports-error", "99")
    picture(page, "slave")


def test_a_recording_is_opened(browse: Any, machine: Machine, served: Served) -> None:
    page = browse("/recordings")
    shows(page, "#recording-summary", "no recording is open")
    before = {*served.recordings.glob("*.mcap")}
    machine.axes[2].move_by(0.2, velocity=1.0).wait()
    machine.simulation.fault("raise_alarm", axis=2, code=0x8611)
    [file] = eventually(
        lambda: {*served.recordings.glob("*_alarm*.mcap")} - before, "it is written"
    )
    take_control(page)
    page.get_by_role("button", name="Save one now").click()
    eventually(lambda: [*served.recordings.glob("*_saved*.mcap")], "it is saved")
    number = len([*served.recordings.glob("*.mcap")])
    shows(page, "#recording-summary", f"{number} are in")
    page.locator("#recording").click()
    page.get_by_role("option", name=file.name).click()
    shows(page, "#recording-summary", "written because of: ")
    shows(page, "tbody", "0x8611")
    eventually(lambda: min(page.evaluate(CURVE_POINTS), default=0) > 10, "curves are drawn")
    assert_curves_differ(page)
    picture(page, "recordings")
    file.write_bytes(b"nonsense")
    page.get_by_role("switch").click()
    shows(page, "#recording-summary", "is no MCAP file")


def test_parameters_are_searched_compared_and_loaded(
    browse: Any, machine: Machine, served: Served
) -> None:
    page = browse("/parameters")
    take_control(page)
    page.get_by_label("Search").fill("SoftLimitPos")
    shows(page, "#changes", "6 parameters")
    page.get_by_label("Search").fill("")
    width = float(machine.parameters.get([2])[2]["FeedbackParam"]["InPosWidth"])
    in_force = read_parameters(ROBOTS["arm"].wmx_parameters)
    file = served.place.folder / "axis_2.xml"

    def write(width: float) -> None:
        axis = in_force.with_axis(2, in_pos_width=width).root.children
        [held] = (each for each in axis if dict(each.attributes).get("Axis") == "2")
        file.write_text(ParameterSet(in_force.root._replace(children=(held,))).to_xml())

    def preview() -> None:
        page.get_by_label("Parameter file").fill(str(file))
        page.get_by_role("button", name="Preview").click()

    write(2 * width)
    preview()
    shows(page, "#changes", "Loading the file changes 1 parameters; it sets ")
    first = page.locator("tbody tr").nth(0)
    assert first.inner_text().split()[:3] == ["2", "FeedbackParam", "InPosWidth"]
    assert {*page.locator("tbody tr td:first-child").all_inner_texts()} == {"2"}
    page.get_by_label("Search").fill("LSDec")
    shows(page, "tbody tr", "not shown")
    picture(page, "parameters_preview")
    write(3 * width)
    load = page.get_by_role("button", name="Load into the engine")
    load.click()
    shows(page, ".q-notification", "the file has changed since its preview")
    preview()
    shows(page, "#changes", "Loading the file changes 1 parameters; it sets ")
    load.click()
    shows(page, "#changes", "Loading the file changes 0 parameters")
    loaded = machine.parameters.get()
    assert float(loaded[2]["FeedbackParam"]["InPosWidth"]) == pytest.approx(3 * width, abs=1e-6)
    write(width)
    machine.parameters.load(file)


def test_on_a_phone_and_in_the_dark(browse: Any, machine: Machine) -> None:
    phone = browse(size=(390, 844), color_scheme="dark")
    shows(phone, "#kind", "SIMULATED")
    stop = phone.locator("#estop").bounding_box()
    assert stop["x"] >= 0
    assert stop["x"] + stop["width"] <= 390
    assert stop["y"] + stop["height"] <= 844
    assert stop["height"] >= 44
    wide = phone.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    picture(phone, "phone")
    phone.get_by_role("button", name="All servos off").click()
    refusal = phone.locator(".q-notification").filter(has_text="take control first")
    refusal.wait_for()

    def slid() -> bool:
        box = refusal.bounding_box()
        return bool(box["y"] + box["height"] <= stop["y"])

    eventually(slid, "the refusal slides to its place above the emergency stop")
    assert refusal.evaluate("each => each.scrollWidth <= each.clientWidth"), "nothing is cut off"
    phone.goto(phone.url + "axes")
    phone.wait_for_selector("body:not(.no-link)")
    phone.wait_for_timeout(1000)
    picture(phone, "phone_axes")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    dark = browse("/axes", color_scheme="dark")
    dark.wait_for_timeout(1500)
    picture(dark, "axes_dark")


COVERED = """() => {
  window.covered = [];
  (function look() {
    for (const id of ["estop", "release"]) {
      const { left, top, width, height } = document.getElementById(id).getBoundingClientRect();
      for (const x of [0.1, 0.5, 0.9]) for (const y of [0.2, 0.5, 0.8]) {
        const above = document.elementFromPoint(left + x * width, top + y * height);
        if (width && !above?.closest("#" + id)) window.covered.push(above?.outerHTML);
      }
    }
    requestAnimationFrame(look);
  })();
}"""
"""Looks in every picture that the browser makes for what is in front of the emergency stop."""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_covers_the_emergency_stop(
    browse: Any, machine: Machine, size: tuple[int, int]
) -> None:
    page = browse("/axes", size=size)
    page.evaluate(COVERED)
    move = page.get_by_role("button", name="Move to")
    for target in range(12):  # each refusal has a notice of its own: together as high as the window
        page.get_by_label("Target, rad").fill(str(target))
        move.evaluate("button => button.click()")
    page.locator(".q-notification").filter(has_text="move axis 0 to 11").wait_for()
    page.click("#take")
    page.get_by_role("dialog").wait_for()
    machine.estop()
    page.locator("#release").wait_for()
    page.wait_for_timeout(500)
    picture(page, f"covered_{size[0]}")
    assert page.evaluate("window.covered") == []
    page.click("#estop", timeout=5000)
    machine.release()
