"""The files of `wmx traj`."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from command_line import Shell

from wmx_ros2_package.cli.failures import Failure
from wmx_ros2_package.cli.move import ways
from wmx_ros2_package.cli.terminal import Terminal
from wmx_ros2_package.cli.traj import draw, foreseen, from_start, read_points
from wmx_ros2_package.control.request import EndReason

CSV = "time, joint1, joint2\n0.0, 0.0, 1.0\n\n# half way\n1.0, 0.1, 1.1\n2.0, 0.2, 1.0\n"
YAML = """
points:
  - {time: 0.0, joint1: 0.0, joint2: 1.0}
  - {time: 1, joint1: 1.0e-1, joint2: 1.1}
  - {time: 2.0, joint2: 1.0, joint1: 0.2}
"""


NAMED = """
joint_names: [joint1, joint2]
points:
  - {time: 0.0, positions: [0.0, 1.0]}
  - {positions: [0.1, 1.1], time: 1}
  - {time: 2.0, positions: [0.2, 1.0]}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", CSV),
        ("a.csv", CSV.replace("time", "time_s")),
        ("a.csv", "\ufeff" + CSV),
        ("a.CSV", "joint1,joint2,time\n0,1,0\n0.1,1.1,1\n0.2,1,2\n"),
        ("a.yaml", YAML),
        ("a.YML", YAML.replace("time", "time_s")),
        ("a.yaml", NAMED),
        ("a.yml", NAMED.replace("time", "time_s")),
    ],
)
def test_both_kinds_of_file(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    points = read_points(path)
    assert points.joints == ("joint1", "joint2")
    assert points.times.tolist() == [0.0, 1.0, 2.0]
    assert points.positions.tolist() == [[0.0, 1.0], [0.1, 1.1], [0.2, 1.0]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", ""),
        ("a.csv", "time, joint1\n"),
        ("a.csv", "time, joint1\n1, 2\n"),
        ("a.csv", "time\n1\n2\n"),
        ("a.csv", "time, joint1\n1, 2\n1, 3\n"),
        ("a.csv", "time, joint1\n2, 2\n1, 3\n"),
        ("a.csv", "time, joint1\n-1, 2\n1, 3\n"),
        ("a.csv", "time, joint1\n1, x\n2, 3\n"),
        ("a.csv", "time, joint1\n1, nan\n2, 3\n"),
        ("a.csv", "time, joint1\n1, 0\n2, 0_5\n"),
        ("a.csv", "time, joint1\n1, 2, 3\n2, 3, 4\n"),
        ("a.csv", "time, joint1\n1\n2\n"),
        ("a.yaml", ""),
        ("a.yaml", NAMED.replace("joint1", "joint2")),
        ("a.yaml", NAMED.replace("joint1", "time")),
        ("a.yaml", NAMED.replace("[0.1, 1.1]", "[0.1]")),
        ("a.yaml", NAMED.replace("[0.1, 1.1]", "1.1")),
        ("a.yaml", NAMED.replace("time: 0.0,", "time: 0.0, velocities: [0.0, 0.0],")),
        ("a.yaml", NAMED.replace("time", "at")),
        ("a.yaml", NAMED.replace("0.1", "0_1")),
        ("a.yaml", NAMED.replace("[joint1, joint2]", "joint1")),
        ("a.yaml", "{"),
        ("a.yaml", "1"),
        ("a.yaml", "[1, 2]"),
        ("a.yaml", "{points: 1}"),
        ("a.yaml", "[{time: 1, a: 1}, {time: 2, b: 1}]"),
        ("a.yaml", "[{time: 1, a: [1]}, {time: 2, a: 1}]"),
    ],
)
def test_a_file_that_breaks_a_rule(shell: Shell, tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    ended = shell("traj", path, "--plot")
    assert ended.code == 2
    assert str(path) in ended.err
    assert "Traceback" not in ended.err


def test_it_is_shown_before_anything_moves(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    out = shell.done("traj", path, "--plot")
    assert out.startswith("3 points of a file, 2 s; position, u:  joint1  joint2\n")
    assert "2.0 s" in out
    assert shell("traj", path, "--plot", "--json").data["error"] == "a plot has no JSON"


def test_a_file_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in pipe, Path("/dev/zero"):
        with pytest.raises(Failure, match=f"{path}: must be a regular file"):
            read_points(path)
    with pytest.raises(Failure, match=f"{tmp_path}: is a directory"):
        read_points(tmp_path)


def test_a_file_that_begins_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    points = read_points(path)
    times, positions = from_start(points, np.array([0.0, 1.0]))
    assert times.tolist() == [1.0, 2.0]
    assert len(positions) == 2
    with pytest.raises(Failure) as failed:
        from_start(points, np.array([0.0, 0.98]))
    assert failed.value.remedy == "wmx move joint2=1"


def test_a_move_shows_where_each_axis_goes_and_in_which_unit() -> None:
    axes: Any = [SimpleNamespace(number=i, name=f"joint{i}", unit="rad") for i in range(3)]
    assert (
        ways(axes, {0: 90.0, 1: 0.5, 2: 0.0})
        == "joint0 to 90 rad, joint1 to 0.5 rad, joint2 to 0 rad"
    )


def test_the_way_from_where_the_axes_are_is_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time, joint1\n1, 2\n2, 3\n")
    draw(Terminal(), read_points(path), "rad", np.array([-5.0]))
    out = capsys.readouterr().out
    assert out.startswith(
        "2 points of a file, 2 s; position, rad; from where the axes are, 1 s to "
    )
    assert "-5" in out


@pytest.mark.parametrize(
    ("header", "rule"),
    [
        ("joint1, joint2", "has the columns joint1, joint2, must have one named 'time'"),
        ("time, time_s", "has the columns time, time_s, must have one named 'time'"),
        ("time, joint1, joint1", "has 'joint1' more than once, must have each axis once"),
    ],
)
def test_a_wrong_header_is_named(shell: Shell, tmp_path: Path, header: str, rule: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{header}\n1, 2\n2, 3\n")
    assert shell("traj", path, "--plot").err == f"wmx: {path}: {rule}\n"


@pytest.mark.parametrize(
    ("times", "rule"),
    [
        ("1 1.5 1.5 1", "point 3: time 1.5 must be more than 1.5"),
        ("1 2 1", "point 3: time 1 must be more than 2"),
        ("-1 2", "point 1: time -1 must be 0 or later"),
    ],
)
def test_the_first_time_that_breaks_the_rule_is_named(
    shell: Shell, tmp_path: Path, times: str, rule: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["time, joint1", *(f"{time}, 0" for time in times.split())]))
    assert shell("traj", path, "--plot").err == f"wmx: {path}: {rule}\n"


def test_a_file_that_is_no_text_is_named(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("time, größe\n1, 2\n2, 3\n".encode("latin-1"))
    rule = "byte 8 is 0xf6: must be text in UTF-8"
    assert shell("traj", path, "--plot").err == f"wmx: {path}: {rule}\n"


def test_semicolons_are_named(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time; joint1\n1; 2\n2; 3\n")
    assert "semicolons" in shell("traj", path, "--plot").err


def test_one_is_asked_with_how_fast_the_axes_would_be(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    made = SimpleNamespace(
        accepted=True,
        axes={"joint1": SimpleNamespace(name="joint1", axis=0, velocity=471.2, acceleration=2e5)},
        motions=[SimpleNamespace(reason=EndReason.ALARM, message="following error too large")],
    )
    machine: Any = Planning(made)
    assert foreseen(Terminal(), machine, read_points(path)) == (
        "joint1: up to 471.2 rad/s and 2e+05 rad/s²\n"
        "would end with ALARM: following error too large\n"
    )
    made.accepted, made.message = False, "servo off"
    with pytest.raises(Failure, match="would be refused: servo off"):
        foreseen(Terminal(), machine, read_points(path))


class Planning:
    """A machine whose plan is given."""

    def __init__(self, plan: Any) -> None:
        self.plan = lambda *_: plan
        self.axes = Named()

    def status(self) -> Any:
        return SimpleNamespace(position=np.array([0.0, 1.0]))


class Named:
    """Its axes, which are found by numbers, and by names, several at once."""

    names, numbers, unit = ("joint1", "joint2"), (0, 1), "rad"

    def __getitem__(self, _: Any) -> "Named":
        return self
