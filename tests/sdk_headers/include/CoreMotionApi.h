// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {

class CoreMotionErrorCode : public ErrorCode { public: enum { MEMBERS_CoreMotionErrorCode }; };
SDK_ENUM(HomeState)
SDK_ENUM(HomeError)
class AxisSyncMode { public: enum T { NoSync, NoOffset, VelocityOffset, SymmetricVelocityOffset }; };

class CoreMotionEventOutput : public EventOutput {
   public:
    enum CoreMotionEventOutputType { MEMBERS_CoreMotionEventOutputType };
    CoreMotionEventOutputType outputFunction = StopSingleAxis;
    union OutputFunctionArguments {
        OutputFunctionArguments() { std::memset(this, 0, sizeof *this); }
        struct StopSingleAxis { int axis; } stopSingleAxis;
        struct ExecQuickStopSingleAxis { int axis; } execQuickStopSingleAxis;
        struct ExecEStop { EStopLevel::T eStopLevel; } execEStop;
    } output;
    int GetOutputModuleId() override;
};

class AxisCompensation {
   public:
    double pitchErrorCompensation = 0, pitchErrorCompensation2D = 0;
    double backlashCompensation = 0, totalPosCompensation = 0;
};

class AxisSupportedFunction {
   public:
    bool posFeedbackSupport = false, posCommandSupport = false, velocityFeedbackSupport = false;
    bool velocityCommandSupport = false, velocityOffsetSupport = false;
    bool trqFeedbackSupport = false, trqCommandSupport = false, maxTrqLimitSupport = false;
    bool positiveTrqLimitSupport = false, negativeTrqLimitSupport = false;
    bool maxMotorSpeedSupport = false;
};

class CoreMotionAxisStatus {
   public:
    bool servoOn = false, servoOffline = false, ampAlarm = false;
    int ampAlarmCode = 0, masterAxis = 0, secondMasterAxis = 0;
    double posCmd = 0, actualPos = 0, compPosCmd = 0, compActualPos = 0;
    double syncPosCmd = 0, syncActualPos = 0;
    int encoderCommand = 0, encoderFeedback = 0;
    long long accumulatedEncoderFeedback = 0;
    double velocityCmd = 0, actualVelocity = 0, velocityLag = 0, torqueCmd = 0, actualTorque = 0;
    double actualFollowingError = 0;
    AxisCompensation compensation;
    AxisSupportedFunction axisSupportedFunction;
    OperationState::T opState = OperationState::Idle;
    DetailOperationState::T detailOpState = DetailOperationState::Idle;
    AxisCommandMode::T axisCommandMode = AxisCommandMode::Position;
    AxisSyncMode::T axisSyncMode = AxisSyncMode::NoSync;
    double syncOffset = 0, syncPhaseOffset = 0, syncGearRatio = 0;
    double profileTotalMilliseconds = 0, profileAccMilliseconds = 0;
    double profileCruiseMilliseconds = 0, profileDecMilliseconds = 0;
    double profileRemainingMilliseconds = 0, profileCompletedMilliseconds = 0;
    double profileTargetPos = 0, profileTotalDistance = 0, profileRemainingDistance = 0;
    double profileCompletedDistance = 0, intplVelocity = 0;
    int intplSegment = 0;
    bool followingErrorAlarm = false, commandReady = false, waitingForTrigger = false;
    bool motionPaused = false, motionComplete = false, execSuperimposedMotion = false;
    double cmdAcc = 0;
    bool accFlag = false, decFlag = false;
    bool inPos = false, inPos2 = false, inPos3 = false, inPos4 = false, inPos5 = false;
    bool cmdDistributionEnd = false, posSet = false, delayedPosSet = false;
    unsigned int cmdDistributionEndDelayedPosSetDiff = 0;
    bool positiveLS = false, negativeLS = false, nearPositiveLS = false, nearNegativeLS = false;
    bool externalPositiveLS = false, externalNegativeLS = false;
    bool positiveSoftLimit = false, negativeSoftLimit = false;
    HomeState::T homeState = HomeState::Idle;
    HomeError::T homeError = HomeError::NoError;
    double homeOffset = 0;
    bool homeSwitch = false, homeDone = false, homePaused = false, cmdPosToFbPosFlag = false;
    unsigned int singleTurnCounter = 0;
    double userOffset = 0, userOffsetPosCmd = 0, userOffsetActualPos = 0;
};

