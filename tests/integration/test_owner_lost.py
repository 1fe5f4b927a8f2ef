"""A node that is killed cannot tell the end of its motions: the engine node does."""

import time

import system as systems
from motion_events import EVENTS_QOS, identity
from wmx_ros2_message.msg import BeginMotion, EndMotion

VELOCITY = "wmx/axis/velocity"


def test_the_motions_of_a_killed_node_end_as_owner_lost() -> None:
    with systems.place() as place, systems.system(place, executables=systems.NODES) as system:
        system.ready()
        client = system.client
        begins = client.listen("wmx/motion/begin", BeginMotion, EVENTS_QOS)
        ends = client.listen("wmx/motion/end", EndMotion, EVENTS_QOS)
        client.must("wmx/axis/set_on", index=[0], data=[1])
        client.must("wmx/axis/set_mode", index=[0], data=[1])
        start = time.monotonic()
        client.move(VELOCITY, [0], [1.0], [10.0], [10.0])
        begin = begins.first(start, lambda b: list(b.axes) == [0])
        [core_motion] = [p for p in place.processes if p.name == "wmx_core_motion_node"]
        core_motion.kill()
        end = ends.first(start, lambda e: identity(e) == identity(begin))
        assert end.reason == EndMotion.OWNER_LOST
        assert end.source == "/wmx_core_motion_node"
        assert "ended without a word" in end.message
