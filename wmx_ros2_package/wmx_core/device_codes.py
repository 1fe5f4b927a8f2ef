"""What the codes of drives and slaves mean, in words.

Sources: error codes of CiA 301 and CiA 402 (object 0x603F), AL status codes of ETG.1000.6.
"""

_ALARMS = {
    0x2310: "continuous overcurrent at the output",
    0x2320: "short circuit or earth leakage at the output",
    0x2340: "short circuit in the motor",
    0x2350: "overload of the motor (I2t)",
    0x3110: "mains overvoltage",
    0x3120: "mains undervoltage",
    0x3130: "mains phase failure",
    0x3210: "DC link overvoltage",
    0x3220: "DC link undervoltage",
    0x4210: "device too hot",
    0x4310: "motor too hot",
    0x7121: "motor blocked",
    0x7305: "encoder fault",
    0x7500: "communication fault",
    0x8400: "velocity control fault",
    0x8500: "position control fault",
    0x8611: "following error too large",
    0x8612: "reference limit",
}
"""Codes with a more exact meaning than their group."""

_ALARM_GROUPS = {
    0x10: "generic error",
    0x20: "current",
    0x21: "current at the input of the device",
    0x22: "current inside the device",
    0x23: "current at the output of the device",
    0x30: "voltage",
    0x31: "mains voltage",
    0x32: "DC link voltage",
    0x33: "output voltage",
    0x40: "temperature",
    0x41: "ambient temperature",
    0x42: "device temperature",
    0x43: "motor temperature",
    0x44: "supply temperature",
    0x50: "device hardware",
    0x51: "supply of the device",
    0x52: "control hardware",
    0x53: "operating unit",
    0x54: "power section",
    0x55: "data storage",
    0x60: "device software",
    0x61: "internal software",
    0x62: "user software",
    0x63: "data set",
    0x70: "additional module",
    0x71: "power module or motor",
    0x72: "measurement module",
    0x73: "encoder",
    0x74: "computation module",
    0x75: "communication module",
    0x80: "monitoring",
    0x81: "communication",
    0x82: "protocol",
    0x83: "torque control",
    0x84: "velocity control",
    0x85: "position control",
    0x86: "positioning",
    0x90: "external error",
    0xF0: "additional functions",
    0xFF: "of the manufacturer, see the drive's manual",
}
"""The first byte of a code."""

_AL_STATUS = {
    0x0001: "unspecified error",
    0x0011: "invalid requested state change",
    0x0012: "unknown requested state",
    0x0013: "bootstrap is not supported",
    0x0014: "no valid firmware",
    0x0016: "invalid mailbox configuration",
    0x0017: "invalid sync manager configuration",
    0x0018: "no valid inputs available",
    0x0019: "no valid outputs",
    0x001A: "synchronization error",
    0x001B: "sync manager watchdog: no process data came",
    0x001D: "invalid output configuration",
    0x001E: "invalid input configuration",
    0x001F: "invalid watchdog configuration",
    0x002C: "fatal synchronization error",
    0x002D: "no synchronization signal",
    0x0030: "invalid distributed clock configuration",
    0x0050: "no access to the EEPROM",
}


def alarm_in_words(code: int) -> str:
    """An amplifier's alarm: "0x3220 (DC link undervoltage)"."""
    words = _ALARMS.get(code) or _ALARM_GROUPS.get(code >> 8) or "of no known group"
    return f"0x{code:04X} ({words})"


def al_status_in_words(code: int) -> str:
    """Why a slave refused or left a state, by its AL status code."""
    return f"0x{code:04X} ({_AL_STATUS.get(code, 'see the manual of the slave')})"
