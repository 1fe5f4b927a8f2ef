"""Hooks: in order when something begins, in reverse when it ends, and all of them."""

import pytest

from wmx_ros2_package.node.hooks import Hook, Hooks, call_all


def fail() -> None:
    raise ValueError("a bug")


def noting(noted: list[str], word: str) -> Hook:
    return lambda: noted.append(word)


@pytest.mark.parametrize(
    ("begin", "end"),
    [("attach", "detach"), ("attached", "let_go"), ("activate", "deactivate")],
)
def test_the_end_goes_backwards(begin: str, end: str) -> None:
    hooks, noted = Hooks(), list[str]()
    for name in "ab":
        getattr(hooks, f"on_{begin}").append(noting(noted, f"+{name}"))
        getattr(hooks, f"on_{end}").append(noting(noted, f"-{name}"))
    getattr(hooks, begin)()
    getattr(hooks, end)()
    assert noted == ["+a", "+b", "-b", "-a"]


@pytest.mark.parametrize("begin", ["attach", "attached", "activate"])
def test_what_fails_to_begin_goes_no_further_and_raises(begin: str) -> None:
    hooks, noted = Hooks(), list[str]()
    getattr(hooks, f"on_{begin}").extend([noting(noted, "+a"), fail, noting(noted, "+c")])
    with pytest.raises(ValueError, match="a bug"):
        getattr(hooks, begin)()
    assert noted == ["+a"]


def test_an_activation_that_fails_is_ended() -> None:
    hooks, noted = Hooks(), list[str]()
    hooks.on_activate.extend([noting(noted, "+a"), fail])
    hooks.on_deactivate.append(noting(noted, "-a"))
    with pytest.raises(ValueError, match="a bug"):
        hooks.activate()
    assert noted == ["+a", "-a"]


@pytest.mark.parametrize("end", ["let_go", "detach", "deactivate"])
def test_an_end_that_fails_keeps_no_other_from_happening(end: str) -> None:
    hooks, noted = Hooks(), list[str]()
    getattr(hooks, f"on_{end}").extend([noting(noted, "a"), fail, noting(noted, "c")])
    with pytest.raises(ValueError, match="a bug"):
        getattr(hooks, end)()
    assert noted == ["c", "a"]


def test_of_several_errors_the_first_is_raised_after_all_were_called() -> None:
    noted: list[str] = []

    def fail_otherwise() -> None:
        raise KeyError("another bug")

    with pytest.raises(ValueError, match="a bug"):
        call_all([fail, noting(noted, "b"), fail_otherwise, noting(noted, "d")])
    assert noted == ["b", "d"]
