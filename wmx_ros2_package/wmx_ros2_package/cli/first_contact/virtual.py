"""An engine without drives: what the files of the vendor's SDK say of it.

The engine loads the platforms that its Module.ini does not disable. The simulated one has no
network; that of EtherCAT sends nothing where its PrtTcpip.ini names the virtual network as driver
of every network device, with so many virtual slaves (the vendor's installation page).
"""

import re
from collections.abc import Iterator
from pathlib import Path

PLATFORMS = Path("Module.ini")
NETWORK = Path("platform/ethercat/PrtTcpip.ini")
SIMULATION, ETHERCAT = "simu_platform.so", "ec_platform.so"
VIRTUAL_NETWORK = "ndd_vnw.so"

Section = dict[str, str]


class NotVirtual(Exception):
    """The files do not say that no drive can move, for the reason given."""


def virtual_slaves(root: Path) -> int | None:
    """Return how many virtual slaves the engine at `root` has; None for its simulated platform.

    NotVirtual where a drive might be reached.
    """
    platforms = [section["dllname"] for section in _sections(root / PLATFORMS) if _is_used(section)]
    if platforms == [SIMULATION]:
        return None
    if platforms != [ETHERCAT]:
        detail = ", ".join(platforms) or "none"
        raise NotVirtual(
            f"{root / PLATFORMS} enables {detail}: must be {SIMULATION} alone, or {ETHERCAT} alone "
            "with a virtual network"
        )
    devices = [section for section in _sections(root / NETWORK) if "usenicdrvdll" in section]
    drivers = {section["usenicdrvdll"] for section in devices}
    if drivers != {VIRTUAL_NETWORK}:
        detail = ", ".join(sorted(drivers)) or "none"
        raise NotVirtual(
            f"{root / NETWORK} has the driver {detail}: UseNicDrvDll must be {VIRTUAL_NETWORK} "
            "for every device"
        )
    counts = [section.get("numofslaves", "0") for section in devices]
    if not all(count.isdecimal() for count in counts):
        raise NotVirtual(f"{root / NETWORK}: numofslaves is {', '.join(counts)}: must be a number")
    return sum(map(int, counts))


def _is_used(section: Section) -> bool:
    return "dllname" in section and section.get("disable") != "1" and _is_platform(section)


def _is_platform(section: Section) -> bool:
    return section["dllname"].endswith("_platform.so")


def _sections(file: Path) -> Iterator[Section]:
    """Each section of a file of the vendor's, by lower-case keys; ; and # begin comments."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise NotVirtual(f"{file} cannot be read: {error.strerror}") from None
    for part in re.split(r"^\s*\[[^\]]*\]", text, flags=re.MULTILINE)[1:]:
        pairs = (re.split("[;#]", line)[0].partition("=") for line in part.splitlines())
        yield {key.strip().lower(): value.strip() for key, equals, value in pairs if equals}
