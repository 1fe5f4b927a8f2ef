"""Names of inputs and outputs: one file, which pages change one after the other."""

from pathlib import Path

import pytest

from wmx_ros2_package.panel import command, io_names
from wmx_ros2_package.panel.io_names import IoNames, checked_place, io_names_of, read_names


@pytest.fixture
def names(tmp_path: Path) -> IoNames:
    return IoNames(tmp_path / "folder" / "names.yaml")


def test_a_name_is_given_changed_and_taken_away(names: IoNames) -> None:
    assert names.read() == {"inputs": {}, "outputs": {}}
    assert checked_place(" 1.1 ") == "1.1"
    names.give("inputs", "0.3", " door closed ", "")
    names.give("outputs", "12,7", "Ventil: 1", "")
    assert read_names(names.path) == {
        "inputs": {"0.3": "door closed"},
        "outputs": {"12.7": "Ventil: 1"},
    }
    names.give("inputs", "00.3", "door", "door closed")
    assert names.read()["inputs"] == {"0.3": "door"}
    with pytest.raises(ValueError, match="it is called 'door' by now, and was shown as ''"):
        names.give("inputs", "0.3", "window", "")
    names.give("inputs", "0.3", "", "door")
    assert names.read()["inputs"] == {}


@pytest.mark.parametrize("place", ["", "3", "0.8", "-1.0", "0.3.1", "a.b", "999999.0", None])
def test_what_is_no_place(names: IoNames, place: object) -> None:
    with pytest.raises(ValueError, match="is no place: write byte and bit such as 12"):
        names.give("inputs", place, "x", "")
    assert not names.path.exists()


@pytest.mark.parametrize("name", ["x" * 41, "a\x00b", "a\nb"])
def test_what_is_no_name(names: IoNames, name: str) -> None:
    with pytest.raises(ValueError, match="a name must be at most 40 letters"):
        names.give("inputs", "0.0", name, "")


def test_no_more_names_are_written_than_may_be_read(
    names: IoNames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(io_names, "MOST_NAMES", 1)
    names.give("inputs", "0.0", "door", "")
    with pytest.raises(ValueError, match="has more than 1 names"):
        names.give("outputs", "0.0", "lamp", "")
    assert names.read()["inputs"] == {"0.0": "door"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "must have inputs and outputs"),
        ("doors: {}", "must have inputs and outputs"),
        ("inputs: [a]", "must have inputs and outputs"),
        ("inputs: {x: a}", "'x' is no place"),
        ("inputs: &a {0.1: *a}", "alias"),
        ("[" * 100, "levels"),
    ],
)
def test_a_file_of_another_form_is_refused_and_left(names: IoNames, text: str, why: str) -> None:
    names.path.parent.mkdir()
    names.path.write_text(text)
    for act in names.read, lambda: names.give("inputs", "0.0", "x", ""):
        with pytest.raises(ValueError, match=why):
            act()
    assert names.path.read_text() == text


def test_a_file_as_people_write_it(names: IoNames) -> None:
    names.path.parent.mkdir()
    names.path.write_text("inputs: {0.3: door}    # a comment\noutputs:\n")
    assert names.read() == {"inputs": {"0.3": "door"}, "outputs": {}}


def test_the_panel_does_not_start_with_a_file_that_it_cannot_read(
    names: IoNames, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nicegui", reason="NiceGUI is not installed")
    names.path.parent.mkdir()
    names.path.write_text("inputs: [a]")
    words = ["wmx_panel", "--check", "--port", "1", "--names", str(names.path)]
    monkeypatch.setattr("sys.argv", words)
    monkeypatch.setattr("wmx_ros2_package.panel.access.Address.require_free", lambda _: None)
    assert command.main() == 2
    assert "must have inputs and outputs" in capsys.readouterr().err


def test_each_robot_has_a_file() -> None:
    assert io_names_of("/cell1") == Path("~/.ros/wmx_io_names/cell1.yaml").expanduser()
