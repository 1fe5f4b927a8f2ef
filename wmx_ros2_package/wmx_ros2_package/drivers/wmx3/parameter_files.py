"""Parameters in and out of the engine, which takes and gives them as files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import CommandRefused, ErrorCode
from ..parameters.parameter_set import ParameterSet, read_parameters
from .session import Session


def import_parameters(session: Session, path: str, given: ParameterSet) -> None:
    """Put `given`, which was read from `path`, in force.

    The engine takes a missing element for 0 ("which often is an invalid setting", API reference,
    ImportAndSetAll), and we for the vendor's default.
    """
    completed = given.completed()
    if completed == given:
        _import(session, path)
        return
    with _passing_file() as copy:
        copy.write_text(completed.to_xml(), encoding="utf-8")
        _import(session, str(copy))


def export_parameters(session: Session) -> ParameterSet:
    """The parameters in force."""
    with _passing_file() as file:
        session.config.GetAndExportAll(str(file))
        return read_parameters(file)


def _import(session: Session, path: str) -> None:
    """Import a file that names every parameter.

    In the Linux module 3.5 the wrapper passes an AxisParam where a SystemParam belongs, which its
    own binding does not take; nothing has happened then. The function below it is called instead.
    """
    try:
        session.config.ImportAndSetAll(path)
    except CommandRefused as refused:
        if refused.code != ErrorCode.NoSupportedFunction:
            raise
        system, axis = session.sdk.Config_SystemParam(), session.sdk.Config_AxisParam()
        session.config.through_binding("Config_ImportAndSetAll", path, system, axis)


@contextmanager
def _passing_file() -> Iterator[Path]:
    """A place for a parameter file that nobody else sees."""
    with TemporaryDirectory(prefix="wmx") as folder:
        yield Path(folder) / "parameters.xml"
