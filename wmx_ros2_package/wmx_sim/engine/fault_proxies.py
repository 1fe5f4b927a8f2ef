"""What faults do to the parts of the simulated engine, as methods that it can be called for.

Each part describes its own.
"""

# The bodies are made by `query` and `command`.
# mypy: disable-error-code="empty-body"

from collections.abc import Sequence

from .calls import Proxy, command


class LocalFaults(Proxy):
    """What the engine makes of a script of faults once it has been read."""

    part = "faults"

    @command(offline=True, local=True)
    def play_entries(self, script: Sequence[object]) -> None: ...


class EngineFaults(Proxy):
    part = "engine"

    @command(offline=True)
    def slow_calls(self, seconds: float, count: int = 1, method: str = "") -> None: ...

    @command(offline=True)
    def hold_time(self) -> None: ...

    @command(offline=True)
    def run_time(self) -> None: ...

    @command(offline=True)
    def crash(self) -> None: ...


class AxisFaults(Proxy):
    part = "motion"

    @command(offline=True)
    def raise_alarm(self, axis: int, code: int) -> None: ...

    @command(offline=True)
    def stick_switch(self, axis: int, switch: str, state: bool | None) -> None: ...

    @command(offline=True)
    def freeze_encoder(self, axis: int, *, frozen: bool) -> None: ...

    @command(offline=True)
    def stick_brake(self, axis: int, *, shut: bool | None) -> None: ...


class InputFaults(Proxy):
    part = "io"

    @command(offline=True)
    def force_input_bit(self, address: int, bit: int, *, value: bool) -> None: ...

    @command(offline=True)
    def force_input_bytes(self, address: int, data: bytes) -> None: ...

    @command(offline=True)
    def release_input_bit(self, address: int, bit: int) -> None: ...


class NetworkFaults(Proxy):
    part = "ecat"

    @command(offline=True)
    def drop_slave(self, slave_id: int, master_id: int = 0) -> None: ...

    @command(offline=True)
    def return_slave(self, slave_id: int, master_id: int = 0) -> None: ...

    @command(offline=True)
    def cut_cable(self, slave_id: int, master_id: int = 0) -> None: ...

    @command(offline=True)
    def mend_cable(self, slave_id: int, master_id: int = 0) -> None: ...

    @command(offline=True)
    def disturb(
        self,
        master_id: int = 0,
        *,
        packet_loss: int = 0,
        packet_timeout: int = 0,
        over_cycle: int = 0,
    ) -> None: ...
