// The functions of the declared SDK, each of which the simulated one carries out.
#include <chrono>
#include <thread>

#include "simulated.hpp"

namespace wmx3Api {

using stand_in::ask;
using stand_in::block;
using stand_in::into;
using stand_in::list;
using stand_in::order;
using stand_in::Place;
namespace py = pybind11;

namespace {

void* owned(const char* name) {
    py::gil_scoped_acquire acquired;
    return stand_in::made(name).release().ptr();
}

void* owned_on(const char* name, void* device) {
    py::gil_scoped_acquire acquired;
    return stand_in::simulated().attr(name)(Place{device}.found()).release().ptr();
}

void* shared(void* object) {
    py::gil_scoped_acquire acquired;
    Py_XINCREF(static_cast<PyObject*>(object));
    return object;
}

void drop(void* object) {
    py::gil_scoped_acquire acquired;
    Py_XDECREF(static_cast<PyObject*>(object));
}

long text_of(const char* part, int code, char* text, unsigned size) {
    py::gil_scoped_acquire acquired;
    auto said = py::cast<std::string>(stand_in::simulated().attr(part).attr("ErrorToString")(code));
    std::strncpy(text, said.c_str(), size);
    text[size - 1] = 0;
    return 0;
}

long version(int* major, int* minor, int* revision, int* fix) {
    *major = 3, *minor = SDK_EDITION == 1 ? 5 : 7, *revision = 0, *fix = 0;
    return 0;
}

}  // namespace

#define STATICS(name, python)                                                                      \
    long name::ErrorToString(int code, char* text, unsigned size) {                                \
        return text_of(python, code, text, size);                                                  \
    }                                                                                              \
    long name::ErrorToString(int, wchar_t*, unsigned) { return ErrorCode::NoSupportedFunction; }   \
    long name::GetLibVersion(int* a, int* b, int* c, int* d) { return version(a, b, c, d); }       \
    bool name::IsDeviceValid() {                                                                   \
        py::gil_scoped_acquire acquired;                                                           \
        return py::cast<bool>(Place{object}.found().attr("IsDeviceValid")());                      \
    }
// A part on a device; `rest` makes the parts that it has itself.
#define ON_A_DEVICE(name, python, rest)                                                            \
    STATICS(name, python)                                                                          \
    name::name(WMX3Api* device) : object(owned_on(python, device->object)) rest {}                 \
    name::name() : object(nullptr) rest {}                                                         \
    name::name(const name& source) : object(shared(source.object)) rest {}                         \
    name& name::operator=(const name& source) {                                                    \
        void* before = object;                                                                     \
        object = shared(source.object);                                                            \
        drop(before);                                                                              \
        return *this;                                                                              \
    }                                                                                              \
    long name::GetVersion(int* a, int* b, int* c, int* d) { return version(a, b, c, d); }
STATICS(WMX3Api, "WMX3Api")
WMX3Api::WMX3Api() : object(owned("WMX3Api")) {}
WMX3Api::~WMX3Api() { drop(object); }
long WMX3Api::GetIMDllVersion(int* version, int* revision) {
    *version = *revision = 0;
    return 0;
}
long WMX3Api::StartEngine(TextIn path, unsigned wait, int, unsigned long) {
    return order({object}, "StartEngine", path, wait);
}
long WMX3Api::RestartEngine(TextIn path, unsigned wait, int, unsigned long) {
    return order({object}, "RestartEngine", path, wait);
}
long WMX3Api::StopEngine(unsigned wait) { return order({object}, "StopEngine", wait); }
long WMX3Api::CreateDevice(TextIn path, DeviceType::T type, unsigned wait, int core,
                           unsigned long affinity) {
    return order({object}, "CreateDevice", path, type, wait, core, affinity);
}
long WMX3Api::CreateDevice(const wchar_t*, DeviceType::T, unsigned) {
    return ErrorCode::NoSupportedFunction;
}
long WMX3Api::CloseDevice() { return order({object}, "CloseDevice"); }
long WMX3Api::GetDeviceID(int* id) { return ask({object}, "GetDeviceID", into(id)); }
long WMX3Api::AutoQuitWithoutActiveDev(bool quit) {
    return order({object}, "AutoQuitWithoutActiveDev", quit);
}
long WMX3Api::SetWatchdog(unsigned watchdog) { return order({object}, "SetWatchdog", watchdog); }
long WMX3Api::SetWatchdog(int, unsigned) { return ErrorCode::NoSupportedFunction; }
long WMX3Api::GetWatchdog(unsigned* watchdog, unsigned* count) {
    return ask({object}, "GetWatchdog", into(watchdog, count));
}
long WMX3Api::ResetWatchdogTimer() { return order({object}, "ResetWatchdogTimer"); }
long WMX3Api::SetStatistic(bool enable) { return order({object}, "SetStatistic", enable); }
long WMX3Api::GetStatistic(DeviceStatistics*) { return order({object}, "GetStatistic"); }
long WMX3Api::StartCommunication(unsigned wait) {
    return order({object}, "StartCommunication", wait);
}
long WMX3Api::StopCommunication(unsigned wait) {
    return order({object}, "StopCommunication", wait);
}
long WMX3Api::GetModulesInfo(ModulesInfoA* modules) {
    return ask({object}, "GetModulesInfo", into(modules));
}
long WMX3Api::GetModuleInfo(int id, ModuleInfoA* module) {
    return ask({object}, "GetModuleInfo", into(module), id);
}
long WMX3Api::GetEngineStatus(EngineStatus* status) {
    return ask({object}, "GetEngineStatus", into(status));
}
long WMX3Api::GetAllDevices(DevicesInfoA* devices) {
    return ask({object}, "GetAllDevices", into(devices));
}
long WMX3Api::SetDeviceName(TextIn name) { return order({object}, "SetDeviceName", name); }
// Without the interpreter, as every call is into the vendor's library.
long WMX3Api::SleepAtEngine(unsigned long microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    return ErrorCode::None;
}

#define CM(inner) {cmApi->object, #inner}

#if SDK_EDITION >= 2
long AxisControl::SetServoOn(int axis, int on, unsigned) {
    return order(CM(axisControl), "SetServoOn", axis, on);
}
long AxisControl::SetServoOn(AxisSelection* axes, int on, unsigned) {
    return order(CM(axisControl), "SetServoOn_AxisSel", axes, on);
}
#else
long AxisControl::SetServoOn(AxisSelection* axes, int on) {
    return order(CM(axisControl), "SetServoOn_AxisSel", axes, on);
}
#endif
long AxisControl::SetServoOn(int axis, int on) {
    return order(CM(axisControl), "SetServoOn", axis, on);
}
long AxisControl::SetAxisCommandMode(int axis, AxisCommandMode::T mode) {
    return order(CM(axisControl), "SetAxisCommandMode", axis, mode);
}
long AxisControl::SetAxisCommandMode(AxisSelection* axes, AxisCommandMode::T mode) {
    return order(CM(axisControl), "SetAxisCommandMode_AxisSel", axes, mode);
}
long AxisControl::GetAxisCommandMode(int axis, AxisCommandMode::T* mode) {
    return ask(CM(axisControl), "GetAxisCommandMode", into(mode), axis);
}

// One axis, or several.
#define BOTH(part, inner, name)                                                                    \
    long part::name(int axis) { return order(CM(inner), #name, axis); }                            \
    long part::name(AxisSelection* axes) { return order(CM(inner), #name "_AxisSel", axes); }
#define NUMBER_OF(part, inner, name)                                                               \
    long part::name(int axis, double* value) { return ask(CM(inner), #name, into(value), axis); }
#define NUMBER_FOR(part, inner, name)                                                              \
    long part::name(int axis, double value) { return order(CM(inner), #name, axis, value); }
#define ONE_OR_SEVERAL(part, inner, name, command, python)                                         \
    long part::name(command* one) { return order(CM(inner), python, one); }                        \
    long part::name(unsigned count, command* all) {                                                \
        py::gil_scoped_acquire acquired;                                                           \
        return order(CM(inner), python, count, list(count, all));                                  \
    }

BOTH(AxisControl, axisControl, ClearAmpAlarm)
BOTH(AxisControl, axisControl, ClearAxisAlarm)
NUMBER_OF(AxisControl, axisControl, GetPosCommand)
NUMBER_OF(AxisControl, axisControl, GetPosFeedback)
NUMBER_OF(AxisControl, axisControl, GetVelCommand)
NUMBER_OF(AxisControl, axisControl, GetVelFeedback)

long Config::SetParam(SystemParam*, SystemParam*) { return ErrorCode::NoSupportedFunction; }
long Config::GetParam(SystemParam* param) { return ask(CM(config), "GetParam", into(param)); }
long Config::SetParam(int, SystemParam*, SystemParam*) { return ErrorCode::NoSupportedFunction; }
long Config::GetParam(int axis, SystemParam* param) {
    return ask(CM(config), "GetParam_Axis", into(param), axis);
}
long Config::SetAxisParam(AxisParam* param, AxisParam*) {
    return order(CM(config), "SetAxisParam", param);
}
long Config::GetAxisParam(AxisParam* param) {
    return ask(CM(config), "GetAxisParam", into(param));
}
long Config::SetAxisParam(int axis, AxisParam* param, AxisParam*) {
    return order(CM(config), "SetAxisParam_Axis", axis, param);
}
long Config::GetAxisParam(int axis, AxisParam* param) {
    return ask(CM(config), "GetAxisParam_Axis", into(param), axis);
}
long Config::SetGearRatio(int axis, double numerator, double denominator) {
    return order(CM(config), "SetGearRatio", axis, numerator, denominator);
}
long Config::GetGearRatio(int axis, double* numerator, double* denominator) {
    return ask(CM(config), "GetGearRatio", into(numerator, denominator), axis);
}
long Config::SetSingleTurn(int axis, bool enable, unsigned count) {
    return order(CM(config), "SetSingleTurn", axis, enable, count);
}
long Config::SetAxisPolarity(int axis, char polarity) {
    return order(CM(config), "SetAxisPolarity", axis, polarity);
}
long Config::GetAxisPolarity(int axis, char* polarity) {
    return ask(CM(config), "GetAxisPolarity", into(polarity), axis);
}
#define PARAMETERS(name)                                                                           \
    long Config::Set##name(int axis, name* param, name*) {                                         \
        return order(CM(config), "Set" #name, axis, param);                                        \
    }                                                                                              \
    long Config::Get##name(int axis, name* param) {                                                \
        return ask(CM(config), "Get" #name, into(param), axis);                                    \
    }
PARAMETERS(FeedbackParam)
PARAMETERS(HomeParam)
PARAMETERS(LimitParam)
PARAMETERS(MotionParam)
PARAMETERS(AlarmParam)
long Config::SetSyncParam(int, SyncParam*, SyncParam*) { return ErrorCode::NoSupportedFunction; }
long Config::GetSyncParam(int, SyncParam*) { return ErrorCode::NoSupportedFunction; }
long Config::GetAndExportAll(TextIn path) { return order(CM(config), "GetAndExportAll", path); }
long Config::ImportAndSetAll(TextIn path, SystemParam* wrong, AxisParam* wrongAxes) {
    SystemParam one;
    AxisParam other;
    auto places = into(wrong != nullptr ? wrong : &one, wrongAxes != nullptr ? wrongAxes : &other);
    return ask(CM(config), "ImportAndSetAll", places, path);
}

long Sync::SetSyncMasterSlave(int master, int slave, SyncOptions*) {
    return order(CM(sync), "SetSyncMasterSlave", master, slave);
}
long Sync::SetSyncGearRatio(int slave, double ratio, Profile* profile) {
    return order(CM(sync), "SetSyncGearRatio", slave, ratio, profile);
}
long Sync::SetSyncGearRatio(int master, int slave, double ratio, Profile* profile) {
    return order(CM(sync), "SetSyncGearRatio", master, slave, ratio, profile);
}
long Sync::SyncToJog(int slave, Profile* profile) {
    return order(CM(sync), "SyncToJog", slave, profile);
}
long Sync::SyncToJog(int slave) { return order(CM(sync), "SyncToJog", slave); }
long Sync::ResolveSync(int slave) { return order(CM(sync), "ResolveSync", slave); }

BOTH(Home, home, StartHome)
BOTH(Home, home, Continue)
BOTH(Home, home, Cancel)
NUMBER_FOR(Home, home, SetCommandPos)
NUMBER_FOR(Home, home, SetFeedbackPos)
NUMBER_FOR(Home, home, SetCommandPosToFeedbackPos)
long Home::SetHomeDone(int axis, unsigned char value) {
    return order(CM(home), "SetHomeDone", axis, value);
}

#define STOPS(part, inner)                                                                         \
    BOTH(part, inner, Stop)                                                                        \
    BOTH(part, inner, ExecQuickStop)                                                               \
    long part::ExecTimedStop(int axis, double ms) {                                                \
        return order(CM(inner), "ExecTimedStop_TimeMilli", axis, ms);                              \
    }                                                                                              \
    long part::ExecTimedStop(AxisSelection* axes, double ms) {                                     \
        return order(CM(inner), "ExecTimedStop_AxisSel", axes, ms);                                \
    }

STOPS(Velocity, velocity)
ONE_OR_SEVERAL(Velocity, velocity, StartVel, VelCommand, "StartVel")
ONE_OR_SEVERAL(Velocity, velocity, StartVel, TimedVelCommand, "StartVel_TimedVel")
ONE_OR_SEVERAL(Velocity, velocity, OverrideVel, VelCommand, "OverrideVel")
long Velocity::StartVel(VelCommand* command, double most) {
    return order(CM(velocity), "StartVel_MaxTrq", command, most);
}
NUMBER_FOR(Velocity, velocity, SetMaxMotorSpeed)
NUMBER_OF(Velocity, velocity, GetMaxMotorSpeed)

ONE_OR_SEVERAL(Torque, torque, StartTrq, TrqCommand, "StartTrq")
long Torque::StartTrq(TrqCommand* command, double most) {
    return order(CM(torque), "StartTrq_MaxMotorSpeed", command, most);
}
BOTH(Torque, torque, StopTrq)
NUMBER_FOR(Torque, torque, SetMaxTrqLimit)
NUMBER_OF(Torque, torque, GetMaxTrqLimit)

STOPS(Motion, motion)
ONE_OR_SEVERAL(Motion, motion, StartPos, PosCommand, "StartPos")
ONE_OR_SEVERAL(Motion, motion, StartMov, PosCommand, "StartMov")
ONE_OR_SEVERAL(Motion, motion, StartJog, JogCommand, "StartJog")
#if SDK_EDITION == 1
ONE_OR_SEVERAL(Motion, motion, StartJog, TimedJogCommand, "StartJog_TimedJog")
#endif
ONE_OR_SEVERAL(Motion, motion, OverridePos, PosCommand, "OverridePos")
ONE_OR_SEVERAL(Motion, motion, OverrideMov, PosCommand, "OverrideMov")
ONE_OR_SEVERAL(Motion, motion, OverrideVel, PosCommand, "OverrideVel")
ONE_OR_SEVERAL(Motion, motion, OverrideAcc, PosCommand, "OverrideAcc")
ONE_OR_SEVERAL(Motion, motion, OverrideDec, PosCommand, "OverrideDec")
ONE_OR_SEVERAL(Motion, motion, OverrideProfile, PosCommand, "OverrideProfile")
long Motion::StartLinearIntplPos(LinearIntplCommand* command) {
    return order(CM(motion), "StartLinearIntplPos", command);
}
long Motion::StartLinearIntplMov(LinearIntplCommand* command) {
    return order(CM(motion), "StartLinearIntplMov", command);
}
long Motion::Stop(int axis, double dec) { return order(CM(motion), "Stop_Dec", axis, dec); }
long Motion::Stop(unsigned count, StopCommand* all) {
    py::gil_scoped_acquire acquired;
    return order(CM(motion), "Stop_StopCommand", count, list(count, all));
}
BOTH(Motion, motion, Wait)
BOTH(Motion, motion, Pause)
BOTH(Motion, motion, Resume)
long Motion::Wait(WaitCondition* condition) {
    return order(CM(motion), "Wait_WaitCondition", condition);
}
long Motion::Wait(int axis, unsigned ms) { return order(CM(motion), "Wait_TimeMilli", axis, ms); }
long Motion::Wait(AxisSelection* axes, unsigned ms) {
    return order(CM(motion), "Wait_AxisSel_TimeMilli", axes, ms);
}

#define INNER(name, type) , name(new type(this))
#define INNER_PARTS INNER(axisControl, AxisControl) INNER(motion, Motion) INNER(home, Home)         \
    INNER(velocity, Velocity) INNER(torque, Torque) INNER(sync, Sync) INNER(config, Config)
ON_A_DEVICE(CoreMotion, "CoreMotion", INNER_PARTS)
CoreMotion::~CoreMotion() {
    drop(object);
    delete axisControl;
    delete motion;
    delete home;
    delete velocity;
    delete torque;
    delete sync;
    delete config;
}
long CoreMotion::GetStatus(CoreMotionStatus* status) {
    return ask({object}, "GetStatus", into(status));
}
long CoreMotion::ExecEStop(EStopLevel::T level) { return order({object}, "ExecEStop", level); }
long CoreMotion::ReleaseEStop() { return order({object}, "ReleaseEStop"); }
int CoreMotionEventOutput::GetOutputModuleId() { return ModuleId::CoreMotion; }

ON_A_DEVICE(AdvancedMotion, "AdvancedMotion", INNER(advMotion, AdvMotion))
AdvancedMotion::~AdvancedMotion() {
    drop(object);
    delete advMotion;
}
#define AM {amApi->object, "advMotion"}
long AdvMotion::CreateSplineBuffer(int channel, unsigned points) {
    return order(AM, "CreateSplineBuffer", channel, points);
}
long AdvMotion::FreeSplineBuffer(int channel) { return order(AM, "FreeSplineBuffer", channel); }
long AdvMotion::GetSplineBufferPoints(int channel, unsigned* points) {
    return ask(AM, "GetSplineBufferPoints", into(points), channel);
}
long AdvMotion::GetSplineBytesPerPoint(unsigned* bytes) {
    return ask(AM, "GetSplineBytesPerPoint", into(bytes));
}
long AdvMotion::StartCSplinePos(int channel, PointTimeSplineCommand* command, unsigned count,
                                SplinePoint* points, constants::SplineTime* times) {
    py::gil_scoped_acquire acquired;
    return order(AM, "StartCSplinePos_PointTime", channel, command, count, list(count, points),
                 list(count, times));
}
long AdvMotion::CreatePVTBuffer(int axis, unsigned points) {
    return order(AM, "CreatePVTBuffer", axis, points);
}
long AdvMotion::FreePVTBuffer(int axis) { return order(AM, "FreePVTBuffer", axis); }
long AdvMotion::StartPVT(PVTCommand*) { return ErrorCode::NoSupportedFunction; }

ON_A_DEVICE(SDK_IO_CLASS, "Io", )
SDK_IO_CLASS::~SDK_IO_CLASS() { drop(object); }
#define INPUTS_AND_OUTPUTS(ex)                                                                                     \
    long SDK_IO_CLASS::SetOutBit##ex(int addr, int bit, unsigned char data) {                                \
        return order({object}, "SetOutBit" #ex, addr, bit, data);                                  \
    }                                                                                              \
    long SDK_IO_CLASS::SetOutByte##ex(int addr, unsigned char data) {                                        \
        return order({object}, "SetOutByte" #ex, addr, data);                                      \
    }                                                                                              \
    long SDK_IO_CLASS::SetOutBytes##ex(int addr, int size, unsigned char* data) {                            \
        py::gil_scoped_acquire acquired;                                                           \
        return order({object}, "SetOutBytes" #ex, addr, size, list(size, data));                   \
    }                                                                                              \
    long SDK_IO_CLASS::SetOutBits##ex(int* addr, int* bit, unsigned char* data, int count) {                 \
        py::gil_scoped_acquire acquired;                                                           \
        return order({object}, "SetOutBits" #ex, list(count, addr), list(count, bit),              \
                     list(count, data), count);                                                    \
    }                                                                                              \
    long SDK_IO_CLASS::GetInBit##ex(int addr, int bit, unsigned char* data) {                                \
        return ask({object}, "GetInBit" #ex, into(data), addr, bit);                               \
    }                                                                                              \
    long SDK_IO_CLASS::GetInByte##ex(int addr, unsigned char* data) {                                        \
        return ask({object}, "GetInByte" #ex, into(data), addr);                                   \
    }                                                                                              \
    long SDK_IO_CLASS::GetInBytes##ex(int addr, int size, unsigned char* data) {                             \
        return ask({object}, "GetInBytes" #ex, block(size, data), addr, size);                     \
    }                                                                                              \
    long SDK_IO_CLASS::GetOutBit##ex(int addr, int bit, unsigned char* data) {                               \
        return ask({object}, "GetOutBit" #ex, into(data), addr, bit);                              \
    }                                                                                              \
    long SDK_IO_CLASS::GetOutByte##ex(int addr, unsigned char* data) {                                       \
        return ask({object}, "GetOutByte" #ex, into(data), addr);                                  \
    }                                                                                              \
    long SDK_IO_CLASS::GetOutBytes##ex(int addr, int size, unsigned char* data) {                            \
        return ask({object}, "GetOutBytes" #ex, block(size, data), addr, size);                    \
    }
INPUTS_AND_OUTPUTS()
INPUTS_AND_OUTPUTS(Ex)
int IoEventInput::GetInputModuleId() { return ModuleId::IO; }

ON_A_DEVICE(UserMemory, "UserMemory", )
UserMemory::~UserMemory() { drop(object); }
#define MEMORY(ex)                                                                                 \
    long UserMemory::SetMBit##ex(unsigned addr, unsigned bit, unsigned char data) {                \
        return order({object}, "SetMBit" #ex, addr, bit, data);                                    \
    }                                                                                              \
    long UserMemory::SetMByte##ex(unsigned addr, unsigned char data) {                             \
        return order({object}, "SetMByte" #ex, addr, data);                                        \
    }                                                                                              \
    long UserMemory::SetMBytes##ex(unsigned addr, unsigned size, unsigned char* data) {            \
        py::gil_scoped_acquire acquired;                                                           \
        return order({object}, "SetMBytes" #ex, addr, size, list(size, data));                     \
    }                                                                                              \
    long UserMemory::GetMBit##ex(unsigned addr, unsigned bit, unsigned char* data) {               \
        return ask({object}, "GetMBit" #ex, into(data), addr, bit);                                \
    }                                                                                              \
    long UserMemory::GetMByte##ex(unsigned addr, unsigned char* data) {                            \
        return ask({object}, "GetMByte" #ex, into(data), addr);                                    \
    }                                                                                              \
    long UserMemory::GetMBytes##ex(unsigned addr, unsigned size, unsigned char* data) {            \
        return ask({object}, "GetMBytes" #ex, block(size, data), addr, size);                      \
    }
MEMORY()
MEMORY(Ex)
int UserMemoryEventInput::GetInputModuleId() { return ModuleId::UserMemory; }

ON_A_DEVICE(EventControl, "EventControl", )
EventControl::~EventControl() { drop(object); }
namespace {

/// The event object that the simulated SDK has for one of C++.
py::object given_event(EventInput* input) {
    if (auto* of_io = dynamic_cast<IoEventInput*>(input)) return stand_in::given(*of_io);
    if (auto* of_memory = dynamic_cast<UserMemoryEventInput*>(input))
        return stand_in::given(*of_memory);
    return py::none();
}

long set_event(void* object, int* id, EventInput* input, EventOutput* output, int wanted,
               EventOption* option) {
    py::gil_scoped_acquire acquired;
    py::object when = given_event(input);
    auto* then = dynamic_cast<CoreMotionEventOutput*>(output);
    if (when.is_none() || then == nullptr) return ErrorCode::NoSupportedFunction;
    auto number = into(id);
    if (option != nullptr)
        return wanted < 0 ? ask({object}, "SetEvent_Option", number, when, then, option)
                          : ask({object}, "SetEvent_ID_Option", number, when, then, wanted, option);
    return wanted < 0 ? ask({object}, "SetEvent", number, when, then)
                      : ask({object}, "SetEvent_ID", number, when, then, wanted);
}

}  // namespace
long EventControl::SetEvent(int* id, EventInput* input, EventOutput* output, EventOption* option) {
    return set_event(object, id, input, output, -1, option);
}
long EventControl::SetEvent(int* id, EventInput* input, EventOutput* output, int wanted,
                            EventOption* option) {
    return set_event(object, id, input, output, wanted, option);
}
int EventApiEventInput::GetInputModuleId() { return ModuleId::Event; }
long EventControl::GetEventModuleId(int id, int* input, int* output) {
    return ask({object}, "GetEventModuleId", into(input, output), id);
}
long EventControl::EnableEvent(int id, unsigned char enable) {
    return order({object}, "EnableEvent", id, enable);
}
long EventControl::RemoveEvent(int id) { return order({object}, "RemoveEvent", id); }
long EventControl::ClearAllEvent() { return order({object}, "ClearAllEvent"); }
long EventControl::SetSoftwareTouchProbe(unsigned channel, unsigned char enable, int axis, int byte,
                                         int bit, unsigned char logic, TouchProbeMode::T mode) {
    return order({object}, "SetSoftwareTouchProbe", channel, enable, axis, byte, bit, logic, mode);
}
long EventControl::EnableSoftwareTouchProbe(unsigned channel, unsigned char enable) {
    return order({object}, "EnableSoftwareTouchProbe", channel, enable);
}
long EventControl::IsSoftwareTouchProbeLatched(unsigned channel, unsigned char* latched) {
    return ask({object}, "IsSoftwareTouchProbeLatched", into(latched), channel);
}
long EventControl::GetSoftwareTouchProbeCounterValue(unsigned channel, unsigned char* latched,
                                                     double* value) {
    return ask({object}, "GetSoftwareTouchProbeCounterValue", into(latched, value), channel);
}
long EventControl::SetPSOConfig(unsigned channel, ComparisonType::T type, ComparatorSource* source,
                                PSOOutput* output, double shortest, PSOOption*) {
    return order({object}, "SetPSOConfig", channel, type, source, output, shortest);
}
long EventControl::SetPSOSingleData(unsigned channel, double data) {
    return order({object}, "SetPSOSingleData", channel, data);
}
long EventControl::SetPSOMultipleData(unsigned channel, int count, double* data) {
    py::gil_scoped_acquire acquired;
    return order({object}, "SetPSOMultipleData", channel, count, list(count, data));
}
long EventControl::SetPSOIntervalData(unsigned channel, double start, double end, double interval) {
    return order({object}, "SetPSOIntervalData", channel, start, end, interval);
}
long EventControl::GetPSODataCount(unsigned channel, int* count) {
    return ask({object}, "GetPSODataCount", into(count), channel);
}
long EventControl::StartPSO(unsigned channel) { return order({object}, "StartPSO", channel); }
long EventControl::StopPSO(unsigned channel) { return order({object}, "StopPSO", channel); }
long EventControl::GetPSOStatus(unsigned channel, PSOStatus* status) {
    return ask({object}, "GetPSOStatus", into(status), channel);
}

ON_A_DEVICE(CyclicBuffer, "CyclicBuffer", )
CyclicBuffer::~CyclicBuffer() { drop(object); }
#define CYCLIC(type, suffix, kind)                                                                 \
    long CyclicBuffer::OpenCyclicBuffer(type axes, unsigned cycles) {                              \
        return order({object}, "OpenCyclicBuffer" suffix, axes, cycles);                           \
    }                                                                                              \
    long CyclicBuffer::CloseCyclicBuffer(type axes) {                                              \
        return order({object}, "CloseCyclicBuffer" suffix, axes);                                  \
    }                                                                                              \
    long CyclicBuffer::Execute(type axes, CyclicBuffer##kind##Option*) {                           \
        return order({object}, "Execute" suffix, axes);                                            \
    }                                                                                              \
    long CyclicBuffer::Abort(type axes) { return order({object}, "Abort" suffix, axes); }          \
    long CyclicBuffer::ExecQuickStop(type) { return ErrorCode::NoSupportedFunction; }              \
    long CyclicBuffer::GetStatus(type axes, CyclicBuffer##kind##Status* status) {                  \
        return ask({object}, "GetStatus" suffix, into(status), axes);                              \
    }
CYCLIC(int, "", SingleAxis)
CYCLIC(AxisSelection*, "_AxisSel", MultiAxis)
long CyclicBuffer::AddCommand(int axis, CyclicBufferSingleAxisCommand* command) {
    return order({object}, "AddCommand", axis, command);
}
long CyclicBuffer::AddCommand(AxisSelection* axes, CyclicBufferMultiAxisCommands* commands) {
    return order({object}, "AddCommand_AxisSel", axes, commands);
}

namespace ecApi {

ON_A_DEVICE(Ecat, "Ecat", )
Ecat::~Ecat() { drop(object); }
#define OF_MASTER(name)                                                                            \
    long Ecat::name() { return order({object}, #name); }                                           \
    long Ecat::name(int master) { return order({object}, #name "_MasterId", master); }
OF_MASTER(ScanNetwork)
OF_MASTER(StartHotconnect)
OF_MASTER(ResetRefClockInfo)
OF_MASTER(ResetTransmitStatisticsInfo)
long Ecat::ChangeSlaveState(int slave, EcStateMachine::T state, int* error) {
    return ask({object}, "ChangeSlaveState", into(error), slave, state);
}
long Ecat::ChangeSlaveState(int master, int slave, EcStateMachine::T state, int* error) {
    return ask({object}, "ChangeSlaveState_MasterId", into(error), master, slave, state);
}
long Ecat::GetMasterInfo(EcMasterInfo* master) {
    return ask({object}, "GetMasterInfo", into(master));
}
long Ecat::GetMasterInfo(int id, EcMasterInfo* master) {
    return ask({object}, "GetMasterInfo_MasterId", into(master), id);
}
long Ecat::RegisterRead(int slave, int address, int size, unsigned char* buff) {
    return ask({object}, "RegisterRead", block(size, buff), slave, address, size);
}
long Ecat::RegisterRead(int master, int slave, int address, int size, unsigned char* buff) {
    return ask({object}, "RegisterRead_MasterId", block(size, buff), master, slave, address, size);
}
long Ecat::RegisterRead(int, int, int, EcRegisterReadCallBack, unsigned) {
    return ErrorCode::NoSupportedFunction;
}
long Ecat::SdoDownload(int, int, int, int, unsigned char*, unsigned*, unsigned) {
    return ErrorCode::NoSupportedFunction;
}
long Ecat::SdoUpload(int, int, int, int, unsigned char*, unsigned*, unsigned*, unsigned) {
    return ErrorCode::NoSupportedFunction;
}
long Ecat::SdoDownload(int slave, int index, int sub, EcSdoType::T type, int size,
                       unsigned char* data, unsigned* error, unsigned wait, int) {
    py::gil_scoped_acquire acquired;
    return ask({object}, "SdoDownload_SdoType_WaitTime", into(error), slave, index, sub, type, size,
               list(size, data), wait);
}
long Ecat::SdoUpload(int slave, int index, int sub, EcSdoType::T type, int size,
                     unsigned char* buff, unsigned* actual, unsigned* error, unsigned wait, int) {
    return ask({object}, "SdoUpload_SdoType_WaitTime", block(size, buff, actual, error), slave,
               index, sub, type, size, wait);
}
long Ecat::SdoDownload(int master, int slave, int index, int sub, EcSdoType::T type, int size,
                       unsigned char* data, unsigned* error, unsigned wait, int) {
    py::gil_scoped_acquire acquired;
    return ask({object}, "SdoDownload_SdoType_WaitTime_MasterId", into(error), master, slave, index,
               sub, type, size, list(size, data), wait);
}
long Ecat::SdoUpload(int master, int slave, int index, int sub, EcSdoType::T type, int size,
                     unsigned char* buff, unsigned* actual, unsigned* error, unsigned wait, int) {
    return ask({object}, "SdoUpload_SdoType_WaitTime_MasterId", block(size, buff, actual, error),
               master, slave, index, sub, type, size, wait);
}

}  // namespace ecApi
}  // namespace wmx3Api
