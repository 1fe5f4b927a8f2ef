// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {

class CyclicBufferErrorCode : public ErrorCode { public: enum { MEMBERS_CyclicBufferErrorCode }; };
SDK_ENUM(CyclicBufferCommandType)
class CyclicBufferState {
   public:
#if SDK_EDITION == 1
    enum T { MEMBERS_CyclicBufferState };
#else
    enum T { MEMBERS_CyclicBufferState, CommandModeMismatchError, Busy, ServoOff };
#endif
};

class CyclicBufferSingleAxisCommand {
   public:
    CyclicBufferCommandType::T type{};
    double command = 0;
    unsigned int intervalCycles = 0;
};
class CyclicBufferSingleAxisOption {
   public:
    double maxAcc = 0;
};
class CyclicBufferSingleAxisStatus {
   public:
    CyclicBufferState::T state{};
    unsigned int remainCount = 0, availableCount = 0;
};
class CyclicBufferMultiAxisCommands {
   public:
    CyclicBufferSingleAxisCommand cmd[constants::maxAxes];
};
class CyclicBufferMultiAxisOption {
   public:
    CyclicBufferSingleAxisOption option[constants::maxAxes];
};
class CyclicBufferMultiAxisStatus {
   public:
    CyclicBufferSingleAxisStatus status[constants::maxAxes];
};

class CyclicBuffer {
   public:
    SDK_PART(CyclicBuffer)
#define SDK_CYCLIC(axes, kind)                                                                     \
    WMX3APIFUNC OpenCyclicBuffer(axes, unsigned int cycles);                                       \
    WMX3APIFUNC CloseCyclicBuffer(axes);                                                           \
    WMX3APIFUNC Execute(axes, CyclicBuffer##kind##Option *option = nullptr);                       \
    WMX3APIFUNC Abort(axes);                                                                       \
    WMX3APIFUNC ExecQuickStop(axes);                                                               \
    WMX3APIFUNC GetStatus(axes, CyclicBuffer##kind##Status *status);
    SDK_CYCLIC(int axis, SingleAxis)
    SDK_CYCLIC(AxisSelection *axes, MultiAxis)
    WMX3APIFUNC AddCommand(int axis, CyclicBufferSingleAxisCommand *command);
    WMX3APIFUNC AddCommand(AxisSelection *axes, CyclicBufferMultiAxisCommands *commands);
};

}  // namespace wmx3Api