class CoreMotionStatus {
   public:
    bool invalidLicenseError = false;
    EngineState::T engineState = EngineState::Unknown;
    int numOfInterrupts = 0;
    double cycleTimeMilliseconds[constants::maxInterrupts] = {};
    long long cycleCounter[constants::maxInterrupts] = {};
    bool emergencyStop = false;
    EStopLevel::T emergencyStopLevel = EStopLevel::Final;
    CoreMotionAxisStatus axesStatus[constants::maxAxes];
};

class CoreMotion;
// What a part of CoreMotion has beside its own functions.
#define SDK_INNER(name)                                                                            \
    explicit name(CoreMotion *owner) : cmApi(owner) {}                                             \
    CoreMotion *cmApi;

class AxisControl {
   public:
    SDK_INNER(AxisControl)
#if SDK_EDITION == 1
    WMX3APIFUNC SetServoOn(int axis, int newStatus);
    WMX3APIFUNC SetServoOn(AxisSelection *axes, int newStatus);
#else
    WMX3APIFUNC SetServoOn(int axis, int newStatus, unsigned int waitMilliseconds);
    WMX3APIFUNC SetServoOn(AxisSelection *axes, int newStatus, unsigned int waitMilliseconds = 0);
    WMX3APIFUNC SetServoOn(int axis, int newStatus);
#endif
    WMX3APIFUNC ClearAmpAlarm(int axis);
    WMX3APIFUNC ClearAmpAlarm(AxisSelection *axes);
    WMX3APIFUNC ClearAxisAlarm(int axis);
    WMX3APIFUNC ClearAxisAlarm(AxisSelection *axes);
    WMX3APIFUNC SetAxisCommandMode(int axis, AxisCommandMode::T mode);
    WMX3APIFUNC SetAxisCommandMode(AxisSelection *axes, AxisCommandMode::T mode);
    WMX3APIFUNC GetAxisCommandMode(int axis, AxisCommandMode::T *mode);
    WMX3APIFUNC GetPosCommand(int axis, double *position);
    WMX3APIFUNC GetPosFeedback(int axis, double *position);
    WMX3APIFUNC GetVelCommand(int axis, double *velocity);
    WMX3APIFUNC GetVelFeedback(int axis, double *velocity);
};

#define SDK_INNER_ENUM(name, members) class name { public: enum T { members }; };

class Config {
   public:
    SDK_INNER(Config)
    SDK_INNER_ENUM(HomeType, MEMBERS_Config_HomeType)
    SDK_INNER_ENUM(HomeDirection, MEMBERS_Config_HomeDirection)
    SDK_INNER_ENUM(LimitSwitchType, MEMBERS_Config_LimitSwitchType)
    SDK_INNER_ENUM(LimitSwitchDirection, MEMBERS_Config_LimitSwitchDirection)
    class VelocityMonitorSource {
       public:
        enum T { UseVelocityFeedback, CalculateFromPositionFeedback };
    };
    class ProhibitOvertravelType {
       public:
        enum T { Disabled, ChangeDeceleration, ChangeInitialVelocity };
    };
    class LinearIntplOverrideType { public: enum T { Smoothing, Blending, FastBlending }; };
    class LinearIntplProfileCalcMode {
       public:
        enum T { AxisLimit, MatchSlowestAxis, MatchFarthestAxis };
    };
    class CircularIntplOverrideType { public: enum T { Blending, FastBlending }; };
    class FollowingErrorAlarmType { public: enum T { NoAction, QuickStop }; };
    class VelocityFollowingErrorAlarmType { public: enum T { NoAction, QuickStop, Warning }; };
    class SyncCompensationMode {
       public:
        enum T { None, VelocityOffset, SymmetricVelocityOffset };
    };
    class MasterDesyncType { public: enum T { NoAction, ServoOff, DecServoOff, Dec }; };
    class SlaveDesyncType { public: enum T { NoAction, ServoOff, ResolveSync }; };
    class EStopSignalSource { public: enum T { Input, Output, UserMemory }; };
    class EStopStatusSignalDestination { public: enum T { Output, UserMemory }; };
    class EStopLevel1Type { public: enum T { Dec, DecServoOff }; };

