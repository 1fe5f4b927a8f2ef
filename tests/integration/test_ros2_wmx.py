"""`ros2 wmx ...`, where ros2cli is installed."""

import json
import shutil

import pytest
import system as systems

pytestmark = pytest.mark.skipif(
    not shutil.which("ros2"), reason="ros2 is not installed, as on plain Python"
)


def test_the_verbs_are_those_of_wmx() -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        listed = place.run(["ros2", "wmx", "--help"])
        assert listed.wait() == 0
        assert "print the state of the axes" in listed.output
        status = place.run(["ros2", "wmx", "--json", "--timeout", "20", "status", "0"])
        assert status.wait() == 0, status.output
        assert json.loads(status.output)["axes"][0]["name"] == "axis_0"
        version = place.run(["ros2", "wmx", "--version"])
        assert version.wait() == 0, version.output
        assert version.output.startswith("wmx ")
        refused = place.run(["ros2", "wmx", "move", "0", "-0.5"])
        assert refused.wait() == 1
        assert "Error=1567 (ServoOff)" in refused.output
