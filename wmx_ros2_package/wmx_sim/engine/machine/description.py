"""The description of a simulated machine, read from a YAML file.

The dataclasses below are the format, which `yaml_records` judges a file by.
`config/fake_network.yaml` of the package explains every key to users.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Annotated, Literal

import yaml

from wmx_core.errors import ErrorCode, WmxError
from wmx_core.regular_file import read_regular_file
from wmx_core.values import IO_BYTES, MAX_AXES

from .wires import WIRES, Wire, require_one_wire_an_input
from .yaml_records import Limits, limit, parse, read

CONFIG = Path(__file__).parents[2] / "config"
"""The default machine, to which the `config` folder of the nodes links."""

MAX_FILE_SIZE = 256 * 1024
"""Bytes: several times the largest machine written out slave by slave."""
_MOST_READ = 2**20


class MachineFileError(WmxError):
    """A machine file that breaks a rule; the detail names file, key, value and rule."""


Word = Annotated[int, Limits(0, 0xFFFF)]
DoubleWord = Annotated[int, Limits(0, 0xFFFF_FFFF)]
Name = Annotated[str, Limits(1, 64, "characters")]
Bytes = Annotated[int, Limits(0, IO_BYTES, "bytes")]
Metres = Annotated[float, Limits(0, 100, "m")]
Seconds = Annotated[float, Limits(0, 3600, "s")]
Revolutions = Annotated[float, Limits(-1e9, 1e9, "revolutions")]
Percent = Annotated[float, Limits(0, 1000, "percent of rated torque")]
ClockRate = Annotated[float, Limits(0.1, 100, "times real time")]

AXES = Limits(1, MAX_AXES, "axes")
SLAVES = Limits(1, 256, "slaves")


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisModel:
    """How one axis behaves: a drive, its motor and what the motor moves."""

    servo_on_time: Seconds = 0.05
    """From the command until the servo is on, s."""
    brake: bool = False
    """Whether a brake holds the motor while the servo is off."""
    brake_release_time: Seconds = 0.1
    """From torque until the brake is open and the servo on, s, after `servo_on_time`."""
    brake_engage_time: Seconds = 0.05
    """From the loss of torque until the brake holds the motor, s."""
    load: Annotated[float, Limits(-1e6, 1e6, "revolutions/s^2")] = 0.0
    """What pulls a motor that neither its servo nor a brake holds, motor revolutions/s^2."""
    home_time: Seconds = 0.0
    """How long homing at the current position takes, s."""
    position_gain: Annotated[float, Limits(0.01, 10_000, "1/s")] = 40.0
    """Gain of the position loop, 1/s; its time constant is 1 / gain."""
    rated_acceleration: Annotated[float, Limits(1, 1e15, "counts/s^2")] = 838_860_800.0
    """Encoder counts/s^2 that rated torque produces: 100 rev/s^2 of a 23-bit encoder."""
    coulomb_friction: Annotated[float, Limits(0.01, 1000, "percent of rated torque")] = 3.0
    """Percent of rated torque, whatever the speed."""
    viscous_friction: Percent = 5.0
    """Percent of rated torque at rated speed, 3000 rpm."""
    counts_per_revolution: Annotated[int, Limits(1, 2**32, "counts")] = 8_388_608
    """Encoder counts per motor revolution."""
    # Places in motor revolutions from where the encoder shows 0; inf is nowhere.
    start_position: Revolutions = 0.0
    """Where the motor stands when the engine starts."""
    z_pulse: Revolutions = 0.0
    """Where one of the encoder's Z pulses is; there is one each revolution."""
    home_switch_from: Revolutions = inf
    """The home switch is on from here."""
    home_switch_to: Revolutions = inf
    """To here."""
    positive_limit_switch: Revolutions = inf
    """The positive limit switch is on beyond this place."""
    negative_limit_switch: Revolutions = -inf
    """The negative limit switch is on beyond this place, the other way."""
    positive_end: Revolutions = inf
    """The mechanical end in positive direction."""
    negative_end: Revolutions = -inf
    """The mechanical end in negative direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaveDescription:
    """One EtherCAT slave: its identity, its axes and its bytes in the I/O image."""

    name: Name
    vendor_id: DoubleWord = 0
    product_code: DoubleWord = 0
    revision: DoubleWord = 0
    serial: DoubleWord = 0
    alias: Word = 0
    """Configured station alias, 0 for none."""
    axes: Annotated[int, Limits(0, 16, "axes a slave")] = 0
    input_size: Bytes = 0
    output_size: Bytes = 0
    start_state: Literal["INIT", "PREOP", "SAFEOP", "OP"] = "OP"
    """How far it goes when communication first starts; then it is brought further by request."""
    cable: Metres = 1.0
    """Length of the cable that leads to the slave, at most what 100BASE-TX allows, m."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterDescription:
    """One EtherCAT network: its slaves in ring order."""

    slaves: tuple[SlaveDescription, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """All of a simulated machine; axes are numbered by master, slave and axis of the slave."""

    masters: tuple[MasterDescription, ...]
    axes: tuple[AxisModel, ...]
    parameters: Path | None
    """The WMX parameter file that the engine loads when it starts."""
    wiring: tuple[Wire, ...] = ()
    clock_rate: float = 1.0
    """How many times as fast as real time the engine's time runs."""


def default_machine() -> Machine:
    """Return the machine of `config/fake_network.yaml`: six axes and an I/O module."""
    return load_machine(CONFIG / "fake_network.yaml")


def load_machine(path: Path) -> Machine:
    """Return the machine that the file at `path` describes.

    Raises MachineFileError for any mistake.
    """
    try:
        return _machine(parse(_content(path), path.name), path.resolve().parent)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    except (ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
    raise MachineFileError(ErrorCode.ParamOutOfRange, f"{path}: {reason}")


# The file's own shape: descriptions, plus what spares its writer repetition.


@dataclass(frozen=True, slots=True, kw_only=True)
class _SlaveEntry(SlaveDescription):
    count: Annotated[int, Limits(1, SLAVES.high, "slaves")] = 1
    axis_model: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _MasterEntry:
    slaves: Annotated[tuple[_SlaveEntry, ...], SLAVES]


@dataclass(frozen=True, slots=True, kw_only=True)
class _MachineEntry:
    masters: Annotated[tuple[_MasterEntry, ...], Limits(1, 2, "masters")]
    axis_model: Mapping[str, object] = field(default_factory=dict)
    parameters: Annotated[str, Limits(0, 4096, "characters")] = ""
    wiring: Annotated[tuple[Wire, ...], WIRES] = ()
    clock_rate: ClockRate = 1.0


def _machine(content: object, folder: Path) -> Machine:
    file: _MachineEntry = read(_MachineEntry, content, "")
    read(AxisModel, file.axis_model, "axis_model")
    masters: list[MasterDescription] = []
    axes: list[AxisModel] = []
    for m, master in enumerate(file.masters):
        count = sum(entry.count for entry in master.slaves)
        limit(count, SLAVES, f"masters[{m}].slaves with their counts")
        slaves: list[SlaveDescription] = []
        for s, entry in enumerate(master.slaves):
            where = f"masters[{m}].slaves[{s}]"
            model = {**file.axis_model, **entry.axis_model}
            axis: AxisModel = read(AxisModel, model, f"{where}.axis_model")
            _require_order(axis, f"{where}.axis_model")
            slaves += _repeated(entry, where)
            axes += [axis] * (entry.axes * entry.count)
        masters.append(MasterDescription(slaves=tuple(slaves)))
    every = [slave for master in masters for slave in master.slaves]
    image = Limits(0, IO_BYTES, "bytes")
    limit(len(axes), AXES, "axes of all slaves")
    limit(sum(slave.input_size for slave in every), image, "input_size of all slaves")
    limit(sum(slave.output_size for slave in every), image, "output_size of all slaves")
    require_one_wire_an_input(file.wiring, "wiring")
    return Machine(
        masters=tuple(masters),
        axes=tuple(axes),
        parameters=folder / file.parameters if file.parameters else None,
        wiring=file.wiring,
        clock_rate=file.clock_rate,
    )


def _require_order(axis: AxisModel, where: str) -> None:
    """Refuse marks of a machine that lie the wrong way round, or half a home switch."""
    if (axis.home_switch_from == inf) is not (axis.home_switch_to == inf):
        rule = "must both be given, or neither"
        raise ValueError(f"{where}.home_switch_from and home_switch_to: {rule}")
    for low, high in (
        ("negative_limit_switch", "positive_limit_switch"),
        ("negative_end", "positive_end"),
        ("home_switch_from", "home_switch_to"),
    ):
        first, last = getattr(axis, low), getattr(axis, high)
        if first >= last and not first == last == inf:
            rule = f"must be more than {low} = {first:g}"
            raise ValueError(f"{where}.{high} = {last:g}: {rule}")
    for name, sign in (("negative_end", -1), ("positive_end", 1)):
        end = getattr(axis, name)
        if sign * (end - axis.start_position) < 0.0:
            place = f"{axis.start_position:g}, where the motor starts"
            rule = f"must be {'at least' if sign > 0 else 'at most'} {place}"
            raise ValueError(f"{where}.{name} = {end:g}: {rule}")


def _repeated(entry: _SlaveEntry, where: str) -> Iterator[SlaveDescription]:
    """Return the slaves of one entry; serial number and alias, where given, count up."""
    own = {f.name: getattr(entry, f.name) for f in fields(SlaveDescription)}
    for i in range(entry.count):
        unique = {key: own[key] and own[key] + i for key in ("serial", "alias")}
        yield read(SlaveDescription, own | unique, where)


def _content(path: Path) -> bytes:
    if not path.exists():
        raise ValueError("no such file")
    content = read_regular_file(os.path.abspath(path), _MOST_READ)
    if len(content) > MAX_FILE_SIZE:
        raise ValueError(f"is larger than {MAX_FILE_SIZE} bytes")
    return content