    class FeedbackParam {
       public:
        double inPosWidth = 0, inPosWidth2 = 0, inPosWidth3 = 0, inPosWidth4 = 0, inPosWidth5 = 0;
        VelocityMonitorSource::T velocityMonitorSource{};
        double posSetWidth = 0, delayedPosSetWidth = 0, delayedPosSetMilliseconds = 0;
    };
    class HomeParam {
       public:
        HomeType::T homeType{};
        HomeDirection::T homeDirection{};
        double homingVelocitySlow = 0, homingVelocitySlowAcc = 0, homingVelocitySlowDec = 0;
        double homingVelocityFast = 0, homingVelocityFastAcc = 0, homingVelocityFastDec = 0;
        double homingReverseDistance = 0, homeShiftVelocity = 0, homeShiftAcc = 0;
        double homeShiftDec = 0, homeShiftDistance = 0;
        bool invertHSPolarity = false;
        unsigned int multipleZPulse = 0;
        bool roundPosCmdAfterHoming = false, pauseMode = false;
        double maxHSOnAtStartReverseDistance = 0, maxLSReverseDistance = 0;
        unsigned int zPulseDistanceCheck = 0;
        double homePosition = 0;
        bool gantryHomingUseSlaveHS = false, gantryHomingUseSlaveLS = false;
        bool gantryHomingUseSlaveZPulse = false, gantryHomingUseSlaveTouchProbe = false;
        bool gantryHomingUseSlaveMechanicalEnd = false, gantryHomingRetainSyncOffset = false;
        bool immediateStopAtLS = false;
        double mechanicalEndDetectionPosDiff = 0, mechanicalEndDetectionTimeMilliseconds = 0;
        bool mechanicalEndDetectionIgnoreLS = false;
        double mechanicalEndDetectionFirstTorqueLimit = 0;
        double mechanicalEndDetectionSecondTorqueLimit = 0;
        bool openLoopHoming = false, clearHomeDoneOnServoOff = false;
        bool clearHomeDoneOnCommStop = false;
    };
    class LimitParam {
       public:
        LimitSwitchType::T lsType{}, positiveLSType{}, negativeLSType{};
        bool invertPositiveLSPolarity = false, invertNegativeLSPolarity = false;
        LimitSwitchType::T nearLSType{}, nearPositiveLSType{}, nearNegativeLSType{};
        int nearPositiveLSByte = 0, nearPositiveLSBit = 0;
        bool invertNearPositiveLSPolarity = false;
        int nearNegativeLSByte = 0, nearNegativeLSBit = 0;
        bool invertNearNegativeLSPolarity = false;
        LimitSwitchType::T externalLSType{}, externalPositiveLSType{}, externalNegativeLSType{};
        int externalPositiveLSByte = 0, externalPositiveLSBit = 0;
        bool invertExternalPositiveLSPolarity = false;
        int externalNegativeLSByte = 0, externalNegativeLSBit = 0;
        bool invertExternalNegativeLSPolarity = false;
        LimitSwitchType::T softLimitType{}, positiveSoftLimitType{}, negativeSoftLimitType{};
        double softLimitPositivePos = 0, softLimitNegativePos = 0, lsDec = 0, lsSlowDec = 0;
        bool allLSDuringHoming = false;
        LimitSwitchDirection::T lsDirection{};
    };
    class MotionParam {
       public:
        double quickStopDec = 0;
        ProhibitOvertravelType::T prohibitOvertravel{};
        LinearIntplOverrideType::T linearIntplOverrideType{};
        unsigned int linearIntplOverrideSmoothPercent = 0;
        CircularIntplOverrideType::T circularIntplOverrideType{};
        bool interruptedIntplUseQuickStop = false, singleTurnReduceToHalfTurn = false;
        bool enableGlobalStartingVelocity = false;
        double globalStartingVelocity = 0;
        bool enableGlobalEndVelocity = false;
        double globalEndVelocity = 0;
        bool enableGlobalMinVelocity = false;
        double globalMinVelocity = 0;
        bool enableGlobalMovingAverageProfileTimeMilliseconds = false;
        double globalMovingAverageProfileTimeMilliseconds = 0;
        bool apiWaitUntilMotionStart = false;
        LinearIntplProfileCalcMode::T linearIntplProfileCalcMode{};
    };
    class AlarmParam {
       public:
        double followingErrorStopped = 0, followingErrorMoving = 0;
        FollowingErrorAlarmType::T followingErrorType{};
        double velocityFollowingErrorStopped = 0, velocityFollowingErrorStoppedMilliseconds = 0;
        double velocityFollowingErrorMoving = 0, velocityFollowingErrorMovingMilliseconds = 0;
        VelocityFollowingErrorAlarmType::T velocityFollowingErrorType{};
        bool servoOffDuringAmpAlarm = false;
        int servoOnFollowingError = 0;
    };
    class SyncParam {
       public:
        int inSyncWidth = 0;
        double syncGain = 0;
        SyncCompensationMode::T syncCompensationMode{};
        MasterDesyncType::T masterDesyncType{};
        double masterDesyncDec = 0;
        SlaveDesyncType::T slaveDesyncType{};
        double slaveDesyncDec = 0;
        bool matchPos = false;
    };
    class FlightRecorderParam {
       public:
        bool enableFlightRecorder = false, flightRecorderTimeStamp = false;
        bool collectAxisFlightRecorderData[constants::maxAxes] = {};
        bool triggerFlightRecorderOnAmpAlarm = false;
    };
    class EmergencyStopParam {
       public:
        double eStopDec[constants::maxAxes] = {};
        bool enableEStopSignal = false;
        EStopSignalSource::T eStopSignalSource{};
        EStopLevel::T eStopSignalLevel{};
        bool invertEStopSignalPolarity = false;
        unsigned int eStopSignalByteAddress = 0;
        unsigned char eStopSignalBitAddress = 0;
        bool enableEStopStatusSignal = false;
        EStopStatusSignalDestination::T eStopStatusSignalDestination{};
        bool invertEStopStatusSignalPolarity = false;
        unsigned int eStopStatusSignalByteAddress = 0;
        unsigned char eStopStatusSignalBitAddress = 0;
        EStopLevel1Type::T eStopLevel1Type{};
    };
    class SystemParam {
       public:
        FeedbackParam feedbackParam[constants::maxAxes];
        HomeParam homeParam[constants::maxAxes];
        LimitParam limitParam[constants::maxAxes];
        MotionParam motionParam[constants::maxAxes];
        AlarmParam alarmParam[constants::maxAxes];
        SyncParam syncParam[constants::maxAxes];
        FlightRecorderParam flightRecorderParam;
        EmergencyStopParam emergencyStopParam;
    };
    class AxisParam {
       public:
        AxisCommandMode::T axisCommandMode[constants::maxAxes] = {};
        double gearRatioNumerator[constants::maxAxes] = {};
        double gearRatioDenominator[constants::maxAxes] = {};
        bool singleTurnMode[constants::maxAxes] = {};
        unsigned int singleTurnEncoderCount[constants::maxAxes] = {};
        double maxTrqLimit[constants::maxAxes] = {};
        double negativeTrqLimit[constants::maxAxes] = {};
        double positiveTrqLimit[constants::maxAxes] = {};
        double axisUnit[constants::maxAxes] = {};
        double velocityFeedforwardGain[constants::maxAxes] = {};
        char axisPolarity[constants::maxAxes] = {};
        double maxMotorSpeed[constants::maxAxes] = {};
        bool absoluteEncoderMode[constants::maxAxes] = {};
        double absoluteEncoderHomeOffset[constants::maxAxes] = {};
    };

