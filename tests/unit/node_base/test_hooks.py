"""Hooks that end something are called one and all."""

import pytest

from wmx_ros2_package.node_base.hooks import call_all


def fail() -> None:
    raise ValueError("a bug")


def test_of_several_errors_the_first_is_raised_after_all_were_called() -> None:
    noted: list[str] = []

    def fail_otherwise() -> None:
        raise KeyError("another bug")

    with pytest.raises(ValueError, match="a bug"):
        call_all([fail, lambda: noted.append("b"), fail_otherwise, lambda: noted.append("d")])
    assert noted == ["b", "d"]
