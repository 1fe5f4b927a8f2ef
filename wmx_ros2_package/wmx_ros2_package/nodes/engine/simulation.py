"""Services of the engine node that only a simulated engine has.

Faults are played by a service, which also holds the engine's time and lets it go on; another one
answers with that time. With the parameter `publish_clock` it is published on /clock, for nodes that
use simulated time; it begins at zero with each engine, runs whether the network communicates or
not, and stands while there is no engine.
"""

from typing import Any

from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger
from wmx_ros2_message.srv import InjectFaults

from wmx_core.errors import CommandRefused
from wmx_core.interface import Faults
from wmx_core.values import MotionStatus

from ...messages.times import time_message
from ...node_base.context import NodeContext
from ...node_base.handlers import AnswerMode
from ...validation import NothingAsked

FAILED = "Failed to inject faults."
CLOCK_RATE = 100.0
"""Messages on /clock a second of the steady clock, Hz."""


class Simulation:
    """The simulated engine of `node`, whose faults are `faults`."""

    def __init__(self, node: NodeContext[Any], faults: Faults) -> None:
        self._node = node
        self._faults = faults
        self._cycle_time = 0
        """The cycle time of the engine, us; 0 until it is known."""
        node.create_service(
            InjectFaults,
            "wmx/simulation/inject_faults",
            self.inject_faults,
            failed=lambda _: FAILED,
            run=AnswerMode.ASIDE,
        )
        node.create_service(Trigger, "wmx/simulation/get_time", self.get_time, quiet=True)
        if node.parameters.publish_clock:
            self._publisher = node.create_publisher(Clock, "/clock")
            node.supervisor.add_sink(self._publish_clock, CLOCK_RATE, name="/clock", offline=True)

    def inject_faults(self, request: InjectFaults.Request, _: InjectFaults.Response) -> str:
        """Let the faults of a script happen, all of them or none."""
        try:
            self._faults.play(request.script)
        except CommandRefused as error:
            if request.script:
                raise
            raise NothingAsked([f"{FAILED} {error}"]) from None
        return "Faults injected"

    def get_time(self, _request: Trigger.Request, _: Trigger.Response) -> str:
        """Answer with the engine's time, and whether it is held: "1.250 s, held"."""
        time, held = self._faults.time()
        return f"{time:.3f} s{', held' if held else ''}"

    def _publish_clock(self, status: MotionStatus) -> None:
        if not self._cycle_time:
            network = self._node.driver.ecat.network_state(0)
            self._cycle_time = network.statistics.comm_period
        nanoseconds = 1000 * status.cycle * self._cycle_time
        self._publisher.publish(Clock(clock=time_message(nanoseconds)))
