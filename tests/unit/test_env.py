"""What `env.sh` makes of the shell that sources it."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("options", ["-eu", "-e"])
@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_a_shell_that_refuses_what_is_not_set_keeps_its_options(
    tmp_path: Path, shell: str, options: str
) -> None:
    """Those of colcon read such variables."""
    shutil.copy(TOP / "env.sh", tmp_path)
    (tmp_path / "install").mkdir()
    (tmp_path / f"install/setup.{shell}").write_text('test -z "$COLCON_TRACE"\n')
    script = 'before=$-; . ./env.sh; [ "$before" = "$-" ] && echo "${PATH%%:*}"'
    command = ["env", "-i", "PATH=/usr/bin:/bin", shell, options, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    path = f"{tmp_path}/install/wmx_ros2_package/lib/wmx_ros2_package"
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}\n", "")
