"""`wmx` on robots: a base, and an arm with its gripper."""

from pathlib import Path

import pytest
from motion_events import near

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from command_line import Shell
from held_robots import Robots
from held_system import HeldSystem
from sensor_msgs.msg import JointState

from wmx_ros2_package.cli import wmx
from wmx_ros2_package.robots.catalogue import ROBOTS


@pytest.fixture
def system(robots: Robots, request: pytest.FixtureRequest) -> HeldSystem:
    """The system of the robot that a test names, or of none."""
    return robots.of(getattr(request, "param", ""))


def of(robot: str) -> "pytest.MarkDecorator":  # Humble's pytest has no such name
    return pytest.mark.parametrize("system", [robot], indirect=True)


@pytest.mark.long
@of("base")
def test_a_base_drives_and_turns(shell: Shell) -> None:
    said = shell.done("drive", "--forward", 0.1, "--turn", 0.5, "--velocity", 0.4)
    x, y, heading = (float(word.split()[1]) for word in said.splitlines()[-1].split(", "))
    assert (x, y, heading) == pytest.approx((0.1, 0.0, 0.5), abs=0.002)


@of("base")
def test_a_drive_whose_turn_is_refused_does_not_begin(shell: Shell) -> None:
    def commands() -> list[float]:
        return [axis["command"] for axis in shell("status", "--json").data["axes"]]

    before = commands()
    ended = shell("drive", "--forward", 0.1, "--turn", 0.1, "--turning", 99)
    assert (ended.code, "turning is 99: must be 3 rad/s or less" in ended.err) == (2, True), ended
    assert commands() == before


@pytest.mark.long
@of("mobile_manipulator")
def test_a_gripper_closes_and_opens(shell: Shell, system: HeldSystem) -> None:
    assert "the gripper is closed" in shell.done("gripper", "close")
    assert system.client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 1
    assert "the gripper is open" in shell.done("gripper", "open")
    assert system.client.must("wmx/io/get_output_bit", byte=0, bit=0).value == 0


@of("mobile_manipulator")
def test_joints_are_moved_by_their_names(shell: Shell) -> None:
    said = shell.done("move", "joint1", 0.1, "--velocity", 1).split()
    assert (said[:3], float(said[3])) == (["joint1", "is", "at"], near(0.1))
    beyond = shell("move", "joint1", 100)
    assert beyond.code == 1
    assert "joint1" in beyond.err


# The z of the gantry begins below its limit.
@pytest.mark.long
@pytest.mark.parametrize("system", ["gantry", "cr3a", "cr5a", "mobile_manipulator"], indirect=True)
def test_a_robot_is_demonstrated(shell: Shell, system: HeldSystem) -> None:
    system.client.states.next(lambda s: all(s.servo_on))
    assert "done: all axes are back" in shell.done("demo")


GANTRY = "gantry", "--ratio", 100, 100, 100, 10
WHEELS = "left_wheel_joint", "right_wheel_joint"
BASE = "base", "--ratio", 20, "--wheels", *WHEELS
JOINTS = [f"joint{number}" for number in range(1, 7)]
HARDWARE = "arm", "--ratio", 101, "--joints", *JOINTS, "--ros2-control"


@pytest.fixture
def own_robot(robots: Robots, tmp_path: Path, request: pytest.FixtureRequest) -> HeldSystem:
    """The system of what `wmx robot new` makes of the URDF of a robot that is shipped."""
    like, *options = request.param
    folder = tmp_path / f"my_{like}"
    urdf = "--urdf", ROBOTS[like].urdf, "--counts", 10000
    new = ["robot", "new", *map(str, (folder, *urdf, *options))]
    assert wmx.main(new) == 0
    assert wmx.main(new) == 2, "nothing is written over"
    return robots.of(str(folder))


@pytest.fixture
def own(
    own_robot: HeldSystem, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell beside it. A held system has switched its servos on."""
    for name, value in own_robot.place.environment.items():
        monkeypatch.setenv(name, value)
    return Shell(capsys, own_robot.client.clock, typing=0.05)


@pytest.mark.long
@pytest.mark.parametrize("own_robot", [GANTRY], indirect=True)
def test_a_robot_of_ones_own_moves_within_its_limits(own: Shell) -> None:
    assert "axis_y is at" in own.done("move", "axis_y", 0.05)
    beyond = own("move", "axis_y", 0.11)
    assert (beyond.code, "0.1" in beyond.err) == (1, True), beyond


@pytest.mark.long
@pytest.mark.parametrize("own_robot", [BASE], indirect=True)
def test_a_base_of_ones_own_drives(own: Shell) -> None:
    said = own.done("drive", "--forward", 0.1, "--turn", 0.3)
    x, y, heading = (float(word.split()[1]) for word in said.splitlines()[-1].split(", "))
    assert (x, y, heading) == pytest.approx((0.1, 0.0, 0.3), abs=0.002)


@pytest.mark.long
@pytest.mark.parametrize("own_robot", [HARDWARE], indirect=True)
def test_an_arm_of_ones_own_is_led_by_the_topics_of_ros2_control(own_robot: HeldSystem) -> None:
    client, state = own_robot.client, JointState(name=JOINTS, position=[0.0] * 6)
    states = client.listen("/wmx/joint_states", JointState, 10)
    publisher = client.node.create_publisher(JointState, "/wmx/joint_commands", 10)
    client.eventually(publisher.get_subscription_count, "somebody follows")
    client.clock.sleep(0.5)  # a stream pauses before it begins with a new engine
    for number in range(1, 51):
        state.position[0] = 0.002 * number
        publisher.publish(state)
        client.clock.sleep(0.01)
    there = states.next(lambda found: found.position[0] == pytest.approx(0.1, abs=1e-3))
    assert [*there.name] == JOINTS


@pytest.mark.long
def test_measures_without_wheels_are_no_robot(shell: Shell, tmp_path: Path) -> None:
    urdf = ROBOTS["arm"].urdf
    new = "new", tmp_path / "my_arm", "--urdf", urdf, "--counts", 1, "--ratio", 1
    ended = shell("robot", *new, "--robot-radius", 1)
    assert (ended.code, "--wheels LEFT RIGHT" in ended.err) == (2, True)
    assert [*tmp_path.iterdir()] == []
