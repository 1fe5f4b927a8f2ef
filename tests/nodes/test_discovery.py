"""The profile with which the nodes are found soon."""

import os

import pytest
import system as systems

from wmx_ros2_package.node.discovery import PROFILE, VARIABLES, announce_often, variable


@pytest.fixture(autouse=True)
def no_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # so that it goes again with what the test sets
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("distribution", "name"),
    [
        ("humble", "FASTRTPS_DEFAULT_PROFILES_FILE"),
        ("jazzy", "FASTRTPS_DEFAULT_PROFILES_FILE"),
        ("kilted", "FASTDDS_DEFAULT_PROFILES_FILE"),
        ("", "FASTDDS_DEFAULT_PROFILES_FILE"),
    ],
)
def test_the_nodes_take_the_profile(
    monkeypatch: pytest.MonkeyPatch, distribution: str, name: str
) -> None:
    monkeypatch.setenv("ROS_DISTRO", distribution)
    announce_often()
    assert {v: os.environ[v] for v in VARIABLES if v in os.environ} == {name: str(PROFILE)}


@pytest.mark.parametrize("name", VARIABLES)
def test_the_profile_of_the_user_stays(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "/mine.xml")
    announce_often()
    assert {v: os.environ[v] for v in VARIABLES if v in os.environ} == {name: "/mine.xml"}


@pytest.mark.parametrize("name", ["fastdds_discovery.xml", "fastdds_udp.xml"])
def test_fast_dds_understands_the_profile(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(variable(), str(systems.CONFIG / name))
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        assert "XMLPARSER" not in system.output
