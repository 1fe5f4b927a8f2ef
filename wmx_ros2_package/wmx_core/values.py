"""The values that cross the driver interface, frozen.

Units are those of the table in `interface`: user units (u), seconds, percent of rated torque.
Arrays are numpy arrays of shape (axes,), one element per axis of the engine.
"""

from dataclasses import dataclass
from enum import IntEnum
from math import inf

import numpy as np
from numpy.typing import NDArray

from .profile_types import TRAPEZOID, MoveProfile

MAX_AXES = 128
REST_VELOCITY = 0.01
"""A motor that is slower rests, u/s: the default of joint_trajectory_controller's
`stopped_velocity_tolerance`."""
IO_BYTES = 8000
REGISTER_SPACE = 0x1000
DEFAULT_DEVICE_PATH = "/opt/wmx3"
"""Where the vendor's SDK stands; for the simulated engine, the name of the default machine."""

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class EngineState(IntEnum):
    """Where the engine is between stopped and driving the network."""

    IDLE = 0
    """Created, nothing running yet."""
    RUNNING = 1
    """The engine runs; the network does not communicate."""
    COMMUNICATING = 2
    """Cyclic communication with the network runs: axes can be commanded."""
    SHUTDOWN = 3
    """The engine is ending or has ended."""
    UNKNOWN = 4
    """The engine does not report it."""


class CommandMode(IntEnum):
    """What an axis is commanded by; the number is that of `wmx/axis/set_mode`."""

    POSITION = 0
    """By positions: moves, jogs, lines, splines, homing."""
    VELOCITY = 1
    """By velocities."""
    TORQUE = 2
    """By torques."""


class OperationState(IntEnum):
    """What an axis is doing, numbered as the vendor's OperationState; other numbers are unknown."""

    IDLE = 0
    """Nothing; its servo may be on or off."""
    POS = 1
    """A move to a position."""
    JOG = 2
    """An endless move in position mode."""
    HOME = 3
    """Homing."""
    SYNC = 4
    """Following another axis, also one that rests."""
    STOP = 6
    """Slowing down to rest, whatever for."""
    INTPL = 7
    """A line or a spline, together with other axes."""
    VELOCITY = 8
    """An endless move in velocity mode."""
    TRQ = 10
    """A torque, also one of zero."""


class EmergencyStop(IntEnum):
    """How hard an emergency stop is, numbered as the vendor's EStopLevel."""

    FINAL = 0
    """Servos go off at once."""
    LEVEL1 = 1
    """Axes slow down with their emergency stop deceleration; servos stay on."""


class HomeType(IntEnum):
    """What homing searches for, numbered as the element HomeType of a parameter file.

    HS is the home switch, LS a limit switch. `docs/simulation-limits.md` lists which are simulated.
    """

    CURRENT_POS = 0
    Z_PULSE = 1
    HS = 2
    HSHS = 3
    HS_Z_PULSE = 4
    HS_REVERSE_Z_PULSE = 5
    HS_OFF = 6
    HS_OFF_Z_PULSE = 7
    HS_OFF_REVERSE_Z_PULSE = 8
    LS_REVERSE_Z_PULSE = 9
    NEAR_LS_REVERSE_Z_PULSE = 10
    EXTERNAL_LS_REVERSE_Z_PULSE = 11
    TOUCH_PROBE = 12
    HS_TOUCH_PROBE = 13
    LS = 14
    NEAR_LS = 15
    EXTERNAL_LS = 16
    MECHANICAL_END_DETECTION = 17
    MECHANICAL_END_DETECTION_HS = 18
    MECHANICAL_END_DETECTION_LS = 19
    MECHANICAL_END_DETECTION_REVERSE_Z_PULSE = 20


class LimitType(IntEnum):
    """What a limit does to an axis that runs into it, numbered as the vendor's LimitSwitchType."""

    NONE = 0
    """Nothing."""
    SERVO_OFF = 1
    """The servo goes off at once."""
    DEC_SERVO_OFF = 2
    """The axis slows down with LSDec, then its servo goes off."""
    DEC = 3
    """The axis slows down with LSDec."""
    SLOW_DEC_SERVO_OFF = 4
    """The axis slows down with LSSlowDec, then its servo goes off."""
    SLOW_DEC = 5
    """The axis slows down with LSSlowDec."""
    SEPARATE = 6
    """The type of each direction is a parameter of its own."""


