"""The driver interface: Engine, Motion, Io and Ecat, what may be asked of each, in which units.

A fifth one stands in `reactions`: what the engine does by itself when an input changes.

| quantity       | unit here                  | where it differs               |
|----------------|----------------------------|--------------------------------|
| position       | u, the axis's user unit    | encoder counts in a backend    |
| velocity       | u/s                        |                                |
| acceleration   | u/s^2, always positive     |                                |
| torque         | percent of rated torque    |                                |
| time           | s                          | milliseconds in a backend      |
| delay, period  | us (EtherCAT statistics)   |                                |

With the shipped parameter files u is the radian. A command that is refused raises
`CommandRefused` with the vendor's code and changes nothing; a lost engine raises `EngineLost`. An
engine is lost, too, that communicates and counts no cycles: `Engine.state` raises that in seconds.
Without a device that is DeviceIsNull, without communication mostly CommNotStarted. Which command
the simulated engine takes when, and its codes, stand in `docs/simulation.md` at the repository's
top.
No method waits for motion: a command is given, `Motion.status` shows when it is done.
Any method may be called from any thread.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from .errors import WmxError
from .parameters.parameter_set import ParameterSet
from .reactions import Reactions
from .values import (
    CommandMode,
    Course,
    EcState,
    EmergencyStop,
    EngineState,
    Gearing,
    LinearMove,
    MotionStatus,
    NetworkState,
    PositionMove,
    SplineMove,
    TorqueMove,
    VelocityMove,
)


class Engine(Protocol):
    """The life of the engine, and of this process's device on it."""

    def create_device(self, path: str, name: str) -> None:
        """Attach to the engine at `path` under `name`; the first device starts the engine.

        Refused with ResourceInUse while this device is attached, and with SystemIsNoRunning where a
        real engine does not run and the driver was opened not to start one. An engine that cannot
        start raises a `WmxError` with the reason.
        """

    def close_device(self) -> None:
        """Detach; the last device to close ends the engine. Without a device, does nothing."""

    def start_communication(self) -> None:
        """Bring the network to cyclic operation; returns when it communicates."""

    def stop_communication(self) -> None:
        """End cyclic operation: servos go off. Without communication, does nothing."""

    def set_watchdog(self, timeout: float) -> None:
        """Let the engine close this device `timeout` seconds after its process has died.

        1 to 3600 s, else ParamOutOfRange. The last device takes the engine with it. Until then
        the axes of a dead process move on: a jog or velocity move ends with its run time.
        """

    def feed_dead_man(self, axes: Sequence[int], timeout: float) -> None:
        """Have the engine stop `axes` by itself unless they are fed again within `timeout` seconds.

        Who feeds an axis last watches it; one that is fed with a timeout of 0 is not watched any
        more. 0.05 to 60 s, else TimeArgumentOutOfRange. The axes are stopped as by `Motion.stop`.
        An engine that can stop only axes in position mode so makes an emergency stop of level 1
        for others, of all axes.
        All devices of an engine have to use one timeout: where the engine keeps it, a device does
        not notice that another one has set another, which stays in force.
        """

    def state(self) -> EngineState:
        """Where the engine is now; IDLE without a device."""


