"""Positions that were taught under names: one file of a robot, which two programs may change."""

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wmx_ros2_package.trajectories import kept_yaml, taught_positions
from wmx_ros2_package.trajectories.taught_positions import (
    MOST_POSITIONS,
    TaughtPositions,
    file_of,
    read_taught,
)

JOINTS = {"joint1": "rad", "axis_x": "m"}
PLACE = {"joint1": 0.123456789, "axis_x": -0.0}


@pytest.fixture
def taught(tmp_path: Path) -> TaughtPositions:
    return TaughtPositions(tmp_path / "not" / "there" / "robot.yaml", JOINTS)


def test_what_was_taught_is_there_after_a_restart(taught: TaughtPositions) -> None:
    assert taught.read() == {}
    taught.save("home", PLACE)
    taught.save(" über 'x': [1] ", {"joint1": 1, "axis_x": 2.5})
    again = read_taught(taught.path, JOINTS)
    assert again == {
        "home": {"joint1": 0.123457, "axis_x": 0.0},
        "über 'x': [1]": {"joint1": 1.0, "axis_x": 2.5},
    }
    assert "joints:\n  joint1: rad\n  axis_x: m\n" in taught.path.read_text()
    assert [each.name for each in taught.path.parent.iterdir() if each.suffix == ".draft"] == []


def test_positions_are_renamed_in_their_place_and_deleted(taught: TaughtPositions) -> None:
    for name in "abc":
        taught.save(name, PLACE)
    taught.rename("a", "z")
    assert list(taught.read()) == ["z", "b", "c"]
    taught.delete("b", taught.read()["b"])
    assert list(taught.read()) == ["z", "c"]
    with pytest.raises(ValueError, match="there is no position 'a' any more"):
        taught.rename("a", "y")
    with pytest.raises(ValueError, match="there is a position 'c' already"):
        taught.rename("z", "c")
    with pytest.raises(ValueError, match="'c' is another one by now, or gone"):
        taught.delete("c", {"joint1": 0.5, "axis_x": 0.0})
    taught.require("c", taught.read()["c"])
    for name, place in (("c", {"joint1": 0.5, "axis_x": 0.0}), ("b", PLACE)):
        with pytest.raises(ValueError, match=f"'{name}' is another one by now, or gone"):
            taught.require(name, place)
    with pytest.raises(ValueError, match="'z' already: delete or rename it first"):
        taught.save("z", PLACE)
    assert list(taught.read()) == ["z", "c"]


@pytest.mark.parametrize("name", ["", "   ", "a" * 41, "a\nb", "a\0"])
def test_a_name_that_is_none_is_refused(taught: TaughtPositions, name: str) -> None:
    with pytest.raises(ValueError, match="must be 1 to 40 letters"):
        taught.save(name, PLACE)
    assert not taught.path.exists()


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ({"joint1": 0.0}, "position 'home' must have joint1, axis_x"),
        (PLACE | {"joint2": 0.0}, "position 'home' must have joint1, axis_x"),
        (PLACE | {"joint1": float("nan")}, "joint1 is nan: must be a finite number"),
    ],
)
def test_a_place_that_is_none_is_refused(
    taught: TaughtPositions, place: dict[str, float], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        taught.save("home", place)


@pytest.mark.parametrize("unit", ["u", "deg"])
def test_units_that_are_not_known_are_refused(tmp_path: Path, unit: str) -> None:
    taught = TaughtPositions(tmp_path / "robot.yaml", {"joint1": unit})
    taught.path.write_text(f"joints: {{joint1: {unit}}}\npositions: {{home: {{joint1: 90}}}}\n")
    for ask in taught.read, lambda: taught.save("other", {"joint1": 0.0}):
        with pytest.raises(ValueError, match=f"joint1 has the unit {unit}: must be rad or m"):
            ask()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "joints: {joint1: rad}\npositions: {}",
            r"of another robot, with joint1 \(rad\): this one",
        ),
        ("joints: {joint1: deg, axis_x: m}\npositions: {}", r"of another robot, with joint1 \(deg"),
        ("joints: 3\npositions: {}", "of another robot, with '3'"),
        ("", "must have the keys joints and positions"),
        ("positions: {}", "must have the keys joints and positions"),
        ("joints: {joint1: rad, axis_x: m}\npositions: [1]", "positions must be at most"),
        ("joints: {joint1: rad, axis_x: m}\npositions: {a: 1}", "position 'a' must have joint1"),
        (
            "joints: {joint1: rad, axis_x: m}\npositions: {a: {joint1: x, axis_x: 0}}",
            "position 'a': joint1 is 'x': must be a finite number",
        ),
        ("joints: {joint1: rad, axis_x: m}\npositions: &a {b: *a}", "has an alias in line 2"),
        ("joints: [", "robot.yaml: "),
    ],
)
def test_a_file_that_does_not_fit_is_refused_and_left_as_it_is(
    taught: TaughtPositions, text: str, why: str
) -> None:
    taught.path.parent.mkdir(parents=True)
    taught.path.write_text(text)
    with pytest.raises(ValueError, match=why):
        taught.read()
    with pytest.raises(ValueError, match=why):
        taught.save("home", PLACE)
    assert taught.path.read_text() == text