class EcState(IntEnum):
    """EtherCAT state machine of a master or slave, numbered as on the wire of our services."""

    NONE = 0
    """Not there, or not known; no state that a slave can be brought to."""
    INIT = 1
    PREOP = 2
    BOOT = 4
    SAFEOP = 8
    OP = 16


class MasterMode(IntEnum):
    """How a master drives its network."""

    CYCLIC = 0
    PP = 1
    MONITOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionMove:
    """A move of one axis: to `target` (u), or by it when the move is relative.

    `velocity` (u/s), `acc` and `dec` (u/s^2) are positive magnitudes; the simulated engine takes
    1e-9 to 1e15, and targets within 1e15. `stop` slows the axis down with `dec`.
    """

    axis: int
    target: float
    velocity: float
    acc: float
    dec: float
    profile: MoveProfile = TRAPEZOID


@dataclass(frozen=True, slots=True, kw_only=True)
class VelocityMove:
    """An endless move of one axis at `velocity` (u/s, signed), reached with `acc` or `dec` (u/s^2).

    At velocity 0 it slows down to rest with `dec`.
    """

    axis: int
    velocity: float
    acc: float
    dec: float
    run_time: float = 0.0
    """After how many seconds the engine slows the axis down to rest by itself, s; 0 for never.

    The client of the move may be gone by then. Moves that start together all have one, or none.
    """
    profile: MoveProfile = TRAPEZOID
    """No type with two velocities, CONSTANT_DEC, PARABOLIC_VELOCITY or an average: these end."""
    in_steps: bool = False
    """Whether the client leads the velocity in small steps, each of which is such a move.

    It counts that each is done in its time: an engine that is given times may be harder within it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class TorqueMove:
    """A constant `torque` (percent of rated torque, signed) of one axis in torque mode."""

    axis: int
    torque: float
    run_time: float = 0.0
    """After how many seconds the engine ends the torque by itself, s; 0 for never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearMove:
    """A straight line of several axes that start and arrive together.

    `targets` (u) belong to `axes`, in their order; `velocity` (u/s), `acc` and `dec` (u/s^2) are
    those of the point that moves along the line, whose length is the root of the sum of squares.
    """

    axes: tuple[int, ...]
    targets: tuple[float, ...]
    velocity: float
    acc: float
    dec: float
    profile: MoveProfile = TRAPEZOID


