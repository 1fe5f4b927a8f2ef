"""What can go wrong at the driver interface.

    WmxError                  `code` is the vendor's number, `detail` the fact behind it
    ├── CommandRefused        the engine answered a command with an error code
    ├── EngineLost            the engine this device was attached to is gone
    ├── ParameterFileError    a parameter file that is not what it must be
    ├── DriverUnavailable     the backend cannot be loaded on this machine
    └── MachineFileError      a machine file that breaks a rule, in `wmx_sim`

Every error prints as clients expect it: ``Error=1547 (AxisOutOfRange)``, followed by
``: detail`` where there is one.
"""

from enum import IntEnum


class ErrorCode(IntEnum):
    """The vendor's error codes that this project raises itself, by the vendor's own names.

    Source: ErrorCode and CoreMotionErrorCode of WMX3ApiPython.
    """

    StartProcessFailed = 256
    StartProcessLockError = 259
    IMLibIsNotRunning = 263
    StatusChannelError = 271
    StatusChannelGettingInitialData = 285
    CreateDeviceLockError = 297
    DeviceIsNull = 301
    NoSupportedFunction = 304
    SystemIsNoRunning = 1281
    SystemInitializationNotDone = 1282
    CommNotStartedInSpecifiedTime = 1285
    CommNotStoppedInSpecifiedTime = 1286
    StartCommunicationError = 1288
    CommNotStarted = 1537
    NotIdleState = 1546
    AxisOutOfRange = 1547
    AxisCountOutOfRange = 1548
    DuplicateAxis = 1549
    IOAddressOutOfRange = 1550
    IOSizeOutOfRange = 1551
    ArgumentOutOfRange = 1555
    ParamOutOfRange = 1558
    IDOutOfRange = 1559
    ResourceInUse = 1561
    FileOperationFailed = 1562
    StartingPreviousCommand = 1563
    ServoOffline = 1566
    ServoOff = 1567
    AxisAmpAlarm = 1568
    AxisSoftLimit = 1569
    AxisNearLimit = 1570
    AxisHardLimit = 1572
    ParameterSettingsInvalid = 65536
    ParameterFileParseError = 65542
    CurrentEmergencyStopLevelIsHigher = 65546
    IsSyncSlave = 65553
    IsSyncMaster = 65554
    NotIdleOrVelocityState = 65560
    NotIdleOrIntplState = 65561
    NotIdleOrPosOrJogState = 65562
    NotPosOrJogOrVelocityState = 65563
    NotIdleOrTorqueState = 65566
    NotPosMode = 65571
    NotVelocityMode = 65572
    NotTrqMode = 65573
    NotSyncSlave = 65575
    NotHomeState = 65576
    AxisNotPaused = 65577
    ProfileArgumentOutOfRange = 65579
    PositionArgumentOutOfRange = 65580
    VelocityArgumentOutOfRange = 65581
    AccArgumentOutOfRange = 65582
    DecArgumentOutOfRange = 65583
    JerkAccArgumentOutOfRange = 65584
    JerkDecArgumentOutOfRange = 65585
    JerkAccRatioArgumentOutOfRange = 65586
    JerkDecRatioArgumentOutOfRange = 65587
    StartingVelocityArgumentOutOfRange = 65588
    EndVelocityArgumentOutOfRange = 65589
    SecondVelocityArgumentOutOfRange = 65590
    RunTimeArgumentOutOfRange = 65591
    TimeArgumentOutOfRange = 65592
    TriggerTypeArgumentOutOfRange = 65593
    TriggerAxisArgumentOutOfRange = 65594
    PointCountOutOfRange = 65615
    WaitTimeout = 65616
    ProfileTypeNotSupported = 65617
    EmergencyStopSignalOn = 65632
    MovingAverageTimeArgumentOutOfRange = 65640
    SyncGearRatioOutOfRange = 65643
    TorqueArgumentOutOfRange = 65646
    TouchProbeDetectionUnsupported = 65661
    HomeSwitchDetectionUnsupported = 65662
    LimitSwitchDetectionUnsupported = 65663


UNNUMBERED = -1
"""Stands for the number of an error of the vendor's EtherCAT or advanced motion library.

The vendor publishes the names of EcErrorCode and AdvancedMotionErrorCode but not their numbers: an
error that has one of these names is raised with this number, and with the name.
"""


class RefusalCode(IntEnum):
    """Codes of refusals that are no vendor's: negative, as none of the vendor's is."""

    NOT_READY = -2
    """The node has no engine that communicates."""
    OTHER_SYSTEM = -3
    """The command is for another system than that of the node."""
    PAUSED = -4
    """The system is paused: no motion begins."""


class WmxError(Exception):
    """A command that was not carried out.

    `code` is the vendor's error number, `name` the vendor's name of it (looked up in
    `ErrorCode` unless given), `detail` the value that was wrong and the rule it broke.
    """

    def __init__(self, code: int, detail: str = "", name: str = "") -> None:
        super().__init__(code, detail, name)
        self.code = int(code)
        self.detail = detail
        self.name = name or _vendor_name(self.code)

    def __str__(self) -> str:
        text = f"Error={self.code} ({self.name})"
        return f"{text}: {self.detail}" if self.detail else text


class CommandRefused(WmxError):
    """The engine refused a command; nothing moved because of it."""

    def more(self, *details: str) -> "CommandRefused":
        """The same refusal with more to its detail; an empty one adds nothing."""
        detail = "; ".join(filter(None, (self.detail, *details)))
        return CommandRefused(self.code, detail, self.name)


class EngineLost(WmxError):
    """The engine this device was attached to has ended or no longer answers."""


class ParameterFileError(WmxError):
    """A parameter file that cannot be read or breaks a rule; none of it was applied."""


class DriverUnavailable(WmxError):
    """The backend that was asked for cannot run on this machine."""


def _vendor_name(code: int) -> str:
    try:
        return ErrorCode(code).name
    except ValueError:
        return "Unknown"