def test_a_file_without_positions_has_none(taught: TaughtPositions) -> None:
    taught.path.parent.mkdir(parents=True)
    taught.path.write_text("joints: {joint1: rad, axis_x: m}\npositions:\n")
    assert taught.read() == {}


def test_two_that_teach_at_once_lose_nothing(
    taught: TaughtPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_yaml, "LOCK_TIMEOUT", 60.0)  # of a busy machine

    def teach(number: int) -> None:
        TaughtPositions(taught.path, JOINTS).save(f"p{number}", PLACE)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(teach, range(40)))
    assert {*taught.read()} == {f"p{number}" for number in range(40)}


def test_a_file_that_another_program_holds_is_given_up(
    taught: TaughtPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught.save("home", PLACE)
    monkeypatch.setattr(kept_yaml, "LOCK_TIMEOUT", 0.0)
    with (taught.path.parent / ".robot.yaml.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="another program is changing it: try again"):
            taught.save("other", PLACE)
    assert list(taught.read()) == ["home"]


def test_what_is_written_is_no_program(taught: TaughtPositions) -> None:
    taught.save("home", PLACE)
    assert not taught.path.stat().st_mode & 0o111


@pytest.mark.parametrize("own", [".robot.yaml.lock", ".robot.yaml.draft"])
def test_a_pipe_in_the_place_of_its_own_files_is_refused(taught: TaughtPositions, own: str) -> None:
    taught.save("home", PLACE)
    pipe = taught.path.parent / own
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises((OSError, ValueError)):
        taught.save("other", PLACE)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(ValueError, match="must be a regular file"):
        taught.save("other", PLACE)
    os.close(reader)
    assert list(taught.read()) == ["home"]


def test_no_file_is_written_that_is_too_large_to_be_read(
    taught: TaughtPositions, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught.save("home", PLACE)
    monkeypatch.setattr(kept_yaml, "MOST_BYTES", taught.path.stat().st_size)
    with pytest.raises(ValueError, match=r"robot\.yaml would be larger than"):
        taught.save("other", PLACE)
    assert list(taught.read()) == ["home"]


def test_there_are_not_too_many(taught: TaughtPositions, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_POSITIONS > 1
    monkeypatch.setattr(taught_positions, "MOST_POSITIONS", 1)
    taught.save("home", PLACE)
    with pytest.raises(ValueError, match="there are 1 positions: delete one first"):
        taught.save("other", PLACE)


@pytest.mark.parametrize(
    ("robot", "name"),
    [("arm", "arm"), ("", "robot"), ("/left/arm", "left_arm"), ("../x", "_x"), ("a b", "a_b")],
)
def test_each_robot_has_a_file(robot: str, name: str) -> None:
    assert file_of(robot) == Path("~/.ros/wmx_positions").expanduser() / f"{name}.yaml"