@dataclass(frozen=True, slots=True, kw_only=True)
class SplineMove:
    """A cubic spline of several axes through points at given times.

    `times` (s), shape (points,), increase from 0; `positions` (u), shape (points, axes), begin
    where the axes are commanded to be, and change by 1e-6 u or more from point to point. There are
    8 axes at most and 2 points or more; the simulated engine takes up to 1000, 1 ms or more apart.
    The axes begin with their present velocity and end at rest.
    """

    axes: tuple[int, ...]
    times: Floats
    positions: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Gearing:
    """An electronic gear: `slave` moves `ratio` u for each u that `master` is commanded to move.

    The ratio is signed, 1e-6 to 1e6 either way.
    """

    slave: int
    master: int
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionStatus:
    """Every axis at one communication cycle.

    Its arrays are read-only: samples between which nothing changed may share them.
    `time` is the steady clock (time.monotonic, s) at which the sample was true. `cycle` counts
    communication cycles: the vendor's engine since communication last started, the simulated one
    since it started itself.
    """

    time: float
    cycle: int
    clock_rate: float = 1.0
    """How many s of the engine pass in one of the steady clock: velocities, and how long a profile
    takes, are of the engine. Other than 1 of a simulated one alone."""
    engine_state: EngineState
    emergency_stop: EmergencyStop | None
    """The level of the emergency stop in force."""
    invalid_licence: bool = False
    """The engine has no valid licence: it does not start communication, or ends it by itself."""
    licence_left: float = inf
    """How long the engine still communicates without a licence, s; inf with one."""
    servo_on: Flags
    servo_offline: Flags
    """The drive is not reached, so its servo cannot come on."""
    amp_alarm: Flags
    alarm_code: Ints
    """The amplifier's code of its alarm (object 0x603F), 0 for none."""
    following_error_alarm: Flags
    home_done: Flags
    home_switch: Flags
    negative_ls: Flags
    """The hard limit switch that motion in negative direction runs into is on."""
    positive_ls: Flags
    negative_soft_limit: Flags
    """The axis is commanded to beyond its soft limit in negative direction."""
    positive_soft_limit: Flags
    motion_complete: Flags
    """At rest, and in position: how that is judged differs, see `docs/simulation-motion.md`."""
    op_state: Ints
    """Of `OperationState`; -1 for what has no name there."""
    command_mode: Ints
    """Of `CommandMode`; -1 for what has no name there."""
    pos_cmd: Floats
    """u; without a position to command, in velocity or torque mode or with the servo off, where the
    motor is."""
    velocity_cmd: Floats
    """u/s."""
    actual_pos: Floats
    """u."""
    actual_velocity: Floats
    """u/s."""
    actual_torque: Floats
    """Percent of rated torque, signed."""
    following_error: Floats
    """`pos_cmd` less `actual_pos`, u."""
    target: Floats
    """Where the profile that the axis follows ends, u; NaN at rest, and where it has no end."""
    remaining: Floats
    """How long that takes the engine from now on, s: 0 at rest, inf without end."""

    @property
    def axes(self) -> int:
        """How many axes the engine has."""
        return len(self.servo_on)

    def time_in(self, seconds: float) -> float:
        """When so many s of the engine will have passed since the sample, s of the steady clock."""
        return self.time + seconds / self.clock_rate

    def timeout(self, seconds: float) -> float:
        """How long an engine may take for what takes it so many s at most, s of the steady clock.

        It is longer of one whose clock is slower, and never shorter.
        """
        return seconds / min(1.0, self.clock_rate)

    @property
    def communicating(self) -> bool:
        """Whether the sample comes from a running network."""
        return self.engine_state is EngineState.COMMUNICATING

    @property
    def busy(self) -> NDArray[np.intp]:
        """The axes that do something: none where the engine does not communicate."""
        busy: NDArray[np.bool_] = (self.op_state != OperationState.IDLE) & self.communicating
        return busy.nonzero()[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The commands and motors of some axes at cycles in a row: arrays of shape (cycles, axes)."""

    cycles: NDArray[np.int64]
    """Their numbers, as in MotionStatus, (cycles,)."""
    command: Floats
    """`pos_cmd` of MotionStatus, u; what follows is there under the names that it has here."""
    motor: Floats
    """`actual_pos`."""
    velocity: Floats
    """`velocity_cmd`."""
    torque: Floats
    """`actual_torque`."""
    following_error: Floats
    positive_ls: Flags
    negative_ls: Flags
    positive_soft_limit: Flags
    negative_soft_limit: Flags
    amp_alarm: Flags
    following_error_alarm: Flags
    motion_complete: Flags
    top_acceleration: Floats
    """The greatest acceleration of the command between those cycles, u/s^2, (axes,)."""
    top_jerk: Floats
    """The greatest finite jerk of the command, u/s^3, (axes,); 0 where acceleration only jumps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaveInfo:
    """One EtherCAT slave as its master reports it; addresses and sizes in bytes of the image."""

    id: int
    """Its number in calls, from 0."""
    position: int
    """Its place in the ring, from 0."""
    address: int
    """Configured station address."""
    vendor_id: int
    product_code: int
    revision: int
    serial: int
    alias: int
    state: EcState
    al_status_code: int
    """Why it refused or left a state (ETG.1000.6, table 11), 0 for no error."""
    offline: bool
    """It takes no part in the running network."""
    inaccessible: bool
    """It is behind a break of the line."""
    new: bool
    """It was found, but is not configured yet."""
    reverse: bool
    """Its cables are plugged in the wrong way round."""
    input_address: int
    input_size: int
    output_address: int
    output_size: int
    axes: int
    """How many axes it moves."""
    propagation_delay: int
    """From the master to the slave, ns."""
    neighbors: tuple[int, ...]
    """Ids of the slaves on its wires, the one towards the master first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterStatistics:
    """The counters of a master; times in microseconds, sizes in bytes."""

    comm_period: int
    total_axes: int
    total_input_size: int
    total_output_size: int
    ring_num: int
    total_rxpdo_size: int
    total_txpdo_size: int
    tx_delay: int
    min_tx_delay: int
    max_tx_delay: int
    packet_loss: int
    packet_timeout: int
    over_cycle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkState:
    """One EtherCAT network: its master, its statistics and its slaves in ring order."""

    master_id: int
    state: EcState
    mode: MasterMode
    statistics: MasterStatistics
    slaves: tuple[SlaveInfo, ...]
