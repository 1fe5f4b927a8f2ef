// The parts of the SDK: classes of functions on a device, under the names that its modules for
// Python give them. A form that a release lacks is left out.
#include "classes.hpp"

namespace binding {
namespace {

#define WMX_NESTED(name)                                                                           \
    template <class T, class = void>                                                               \
    struct name##Of {                                                                              \
        using type = Absent;                                                                       \
    };                                                                                             \
    template <class T>                                                                             \
    struct name##Of<T, std::void_t<typename T::name>> {                                            \
        using type = typename T::name;                                                             \
    };
WMX_NESTED(TimedJogCommand)
WMX_NESTED(TimedVelCommand)
WMX_NESTED(SyncOptions)

// A class that is absent is so as a pointer, and in a list.
template <class T>
using Pointer = std::conditional_t<std::is_same_v<T, Absent>, Absent, T*>;
template <class T>
using Several = std::conditional_t<std::is_same_v<T, Absent>, Absent, Counted<unsigned, T>>;

using Axes = World::AxisSelection*;

/// A part that programs make on a device, which lives as long.
template <class T>
Class<T> part_on_device(py::module_& module, const char* name) {
    Bound<T> bound(module, name, py::module_local());
    bound.def(py::init([](World::WMX3Api& device) { return new T(&device); }),
              py::keep_alive<1, 2>());
    return Class<T>(bound, name)
        .statics()
        .template def<>("IsDeviceValid", WMX_CALL(IsDeviceValid))
        .template def<Out<int>, Out<int>, Out<int>, Out<int>>("GetVersion", WMX_CALL(GetVersion));
}

/// A part of another one.
template <class T>
Class<T> inner_part(py::module_& module, const char* name) {
    return Class<T>(
        py::class_<T, std::unique_ptr<T, py::nodelete>>(module, name, py::module_local()), name);
}

/// One command, or a count and a list of them.
template <class T, class Command, class F>
void one_or_several(Class<T>& part, const char* name, F function) {
    part.template def<Pointer<Command>>(name, function);
    part.template def<Several<Command>>(name, function);
}

template <class T>
void stops(Class<T>& part) {
    part.template def<int>("Stop", WMX_CALL(Stop))
        .template def<Axes>("Stop_AxisSel", WMX_CALL(Stop))
        .template def<int>("ExecQuickStop", WMX_CALL(ExecQuickStop))
        .template def<Axes>("ExecQuickStop_AxisSel", WMX_CALL(ExecQuickStop))
        .template def<int, double>("ExecTimedStop_TimeMilli", WMX_CALL(ExecTimedStop))
        .template def<Axes, double>("ExecTimedStop_AxisSel", WMX_CALL(ExecTimedStop));
}