class Motion(Protocol):
    """The axes.

    What is set "at rest only" is refused with NotIdleState, and unchanged, while the axis does
    something or its motor moves: also one that lags behind a command that rests already, and one
    that coasts with its servo off.
    """

    def status(self) -> MotionStatus:
        """Every axis at the newest communication cycle, in one call."""

    def set_servo(self, axis: int, *, on: bool) -> None:
        """Switch the servo; `status` shows when it is on. Switching off stops the axis."""

    def clear_alarm(self, axis: int) -> None:
        """Clear the alarms of the amplifier and of the axis; without one, does nothing."""

    def set_command_mode(self, axis: int, mode: CommandMode) -> None:
        """Choose what commands the axis; at rest only."""

    def set_polarity(self, axis: int, polarity: int) -> None:
        """Choose the positive direction, 1 or -1 (else ParamOutOfRange); at rest only.

        The motor stays where it is, and so does zero.
        """

    def set_gear_ratio(self, axis: int, numerator: float, denominator: float) -> None:
        """Make one user unit numerator / denominator encoder counts; at rest only.

        Both are 1e-9 to 1e15, else ParamOutOfRange. The motor stays where it is, and so does zero.
        """

    def set_position(self, axis: int, position: float) -> None:
        """Declare that `axis` is commanded to `position` now; nothing moves; at rest only.

        For axes whose place is known in other numbers, as with absolute encoders. Its home is
        done then.
        """

    def move_absolute(self, moves: Sequence[PositionMove]) -> None:
        """Start all `moves` in the same cycle, or none; a running move is taken over from."""

    def move_relative(self, moves: Sequence[PositionMove]) -> None:
        """Start all `moves`, each by its target, or none.

        It counts from the commanded position, of an axis in a move from where that would end.
        """

    def jog(self, moves: Sequence[VelocityMove]) -> None:
        """Start all `moves`, endless ones in position mode, in the same cycle, or none.

        A jog takes over from a move, and a move from a jog. All have a run time or none has.
        """

    def move_velocity(self, moves: Sequence[VelocityMove]) -> None:
        """Start all `moves`, endless ones in velocity mode, in the same cycle, or none.

        All have a run time or none has.
        """

    def set_override(self, axis: int, percent: float) -> None:
        """Continue the position move, jog or velocity move of `axis` at `percent` of its velocity.

        0 to 20,000, until the next command. At 0 the axis waits at rest, in the same operation
        state, and continues when it is more. Other motions are refused with
        NotPosOrJogOrVelocityState.
        """

    def move_torque(self, moves: Sequence[TorqueMove]) -> None:
        """Put all torques in force in the same cycle, or none; in torque mode.

        One above the torque limits of the axis's parameters is refused. A stop brings the axis to
        rest in position mode, see `stop`.
        """

    def move_linear(self, move: LinearMove) -> None:
        """Move several axes along a straight line; what stops one of them stops them all.

        So does a new line or spline that takes over only some of them: the others slow down.
        """

    def move_spline(self, move: SplineMove) -> None:
        """Move several axes along a spline; what ends a line ends it as well."""

    def start_gearing(self, gearings: Sequence[Gearing]) -> None:
        """Let slaves follow masters from where both are now, each in the same cycle; all or none.

        Slaves and masters are idle in position mode, their servos on (else NotIdleState,
        NotPosMode, ServoOff). A slave is no master and a master no slave (IsSyncMaster,
        IsSyncSlave), and a slave takes no other motion. It lasts until the slave is stopped, or
        comes to rest for what else stops it: its servo, an alarm, a limit, an emergency stop. A
        stop of the master brings both to rest, and the slave follows on.
        """

    def stop(self, axes: Sequence[int]) -> None:
        """Decelerate `axes` to rest with the deceleration of their motion; resting axes rest.

        Whatever they do is ended: homing stays undone. An axis in torque mode whose servo is on
        comes to rest under control: its drive closes the position loop where the motor is, the
        motor slows down with the quick stop deceleration, and is held. It is in operation state
        STOP until its motor rests, and in position mode from then on. Where an engine cannot do
        that by itself the torque is taken away and the axis brought into position mode at once,
        which brakes as hard as the drive can; if the engine does not take that within several
        cycles, its refusal is raised and the motor coasts.
        """

    def quick_stop(self, axes: Sequence[int]) -> None:
        """Decelerate `axes` to rest with their quick stop deceleration, otherwise as `stop`."""

    def emergency_stop(self, level: EmergencyStop) -> None:
        """Stop every axis, and keep it stopped until `release_emergency_stop`.

        At LEVEL1 with the emergency stop deceleration, of axes in torque mode as by `stop`.
        """

    def release_emergency_stop(self) -> None:
        """Let the axes be commanded again; servos that went off stay off."""

    def home(self, axis: int) -> None:
        """Start homing by the parameters of the axis; `status` shows home_done when it is done.

        An axis that is idle again without it has not found its home. Refused where the machine
        lacks the switch or mark of its home type.
        """

    def load_parameters(self, path: str) -> None:
        """Apply a WMX parameter file, all of it or nothing; every axis at rest only.

        Axes and global parameters that the file does not hold stay as they are; of an axis that it
        holds, an element that it leaves out becomes the vendor's default. `path` is absolute.
        The vendor's engine takes all axes at once, so that what another call sets while a file is
        loaded may be lost: callers give one setting at a time, as nodes do.
        Raises ParameterFileError when it cannot be read or breaks a rule.
        """

    def parameters(self) -> ParameterSet:
        """The parameters in force."""


