"""The page of the robot: how the files of its meshes are served."""

from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="NiceGUI is not installed")
from nicegui import app

from wmx_ros2_package.panel.pages.robot import MESHES, url_of


def test_a_mesh_has_one_address_however_often_and_by_which_path_it_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "urdf").mkdir()
    mesh = tmp_path / "a.stl"
    mesh.touch()
    address = f"{MESHES}{mesh.resolve()}"
    for file in mesh, tmp_path / "urdf" / ".." / "a.stl":
        assert url_of(file) == address
    assert [getattr(route, "path", "") for route in app.routes].count(address) == 1
