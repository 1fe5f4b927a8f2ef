"""What can be made to go wrong with the simulated machine, a class for each; see `fault_script`."""

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from wmx_core.values import MAX_AXES

from ..calls import Call
from ..fault_proxies import AxisFaults, EngineFaults, InputFaults, NetworkFaults
from ..machine.description import SLAVES, Machine
from ..machine.wires import Bit
from ..machine.yaml_records import Limits, limit
from .call_delay import ANY, CAN_BE_LATE

Switch = Literal["home", "positive", "negative"]
AxisIndex = Annotated[int, Limits(0, MAX_AXES - 1)]
MasterId = Annotated[int, Limits(0, 1)]
SlaveId = Annotated[int, Limits(0, SLAVES.high - 1)]
AlarmCode = Annotated[int, Limits(1, 0xFFFF)]
Count = Annotated[int, Limits(1, 1_000_000)]
Seconds = Annotated[float, Limits(0, 60, "s")]


class Fault(Protocol):
    """One thing that goes wrong, or right again."""

    def judge(self, machine: Machine, where: str) -> None:
        """Refuse, with a ValueError, what `machine` does not have."""

    def happen(self, call: Call) -> None:
        """Happen now, by calls on the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfAxis:
    axis: AxisIndex

    def judge(self, machine: Machine, where: str) -> None:
        limit(self.axis, Limits(0, len(machine.axes) - 1), f"{where}.axis")


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfMaster:
    master: MasterId = 0

    def judge(self, machine: Machine, where: str) -> None:
        limit(self.master, Limits(0, len(machine.masters) - 1), f"{where}.master")


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfSlave(_OfMaster):
    slave: SlaveId

    def judge(self, machine: Machine, where: str) -> None:
        _OfMaster.judge(self, machine, where)
        slaves = machine.masters[self.master].slaves
        limit(self.slave, Limits(0, len(slaves) - 1), f"{where}.slave")


class _OfEveryMachine:
    __slots__ = ()

    def judge(self, machine: Machine, where: str) -> None:
        """Nothing that a machine may lack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseAlarm(_OfAxis):
    """The amplifier reports alarm `code`, as object 0x603F."""

    code: AlarmCode

    def happen(self, call: Call) -> None:
        AxisFaults(call).raise_alarm(self.axis, self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class StickSwitch(_OfAxis):
    """A switch stays on (`state` true) or off, wherever the axis is."""

    switch: Switch
    state: bool

    def happen(self, call: Call) -> None:
        AxisFaults(call).stick_switch(self.axis, self.switch, self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSwitch(_OfAxis):
    """A switch follows the axis again."""

    switch: Switch

    def happen(self, call: Call) -> None:
        AxisFaults(call).stick_switch(self.axis, self.switch, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreezeEncoder(_OfAxis):
    """The encoder repeats its last position, at which the motor stands."""

    def happen(self, call: Call) -> None:
        AxisFaults(call).freeze_encoder(self.axis, frozen=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeEncoder(_OfAxis):
    """The encoder shows the position of the motor again."""

    def happen(self, call: Call) -> None:
        AxisFaults(call).freeze_encoder(self.axis, frozen=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfBrake(_OfAxis):
    def judge(self, machine: Machine, where: str) -> None:
        _OfAxis.judge(self, machine, where)
        if not machine.axes[self.axis].brake:
            raise ValueError(f"{where}.axis = {self.axis}: must be one with a brake")


@dataclass(frozen=True, slots=True, kw_only=True)
class StickBrake(_OfBrake):
    """A brake stays shut (`state` true) or open, whatever the drive does."""

    state: bool

    def happen(self, call: Call) -> None:
        AxisFaults(call).stick_brake(self.axis, shut=self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeBrake(_OfBrake):
    """A brake works again."""

    def happen(self, call: Call) -> None:
        AxisFaults(call).stick_brake(self.axis, shut=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSlave(_OfSlave):
    """A slave loses power."""

    def happen(self, call: Call) -> None:
        NetworkFaults(call).drop_slave(self.slave, self.master)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnSlave(_OfSlave):
    """A slave has power again, and waits to join."""

    def happen(self, call: Call) -> None:
        NetworkFaults(call).return_slave(self.slave, self.master)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCable(_OfSlave):
    """The cable that leads to a slave breaks."""

    def happen(self, call: Call) -> None:
        NetworkFaults(call).cut_cable(self.slave, self.master)


@dataclass(frozen=True, slots=True, kw_only=True)
class MendCable(_OfSlave):
    """The cable that leads to a slave is whole again."""

    def happen(self, call: Call) -> None:
        NetworkFaults(call).mend_cable(self.slave, self.master)


@dataclass(frozen=True, slots=True, kw_only=True)
class LosePackets(_OfMaster):
    """A master counts `count` lost packets more."""

    count: Count

    def happen(self, call: Call) -> None:
        NetworkFaults(call).disturb(self.master, packet_loss=self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForceInput(_OfEveryMachine):
    """An input is `value`, whatever its wire carries."""

    input: Bit
    value: bool

    def happen(self, call: Call) -> None:
        InputFaults(call).force_input_bit(*self.input, value=self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseInput(_OfEveryMachine):
    """An input has the value of its wire again."""

    input: Bit

    def happen(self, call: Call) -> None:
        InputFaults(call).release_input_bit(*self.input)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowCalls:
    """The next `count` calls, of `method` or of any, are answered `seconds` late."""

    seconds: Seconds
    count: Count = 1
    method: str = ANY

    def judge(self, machine: Machine, where: str) -> None:
        if self.method not in (ANY, *CAN_BE_LATE):
            known = ", ".join(sorted(CAN_BE_LATE))
            raise ValueError(f"{where}.method = {self.method[:40]!r}: must be one of {known}")

    def happen(self, call: Call) -> None:
        EngineFaults(call).slow_calls(self.seconds, self.count, self.method)


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldTime(_OfEveryMachine):
    """The engine's time stands still, and with it all that moves."""

    def happen(self, call: Call) -> None:
        EngineFaults(call).hold_time()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTime(_OfEveryMachine):
    """The engine's time goes on."""

    def happen(self, call: Call) -> None:
        EngineFaults(call).run_time()


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashEngine(_OfEveryMachine):
    """The engine dies, and with it its process where it has one of its own."""

    def happen(self, call: Call) -> None:
        EngineFaults(call).crash()
