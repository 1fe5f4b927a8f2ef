"""Finding the vendor's Python module on this machine.

On Windows the vendor installs it in `Lib\\PythonApi` below the SDK's root. The roots on Linux are
/opt/wmx3 and /opt/lmx; which folder below them holds it is not documented, so a few are tried.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wmx_core.errors import DriverUnavailable, ErrorCode

from .privileges import about_libraries

MODULE = "WMX3ApiPython"
ROOTS = "/opt/wmx3", "/opt/lmx"
FOLDERS = "lib/PythonApi", "Lib/PythonApi", "PythonApi", "lib/python", "python", "lib"


def load_sdk(device_path: str) -> Any:
    """The module, from Python's own path or else from below `device_path` or a usual root.

    Raises DriverUnavailable with the places where it was looked for, or why it cannot be imported.
    """
    places = list(_places(device_path))
    if find_spec(MODULE) is None:
        place = next((place for place in places if (place / f"{MODULE}.py").is_file()), None)
        if place is None:
            looked = ", ".join(map(str, places))
            raise _unavailable(
                f"driver 'wmx3' needs the vendor SDK, whose Python module {MODULE} is not "
                f"installed here (looked for on Python's path and in {looked}); "
                "driver 'fake' runs without it"
            )
        sys.path.append(str(place))
    try:
        return import_module(MODULE)
    except ImportError as error:  # such as one built for another version of Python
        hint = about_libraries(error)
        detail = f"the vendor's module {MODULE} cannot be imported: {error}{hint}"
        raise _unavailable(detail) from error


def _places(device_path: str) -> Iterator[Path]:
    for root in dict.fromkeys((device_path, *ROOTS)):
        if Path(root).is_absolute():
            yield from (Path(root) / folder for folder in FOLDERS)


def _unavailable(detail: str) -> DriverUnavailable:
    return DriverUnavailable(ErrorCode.NoSupportedFunction, detail)
