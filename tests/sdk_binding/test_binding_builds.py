"""Building the binding where something is missing: a clear word each, and nothing else changes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sdk_headers import build

pytestmark = [pytest.mark.process, pytest.mark.skipif(bool(build.missing()), reason="no compiler")]
NOWHERE = "/nowhere/sdk"


def configured(folder: Path, *options: str, **environment: str) -> tuple[int, str]:
    """What CMake ends with, and says."""
    command = ["cmake", "-S", str(build.BINDING), "-B", str(folder / "build"),
               f"-DPython_EXECUTABLE={sys.executable}", *options]  # fmt: skip
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    return ended.returncode, " ".join((ended.stdout + ended.stderr).split())


def root(folder: Path, *headers: str, content: str = "", libraries: bool = True) -> Path:
    """A root such as the SDK's, with some headers."""
    for name in headers:
        (folder / "include").mkdir(parents=True, exist_ok=True)
        (folder / "include" / name).write_text(content)
    if libraries:
        (folder / "lib").mkdir(parents=True, exist_ok=True)
        for name in ("wmx3api", "coremotionapi"):
            (folder / "lib" / f"lib{name}.a").write_bytes(b"!<arch>\n")
    return folder


BOTH = "WMX3Api.h", "CoreMotionApi.h"


def test_a_folder_without_headers(tmp_path: Path) -> None:
    code, said = configured(tmp_path, f"-DWMX3_SDK={NOWHERE}")
    assert code
    assert f"no SDK: there is no {NOWHERE}/include/WMX3Api.h" in said


def test_headers_that_do_not_compile(tmp_path: Path) -> None:
    sdk = root(tmp_path / "sdk", *BOTH, content="#include <not_here.h>\n")
    code, said = configured(tmp_path, f"-DWMX3_SDK={sdk}")
    assert code
    assert f"the headers in {sdk}/include do not compile" in said
    assert "not_here.h" in said


def test_libraries_that_are_not_there(tmp_path: Path) -> None:
    sdk = root(tmp_path / "sdk", *BOTH, libraries=False)
    code, said = configured(tmp_path, f"-DWMX3_SDK={sdk}")
    assert code
    assert f"there is no libwmx3api or libcoremotionapi in {sdk}/lib" in said


def test_no_compiler(tmp_path: Path) -> None:
    sdk = root(tmp_path / "sdk", *BOTH)
    folder = tmp_path / "bin"  # all that is needed, but a compiler
    folder.mkdir()
    for tool in ("cmake", "make", "ninja", "uname"):
        if found := shutil.which(tool):
            (folder / tool).symlink_to(found)
    code, said = configured(tmp_path, f"-DWMX3_SDK={sdk}", PATH=str(folder), CXX="")
    assert code
    assert "there is no C++ compiler" in said


def test_without_an_sdk_nothing_is_built_and_nothing_fails(tmp_path: Path) -> None:
    """As in a workspace that colcon builds: nobody has asked for it."""
    if any(Path(place, "include", "WMX3Api.h").is_file() for place in ("/opt/wmx3", "/opt/lmx")):
        pytest.skip("there is an SDK")
    code, said = configured(tmp_path, CXX="/nowhere/c++")
    assert code == 0
    assert "nothing is built" in said
    folder = tmp_path / "build"
    for step in (["cmake", "--build", str(folder)], ["cmake", "--install", str(folder)]):
        subprocess.run(step, check=True, capture_output=True)
