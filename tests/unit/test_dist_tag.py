"""Archives are not made of a commit whose tag is another version."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TAG = Path(__file__).resolve().parents[2] / "scripts/tag.sh"
GIT = "git", "-c", "user.name=a", "-c", "user.email=a@b.c"
AROUND = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
"""Without what a hook of git would say of the repository of this file."""

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def refusal(folder: Path) -> str:
    """What the script refuses in `folder`; empty where it does not."""
    done = subprocess.run([str(TAG)], cwd=folder, env=AROUND, capture_output=True, text=True)
    assert done.returncode == (1 if done.stderr else 0), done
    return done.stderr


@pytest.mark.parametrize(
    ("tags", "wrong"),
    [
        ([], ""),
        (["0.4.0"], ""),
        (["v0.4.0", "before-the-fair", "2026"], ""),
        (["0.4.1"], "0.4.1"),
        (["v0.4"], "v0.4"),
        (["0.4.0", "0.5.0"], "0.5.0"),
    ],
)
def test_the_tag_of_a_release_is_its_version(tmp_path: Path, tags: list[str], wrong: str) -> None:
    setup = tmp_path / "wmx_ros2_package/setup.py"
    setup.parent.mkdir()
    setup.write_text('setup(\n    name="a",\n    version="0.4.0",\n)\n')
    commands = [["init"], ["commit", "--allow-empty", "-m", "a"], *(["tag", tag] for tag in tags)]
    for command in commands:
        subprocess.run([*GIT, *command], cwd=tmp_path, env=AROUND, check=True, capture_output=True)
    said = f"the tag of this commit is {wrong}, and the version in setup.py 0.4.0: must be the same"
    assert refusal(tmp_path) == (f"dist: {said}\n" if wrong else "")
    sources = tmp_path / "src"
    sources.mkdir()
    assert refusal(sources) == "", "an archive of the sources in the repository of another project"
