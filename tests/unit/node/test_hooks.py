"""Hooks: in order when something begins, in reverse when it ends, and all of them."""

import pytest

from wmx_ros2_package.node.hooks import Hook, Hooks, call_all


def fail() -> None:
    raise ValueError("a bug")


def noting(said: list[str], word: str) -> Hook:
    return lambda: said.append(word)


def test_the_end_goes_backwards() -> None:
    hooks, said = Hooks(), list[str]()
    for name in "ab":
        hooks.on_attach.append(noting(said, f"+{name}"))
        hooks.on_detach.append(noting(said, f"-{name}"))
    hooks.attach()
    hooks.detach()
    assert said == ["+a", "+b", "-b", "-a"]


@pytest.mark.parametrize(("begin", "end"), [("attach", "detach"), ("activate", "deactivate")])
def test_what_fails_to_begin_is_ended(begin: str, end: str) -> None:
    hooks, said = Hooks(), list[str]()
    getattr(hooks, f"on_{begin}").extend([noting(said, "+a"), fail, noting(said, "+c")])
    getattr(hooks, f"on_{end}").append(noting(said, "-a"))
    with pytest.raises(ValueError, match="a bug"):
        getattr(hooks, begin)()
    assert said == ["+a", "-a"]


def test_an_end_that_fails_keeps_no_other_from_happening() -> None:
    said = list[str]()
    with pytest.raises(ValueError, match="a bug"):
        call_all([noting(said, "a"), fail, noting(said, "c")])
    assert said == ["a", "c"]
