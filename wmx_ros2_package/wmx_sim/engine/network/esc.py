"""The register space of an EtherCAT slave controller (ESC), as a master reads it off the wire.

Register addresses and bits: ETG.1000.4 and Beckhoff, "EtherCAT Slave Controller, Section II,
Register Description". Identity and reset values: those of a real two-port ESC, the one inside
Infineon's XMC4800 (vendor SVD, peripheral ECAT0): 8 FMMUs, 8 SyncManagers, 8 KB of RAM, two MII
ports, 64-bit distributed clocks. Watchdogs: Beckhoff's defaults, 2498 + 2 ticks of 40 ns times
1000 = 100 ms. Every simulated slave carries this ESC.

Modelled: what the table in `registers` lists. Of distributed clocks these are the receive times
that a master measures the line by, as if it did so whenever the line changes and every clock were
zero when the frame leaves the master. Everything else reads zero: write protection, EEPROM, PHY
management, FMMUs, SyncManagers, system time.
"""

import struct
from dataclasses import dataclass

from wmx_core.values import REGISTER_SPACE, EcState

AL_STATE = {
    EcState.NONE: 0,
    EcState.INIT: 1,
    EcState.PREOP: 2,
    EcState.BOOT: 3,
    EcState.SAFEOP: 4,
    EcState.OP: 8,
}
"""States as the AL registers number them, which is not as our services do."""

AL_ERROR = 0x10
"""Bit of AL status: the slave refused or left a state; the AL status code is the reason."""

PDI_OPERATIONAL = 0x0001
PDI_WATCHDOG_GOOD = 0x0002
LOOPS_CLOSED_2_3 = 0x5000
"""DL status of the two ports that this ESC does not have."""

COUNTER_END = 0xFF
"""Error counters stop here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EscState:
    """What changes in a slave that answers; ports as (upstream, downstream)."""

    station_address: int
    alias: int
    state: EcState
    requested: EcState
    """The state last requested."""
    al_status_code: int = 0
    watchdog_expired: bool = False
    links: tuple[bool, bool]
    lost_links: tuple[int, int] = (0, 0)
    receive_times: tuple[int, int] = (0, 0)
    """When a frame came to the ports, ns."""
    system_time_delay: int = 0
    """From the reference clock, which is in the first slave, ns."""


def registers(esc: EscState) -> bytes:
    """Return the registers 0x000 to 0xFFF, little endian."""
    state = AL_STATE[esc.state]
    error = AL_ERROR if esc.al_status_code else 0
    lost = [min(count, COUNTER_END) for count in esc.lost_links]
    table: tuple[tuple[int, str, tuple[int, ...]], ...] = (
        (0x0000, "BBH", (0x98, 0x01, 0)),  # type, revision, build
        (0x0004, "BBB", (8, 8, 8)),  # FMMUs, SyncManagers, RAM in KB
        (0x0007, "B", (0x0F,)),  # port descriptor: ports 0 and 1 are MII
        (0x0008, "H", (0x01CC,)),  # features: 64-bit DC, MII link detection, FCS errors, SYNC
        (0x0010, "HH", (esc.station_address, esc.alias)),
        (0x0100, "I", (0x0007_C001,)),  # DL control: only EtherCAT frames, RX FIFO 7, no port 3
        (0x0110, "H", (dl_status(esc.links),)),
        (0x0120, "H", (AL_STATE[esc.requested],)),  # AL control
        (0x0130, "H", (state | error,)),  # AL status
        (0x0134, "H", (esc.al_status_code,)),
        (0x0300, "8B", (0,) * 8),  # invalid frames and RX errors of ports 0 to 3
        (0x0310, "4B", (*lost, 0, 0)),  # lost links of ports 0 to 3
        (0x0400, "H", (2498,)),  # watchdog divider: 100 us
        (0x0410, "H", (1000,)),  # watchdog time PDI: 100 ms
        (0x0420, "H", (1000,)),  # watchdog time process data: 100 ms
        (0x0440, "H", (not esc.watchdog_expired,)),  # watchdog status process data
        (0x0900, "II", esc.receive_times),  # of ports 0 and 1
        (0x0928, "I", (esc.system_time_delay,)),
    )
    image = bytearray(REGISTER_SPACE)
    for address, layout, values in table:
        struct.pack_into(f"<{layout}", image, address, *values)
    return bytes(image)


def dl_status(links: tuple[bool, bool]) -> int:
    """DL status: a port with a link is open and communicates; one without closes its loop."""
    status = PDI_OPERATIONAL | PDI_WATCHDOG_GOOD | LOOPS_CLOSED_2_3
    for port, link in enumerate(links):
        physical_link, loop_closed, communication = 4 + port, 8 + 2 * port, 9 + 2 * port
        status |= 1 << physical_link | 1 << communication if link else 1 << loop_closed
    return status