    WMX3APIFUNC SetParam(SystemParam *param, SystemParam *wrong = nullptr);
    WMX3APIFUNC GetParam(SystemParam *param);
    WMX3APIFUNC SetParam(int axis, SystemParam *param, SystemParam *wrong = nullptr);
    WMX3APIFUNC GetParam(int axis, SystemParam *param);
    WMX3APIFUNC SetAxisParam(AxisParam *param, AxisParam *wrong = nullptr);
    WMX3APIFUNC GetAxisParam(AxisParam *param);
    WMX3APIFUNC SetAxisParam(int axis, AxisParam *param, AxisParam *wrong = nullptr);
    WMX3APIFUNC GetAxisParam(int axis, AxisParam *param);
    WMX3APIFUNC SetGearRatio(int axis, double numerator, double denominator);
    WMX3APIFUNC GetGearRatio(int axis, double *numerator, double *denominator);
    WMX3APIFUNC SetSingleTurn(int axis, bool enable, unsigned int encoderCount);
    WMX3APIFUNC SetAxisPolarity(int axis, char polarity);
    WMX3APIFUNC GetAxisPolarity(int axis, char *polarity);
#define SDK_PARAMETERS(name)                                                                       \
    WMX3APIFUNC Set##name(int axis, name *param, name *wrong = nullptr);                           \
    WMX3APIFUNC Get##name(int axis, name *param);
    SDK_PARAMETERS(FeedbackParam)
    SDK_PARAMETERS(HomeParam)
    SDK_PARAMETERS(LimitParam)
    SDK_PARAMETERS(MotionParam)
    SDK_PARAMETERS(AlarmParam)
    SDK_PARAMETERS(SyncParam)
    WMX3APIFUNC GetAndExportAll(TextIn path);
    WMX3APIFUNC ImportAndSetAll(TextIn path, SystemParam *wrong = nullptr,
                                AxisParam *wrongAxes = nullptr);
};

