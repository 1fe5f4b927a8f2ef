"""Networks to test with, whose axes say what the test tells them to."""

from dataclasses import dataclass

from wmx_core.values import CommandMode, EcState, SlaveInfo
from wmx_sim.engine.machine.description import MasterDescription, SlaveDescription
from wmx_sim.engine.network.cia402 import AxisFeedback
from wmx_sim.engine.network.network import Network

DRIVE = SlaveDescription(
    name="drive", vendor_id=1, product_code=2, revision=3, serial=4, alias=5, axes=1
)
DOUBLE = SlaveDescription(name="double drive", axes=2)
IO = SlaveDescription(name="io", input_size=4, output_size=2)
SENSOR = SlaveDescription(name="sensor", input_size=1)

TWO = (
    MasterDescription(slaves=(DRIVE, IO, DOUBLE, IO)),
    MasterDescription(slaves=(IO, DOUBLE, DRIVE)),
)


@dataclass
class Feedback(AxisFeedback):
    """The feedback of one axis, whose values all differ."""

    servo_on: bool = True
    alarm_code: int = 0
    amp_alarm: bool = False
    following_error_alarm: bool = False
    command_mode: CommandMode = CommandMode.POSITION
    position_demand: float = 1_000_101.0
    position_actual: float = -1_000_102.0
    following_error: float = -103.4
    velocity_demand: float = 104.0
    velocity_actual: float = -100_105.0
    torque_demand: float = 10.6
    torque_actual: float = -10.7
    max_torque: float = 300.0
    max_motor_speed: float = 3000.0
    negative_limit: bool = False
    positive_limit: bool = False
    home_switch: bool = False


def network_of(*masters: MasterDescription, axes: dict[int, Feedback] | None = None) -> Network:
    """Networks of `masters`; an axis that is not among `axes` knows what Feedback begins with."""
    known = axes or {}
    return Network(masters, lambda axis: known.get(axis) or Feedback())


def slave(network: Network, slave_id: int, master_id: int = 0) -> SlaveInfo:
    return network.network_state(master_id).slaves[slave_id]


def states(network: Network, master_id: int = 0) -> list[EcState]:
    return [each.state for each in network.network_state(master_id).slaves]


def lost(network: Network, master_id: int = 0) -> int:
    return network.network_state(master_id).statistics.packet_loss


def register(network: Network, slave_id: int, address: int) -> int:
    return int.from_bytes(network.read_register(0, slave_id, address, 2), "little")
