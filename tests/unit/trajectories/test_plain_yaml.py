"""YAML of lists, mappings and texts, however it is made."""

from time import process_time

import pytest

from wmx_ros2_package.trajectories.plain_yaml import read_plain_yaml
from wmx_ros2_package.trajectories.point_files import read_trajectory

DEPTH = 100_000


def test_what_is_read() -> None:
    text = "a: [1, {b: 0.50}]\nc: 'x'\nd:\n  - e: null\n"
    assert read_plain_yaml(text) == {"a": ["1", {"b": "0.50"}], "c": "x", "d": [{"e": "null"}]}
    assert read_plain_yaml("") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * DEPTH, "more than 8 levels in line 1"),
        ("[" * DEPTH + "]" * DEPTH, "more than 8 levels"),
        ("{a: " * DEPTH + "}" * DEPTH, "more than 8 levels"),
        ("- " * DEPTH + "1", "more than 8 levels"),
        ("a: &a [1]\nb: *a", "an alias in line 2"),
        ("a: 1\na: 2", "the key 'a' twice in line 2"),
        ("[1]: 2", "a key that is no text"),
        ("a: 1\n---\nb: 2", "more than one document"),
    ],
    ids=["open", "lists", "mappings", "lines", "alias", "twice", "key", "documents"],
)
def test_what_is_refused_at_once(text: str, why: str) -> None:
    begin = process_time()
    with pytest.raises(ValueError, match=why):
        read_plain_yaml(text)
    assert process_time() - begin < 1.0
    with pytest.raises(ValueError, match=rf"x\.yaml: has {why}"):
        read_trajectory(text, "x.yaml")


def test_a_trajectory_whose_times_are_texts() -> None:
    found = read_trajectory('- {time: "0", a: 1e-1}\n- {time: 1, a: .5}\n', "x.yaml")
    assert found.positions.tolist() == [[0.1], [0.5]]