void api(py::module_& module) {
    using T = World::WMX3Api;
    Bound<T> bound(module, "WMX3Api", py::module_local());
    bound.def(py::init<>());
    using Kind = World::DeviceType::T;
    Class<T>(bound, "WMX3Api")
        .statics()
        .def<>("IsDeviceValid", WMX_CALL(IsDeviceValid))
        .def<Text, Kind, unsigned>("CreateDevice", WMX_CALL(CreateDevice))
        .def<Text, Kind, unsigned, int>("CreateDevice", WMX_CALL(CreateDevice))
        .def<Text, Kind, unsigned, int, unsigned long>("CreateDevice", WMX_CALL(CreateDevice))
        .def<Text, Kind>("CreateDevice", WMX_CALL(CreateDevice))
        .def<>("CloseDevice", WMX_CALL(CloseDevice))
        .def<Out<int>>("GetDeviceID", WMX_CALL(GetDeviceID))
        .def<Text, unsigned>("StartEngine", WMX_CALL(StartEngine))
        .def<Text, unsigned, int, unsigned long>("StartEngine", WMX_CALL(StartEngine))
        .def<Text, unsigned>("RestartEngine", WMX_CALL(RestartEngine))
        .def<>("StopEngine", WMX_CALL(StopEngine))
        .def<unsigned>("StopEngine", WMX_CALL(StopEngine))
        .def<bool>("AutoQuitWithoutActiveDev", WMX_CALL(AutoQuitWithoutActiveDev))
        .def<unsigned>("SetWatchdog", WMX_CALL(SetWatchdog))
        .def<Out<unsigned>, Out<unsigned>>("GetWatchdog", WMX_CALL(GetWatchdog))
        .def<>("ResetWatchdogTimer", WMX_CALL(ResetWatchdogTimer))
        .def<bool>("SetStatistic", WMX_CALL(SetStatistic))
        .def<Made<World::DeviceStatistics>>("GetStatistic", WMX_CALL(GetStatistic))
        .def<unsigned>("StartCommunication", WMX_CALL(StartCommunication))
        .def<>("StartCommunication", WMX_CALL(StartCommunication))
        .def<unsigned>("StopCommunication", WMX_CALL(StopCommunication))
        .def<>("StopCommunication", WMX_CALL(StopCommunication))
        .def<Made<World::ModulesInfo>>("GetModulesInfo", WMX_CALL(GetModulesInfo))
        .def<int, Made<World::ModuleInfo>>("GetModuleInfo", WMX_CALL(GetModuleInfo))
        .def<World::ModuleId::T, Made<World::ModuleInfo>>("GetModuleInfo", WMX_CALL(GetModuleInfo))
        .def<Made<World::EngineStatus>>("GetEngineStatus", WMX_CALL(GetEngineStatus))
        .def<Made<World::DevicesInfo>>("GetAllDevices", WMX_CALL(GetAllDevices))
        .def<Text>("SetDeviceName", WMX_CALL(SetDeviceName))
        .def<unsigned long>("SleepAtEngine", WMX_CALL(SleepAtEngine));
}

void axis_control(py::module_& module) {
    using Mode = World::AxisCommandMode::T;
    inner_part<World::AxisControl>(module, "AxisControl")
        .def<int, int>("SetServoOn", WMX_CALL(SetServoOn))
        .def<int, int, unsigned>("SetServoOn", WMX_CALL(SetServoOn))
        // Of releases whose function waits for the drive: not at all, as the others.
        .def<int, int>("SetServoOn",
                       [](auto& self, int axis, int on) -> decltype(self.SetServoOn(axis, on, 0)) {
                           return self.SetServoOn(axis, on, 0);
                       })
        .def<Axes, int>("SetServoOn_AxisSel", WMX_CALL(SetServoOn))
        .def<int>("ClearAmpAlarm", WMX_CALL(ClearAmpAlarm))
        .def<Axes>("ClearAmpAlarm_AxisSel", WMX_CALL(ClearAmpAlarm))
        .def<int>("ClearAxisAlarm", WMX_CALL(ClearAxisAlarm))
        .def<Axes>("ClearAxisAlarm_AxisSel", WMX_CALL(ClearAxisAlarm))
        .def<int, Mode>("SetAxisCommandMode", WMX_CALL(SetAxisCommandMode))
        .def<Axes, Mode>("SetAxisCommandMode_AxisSel", WMX_CALL(SetAxisCommandMode))
        .def<int, Out<Mode>>("GetAxisCommandMode", WMX_CALL(GetAxisCommandMode))
        .def<int, Out<double>>("GetPosCommand", WMX_CALL(GetPosCommand))
        .def<int, Out<double>>("GetPosFeedback", WMX_CALL(GetPosFeedback))
        .def<int, Out<double>>("GetVelCommand", WMX_CALL(GetVelCommand))
        .def<int, Out<double>>("GetVelFeedback", WMX_CALL(GetVelFeedback));
}

