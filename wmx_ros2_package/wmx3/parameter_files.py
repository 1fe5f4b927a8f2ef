"""Parameters in and out of the engine, which takes and gives them as files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters

from .sdk import twice_at_most
from .session import SdkSession

MOST_NAMED = 5
"""Invalid parameters that a refusal names."""


def import_parameters(
    path: str, given: ParameterSet, in_force: ParameterSet, put_in: Callable[[str], None]
) -> None:
    """Put `given`, which was read from `path`, in force; what it does not hold stays as it is.

    The engine sets all axes, and takes what is missing for 0, "which often is an invalid setting"
    (API reference, ImportAndSetAll). So `given` is laid over what is in force, and a file with all
    of it is `put_in`.
    """
    whole = given.over(in_force)
    if whole == given:
        put_in(path)
        return
    with _passing_file() as copy:
        copy.write_text(whole.to_xml(), encoding="utf-8")
        put_in(str(copy))


def export_parameters(session: SdkSession) -> ParameterSet:
    """The parameters in force.

    The engine writes six decimals, which another gear ratio is made of, and of a small one none. So
    these are asked for.
    """
    with _passing_file() as file:
        session.config.GetAndExportAll(str(file))
        return read_parameters(file, (*_gear_ratios(session),))


def _gear_ratios(session: SdkSession) -> Iterator[tuple[int, str, float]]:
    """The gear ratios in force, as numbers of axes; none where the SDK does not tell them.

    Where that of one axis is refused all parameters are: a set of them has no place for a number
    that is not known, and is read as the vendor's default where it holds none.
    """
    for axis in range(session.axes):
        try:
            numerator, denominator = twice_at_most(session.config.GetGearRatio, axis)
        except CommandRefused as refused:
            if refused.code == ErrorCode.NoSupportedFunction:
                return
            detail = f"the gear ratio of axis {axis}: {refused.detail}"
            raise CommandRefused(refused.code, detail, refused.name) from None
        yield axis, "gear_ratio_numerator", numerator
        yield axis, "gear_ratio_denominator", denominator


def import_file(session: SdkSession, path: str) -> None:
    """Import a file that names every parameter; a refusal names those that the engine refuses.

    In the Linux module 3.5 the wrapper passes an AxisParam where a SystemParam belongs, which its
    own binding does not take. So the function below it is called.
    """
    system, axes = session.sdk.Config_SystemParam(), session.sdk.Config_AxisParam()
    try:
        session.config.through_binding("Config_ImportAndSetAll", path, system, axes)
    except CommandRefused as refused:
        wrong = ", ".join(islice(invalid_parameters(system, axes, session.axes), MOST_NAMED))
        raise refused.more(f"invalid: {wrong}" if wrong else "") from None


def invalid_parameters(system: Any, axes: Any, count: int) -> Iterator[str]:
    """The parameters that the error objects of an import call invalid, by axis and name.

    Each of their fields is 0, or 1 for an invalid parameter (API reference, ImportAndSetAll).
    """
    for errors in (system, axes):
        arrays = [name for name in dir(errors) if name.startswith("Get") and name != "GetData"]
        for axis in range(count):
            for name in arrays:
                marks = getattr(errors, name)(axis)
                if isinstance(marks, int | float):
                    yield from [f"axis {axis} {name[3:]}"] if marks else []
                else:
                    yield from (f"axis {axis} {name[3:]}.{each}" for each in _marked(marks))
    emergency = system.emergencyStopParam
    yield from (f"emergencyStopParam.{name}" for name in _marked(emergency))
    yield from (f"axis {axis} eStopDec" for axis in range(count) if emergency.GetEStopDec(axis))


def _marked(marks: Any) -> Iterator[str]:
    for name in dir(marks):
        value = None if name.startswith("_") else getattr(marks, name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            yield name


@contextmanager
def _passing_file() -> Iterator[Path]:
    """A place for a parameter file that no other process finds."""
    with TemporaryDirectory(prefix="wmx") as folder:
        yield Path(folder) / "parameters.xml"
