r"""Finding the SDK in Python on this machine: our binding to it, or a module of the vendor's.

`make sdk` builds the binding, `wmx_sdk_binding`, which is found on Python's path. On Windows the
vendor installs a module of its own in `Lib\PythonApi` below the SDK's root. No public source has
one for the present SDK on Linux; where one would be is not documented, so a few folders below the
usual roots are tried.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wmx_core.errors import DriverUnavailable, ErrorCode

BINDING = "wmx_sdk_binding"
MODULE = "WMX3ApiPython"
ROOTS = "/opt/wmx3", "/opt/lmx"
FOLDERS = "lib/PythonApi", "Lib/PythonApi", "PythonApi", "lib/python", "python", "lib"
HEADER = "include/WMX3Api.h"
BUILD = "make sdk SDK={root}"
"""What builds the binding to the headers below a root."""
LIBRARIES = (
    "; LD_LIBRARY_PATH must name the folder of the SDK's libraries, such as /opt/wmx3/lib, when "
    "Python starts, also under sudo"
)
LACKING = "; the SDK's libraries lack what its headers declare: they may be of two releases"


def load_sdk(device_path: str) -> Any:
    """The binding; or else the vendor's module, on Python's path, below `device_path` or a root.

    Raises DriverUnavailable with the places where it was looked for, or why it cannot be imported.
    """
    if is_there(BINDING):
        return _imported(BINDING, f"the binding {BINDING}", f"; {build_hint(device_path)} anew")
    require_sdk(device_path)
    if not is_there(MODULE):
        sys.path.append(str(_place(device_path)))
    return _imported(MODULE, f"the vendor's module {MODULE}", "")


def require_sdk(device_path: str) -> None:
    """Raise what `load_sdk` does where there is none; nothing is imported."""
    if is_there(BINDING) or is_there(MODULE) or _place(device_path) is not None:
        return
    looked = ", ".join(map(str, _places(device_path)))
    raise _unavailable(
        f"driver 'wmx3' needs the vendor SDK, to which no binding is built here "
        f"({build_hint(device_path)}), and whose Python module {MODULE} is not "
        f"installed here (looked for on Python's path and in {looked}); "
        "driver 'fake' runs without it"
    )


def describe(module: Any) -> str:
    """Which module it is, with its version and that of the SDK in it."""
    code, *version = _version(module)
    sdk = "SDK of an unknown version" if code else "SDK " + ".".join(map(str, version))
    if module.__name__.rpartition(".")[2] == BINDING:
        return f"the binding {BINDING} {module.__version__} to {module.sdk}, {sdk}"
    return f"the vendor's module {module.__name__}, {sdk}"


def build_hint(device_path: str) -> str:
    """The command that builds the binding, with a root that has headers, if there is one."""
    roots = [root for root in _roots(device_path) if Path(root, HEADER).is_file()]
    return BUILD.format(root=roots[0] if roots else ROOTS[0])


def main() -> int:
    """Print what `make sdk` has built, or why it cannot be loaded."""
    try:
        module = load_sdk("")
    except DriverUnavailable as unavailable:
        print(f"sdk: {unavailable.detail}", file=sys.stderr)
        return 1
    print("sdk:", describe(module))
    left_out = vars(module).get("left_out", ())  # which the vendor's module does not have
    print("sdk: these headers lack", ", ".join(left_out) or "nothing")
    return 0


def _version(sdk: Any) -> tuple[int, ...]:
    try:
        return tuple(sdk.CoreMotion.GetLibVersion())
    except (AttributeError, TypeError):
        return (ErrorCode.NoSupportedFunction,)


def is_there(name: str) -> bool:
    """Whether Python finds a module; a folder of that name, as that of its sources, is none."""
    spec = find_spec(name)
    return spec is not None and spec.origin is not None


def _imported(name: str, called: str, more: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:  # such as one built for another version of Python
        detail = f"{called} cannot be imported: {error}{_about_libraries(error)}{more}"
        raise _unavailable(detail) from error


def _about_libraries(error: ImportError) -> str:
    """What to do about a module whose libraries are not found, or are other ones."""
    if "undefined symbol" in str(error):
        return LACKING
    return LIBRARIES if "cannot open shared object" in str(error) else ""


def _roots(device_path: str) -> Iterator[str]:
    yield from (root for root in dict.fromkeys((device_path, *ROOTS)) if Path(root).is_absolute())


def _places(device_path: str) -> Iterator[Path]:
    for root in _roots(device_path):
        yield from (Path(root) / folder for folder in FOLDERS)


def _place(device_path: str) -> Path | None:
    """The first of these folders that has the vendor's module."""
    places = _places(device_path)
    return next((place for place in places if (place / f"{MODULE}.py").is_file()), None)


def _unavailable(detail: str) -> DriverUnavailable:
    return DriverUnavailable(ErrorCode.NoSupportedFunction, detail)


if __name__ == "__main__":
    sys.exit(main())
