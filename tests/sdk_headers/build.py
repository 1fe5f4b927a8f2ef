"""Compiles the declared SDK with what stands behind it, and the binding to it.

    python3 tests/sdk_headers/build.py 1 2

builds the editions below build/sdk_headers, each only when a file has changed that it is made of.
Tests do so by themselves; they wait for one another.
"""

import fcntl
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
BINDING = TOP / "wmx_sdk_binding"
PLACE = TOP / "build" / "sdk_headers"
EDITIONS = 1, 2
"""As older releases declare the SDK, and as the newest use has it."""
QUICKLY = "-O0 -g0 -Wall -Wextra -Werror"
"""How the compiler is called: how fast the binding is proves nothing here."""


def missing() -> str:
    """What this machine lacks to compile, or "" where it lacks nothing."""
    for tool in ("cmake", "c++"):
        if shutil.which(tool) is None:
            return f"there is no {tool}"
    if importlib.util.find_spec("pybind11") is None and not _finds_pybind11():
        return "there is no pybind11"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        return "there are no headers of Python"
    return ""


def built(edition: int, flags: str = "") -> Path:
    """The folder of an edition: a root such as the SDK has, and the binding in `python`."""
    stamp = _digest(f"{edition} {flags}")
    place = PLACE / f"{edition}{''.join(flags.split())}"
    place.mkdir(parents=True, exist_ok=True)
    (PLACE / "COLCON_IGNORE").touch()  # what CMake makes in there looks like packages
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = place / "stamp"
        if not done.is_file() or done.read_text() != stamp:
            done.unlink(missing_ok=True)
            root = place / "sdk"
            flags = f"{QUICKLY} {flags}"
            make(HERE, place / "headers", root, flags, f"-DEDITION={edition}")
            make(BINDING, place / "binding", place / "python", flags, f"-DWMX3_SDK={root}")
            done.write_text(stamp)
    return place


def binding(edition: int, flags: str = "") -> ModuleType:
    """The module, bound to an edition."""
    place = built(edition, flags)
    (file,) = place.glob("python/lib/python*/site-packages/wmx_sdk_binding*.so")
    # Of one name a process gets one module, whatever the file (pybind11).
    return _loaded(f"edition_{place.name}.wmx_sdk_binding", file)


def swig() -> str:
    """The program SWIG, or "" where this machine has none."""
    beside = Path(sys.executable).with_name("swig")
    return str(beside) if beside.is_file() else shutil.which("swig") or ""


def swig_stub(edition: int, flags: str) -> ModuleType:
    """Some functions of the SDK as SWIG wraps them (swig/stub.i)."""
    place = PLACE / f"swig{edition}{''.join(flags.split())}"
    place.mkdir(parents=True, exist_ok=True)
    source = HERE / "swig" / "stub.i"
    stamp = hashlib.sha256(f"{sys.version} {source.read_text()}".encode()).hexdigest()
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = place / "stamp"
        if not done.is_file() or done.read_text() != stamp:
            wrapper, include = place / "stub.cpp", sysconfig.get_paths()["include"]
            _run(swig(), "-c++", "-python", f"-DEDITION={edition}", "-o", wrapper, source)
            _run("c++", "-shared", "-fPIC", "-O0", *flags.split(), f"-DEDITION={edition}",
                 f"-DSWIG_TYPE_TABLE=edition{edition}",
                 "-I", include, wrapper, "-o", place / "_stub.so")  # fmt: skip
            done.write_text(stamp)
    # The module imports the compiled one by a name that both editions have.
    compiled = _loaded("_stub", place / "_stub.so")
    sys.modules["_stub"] = compiled
    try:
        return _loaded(f"stub_of_{place.name}", place / "stub.py")
    finally:
        del sys.modules["_stub"]


def make(source: Path, folder: Path, prefix: Path, flags: str, *options: str) -> None:
    """Configure, build and install with CMake; what it said is the message of a failure."""
    _run("cmake", "-S", source, "-B", folder, f"-DCMAKE_INSTALL_PREFIX={prefix}",
         "-DCMAKE_BUILD_TYPE=Quick", f"-DCMAKE_CXX_FLAGS={flags}",
         f"-DPython_EXECUTABLE={sys.executable}", *options)  # fmt: skip
    _run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1)
    _run("cmake", "--install", folder)


def _loaded(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(*command: object) -> None:
    ended = subprocess.run([*map(str, command)], text=True, capture_output=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{command} failed:\n{ended.stdout}\n{ended.stderr}")


def _finds_pybind11() -> bool:
    command = ["cmake", "--find-package", "-DNAME=pybind11", "-DCOMPILER_ID=GNU",
               "-DLANGUAGE=CXX", "-DMODE=EXIST"]  # fmt: skip
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _sources() -> Iterator[Path]:
    for folder in (HERE, BINDING):
        yield from sorted(path for path in folder.rglob("*") if path.is_file())
    core = TOP / "wmx_ros2_package"
    yield core / "wmx_core" / "python_api.json"
    yield core / "wmx_sim" / "sdk" / "enums.py"


def _digest(how: str) -> str:
    digest = hashlib.sha256(f"{sys.executable} {sys.version} {how}".encode())
    for path in _sources():
        if path.suffix not in (".pyc", ".md", ".i") and path != Path(__file__).resolve():
            digest.update(path.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    if lacking := missing():
        print(f"the declared SDK is not compiled: {lacking}")
        sys.exit()
    for each in map(int, sys.argv[1:] or EDITIONS):
        built(each)