class Io(Protocol):
    """The image of digital inputs and outputs: bytes 0..7999, bits 0..7.

    Refused with IOAddressOutOfRange for a byte outside, IOSizeOutOfRange for a block that is empty
    or ends outside.
    """

    def input_bytes(self, address: int, length: int) -> bytes:
        """`length` input bytes from `address` on."""

    def output_bytes(self, address: int, length: int) -> bytes:
        """`length` output bytes from `address` on, as last set."""

    def set_output_bytes(self, address: int, data: bytes) -> None:
        """Set output bytes from `address` on, in one cycle."""

    def input_bit(self, address: int, bit: int) -> bool:
        """One input."""

    def output_bit(self, address: int, bit: int) -> bool:
        """One output, as last set."""

    def set_output_bit(self, address: int, bit: int, *, value: bool) -> None:
        """Set one output; its neighbours in the byte keep their values."""

    def input_bits(self, bits: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
        """Several inputs at the same cycle, each an (address, bit)."""

    def set_output_bits(self, bits: Sequence[tuple[int, int, bool]]) -> None:
        """Set several outputs, each an (address, bit, value); their neighbours keep theirs."""


class Ecat(Protocol):
    """The EtherCAT networks, by master id from 0, and their slaves by number from 0.

    Refused for one that is not there; `network_state` lists those that are.
    """

    def network_state(self, master_id: int) -> NetworkState:
        """The master, its statistics and its slaves."""

    def read_register(self, master_id: int, slave_id: int, address: int, length: int) -> bytes:
        """`length` bytes of a slave's ESC registers, 0x000 to 0xFFF, from `address` on."""

    def reset_statistics(self, master_id: int) -> None:
        """Set what the master counts back to zero."""

    def set_slave_state(self, master_id: int, slave_id: int, state: EcState) -> None:
        """Bring one slave to `state`; refused where it does not go there.

        A slave steps up one state at a time; its axes can be moved in Op alone.
        """

    def read_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, size: int
    ) -> bytes:
        """An object of a slave's dictionary (SDO upload), at most `size` bytes, little endian."""

    def write_sdo(
        self, master_id: int, slave_id: int, index: int, subindex: int, data: bytes
    ) -> None:
        """Set an object of a slave's dictionary (SDO download), little endian."""

    def start_hotconnect(self, master_id: int) -> None:
        """Let slaves that were added or came back join the running network."""

    def scan_network(self, master_id: int) -> None:
        """Look at the wires again: which slaves are there now.

        Into a network that communicates only `start_hotconnect` lets them.
        """


class Faults(Protocol):
    """The faults of a simulated engine."""

    def play(self, script: str) -> None:
        """Let the faults of `script` happen, each at its time; all of them or, refused, none.

        The format is that of the simulated engine, see docs/faults.md at the repository's top.
        """

    def time(self) -> tuple[float, bool]:
        """Return the time of the engine, s, which begins at 0, and whether a script holds it."""


class StatusSpan(Protocol):
    """The status of the axes at some cycles in a row, evaluated when it is asked for."""

    @property
    def body(self) -> bytes:
        """The bytes from which they are evaluated; spans may share them."""

    def values(self) -> Iterator[Mapping[str, Any]]:
        """Yield the fields of MotionStatus, by their names, of many cycles at a time.

        Of every cycle; while nothing moves of the first, the last, and some between. `time` and
        `cycle` are (cycles,), arrays (cycles, axes), or (axes,) where all these cycles share one.
        """


class History(Protocol):
    """The status of the axes at every cycle, of an engine that keeps it for some seconds."""

    def read(self) -> Sequence[StatusSpan]:
        """Return the spans that were not read before; cycles that are lost are left out."""


class EngineCopy(Protocol):
    """Axes of an engine, copied: time passes for them in `run` alone, and nothing else moves."""

    @property
    def motion(self) -> Motion:
        """The motion interface of these axes; without parameter files."""

    @property
    def exact(self) -> bool:
        """Whether they have all that the engine has: else the state and the parameters alone."""

    def run(self, cycle: int) -> None:
        """Let them go on to `cycle`, or to the first one in which one does something else."""

    def course(self) -> Course:
        """Return what they did from the first cycle that was not answered before.

        They are in the order in which they were copied. Their states are kept for some hundred
        calls of `run`: call it before.
        """


MOST_MASTERS = 16
"""Of EtherCAT; the engine refuses the first that it has not."""


@dataclass(frozen=True, slots=True)
class Driver:
    """One device on an engine, seen through the five Protocols.

    `faults` plays faults on a simulated engine; real hardware has none to play.
    """

    name: str
    simulated: bool
    engine: Engine
    motion: Motion
    io: Io
    ecat: Ecat
    reactions: Reactions
    made_of: str = ""
    """Which SDK it stands on, and of which version; "" where it stands on none."""
    faults: Faults | None = None
    status_latency: float = 0.005
    """A status shows a command after so many seconds at the latest: an engine takes a command up in
    one of the next communication cycles."""
    times_torques: bool = True
    """Whether the engine ends a torque by itself after its run time; else one is refused."""
    stops_every_mode: bool = True
    """Whether a stop input stops its axis in every command mode, and when it follows another axis;
    else in position mode alone."""
    require_files: Callable[[str], object] | None = None
    """Refuses a device path of a simulated engine whose files break a rule; None where an engine
    reads none."""
    history: Callable[[], History] | None = None
    """A new reader of what the engine keeps of every cycle; None where it keeps nothing."""
    copy: Callable[[Sequence[int]], EngineCopy] | None = None
    """An exact copy of some axes as they are now; None where the engine gives none away."""

    def networks(self) -> list[NetworkState]:
        """Every network of the engine, in the order of the master ids."""
        networks: list[NetworkState] = []
        with suppress(WmxError):
            for master in range(MOST_MASTERS):
                networks.append(self.ecat.network_state(master))
        return networks
