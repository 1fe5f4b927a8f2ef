"""The error tree: what an error says, and that it stays itself on its way between processes."""

import pickle

import pytest

from wmx_core.errors import (
    CommandRefused,
    DriverUnavailable,
    EngineLost,
    ErrorCode,
    ParameterFileError,
    RefusalCode,
    WmxError,
)

KINDS = [WmxError, CommandRefused, EngineLost, ParameterFileError, DriverUnavailable]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_says_its_code_and_the_vendors_name(kind: type[WmxError]) -> None:
    assert str(kind(ErrorCode.AxisOutOfRange)) == "Error=1547 (AxisOutOfRange)"
    assert str(kind(1547)) == "Error=1547 (AxisOutOfRange)"
    assert str(kind(1547, "axis 9")) == "Error=1547 (AxisOutOfRange): axis 9"
    assert issubclass(kind, WmxError)


def test_a_code_that_is_not_ours_has_the_name_it_is_given() -> None:
    assert str(WmxError(77777)) == "Error=77777 (Unknown)"
    assert [*RefusalCode] == [-2, -3, -4], "which clients compare"
    assert str(WmxError(77777, name="NewError")) == "Error=77777 (NewError)"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_crosses_to_another_process_unchanged(kind: type[WmxError]) -> None:
    error = kind(99, "why", "Name")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert (copy.code, copy.detail, copy.name) == (99, "why", "Name")
    assert str(copy) == "Error=99 (Name): why"
