"""What may be read and written of a slave's memory on any engine: objects and registers."""

from .errors import CommandRefused, ErrorCode
from .values import REGISTER_SPACE


def require_object(index: int, subindex: int) -> None:
    """Refuse what no object of a dictionary can be called."""
    for name, value, high in (("index", index, 0xFFFF), ("subindex", subindex, 0xFF)):
        if not 0 <= value <= high:
            rule = f"SDO {name} {value:#x}: must be 0x0 to {high:#x}"
            raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)


def require_registers(address: int, length: int) -> None:
    """Refuse a block of registers that is empty or ends outside those of a slave."""
    if not 0 <= address < REGISTER_SPACE:
        rule = f"register {address:#x}: must be 0x0 to {REGISTER_SPACE - 1:#x}"
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
    if not 1 <= length <= REGISTER_SPACE - address:
        rest = REGISTER_SPACE - address
        rule = f"{length} bytes from register {address:#x} on: must be 1 to {rest}"
        raise CommandRefused(ErrorCode.ArgumentOutOfRange, rule)