template <class T>
void motion(py::module_& module) {
    using Pos = typename T::PosCommand;
    auto part = inner_part<T>(module, "Motion");
    one_or_several<T, Pos>(part, "StartPos", WMX_CALL(StartPos));
    one_or_several<T, Pos>(part, "StartMov", WMX_CALL(StartMov));
    one_or_several<T, typename T::JogCommand>(part, "StartJog", WMX_CALL(StartJog));
    one_or_several<T, typename TimedJogCommandOf<T>::type>(part, "StartJog_TimedJog",
                                                           WMX_CALL(StartJog));
    one_or_several<T, Pos>(part, "OverridePos", WMX_CALL(OverridePos));
    one_or_several<T, Pos>(part, "OverrideMov", WMX_CALL(OverrideMov));
    one_or_several<T, Pos>(part, "OverrideVel", WMX_CALL(OverrideVel));
    one_or_several<T, Pos>(part, "OverrideAcc", WMX_CALL(OverrideAcc));
    one_or_several<T, Pos>(part, "OverrideDec", WMX_CALL(OverrideDec));
    one_or_several<T, Pos>(part, "OverrideProfile", WMX_CALL(OverrideProfile));
    stops(part);
    using Line = typename T::LinearIntplCommand*;
    part.template def<Line>("StartLinearIntplPos", WMX_CALL(StartLinearIntplPos))
        .template def<Line>("StartLinearIntplMov", WMX_CALL(StartLinearIntplMov))
        .template def<int, double>("Stop_Dec", WMX_CALL(Stop))
        .template def<Counted<unsigned, typename T::StopCommand>>("Stop_StopCommand",
                                                                  WMX_CALL(Stop))
        .template def<int>("Wait", WMX_CALL(Wait))
        .template def<Axes>("Wait_AxisSel", WMX_CALL(Wait))
        .template def<typename T::WaitCondition*>("Wait_WaitCondition", WMX_CALL(Wait))
        .template def<int, unsigned>("Wait_TimeMilli", WMX_CALL(Wait))
        .template def<Axes, unsigned>("Wait_AxisSel_TimeMilli", WMX_CALL(Wait))
        .template def<int>("Pause", WMX_CALL(Pause))
        .template def<Axes>("Pause_AxisSel", WMX_CALL(Pause))
        .template def<int>("Resume", WMX_CALL(Resume))
        .template def<Axes>("Resume_AxisSel", WMX_CALL(Resume));
}

void home(py::module_& module) {
    inner_part<World::Home>(module, "Home")
        .def<int>("StartHome", WMX_CALL(StartHome))
        .def<Axes>("StartHome_AxisSel", WMX_CALL(StartHome))
        .def<int>("Continue", WMX_CALL(Continue))
        .def<Axes>("Continue_AxisSel", WMX_CALL(Continue))
        .def<int>("Cancel", WMX_CALL(Cancel))
        .def<Axes>("Cancel_AxisSel", WMX_CALL(Cancel))
        .def<int, double>("SetCommandPos", WMX_CALL(SetCommandPos))
        .def<int, double>("SetFeedbackPos", WMX_CALL(SetFeedbackPos))
        .def<int, unsigned char>("SetHomeDone", WMX_CALL(SetHomeDone))
        .def<int>("SetCommandPosToFeedbackPos", WMX_CALL(SetCommandPosToFeedbackPos))
        .def<int, double>("SetCommandPosToFeedbackPos", WMX_CALL(SetCommandPosToFeedbackPos));
}

template <class T>
void velocity(py::module_& module) {
    auto part = inner_part<T>(module, "Velocity");
    one_or_several<T, typename T::VelCommand>(part, "StartVel", WMX_CALL(StartVel));
    one_or_several<T, typename TimedVelCommandOf<T>::type>(part, "StartVel_TimedVel",
                                                           WMX_CALL(StartVel));
    one_or_several<T, typename T::VelCommand>(part, "OverrideVel", WMX_CALL(OverrideVel));
    stops(part);
    part.template def<int, double>("SetMaxMotorSpeed", WMX_CALL(SetMaxMotorSpeed))
        .template def<int, Out<double>>("GetMaxMotorSpeed", WMX_CALL(GetMaxMotorSpeed));
}

void torque(py::module_& module) {
    using T = World::Torque;
    auto part = inner_part<T>(module, "Torque");
    one_or_several<T, T::TrqCommand>(part, "StartTrq", WMX_CALL(StartTrq));
    part.def<int>("StopTrq", WMX_CALL(StopTrq))
        .def<Axes>("StopTrq_AxisSel", WMX_CALL(StopTrq))
        .def<int, double>("SetMaxTrqLimit", WMX_CALL(SetMaxTrqLimit))
        .def<int, Out<double>>("GetMaxTrqLimit", WMX_CALL(GetMaxTrqLimit));
}