class Sync {
   public:
    SDK_INNER(Sync)
    class SyncOptions {
       public:
        bool useMasterFeedback = false;
    };
    WMX3APIFUNC SetSyncMasterSlave(int master, int slave, SyncOptions *options = nullptr);
    WMX3APIFUNC SetSyncGearRatio(int slave, double ratio, Profile *profile);
    WMX3APIFUNC SetSyncGearRatio(int master, int slave, double ratio, Profile *profile);
    WMX3APIFUNC SyncToJog(int slave, Profile *profile);
    WMX3APIFUNC SyncToJog(int slave);
    WMX3APIFUNC ResolveSync(int slave);
};

class Home {
   public:
    SDK_INNER(Home)
    WMX3APIFUNC StartHome(int axis);
    WMX3APIFUNC StartHome(AxisSelection *axes);
    WMX3APIFUNC Continue(int axis);
    WMX3APIFUNC Continue(AxisSelection *axes);
    WMX3APIFUNC Cancel(int axis);
    WMX3APIFUNC Cancel(AxisSelection *axes);
    WMX3APIFUNC SetCommandPos(int axis, double position);
    WMX3APIFUNC SetFeedbackPos(int axis, double position);
    WMX3APIFUNC SetHomeDone(int axis, unsigned char value);
    WMX3APIFUNC SetCommandPosToFeedbackPos(int axis, double posChangePerCycle = 0);
};

#define SDK_STOPS                                                                                  \
    WMX3APIFUNC Stop(int axis);                                                                    \
    WMX3APIFUNC Stop(AxisSelection *axes);                                                         \
    WMX3APIFUNC ExecQuickStop(int axis);                                                           \
    WMX3APIFUNC ExecQuickStop(AxisSelection *axes);                                                \
    WMX3APIFUNC ExecTimedStop(int axis, double milliseconds);                                      \
    WMX3APIFUNC ExecTimedStop(AxisSelection *axes, double milliseconds);

class Velocity {
   public:
    SDK_INNER(Velocity)
    SDK_STOPS
    class VelCommand {
       public:
        int axis = 0;
        Profile profile;
    };
    class TimedVelCommand {
       public:
        int axis = 0;
        double runTimeMilliseconds = 0;
        Profile profile;
    };
    WMX3APIFUNC StartVel(VelCommand *command);
    WMX3APIFUNC StartVel(TimedVelCommand *command);
    WMX3APIFUNC StartVel(VelCommand *command, double maxTrqLimit);
    WMX3APIFUNC StartVel(unsigned int count, VelCommand *commands);
    WMX3APIFUNC StartVel(unsigned int count, TimedVelCommand *commands);
    WMX3APIFUNC OverrideVel(VelCommand *command);
    WMX3APIFUNC OverrideVel(unsigned int count, VelCommand *commands);
    WMX3APIFUNC SetMaxMotorSpeed(int axis, double speed);
    WMX3APIFUNC GetMaxMotorSpeed(int axis, double *speed);
};

class Torque {
   public:
    SDK_INNER(Torque)
    class TrqCommand {
       public:
        int axis = 0;
        double torque = 0;
    };
    WMX3APIFUNC StartTrq(TrqCommand *command);
    WMX3APIFUNC StartTrq(unsigned int count, TrqCommand *commands);
    WMX3APIFUNC StartTrq(TrqCommand *command, double maxMotorSpeed);
    WMX3APIFUNC StopTrq(int axis);
    WMX3APIFUNC StopTrq(AxisSelection *axes);
    WMX3APIFUNC SetMaxTrqLimit(int axis, double torque);
    WMX3APIFUNC GetMaxTrqLimit(int axis, double *torque);
};

