"""The robot and the base: drawn as they are, and moved by clicks."""

import re
from collections.abc import Callable
from typing import Any

from acts import bring, follow, hold, hold_key, order, take_control, until
from cable import cable
from panels import (
    CURVE_POINTS,
    LATE,
    Served,
    free_port,
    picture,
    serving,
    settled,
    shows,
    start_panel,
)
from waits import eventually

from wmx_ros2_package.client import Machine
from wmx_ros2_package.robots.catalogue import ROBOTS
from wmx_ros2_package.robots.chain import Chain
from wmx_ros2_package.robots.urdf import read_urdf_file


def test_the_robot_is_drawn_and_moved_by_its_joints(browse: Any, machine: Machine) -> None:
    page = browse("/robot")
    take_control(page)
    slider = page.get_by_role("slider", name="joint2")
    shown = page.get_by_label("Target of joint2")

    def move() -> None:
        box = slider.bounding_box()
        slider.click(position={"x": box["width"] * 0.55, "y": box["height"] / 2})
        page.wait_for_function("field => field.value", arg=shown.element_handle())
        targets.append(float(shown.input_value()))
        page.get_by_role("button", name="Move the joints").click()

    targets: list[float] = []
    until(
        page,
        move,
        lambda: abs(machine.axes["joint2"].position - targets[-1]) < 1e-3,
        "the joint moves",
    )
    assert 0.3 < targets[-1] < 1.0
    page.wait_for_function(  # it is turned
        "[...(getElement(window.wmxRobot?.scene())?.objects.values() ?? [])]"
        ".some(each => Math.abs((each.mesh ?? each).quaternion?.y ?? 0) > 0.15)"
    )
    picture(page, "robot")
    page.evaluate("window.drawn = getElement(wmxRobot.scene()).renderer")
    follow(page, "/events")
    page.wait_for_function("drawn.getContext().isContextLost()")  # nothing is drawn any more


BENT = [0.1, 0.4, 1.0, 0.3, 0.8, 0.2]
"""Joints far from any singular pose."""


def tool_place(machine: Machine) -> tuple[float, ...]:
    """Where the gripper is by the measured joints."""
    model = read_urdf_file(ROBOTS["arm"].urdf)
    chain = Chain(model, "gripper_link", machine.axes.names)
    return tuple(chain.pose(machine.status().position[: len(chain.joints)]).position.tolist())


def test_the_tool_is_shown_and_goes_straight_while_a_button_is_held(
    browse: Any, machine: Machine, line: Any
) -> None:
    bring(machine, *BENT)
    page = browse("/robot", base=line.url, webgl=False)
    take_control(page)

    def pose_is_shown() -> bool:  # a motor that has arrived may settle for a moment still
        return f"x {tool_place(machine)[0]:8.4f} m" in page.locator("#tool-pose").inner_text()

    eventually(pose_is_shown, "the pose is shown")
    start = tool_place(machine)
    page.get_by_label("Move at, m/s").fill("0,1")
    up = page.get_by_role("button", name="Move gripper_link along x of the root, down")
    said = page.locator("#tool-said").filter(has_text="m at most: then")
    hold(up, lambda: tool_place(machine)[0] < start[0] - 0.03 and said.is_visible())
    picture(page, "tool")
    page.mouse.up()
    eventually(lambda: at_rest(machine), "the tool rests")
    _, y, z = tool_place(machine)
    assert abs(y - start[1]) < 1e-3
    assert abs(z - start[2]) < 1e-3
    eventually(pose_is_shown, "the pose is shown")
    page.locator("#tool-axes").click()
    page.get_by_role("option", name="of the tool").click()
    turn = page.get_by_role("button", name="Turn gripper_link about z of the tool, up")
    hold(turn, lambda: not at_rest(machine))
    line.cut()
    eventually(lambda: at_rest(machine), "the connection is cut, and the tool rests")
    line.mend()
    page.wait_for_selector("body:not(.no-link)")
    page.wait_for_timeout(LATE)
    assert at_rest(machine)
    page.close()


def test_a_tool_whose_joint_is_off_says_which(browse: Any, machine: Machine) -> None:
    bring(machine, *BENT)
    machine.axes["joint4"].off()
    page = browse("/robot", webgl=False)
    take_control(page)
    button = page.get_by_role("button", name="Move gripper_link along x of the root, down")
    refused = page.locator("#problem").filter(has_text="joint4")
    hold(button, refused.count)
    page.mouse.up()
    assert at_rest(machine)