template <class T>
void sync(py::module_& module) {
    using Shape = World::Profile*;
    inner_part<T>(module, "Sync")
        .template def<int, int>("SetSyncMasterSlave", WMX_CALL(SetSyncMasterSlave))
        .template def<int, int, Pointer<typename SyncOptionsOf<T>::type>>(
            "SetSyncMasterSlave", WMX_CALL(SetSyncMasterSlave))
        .template def<int, double, Shape>("SetSyncGearRatio", WMX_CALL(SetSyncGearRatio))
        .template def<int, int, double, Shape>("SetSyncGearRatio", WMX_CALL(SetSyncGearRatio))
        .template def<int>("SyncToJog", WMX_CALL(SyncToJog))
        .template def<int, Shape>("SyncToJog", WMX_CALL(SyncToJog))
        .template def<int>("ResolveSync", WMX_CALL(ResolveSync));
}

void config(py::module_& module) {
    using T = World::Config;
    using System = T::SystemParam;
    using OfAxes = T::AxisParam;
    auto part = inner_part<T>(module, "Config");
#define WMX_PARAMETERS(name)                                                                       \
    part.def<int, T::name*, Made<T::name>>("Set" #name, WMX_CALL(Set##name));                      \
    part.def<int, Made<T::name>>("Get" #name, WMX_CALL(Get##name));
    WMX_PARAMETERS(FeedbackParam)
    WMX_PARAMETERS(HomeParam)
    WMX_PARAMETERS(LimitParam)
    WMX_PARAMETERS(MotionParam)
    WMX_PARAMETERS(AlarmParam)
    WMX_PARAMETERS(SyncParam)
    part.def<System*, Made<System>>("SetParam", WMX_CALL(SetParam))
        .def<Made<System>>("GetParam", WMX_CALL(GetParam))
        .def<int, System*, Made<System>>("SetParam_Axis", WMX_CALL(SetParam))
        .def<int, Made<System>>("GetParam_Axis", WMX_CALL(GetParam))
        .def<OfAxes*, Made<OfAxes>>("SetAxisParam", WMX_CALL(SetAxisParam))
        .def<Made<OfAxes>>("GetAxisParam", WMX_CALL(GetAxisParam))
        .def<int, OfAxes*, Made<OfAxes>>("SetAxisParam_Axis", WMX_CALL(SetAxisParam))
        .def<int, Made<OfAxes>>("GetAxisParam_Axis", WMX_CALL(GetAxisParam))
        .def<int, double, double>("SetGearRatio", WMX_CALL(SetGearRatio))
        .def<int, Out<double>, Out<double>>("GetGearRatio", WMX_CALL(GetGearRatio))
        .def<int, bool, unsigned>("SetSingleTurn", WMX_CALL(SetSingleTurn))
        .def<int, char>("SetAxisPolarity", WMX_CALL(SetAxisPolarity))
        .def<int, Out<char>>("GetAxisPolarity", WMX_CALL(GetAxisPolarity))
        .def<Text>("GetAndExportAll", WMX_CALL(GetAndExportAll))
        .def<Text, Made<System>, Made<OfAxes>>("ImportAndSetAll", WMX_CALL(ImportAndSetAll))
        // With the error objects given, as the vendor's binding has it below its classes.
        .def<Text, System*, OfAxes*>("ImportAndSetAll", WMX_CALL(ImportAndSetAll));
}

template <class T, class Inner>
void add_inner(py::object cls, const char* name, Inner* T::*inner) {
    add_property(
        cls, name,
        [inner](py::handle self) {
            return py::cast(self.cast<T&>().*inner, py::return_value_policy::reference_internal,
                            self);
        },
        [](py::handle, py::handle) { refuse(PyExc_AttributeError, "a part is not set"); });
}

void core_motion(py::module_& module) {
    using T = World::CoreMotion;
    auto part = part_on_device<T>(module, "CoreMotion");
    part.def<Made<World::CoreMotionStatus>>("GetStatus", WMX_CALL(GetStatus))
        .def<World::EStopLevel::T>("ExecEStop", WMX_CALL(ExecEStop))
        .def<>("ReleaseEStop", WMX_CALL(ReleaseEStop));
    add_inner(part.cls, "axisControl", &T::axisControl);
    add_inner(part.cls, "motion", &T::motion);
    add_inner(part.cls, "home", &T::home);
    add_inner(part.cls, "velocity", &T::velocity);
    add_inner(part.cls, "torque", &T::torque);
    add_inner(part.cls, "sync", &T::sync);
    add_inner(part.cls, "config", &T::config);
}

template <class T>
void adv_motion(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        using Spline = typename T::PointTimeSplineCommand*;
        using Point = typename T::SplinePoint;
        inner_part<T>(module, "AdvMotion")
            .template def<int, unsigned>("CreateSplineBuffer", WMX_CALL(CreateSplineBuffer))
            .template def<int>("FreeSplineBuffer", WMX_CALL(FreeSplineBuffer))
            .template def<int, Out<unsigned>>("GetSplineBufferPoints",
                                              WMX_CALL(GetSplineBufferPoints))
            .template def<Out<unsigned>>("GetSplineBytesPerPoint", WMX_CALL(GetSplineBytesPerPoint))
            .template def<int, Spline, Timed<Point, double>>("StartCSplinePos_PointTime",
                                                             WMX_CALL(StartCSplinePos))
            .template def<int, Spline, Timed<Point, unsigned>>("StartCSplinePos_PointTime",
                                                               WMX_CALL(StartCSplinePos))
            .template def<int, unsigned>("CreatePVTBuffer", WMX_CALL(CreatePVTBuffer))
            .template def<int>("FreePVTBuffer", WMX_CALL(FreePVTBuffer))
            .template def<typename T::PVTCommand*>("StartPVT", WMX_CALL(StartPVT));
        using Owner = World::AdvancedMotion;
        auto owner = part_on_device<Owner>(module, "AdvancedMotion");
        add_inner(owner.cls, "advMotion", &Owner::advMotion);
    } else {
        left_out().insert({"AdvMotion", "AdvancedMotion"});
    }
}

template <class T>
void io(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        auto part = part_on_device<T>(module, "Io");
        using Byte = unsigned char;
#define WMX_IO(ex)                                                                                 \
    part.template def<int, int, Byte>("SetOutBit" #ex, WMX_CALL(SetOutBit##ex))                    \
        .template def<int, Byte>("SetOutByte" #ex, WMX_CALL(SetOutByte##ex))                       \
        .template def<int, BytesIn<int>>("SetOutBytes" #ex, WMX_CALL(SetOutBytes##ex))             \
        .template def<Bits<int>>("SetOutBits" #ex, WMX_CALL(SetOutBits##ex))                       \
        .template def<int, int, Out<Byte>>("GetInBit" #ex, WMX_CALL(GetInBit##ex))                 \
        .template def<int, Out<Byte>>("GetInByte" #ex, WMX_CALL(GetInByte##ex))                    \
        .template def<int, BytesOut<int>>("GetInBytes" #ex, WMX_CALL(GetInBytes##ex))              \
        .template def<int, int, Out<Byte>>("GetOutBit" #ex, WMX_CALL(GetOutBit##ex))               \
        .template def<int, Out<Byte>>("GetOutByte" #ex, WMX_CALL(GetOutByte##ex))                  \
        .template def<int, BytesOut<int>>("GetOutBytes" #ex, WMX_CALL(GetOutBytes##ex));
        WMX_IO()
        WMX_IO(Ex)
    } else {
        left_out().insert("Io");
    }
}

template <class T>
void user_memory(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        auto part = part_on_device<T>(module, "UserMemory");
        using Byte = unsigned char;
#define WMX_MEMORY(ex)                                                                             \
    part.template def<unsigned, unsigned, Byte>("SetMBit" #ex, WMX_CALL(SetMBit##ex))              \
        .template def<unsigned, Byte>("SetMByte" #ex, WMX_CALL(SetMByte##ex))                      \
        .template def<unsigned, BytesIn<unsigned>>("SetMBytes" #ex, WMX_CALL(SetMBytes##ex))       \
        .template def<unsigned, unsigned, Out<Byte>>("GetMBit" #ex, WMX_CALL(GetMBit##ex))         \
        .template def<unsigned, Out<Byte>>("GetMByte" #ex, WMX_CALL(GetMByte##ex))                 \
        .template def<unsigned, BytesOut<unsigned>>("GetMBytes" #ex, WMX_CALL(GetMBytes##ex));
        WMX_MEMORY()
        WMX_MEMORY(Ex)
    } else {
        left_out().insert("UserMemory");
    }
}

template <class T>
void events(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        using When = World::EventInput*;
        using Then = World::EventOutput*;
        using Byte = unsigned char;
        using Source = typename T::ComparatorSource*;
        part_on_device<T>(module, "EventControl")
            .template def<Out<int>, When, Then>("SetEvent", WMX_CALL(SetEvent))
            .template def<Out<int>, When, Then, int>("SetEvent_ID", WMX_CALL(SetEvent))
            .template def<Out<int>, When, Then, World::EventOption*>("SetEvent_Option",
                                                                     WMX_CALL(SetEvent))
            .template def<Out<int>, When, Then, int, World::EventOption*>("SetEvent_ID_Option",
                                                                          WMX_CALL(SetEvent))
            .template def<int, Out<int>, Out<int>>("GetEventModuleId", WMX_CALL(GetEventModuleId))
            .template def<int, Byte>("EnableEvent", WMX_CALL(EnableEvent))
            .template def<int>("RemoveEvent", WMX_CALL(RemoveEvent))
            .template def<>("ClearAllEvent", WMX_CALL(ClearAllEvent))
            .template def<unsigned, Byte, int, int, int, Byte, typename T::TouchProbeMode::T>(
                "SetSoftwareTouchProbe", WMX_CALL(SetSoftwareTouchProbe))
            .template def<unsigned, Byte>("EnableSoftwareTouchProbe",
                                          WMX_CALL(EnableSoftwareTouchProbe))
            .template def<unsigned, Out<Byte>>("IsSoftwareTouchProbeLatched",
                                               WMX_CALL(IsSoftwareTouchProbeLatched))
            .template def<unsigned, Out<Byte>, Out<double>>(
                "GetSoftwareTouchProbeCounterValue", WMX_CALL(GetSoftwareTouchProbeCounterValue))
            .template def<unsigned, typename T::ComparisonType::T, Source,
                          typename T::PSOOutput*, double>("SetPSOConfig", WMX_CALL(SetPSOConfig))
            .template def<unsigned, double>("SetPSOSingleData", WMX_CALL(SetPSOSingleData))
            .template def<unsigned, Counted<int, double>>("SetPSOMultipleData",
                                                          WMX_CALL(SetPSOMultipleData))
            .template def<unsigned, double, double, double>("SetPSOIntervalData",
                                                            WMX_CALL(SetPSOIntervalData))
            .template def<unsigned, Out<int>>("GetPSODataCount", WMX_CALL(GetPSODataCount))
            .template def<unsigned>("StartPSO", WMX_CALL(StartPSO))
            .template def<unsigned>("StopPSO", WMX_CALL(StopPSO))
            .template def<unsigned, Made<typename T::PSOStatus>>("GetPSOStatus",
                                                                 WMX_CALL(GetPSOStatus));
    } else {
        left_out().insert("EventControl");
    }
}

template <class T>
void cyclic_buffer(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        using OfAxes = World::CyclicBufferMultiAxisStatus;
        part_on_device<T>(module, "CyclicBuffer")
            .template def<int, unsigned>("OpenCyclicBuffer", WMX_CALL(OpenCyclicBuffer))
            .template def<Axes, unsigned>("OpenCyclicBuffer_AxisSel", WMX_CALL(OpenCyclicBuffer))
            .template def<int>("CloseCyclicBuffer", WMX_CALL(CloseCyclicBuffer))
            .template def<Axes>("CloseCyclicBuffer_AxisSel", WMX_CALL(CloseCyclicBuffer))
            .template def<int, World::CyclicBufferSingleAxisCommand*>("AddCommand",
                                                                      WMX_CALL(AddCommand))
            .template def<Axes, World::CyclicBufferMultiAxisCommands*>("AddCommand_AxisSel",
                                                                       WMX_CALL(AddCommand))
            .template def<int>("Execute", WMX_CALL(Execute))
            .template def<int, World::CyclicBufferSingleAxisOption*>("Execute", WMX_CALL(Execute))
            .template def<Axes>("Execute_AxisSel", WMX_CALL(Execute))
            .template def<Axes, World::CyclicBufferMultiAxisOption*>("Execute_AxisSel",
                                                                     WMX_CALL(Execute))
            .template def<int>("Abort", WMX_CALL(Abort))
            .template def<Axes>("Abort_AxisSel", WMX_CALL(Abort))
            .template def<int>("ExecQuickStop", WMX_CALL(ExecQuickStop))
            .template def<Axes>("ExecQuickStop_AxisSel", WMX_CALL(ExecQuickStop))
            .template def<int, Made<World::CyclicBufferSingleAxisStatus>>("GetStatus",
                                                                          WMX_CALL(GetStatus))
            .template def<Axes, Made<OfAxes>>("GetStatus_AxisSel", WMX_CALL(GetStatus));
    } else {
        left_out().insert("CyclicBuffer");
    }
}

template <class T>
void ethercat(py::module_& module) {
    if constexpr (IsThere<T>::value) {
        using State = typename World::EcStateMachine::T;
        using Kind = typename World::EcSdoType::T;
        using Info = Made<World::EcMasterInfo>;
        using Code = Out<unsigned>;
        part_on_device<T>(module, "Ecat")
            .template def<Info>("GetMasterInfo", WMX_CALL(GetMasterInfo))
            .template def<int, Info>("GetMasterInfo_MasterId", WMX_CALL(GetMasterInfo))
            .template def<>("ScanNetwork", WMX_CALL(ScanNetwork))
            .template def<int>("ScanNetwork_MasterId", WMX_CALL(ScanNetwork))
            .template def<>("StartHotconnect", WMX_CALL(StartHotconnect))
            .template def<int>("StartHotconnect_MasterId", WMX_CALL(StartHotconnect))
            .template def<int, State, Out<int>>("ChangeSlaveState", WMX_CALL(ChangeSlaveState))
            .template def<int, int, State, Out<int>>("ChangeSlaveState_MasterId",
                                                     WMX_CALL(ChangeSlaveState))
            .template def<>("ResetRefClockInfo", WMX_CALL(ResetRefClockInfo))
            .template def<int>("ResetRefClockInfo_MasterId", WMX_CALL(ResetRefClockInfo))
            .template def<>("ResetTransmitStatisticsInfo", WMX_CALL(ResetTransmitStatisticsInfo))
            .template def<int>("ResetTransmitStatisticsInfo_MasterId",
                               WMX_CALL(ResetTransmitStatisticsInfo))
            .template def<int, int, BytesOut<int>>("RegisterRead", WMX_CALL(RegisterRead))
            .template def<int, int, int, BytesOut<int>>("RegisterRead_MasterId",
                                                        WMX_CALL(RegisterRead))
            .template def<int, int, int, Kind, BytesOut<int>, Out<unsigned>, Code, unsigned>(
                "SdoUpload_SdoType_WaitTime", WMX_CALL(SdoUpload))
            .template def<int, int, int, int, Kind, BytesOut<int>, Out<unsigned>, Code, unsigned>(
                "SdoUpload_SdoType_WaitTime_MasterId", WMX_CALL(SdoUpload))
            .template def<int, int, int, Kind, BytesIn<int>, Code, unsigned>(
                "SdoDownload_SdoType_WaitTime", WMX_CALL(SdoDownload))
            .template def<int, int, int, int, Kind, BytesIn<int>, Code, unsigned>(
                "SdoDownload_SdoType_WaitTime_MasterId", WMX_CALL(SdoDownload))
            .template def<int, int, int, BytesOut<int>, Out<unsigned>>("PdoRead",
                                                                       WMX_CALL(PdoRead));
    } else {
        left_out().insert("Ecat");
    }
}

}  // namespace

void add_parts(py::module_& module) {
    api(module);
    axis_control(module);
    motion<World::Motion>(module);
    home(module);
    velocity<World::Velocity>(module);
    torque(module);
    sync<World::Sync>(module);
    config(module);
    core_motion(module);
    adv_motion<World::AdvMotion>(module);
    io<World::Io>(module);
    user_memory<World::UserMemory>(module);
    events<World::EventControl>(module);
    cyclic_buffer<World::CyclicBuffer>(module);
    ethercat<World::Ecat>(module);
}

}  // namespace binding
