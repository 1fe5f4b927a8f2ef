"""The SDK's enums that programs name, in the order of the SDK; numbers that no header states are
the places in it."""

from types import SimpleNamespace
from typing import Any

_NAMES = {
    "ProfileType": "Trapezoidal SCurve JerkRatio Parabolic Sin AdvancedS TrapezoidalMAT "
    "JerkLimited JerkLimitedSCurve JerkLimitedAdvancedS TwoVelocityTrapezoidal TwoVelocitySCurve "
    "TwoVelocityJerkRatio TimeAccTrapezoidal TimeAccSCurve TimeAccJerkRatio TimeAccParabolic "
    "TimeAccSin TimeAccAdvancedS ConstantDec JerkRatioFixedVelocityT JerkRatioFixedVelocityS "
    "JerkLimitedFixedVelocityT JerkLimitedFixedVelocityS ParabolicVelocity",
    "TriggerType": "RemainingTime RemainingDistance SameTimeCompletion CompletedTime "
    "CompletedDistance StaggeredTimeCompletion StaggeredDistanceCompletion DistanceToTarget",
    "CoreMotionEventInputType": "EqualPos GreaterPos LessPos EqualVelocity GreaterVelocity "
    "LessVelocity EqualTrq GreaterTrq LessTrq OpState AxisCmdMode InPos PosSET DelayedPosSET "
    "CommandDistributedEnd RemainingTime RemainingDistance CompletedTime CompletedDistance "
    "DistanceToTarget",
    "CoreMotionEventOutputType": "StopSingleAxis StartSinglePos StartSingleMov StartMultiplePos "
    "StartMultipleMov LinearIntplPos LinearIntplMov ExecQuickStopSingleAxis OverrideVelSingleAxis "
    "ExecEStop TriggerFlightRecorder ResetFlightRecorder",
    "IoEventInputType": "IOBit NotIOBit OrIOBit AndIOBit XorIOBit NandIOBit NorIOBit XnorIOBit "
    "DelayIOBit EqualIOBytes GreaterIOBytes LessIOBytes",
    "IoEventOutputType": "SetIOOutBit",
    "IOSourceType": "Input Output",
    "Motion_WaitConditionType": "AxisIdle MotionStarted MotionStartedOverrideReady Event",
    "ApiBufferConditionType": "NeverTrue AlwaysTrue IOInput IOOutput UserMemory Event MinimumTrq "
    "OpState AxisCmdMode InPos PosSET DelayedPosSET CommandDistributedEnd RemainingTime "
    "RemainingDistance CompletedTime CompletedDistance DecelerationStarted DistanceToTarget "
    "AxisIdle MotionStarted MotionStartedOverrideReady",
    "ApiBufferState": "Idle Active Stop Delay",
    "AdvMotion_PathIntplSegmentType": "Linear Circular Pause",
    "AdvMotion_PathIntplLookaheadSegmentType": "Linear CenterAndLengthCircular "
    "CenterAndEndCircular ThroughAndEndCircular LengthAndEndCircular RadiusAndEndCircular "
    "ThroughAndEnd3DCircular ThroughAndEnd3DCircularWithAuxiliary Sleep SetOutputBit FollowMotion",
    "AdvMotion_PathIntplLookaheadState": "Idle Executing Stopping Stopped",
    "AdvMotion_PathIntplWithRotationState": "Idle Executing",
    "AdvMotion_PathIntplOutputType": "Immediate RemainingTime CompletedTime RemainingDist "
    "CompletedDist DistanceRatio",
    "AdvMotion_PathIntplOutputSource": "IOOutput UserMemory",
    "AdvSync_ECAMType": "Normal Periodic Repeat",
    "AdvSync_ECAMSourceType": "MasterCommandPos MasterFeedbackPos EncoderInput",
    "AdvSync_ECAMClutchType": "PyNone SimpleCatchUp",
    "EventControl_ComparisonType": "Disable Equal PositiveDirection NegativeDirection MoreThan "
    "LessThan",
    "EventControl_ComparatorSourceType": "PosCommand PosFeedback FollowingError",
    "EventControl_PSOOutputType": "IOOutput UserMemory",
    "CyclicBufferCommandType": "AbsolutePos RelativePos",
    "OperationState": "Idle Pos Jog Home Sync GantryHome Stop Intpl Velocity ConstLinearVelocity "
    "Trq DirectControl PVT ECAM SyncCatchUp DancerControl",
    "EngineState": "Idle Running Communicating Shutdown Unknown",
    "DeviceType": "DeviceTypeNormal DeviceTypeLowPriority DeviceTypeExitWOCnt "
    "DeviceTypeLowpriorityExitWOCnt",
    "EStopLevel": "Final Level1",
    "AxisCommandMode": "Position Velocity Torque",
    "Config_SyncCompensationMode": "PyNone VelocityOffset SymmetricVelocityOffset",
    "Config_EStopLevel1Type": "Dec DecServoOff",
    "Config_HomeType": "CurrentPos ZPulse HS HSHS HSZPulse HSReverseZPulse HSOff HSOffZPulse "
    "HSOffReverseZPulse LSReverseZPulse NearLSReverseZPulse ExternalLSReverseZPulse TouchProbe "
    "HSTouchProbe LS NearLS ExternalLS MechanicalEndDetection MechanicalEndDetectionHS "
    "MechanicalEndDetectionLS MechanicalEndDetectionReverseZPulse",
    "Config_HomeDirection": "Positive Negative",
}


class Enum(SimpleNamespace):
    """A class of numbers; programs make objects of it, which say the same."""

    def __call__(self) -> "Enum":
        return self


ENUMS: dict[str, Any] = {
    name: Enum(**{member: number for number, member in enumerate(members.split())})
    for name, members in _NAMES.items()
}