def test_a_position_is_taught_gone_to_renamed_and_deleted(
    browse: Any, machine: Machine, served: Served
) -> None:
    file = served.place.folder / "positions.yaml"
    bring(machine, 0.3, 0.2, 0.1)
    page = browse("/robot", webgl=False)
    take_control(page)
    dialog = page.get_by_role("dialog")

    def button(name: str) -> Any:
        return page.get_by_role("button", name=name, exact=False).first

    def click_named(name: str, label: str) -> Callable[[], None]:
        def act() -> None:
            page.get_by_label("Name", exact=True).fill(name)
            button(label).click()

        return act

    save = click_named("pick", "Save where it is")
    until(page, save, file.exists, "it is saved")
    shows(page, "#taught-place", "joint1 0.3 rad, joint2 0.2 rad")
    order(page, save, "there is a position 'pick' already")
    bring(machine)

    def go() -> None:
        if not dialog.is_visible():
            button("Go ...").click()
        shows(page, ".confirm-text", "joint1: 0.0000 to 0.3000 rad")
        picture(page, "taught")
        dialog.get_by_role("button", name="Move").click()

    until(page, go, lambda: abs(machine.axes["joint1"].position - 0.3) < 1e-3, "it goes there")
    eventually(lambda: at_rest(machine), "it rests")
    rename = click_named("place", "Rename to the name above")
    until(page, rename, lambda: "place:" in file.read_text(), "it is renamed")
    # In one piece, for the page that has renamed it reads the file at this moment.
    draft = file.with_name("draft.yaml")
    draft.write_text(re.sub(r"joint3: \d\S*", "joint3: 2.9", file.read_text()))
    draft.replace(file)
    shows(page, "#taught-place", "joint3 2.9 rad")
    refusal = "joint3 would reach 2.9: must stay within -2.7 to 2.7"
    order(page, button("Go ...").click, refusal)

    def delete() -> None:
        if not dialog.is_visible():
            button("Delete ...").click()
        dialog.get_by_role("button", name="Delete it").click()

    until(page, delete, lambda: "place:" not in file.read_text(), "it is deleted")
    shows(page, "#taught-place", "no position is chosen")
    file.write_text("joints: {joint1: rad}\npositions: {}\n")
    shows(page, "#taught-place", "it is of another robot, with joint1 (rad)")


GROUND = """() => getElement(window.wmxRobot?.scene())?.scene?.children
  .find(each => each.object_id === "ground")?.material.color.getHexString()"""


def test_the_robot_is_drawn_dark_in_the_dark(browse: Any, machine: Machine) -> None:
    page = browse("/robot", color_scheme="dark")
    page.wait_for_function(f"({GROUND})() === '1d2430'")
    picture(page, "robot_dark")


FREE = """button => {
  const { left, top, width, height } = button.getBoundingClientRect();
  return [0.1, 0.5, 0.9].every(x => [0.2, 0.5, 0.8].every(y =>
    button.contains(document.elementFromPoint(left + x * width, top + y * height))));
}"""
"""Whether nothing is in front of a button."""


def test_a_long_refusal_covers_no_stop_and_fits_the_events(browse: Any, machine: Machine) -> None:
    page = browse("/robot")
    take_control(page)
    machine.estop()
    shows(page, "#estop", "ACTIVE")

    def move() -> None:
        for number in range(1, 7):
            page.get_by_label(f"Target of joint{number}").fill("0.123456789")
        page.get_by_role("button", name="Move the joints").click()

    refusal = "emergency stop (level1) is in force"
    order(page, move, "joint6 to 0.12345", refusal)
    settled(page)
    assert page.get_by_role("button", name="Stop all").evaluate(FREE)
    page.locator("[data-page=events]").click()
    shows(page, "tbody", refusal)
    picture(page, "events_long")
    page.set_viewport_size({"width": 390, "height": 844})
    table = page.locator(".events .q-table__middle")
    eventually(lambda: table.evaluate("t => t.scrollWidth <= t.clientWidth"), "it fits")
    picture(page, "phone_events_long")
    machine.release()


def test_what_came_of_an_order_is_shown_though_its_page_was_left(
    browse: Any, machine: Machine
) -> None:
    page = browse()
    take_control(page)

    def save_and_leave() -> None:
        follow(page, "/recordings")
        page.get_by_role("button", name="Save one now").click()
        page.locator("[data-page=events]").click()

    order(page, save_and_leave, "save a recording: done")


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


IS_DRAWN = """() => {
  let found = false;
  for (const { mesh } of getElement(window.wmxRobot?.scene())?.objects.values() ?? [])
    if (mesh?.type === "Group") mesh.traverse(each => { found ||= each.isMesh; });
  return found;
}"""
"""Whether the robot has a mesh; the floor of the scene is no part of it."""


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
    page.wait_for_function(IS_DRAWN)
    picture(page, "meshes")
    answer = page.request.get(f"http://127.0.0.1:{port}/meshes{urdf.with_name('base.stl')}")
    assert answer.text() == TRIANGLE
    panel.kill()


def at_rest(machine: Machine) -> bool:
    return bool(machine.status().at_rest.all())


def test_a_base_is_driven_and_its_path_is_drawn_until_the_connection_is_cut(browse: Any) -> None:
    with (
        serving("base") as served,
        cable(served.port) as line,
        Machine(domain=served.place.domain, timeout=30.0) as machine,
    ):
        machine.axes.on()
        page = browse("/robot", base=line.url, webgl=False)
        take_control(page)
        x = machine.base.pose.x
        forward = page.get_by_role("button", name="forward")
        hold(forward, lambda: machine.base.pose.x > x + 0.15)
        page.mouse.up()
        eventually(lambda: at_rest(machine), "the base rests")
        heading = machine.base.pose.heading
        hold_key(page, "ArrowLeft", lambda: machine.base.pose.heading > heading + 0.3)
        page.keyboard.up("ArrowLeft")
        eventually(lambda: at_rest(machine), "the base rests")
        pose = machine.base.pose
        shows(page, "#base-pose", f"x {pose.x:.3f} m   y {pose.y:.3f} m")
        eventually(lambda: page.evaluate(CURVE_POINTS)[0] > 5, "its path has some points")
        picture(page, "base")
        hold_key(page, "ArrowDown", lambda: not at_rest(machine))
        line.cut()
        eventually(lambda: at_rest(machine), "the base rests")
        line.mend()
        page.wait_for_selector("body:not(.no-link)")
        page.wait_for_timeout(LATE)
        assert at_rest(machine)
        page.close()
