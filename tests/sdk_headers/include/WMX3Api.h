// Declarations of our own, of facts that are public: names, types and sizes of the SDK for C++. They
// hold what this project and the public C++ packages use, in two editions of releases.
#pragma once

#include <cstring>

#include "edition.h"
#include "members.h"

#define WMX3APIFUNC long

namespace wmx3Api {

namespace constants {
static const int maxAxes = 128;
#if SDK_EDITION == 1
static const int maxIoInSize = 8000;
static const int maxIoOutSize = 8000;
#else
static const int maxIOInSize = 8000;
static const int maxIOOutSize = 8000;
#endif
static const int moduleFileNameLen = 32;
static const int moduleNameLen = 16;
static const int moduleDescLen = 512;
static const int moduleLen = 64;
static const int maxDeviceName = 64;
static const int maxDevices = 256;
static const int maxInterrupts = 2;
static const int maxEventInterpolationAxes = 8;
}  // namespace constants

// An enum of the SDK stands in a class of its name.
#define SDK_ENUM(name) class name { public: enum T { MEMBERS_##name }; };
SDK_ENUM(EngineState)
SDK_ENUM(DeviceType)
SDK_ENUM(OperationState)
SDK_ENUM(AxisCommandMode)
SDK_ENUM(EStopLevel)
SDK_ENUM(ProfileType)
SDK_ENUM(IOSourceType)
SDK_ENUM(ModuleId)
class ModuleType { public: enum T { Motion, Platform, Unknown }; };
class DetailOperationState { public: enum T { Idle = 0, Pos = 200, Jog = 300 }; };

class ErrorCode { public: enum { MEMBERS_ErrorCode }; };

// A text that a function reads: releases differ in whether it is constant.
#if SDK_EDITION == 1
typedef char *TextIn;
#else
typedef const char *TextIn;
#endif

class AxisSelection {
   public:
    int axisCount = 0;
    int axis[constants::maxAxes] = {};
};

class Profile {
   public:
    ProfileType::T type = ProfileType::Trapezoidal;
    double velocity = 0, acc = 0, dec = 0, jerkAcc = 0, jerkDec = 0;
    double jerkAccRatio = 0, jerkDecRatio = 0, accTimeMilliseconds = 0, decTimeMilliseconds = 0;
    double startingVelocity = 0, endVelocity = 0, secondVelocity = 0;
    double movingAverageTimeMilliseconds = 0;
};

class ModuleInfoA {
   public:
    unsigned char suspend = 0;
    ModuleType::T type = ModuleType::Unknown;
    int id = 0, slot = 0;
    char fileName[constants::moduleFileNameLen] = {};
    char moduleName[constants::moduleNameLen] = {};
    char moduleDesc[constants::moduleDescLen] = {};
    int majorVersion = 0, minorVersion = 0, revisionVersion = 0, fixVersion = 0, memory = 0;
};

class EngineInfo {
   public:
    int majorVersion = 0, minorVersion = 0, revisionVersion = 0, fixVersion = 0;
    int imlibVersion = 0, imlibRevision = 0, numLicensedAxes = 0;
    unsigned char options[64] = {};
};

class ModulesInfoA {
   public:
    EngineInfo engine;
    int numOfModule = 0;
    ModuleInfoA modules[constants::moduleLen];
};

class DeviceInfoA {
   public:
    unsigned int id = 0;
    DeviceType::T type = DeviceType::DeviceTypeNormal;
    unsigned int watchdog = 0, watchdogCount = 0;
    char name[constants::maxDeviceName] = {};
};

class DevicesInfoA {
   public:
    unsigned int count = 0;
    DeviceInfoA devices[constants::maxDevices];
};

class InterruptData {
   public:
    int numOfAxes = 0, cycleTimeMicroseconds = 0;
    long long cycleCounter = 0;
};

class EngineStatus {
   public:
    EngineState::T state = EngineState::Unknown;
    unsigned int error = 0;
    int numOfInterrupts = 0;
    InterruptData interrupts[constants::maxInterrupts];
};

class DeviceStatistics {
   public:
    unsigned int sysFailedCount = 0, apiSuccessCount = 0, apiFailedCount = 0;
    unsigned int curApiTime = 0, avgApiTime = 0, minApiTime = 0, maxApiTime = 0;
    unsigned int rtCount = 0, curRtTime = 0, avgRtTime = 0, minRtTime = 0, maxRtTime = 0;
};

class EventInput {
   public:
    virtual ~EventInput() {}
    virtual int GetInputModuleId() = 0;
};

class EventOutput {
   public:
    virtual ~EventOutput() {}
    virtual int GetOutputModuleId() = 0;
};

// What every class of functions has beside its own.
#define SDK_STATICS                                                                                \
    static WMX3APIFUNC ErrorToString(int errCode, char *pString, unsigned int size);               \
    static WMX3APIFUNC ErrorToString(int errCode, wchar_t *pString, unsigned int size);            \
    static WMX3APIFUNC GetLibVersion(int *major, int *minor, int *revision, int *fix);             \
    bool IsDeviceValid();
// Programs make it without a device first, and then assign one that has one.
#define SDK_PART(name)                                                                             \
    SDK_STATICS                                                                                    \
    name(WMX3Api *device);                                                                         \
    name();                                                                                        \
    name(const name &source);                                                                      \
    name &operator=(const name &source);                                                           \
    ~name();                                                                                       \
    WMX3APIFUNC GetVersion(int *major, int *minor, int *revision, int *fix);                       \
    void *object;

class WMX3Api {
   public:
    WMX3Api();
    WMX3Api(const WMX3Api &) = delete;
    ~WMX3Api();
    SDK_STATICS
    static WMX3APIFUNC GetIMDllVersion(int *version, int *revision);
    WMX3APIFUNC StartEngine(TextIn path, unsigned int wait = 0, int core = -1,
                            unsigned long affinity = 0);
    WMX3APIFUNC RestartEngine(TextIn path, unsigned int wait = 0, int core = -1,
                              unsigned long affinity = 0);
    WMX3APIFUNC StopEngine(unsigned int wait = 0);
    WMX3APIFUNC CreateDevice(TextIn path, DeviceType::T type = DeviceType::DeviceTypeNormal,
                             unsigned int wait = 0, int core = -1, unsigned long affinity = 0);
    WMX3APIFUNC CreateDevice(const wchar_t *path, DeviceType::T type, unsigned int wait);
    WMX3APIFUNC CloseDevice();
    WMX3APIFUNC GetDeviceID(int *id);
    WMX3APIFUNC AutoQuitWithoutActiveDev(bool quit);
    WMX3APIFUNC SetWatchdog(unsigned int watchdog);
    WMX3APIFUNC SetWatchdog(int deviceId, unsigned int watchdog);
    WMX3APIFUNC GetWatchdog(unsigned int *watchdog, unsigned int *count = nullptr);
    WMX3APIFUNC ResetWatchdogTimer();
    WMX3APIFUNC SetStatistic(bool enable);
    WMX3APIFUNC GetStatistic(DeviceStatistics *statistics);
    WMX3APIFUNC StartCommunication(unsigned int wait = 0);
    WMX3APIFUNC StopCommunication(unsigned int wait = 0);
    WMX3APIFUNC GetModulesInfo(ModulesInfoA *modules);
    WMX3APIFUNC GetModuleInfo(int moduleId, ModuleInfoA *module);
    WMX3APIFUNC GetEngineStatus(EngineStatus *status);
    WMX3APIFUNC GetAllDevices(DevicesInfoA *devices);
    WMX3APIFUNC SetDeviceName(TextIn name);
    WMX3APIFUNC SleepAtEngine(unsigned long microseconds);
    void *object;
};

}  // namespace wmx3Api