class Motion {
   public:
    SDK_INNER(Motion)
    SDK_STOPS
    class PosCommand {
       public:
        int axis = 0;
        double target = 0;
        Profile profile;
    };
    class LinearIntplCommand {
       public:
        unsigned int axisCount = 0;
        int axis[constants::maxAxes] = {};
        double target[constants::maxAxes] = {};
        double maxVelocity[constants::maxAxes] = {};
        double maxAcc[constants::maxAxes] = {};
        double maxDec[constants::maxAxes] = {};
        double maxJerkAcc[constants::maxAxes] = {};
        double maxJerkDec[constants::maxAxes] = {};
        Profile profile;
    };
    class JogCommand {
       public:
        int axis = 0;
        Profile profile;
#if SDK_EDITION >= 2
        void SetRunTime(double milliseconds) { runTime = milliseconds; }
        double runTime = 0;
#endif
    };
#if SDK_EDITION == 1
    class TimedJogCommand {
       public:
        int axis = 0;
        double runTimeMilliseconds = 0;
        Profile profile;
    };
    WMX3APIFUNC StartJog(TimedJogCommand *command);
    WMX3APIFUNC StartJog(unsigned int count, TimedJogCommand *commands);
#endif
    class StopCommand {
       public:
        int axis = 0;
        double dec = 0;
    };
    class WaitConditionType {
       public:
        enum T { AxisIdle, MotionStarted, MotionStartedOverrideReady, Event };
    };
    class WaitCondition {
       public:
        WaitConditionType::T waitConditionType{};
        int axisCount = 0;
        int axis[constants::maxAxes] = {};
        unsigned int eventID = 0;
    };
    WMX3APIFUNC StartPos(PosCommand *command);
    WMX3APIFUNC StartPos(unsigned int count, PosCommand *commands);
    WMX3APIFUNC StartMov(PosCommand *command);
    WMX3APIFUNC StartMov(unsigned int count, PosCommand *commands);
    WMX3APIFUNC StartJog(JogCommand *command);
    WMX3APIFUNC StartJog(unsigned int count, JogCommand *commands);
    WMX3APIFUNC StartLinearIntplPos(LinearIntplCommand *command);
    WMX3APIFUNC StartLinearIntplMov(LinearIntplCommand *command);
    WMX3APIFUNC Stop(int axis, double dec);
    WMX3APIFUNC Stop(unsigned int count, StopCommand *commands);
    WMX3APIFUNC Wait(int axis);
    WMX3APIFUNC Wait(AxisSelection *axes);
    WMX3APIFUNC Wait(WaitCondition *condition);
    WMX3APIFUNC Wait(int axis, unsigned int milliseconds);
    WMX3APIFUNC Wait(AxisSelection *axes, unsigned int milliseconds);
    WMX3APIFUNC Pause(int axis);
    WMX3APIFUNC Pause(AxisSelection *axes);
    WMX3APIFUNC Resume(int axis);
    WMX3APIFUNC Resume(AxisSelection *axes);
#define SDK_OVERRIDE(name)                                                                         \
    WMX3APIFUNC name(PosCommand *command);                                                         \
    WMX3APIFUNC name(unsigned int count, PosCommand *commands);
    SDK_OVERRIDE(OverridePos)
    SDK_OVERRIDE(OverrideMov)
    SDK_OVERRIDE(OverrideVel)
    SDK_OVERRIDE(OverrideAcc)
    SDK_OVERRIDE(OverrideDec)
    SDK_OVERRIDE(OverrideProfile)
};

class CoreMotion {
   public:
    SDK_PART(CoreMotion)
    WMX3APIFUNC GetStatus(CoreMotionStatus *status);
    WMX3APIFUNC ExecEStop(EStopLevel::T level);
    WMX3APIFUNC ReleaseEStop();
    AxisControl *axisControl;
    Motion *motion;
    Home *home;
    Velocity *velocity;
    Torque *torque;
    Sync *sync;
    Config *config;
};

}  // namespace wmx3Api
