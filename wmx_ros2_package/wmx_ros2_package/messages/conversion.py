"""Messages that come in as values (AxisPose: moves), and values that go out as messages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from wmx_ros2_message.msg import AxisPose, AxisVelocity
from wmx_ros2_message.srv import EcatGetNetworkState

from wmx_core.move_rules import rest_or
from wmx_core.profile_types import MoveProfile
from wmx_core.values import NetworkState, PositionMove, SlaveInfo, VelocityMove

from ..validation import finite, positive, rows

FRAME_ID = "base_link"
SLAVE_FIELDS = {
    "slave_ids": "id",
    "slave_states": "state",
    "slave_al_codes": "al_status_code",
    "slave_positions": "position",
    "slave_addresses": "address",
    "slave_offline": "offline",
    "slave_inaccessible": "inaccessible",
    "slave_new": "new",
    "slave_reverse": "reverse",
    "slave_vendor_ids": "vendor_id",
    "slave_product_codes": "product_code",
    "slave_revision_nos": "revision",
    "slave_serial_nos": "serial",
    "slave_aliases": "alias",
    "slave_input_addrs": "input_address",
    "slave_input_sizes": "input_size",
    "slave_output_addrs": "output_address",
    "slave_output_sizes": "output_size",
    "slave_num_of_axes": "axes",
}
"""The arrays of EcatGetNetworkState's response, and what of SlaveInfo they hold."""


def position_moves(
    message: AxisPose,
    axis_count: int,
    profile_of: Callable[[int], MoveProfile],
) -> list[PositionMove]:
    """Return the moves that `message` asks for, in the profile of each axis.

    BadRequest if it breaks a rule.
    """
    return [
        PositionMove(
            axis=axis,
            target=target,
            velocity=velocity,
            acc=acc,
            dec=dec,
            profile=profile_of(axis),
        )
        for axis, target, velocity, acc, dec in rows(
            message.index,
            count=axis_count,
            target=finite(message.target, "target"),
            velocity=positive(message.velocity, "velocity"),
            acc=positive(message.acc, "acc"),
            dec=positive(message.dec, "dec"),
        )
    ]


def velocity_moves(message: AxisVelocity, axis_count: int) -> list[VelocityMove]:
    """The moves that `message` asks for; BadRequest if it breaks a rule."""
    return [
        VelocityMove(axis=axis, velocity=rest_or(velocity), acc=acc, dec=dec)
        for axis, velocity, acc, dec in rows(
            message.index,
            count=axis_count,
            velocity=finite(message.velocity, "velocity"),
            acc=positive(message.acc, "acc"),
            dec=positive(message.dec, "dec"),
        )
    ]


def fill_network_state(response: EcatGetNetworkState.Response, state: NetworkState) -> None:
    """Fill `response` with `state`."""
    response.master_state = int(state.state)
    response.master_mode = int(state.mode)
    for field in fields(state.statistics):
        setattr(response, field.name, getattr(state.statistics, field.name))
    response.num_of_slaves = len(state.slaves)
    for name, array in _slave_arrays(state.slaves):
        setattr(response, name, array)


def _slave_arrays(slaves: Sequence[SlaveInfo]) -> Iterator[tuple[str, Any]]:
    """The arrays of a response, of the type that its fields have."""
    blank = EcatGetNetworkState.Response()
    for name, attribute in SLAVE_FIELDS.items():
        array = getattr(blank, name)
        array.extend(getattr(slave, attribute) for slave in slaves)
        yield name, array
