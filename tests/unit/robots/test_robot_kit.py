"""A folder that is made from a URDF fits, and what the URDF leaves open is refused."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from doctor_findings import files_of, found, misfits

from wmx_core.parameters.parameter_set import read_parameters
from wmx_core.values import LimitType
from wmx_ros2_package.cli.doctor import machine, robot
from wmx_ros2_package.cli.doctor.finding import Level, Subject
from wmx_ros2_package.robots.catalogue import ROBOTS, find_robot
from wmx_ros2_package.robots.kit.base import wheels_of
from wmx_ros2_package.robots.kit.drives import Drive, drives_of
from wmx_ros2_package.robots.kit.engine import robot_rviz
from wmx_ros2_package.robots.kit.making import make_robot
from wmx_ros2_package.robots.kit.measures import reach
from wmx_ros2_package.robots.kit.text import listed
from wmx_ros2_package.robots.urdf import read_urdf, read_urdf_file
from wmx_ros2_package.validation import BadRequest
from wmx_sim.engine.machine.description import load_machine

JOINTS = [f"joint{number}" for number in range(1, 7)]
WHEELS = ["left_wheel_joint", "right_wheel_joint"]
ARM, GANTRY, BASE, MOBILE = (
    ROBOTS[name].urdf for name in ("arm", "gantry", "base", "mobile_manipulator")
)


def motors(
    urdf: Path, counts: list[int], ratios: list[float], names: list[str] | None = None
) -> list[Drive]:
    return drives_of(read_urdf_file(urdf), counts, ratios, names or [])


def make_base(folder: Path, urdf: Path, drives: list[Drive]) -> None:
    make_robot(folder, urdf, drives, wheels_of(read_urdf_file(urdf), drives))


MADE: dict[str, Callable[[Path], object]] = {
    "arm": lambda folder: make_robot(folder, ARM, motors(ARM, [524288], [101.0], JOINTS)),
    "gantry": lambda folder: make_robot(
        folder, GANTRY, motors(GANTRY, [10000], [100.0, 100.0, 100.0, 10.0])
    ),
    "hardware": lambda folder: make_robot(
        folder, ARM, motors(ARM, [524288], [101.0], JOINTS), ros2_control=True
    ),
    "base": lambda folder: make_base(folder, BASE, motors(BASE, [524288], [20.0], WHEELS)),
    "mobile": lambda folder: make_base(
        folder, MOBILE, motors(MOBILE, [524288], [20.0] * 2 + [90.0] * 6, [*WHEELS, *JOINTS])
    ),
}
UNLIMITED = {"gantry": "axis 3", "base": "axes 0, 1", "mobile": "axes 0, 1"}
"""Axes whose joints are continuous."""


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_fits(tmp_path: Path, name: str) -> None:
    MADE[name](tmp_path / name)
    made = find_robot(str(tmp_path / name))
    subject = files_of(made)
    assert misfits(subject) == []
    notes = [each.text for each in found(machine.check_engine_parameters, subject, Level.NOTE)]
    assert [note.partition(": no soft limits")[0] for note in notes] == [
        *filter(None, [UNLIMITED.get(name)])
    ]
    assert made.machine is not None
    load_machine(made.machine)
    assert yaml.safe_load((made.folder / "robot.rviz").read_text())


@pytest.mark.parametrize("name", MADE)
def test_what_is_made_switches_nothing_on(tmp_path: Path, name: str) -> None:
    MADE[name](tmp_path / name)
    sections = yaml.safe_load((tmp_path / name / "parameters.yaml").read_text())
    starters = "manipulator_state", "joint_state_broadcaster", "diff_drive_controller"
    chosen = [sections[node]["ros__parameters"] for node in sections if node[4:] in starters]
    assert chosen
    assert all(each["auto_servo_on"] is False for each in chosen)
    for folder, comes_on in ((tmp_path / name, False), (ROBOTS["arm"].folder, True)):
        given = find_robot(str(folder))
        subject = Subject(
            driver="wmx3", parameters=given.parameters, wmx_parameters=given.wmx_parameters
        )
        notes = [each.text for each in found(robot.check_robot, subject, Level.NOTE)]
        assert any("servos come on at the start" in note for note in notes) is comes_on


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_are_shown_in_the_same_way(name: str) -> None:
    robot = ROBOTS[name]
    assert (robot.folder / "robot.rviz").read_text() == robot_rviz(name, read_urdf_file(robot.urdf))


@pytest.mark.parametrize("name", ["off", "a:b", "{x}"])
def test_a_joint_keeps_its_name(tmp_path: Path, name: str) -> None:
    file = tmp_path / "robot.urdf"
    text = urdf(LIMIT.replace('"2"', '"0.00001"'), name=name)
    file.write_text(text.replace('"a"', f'"{name}"'))
    make_robot(tmp_path / "made", file, motors(file, [1000], [10.0]))
    sections = yaml.safe_load((tmp_path / "made/parameters.yaml").read_text())
    assert sections["/**/wmx_actuator_node"]["ros__parameters"]["names"] == [name]
    assert sections["/**/wmx_actuator_node"]["ros__parameters"]["velocity_max"] == [1e-5]
    controllers = yaml.safe_load((tmp_path / "made/moveit_controllers.yaml").read_text())
    [manager] = [
        each
        for each in controllers.values()
        if isinstance(each, dict) and "made_controller" in each
    ]
    assert manager["made_controller"]["joints"] == [name]
    shown = yaml.safe_load((tmp_path / "made/robot.rviz").read_text())
    assert shown["Visualization Manager"]["Global Options"]["Fixed Frame"] == name
    assert load_machine(tmp_path / "made/machine.yaml").masters[0].slaves[0].name == f"{name} drive"


def test_no_name_is_true_or_false_to_ros() -> None:
    assert listed(["x", "y", "N", "off"]) == "[x, 'y', 'N', 'off']"


def test_what_protects_the_machine_is_in_it(tmp_path: Path) -> None:
    MADE["gantry"](tmp_path / "gantry")
    made = read_parameters(tmp_path / "gantry" / "wmx_parameters.xml")
    x, turning = made.axis(0), made.axis(3)
    assert (x.soft_limit_negative, x.soft_limit_positive) == (-0.115, 0.1)
    assert (x.soft_limit_type, turning.soft_limit_type) == (LimitType.DEC, LimitType.NONE)
    assert x.gear_ratio_numerator / x.gear_ratio_denominator == 1e6  # counts in a metre
    assert 0.0 < x.following_error_stopped < x.following_error_moving < 0.1
    assert 0.0 < x.in_pos_width <= 1e-5
    stops = x.quick_stop_dec, x.emergency_stop_dec, x.ls_dec, x.ls_slow_dec
    assert stops == (3.33, 3.33, 3.33, 0.833), "0.15 s from 0.5 m/s"
    homing = x.homing_velocity_fast, x.homing_velocity_slow, x.home_shift_velocity
    assert homing == (0.05, 0.00833, 0.05)
    searches = "homing_velocity_fast", "homing_velocity_slow", "home_shift"
    rates = {getattr(x, f"{each}_{rate}") for each in searches for rate in ("acc", "dec")}
    assert rates == {0.167}, "0.3 s to the fast one"


@pytest.mark.parametrize(("low", "high"), [("0", "1"), ("-1", "1e-12")])
def test_a_joint_that_ends_at_0_is_limited_there(tmp_path: Path, low: str, high: str) -> None:
    """0 is no limit to the engine."""
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(f'lower="{low}" upper="{high}" velocity="2"'))
    make_robot(tmp_path / "made", file, motors(file, [1000], [10.0]))
    axis = read_parameters(tmp_path / "made" / "wmx_parameters.xml").axis(0)
    assert float(low) - 2e-3 < axis.soft_limit_negative < 0.0
    assert 1e-6 < axis.soft_limit_positive < float(high) + 2e-3


LIMIT = 'lower="-1" upper="1" velocity="2" effort="5"'
ANOTHER = (
    '<link name="c"/><joint name="j" type="revolute"><parent link="b"/><child link="c"/>'
    f"<limit {LIMIT}/></joint>"
)


def urdf(limit: str = LIMIT, kind: str = "revolute", name: str = "j", more: str = "") -> str:
    return (
        '<robot name="r"><link name="a"/><link name="b"/>'
        f'<joint name="{name}" type="{kind}"><parent link="a"/><child link="b"/>'
        f"<limit {limit}/></joint>{more}</robot>"
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (urdf('lower="1" upper="1" velocity="2"'), "j: limit is 1 to 1: upper must be above lower"),
        (urdf('lower="-1" upper="1"'), "j: its limit has no velocity, or 0: must be above 0"),
        (urdf('lower="-1" upper="1" velocity="nan"'), "must be finite"),
        (urdf('lower="-1" upper="1" velocity="x"'), "could not convert"),
        (urdf('lower="-1" upper="1" velocity="200"'), "j: velocity of its limit is 200: must"),
        (urdf(kind="fixed"), "has 0 joints that move"),
        (urdf(name="1"), "'1' is no name of an axis"),
        (urdf(name=""), "'' is no name of an axis"),
        (urdf(more=ANOTHER), "the URDF has 2 joints called 'j': must be different"),
        ("<robot", "no URDF"),
    ],
)
def test_what_a_urdf_leaves_open_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with pytest.raises(BadRequest, match=words):
        motors(file, [1000], [10.0])


@pytest.mark.parametrize(
    ("counts", "ratios", "joints", "words"),
    [
        ([1000, 1000], [10.0], JOINTS, "counts has 2 values: must have 1, or 6"),
        ([1000], [1.0, 2.0, 3.0], JOINTS, "ratio has 3 values: must have 1, or 6"),
        ([1000], [10.0], ["joint9"], "no joint 'joint9'"),
        ([1000], [10.0], ["joint1", "joint1"], "must name each once"),
    ],
)
def test_what_does_not_fit_the_joints_is_refused(
    counts: list[int], ratios: list[float], joints: list[str], words: str
) -> None:
    with pytest.raises(BadRequest, match=words):
        motors(ARM, counts, ratios, joints)


PICKERS = ["picker_1_joint", "picker_2_joint"]


@pytest.mark.parametrize(
    "ratios", [[101.0], [101.0] * 6], ids=["a joint is too fast", "too few values"]
)
def test_a_refusal_names_the_option_that_leaves_joints_out(ratios: list[float]) -> None:
    with pytest.raises(BadRequest) as refusal:
        motors(ARM, [524288], ratios)
    assert str(refusal.value).endswith(
        f"; without --joints every joint that moves is an axis ({', '.join(JOINTS + PICKERS)}): "
        f"--joints {' '.join(JOINTS)} leaves out the others"
    )
    with pytest.raises(BadRequest) as refusal:
        motors(ARM, [524288], [101.0], [*JOINTS, *PICKERS])
    assert "--joints" not in str(refusal.value)


def test_nothing_is_written_over_and_no_half_folder_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drives = motors(ARM, [524288], [101.0], JOINTS)
    (tmp_path / "there").mkdir()
    with pytest.raises(BadRequest, match="is there already"):
        make_robot(tmp_path / "there", ARM, drives)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(OSError, match="No space"):
        make_robot(tmp_path / "new", ARM, drives)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("end", ["</robot >", "</robot><!-- after </robot> -->"])
def test_hardware_stands_in_the_robot_however_it_ends(tmp_path: Path, end: str) -> None:
    file = tmp_path / "robot.urdf"
    start = "<?xml version='1.0'?><!-- <ros2_control> is added -->"
    file.write_text(start + urdf().replace("</robot>", f"<!-- kept -->{end}"))
    make_robot(tmp_path / "made", file, motors(file, [1000], [10.0]), ros2_control=True)
    made = (tmp_path / "made/robot.urdf").read_text()
    assert ElementTree.fromstring(made).find("ros2_control/joint[@name='j']") is not None
    assert "<!-- kept -->" in made


def test_a_urdf_that_is_hardware_already_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(urdf().replace("</robot>", '<ros2_control name="x"/></robot>'))
    with pytest.raises(BadRequest, match=r"robot\.urdf has <ros2_control> already: must be"):
        make_robot(tmp_path / "made", file, motors(file, [1000], [10.0]), ros2_control=True)
    assert [path.name for path in tmp_path.iterdir()] == ["robot.urdf"]


def test_hardware_has_no_wheels(tmp_path: Path) -> None:
    drives = motors(BASE, [524288], [20.0], WHEELS)
    wheels = wheels_of(read_urdf_file(BASE), drives)
    with pytest.raises(BadRequest, match="must be an arm without"):
        make_robot(tmp_path / "made", BASE, drives, wheels, ros2_control=True)


def base_urdf(*changes: tuple[str, str]) -> str:
    text = BASE.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


CYLINDER = '<cylinder radius="0.095" length="0.05"/>'
LEFT = '<origin xyz="0 0.275 0.095" rpy="0 0 0"/>\n    <axis xyz="0 1 0"/>'


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ((CYLINDER, '<mesh filename="tyre.stl"/>'), "wheel radius: .* --wheel-radius"),
        ((CYLINDER, '<mesh filename="tyre.stl"/>'), "robot radius: left_wheel, right_wheel drawn"),
        ((CYLINDER, '<sphere radius="0"/>'), "wheel radius: .* --wheel-radius"),
        ((LEFT, LEFT.replace("0.275", "-0.5")), "left_wheel_joint must stand to the left of right"),
        ((LEFT, LEFT.replace('"0 0.275', '"0.1 0.275')), "it is 0.1 m ahead and 0.55 m"),
        ((LEFT, LEFT.replace("0 1 0", "0 -1 0")), "left_wheel_joint: its axis is 0 -1 0"),
        ((LEFT, LEFT.replace("0 1 0", "0 0 1")), "left_wheel_joint: its axis is 0 0 1"),
        ((LEFT, LEFT.replace("0.275", "nan")), "left_wheel_joint must stand to the left of right"),
    ],
)
def test_what_a_urdf_leaves_open_of_a_base_is_refused(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(base_urdf(change))
    drives = motors(file, [1000], [20.0], WHEELS)
    with pytest.raises(BadRequest, match=words):
        wheels_of(read_urdf_file(file), drives)


@pytest.mark.parametrize("shape", ['cylinder radius="0.2" length="1"', 'sphere radius="0.2"'])
def test_a_round_shape_reaches_to_its_far_side(shape: str) -> None:
    visual = f'<visual><origin xyz="0 0.5 0"/><geometry><{shape}/></geometry></visual>'
    robot = read_urdf(f'<robot name="r"><link name="a">{visual}</link></robot>')
    assert reach(robot) == (pytest.approx(0.7), [])


def test_measures_of_a_base_are_those_of_its_shapes(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    turned = LEFT.replace("0 0 0", "-1.5707963 0 0").replace("0 1 0", "0 0 0.5")
    file.write_text(base_urdf((LEFT, turned)))
    drives = motors(file, [1000], [20.0], WHEELS)
    measured = wheels_of(read_urdf_file(file), drives)
    assert (measured.radius, measured.separation) == (0.095, pytest.approx(0.55))
    assert measured.reach == pytest.approx(1.05 * 0.384, abs=1e-3), "the corners of its box"
    file.write_text(base_urdf((CYLINDER, '<mesh filename="tyre.stl"/>')))
    drives = motors(file, [1000], [20.0], WHEELS)
    given = wheels_of(
        read_urdf_file(file), drives, wheel_radius=0.1, wheel_separation=0.6, robot_radius=0.5
    )
    assert (given.radius, given.separation, given.reach) == (0.1, 0.6, 0.5)
    assert given.linear / 0.1 + given.angular * 0.3 / 0.1 == pytest.approx(15.0)
