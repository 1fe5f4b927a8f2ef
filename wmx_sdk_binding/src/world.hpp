// The SDK's headers, and the names that are looked for in them.
//
// What a release lacks shall be left out, and not end the build: so every name is looked for in a
// template's argument, the World, where a missing one is no error. A name that is missing at the top
// is found outside the SDK's namespaces, as a class that is declared here and nowhere defined.
#pragma once

#include "WMX3Api.h"
#include "CoreMotionApi.h"
#if __has_include("AdvancedMotionApi.h")
#include "AdvancedMotionApi.h"
#endif
#if __has_include("IOApi.h")
#include "IOApi.h"
#endif
#if __has_include("EcApi.h")
#include "EcApi.h"
#endif
#if __has_include("EventApi.h")
#include "EventApi.h"
#endif
#if __has_include("UserMemoryApi.h")
#include "UserMemoryApi.h"
#endif
#if __has_include("CyclicBufferApi.h")
#include "CyclicBufferApi.h"
#endif

// Some releases have a class for plain characters, XA, beside one for wide ones; older ones call the
// class of inputs and outputs Io, newer ones IO (its events may be called so, too). The second name is taken where it is there.
#define WMX_EITHER(X)                                                                              \
    X(DeviceInfo, DeviceInfoA) X(DevicesInfo, DevicesInfoA) X(ModuleInfo, ModuleInfoA)             \
    X(ModulesInfo, ModulesInfoA) X(Io, IO) X(IoEventInput, IOEventInput)
#define WMX_OF_MOTION(X)                                                                           \
    X(WMX3Api) X(EngineState) X(OperationState) X(AxisCommandMode) X(DeviceType) X(EStopLevel)     \
    X(ProfileType) X(HomeState) X(HomeError) X(ModuleId) X(IOSourceType) X(ErrorCode)              \
    X(CoreMotionErrorCode) X(IOErrorCode) X(AdvancedMotionErrorCode) X(EventErrorCode)             \
    X(UserMemoryErrorCode) X(AxisSelection) X(Profile) X(EngineStatus) X(InterruptData)            \
    X(EngineInfo) X(DeviceStatistics) X(CoreMotionAxisStatus) X(CoreMotionStatus)                  \
    X(AxisCompensation) X(AxisSupportedFunction) X(AxisControl) X(Config) X(Sync) X(Home)          \
    X(Velocity) X(Torque) X(Motion) X(CoreMotion) X(AdvMotion) X(AdvancedMotion)                   \
    X(UserMemory) X(EventControl) X(EventInput) X(EventOutput) X(EventOption)                      \
    X(UserMemoryEventInput) X(CoreMotionEventOutput) X(EventApiEventInput)                         \
    X(CyclicBuffer) X(CyclicBufferErrorCode) X(CyclicBufferCommandType) X(CyclicBufferState)       \
    X(CyclicBufferSingleAxisCommand) X(CyclicBufferMultiAxisCommands)                              \
    X(CyclicBufferSingleAxisOption) X(CyclicBufferMultiAxisOption)                                 \
    X(CyclicBufferSingleAxisStatus) X(CyclicBufferMultiAxisStatus)
#define WMX_OF_ETHERCAT(X)                                                                         \
    X(EcStateMachine) X(EcSdoType) X(EcHotconnectState) X(EcMasterMode) X(EcErrorCode)             \
    X(EcSlaveAxisInfo) X(EcSlaveInfo) X(EcMasterStatisticsInfo) X(EcMasterInfo)                    \
    X(EcMasterInfoList) X(Ecat)

#define WMX_ABSENT(name) struct name;
#define WMX_BOTH_ABSENT(name, other) struct name; struct other;
WMX_OF_MOTION(WMX_ABSENT) WMX_OF_ETHERCAT(WMX_ABSENT) WMX_EITHER(WMX_BOTH_ABSENT)

#define WMX_FOUND(name) typedef name name##_;
#define WMX_BOTH_FOUND(name, other) typedef name name##_; typedef other other##_;
namespace wmx3Api {
namespace of_binding {
WMX_OF_MOTION(WMX_FOUND)
WMX_EITHER(WMX_BOTH_FOUND)
}  // namespace of_binding
namespace ecApi {
namespace of_binding {
WMX_OF_ETHERCAT(WMX_FOUND)
}
}  // namespace ecApi
}  // namespace wmx3Api

#include <type_traits>

namespace binding {

template <class T, class = void>
struct IsThere : std::false_type {};
template <class T>
struct IsThere<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

#define WMX_MEMBER_OF_MOTION(name) typedef wmx3Api::of_binding::name##_ name;
#define WMX_MEMBER_OF_ETHERCAT(name) typedef wmx3Api::ecApi::of_binding::name##_ name;
#define WMX_MEMBER_EITHER(name, other)                                                             \
    typedef std::conditional_t<IsThere<wmx3Api::of_binding::other##_>::value,                      \
                               wmx3Api::of_binding::other##_, wmx3Api::of_binding::name##_>        \
        name;

struct World {
    WMX_OF_MOTION(WMX_MEMBER_OF_MOTION)
    WMX_OF_ETHERCAT(WMX_MEMBER_OF_ETHERCAT)
    WMX_EITHER(WMX_MEMBER_EITHER)
};

}  // namespace binding
