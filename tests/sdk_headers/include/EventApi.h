// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {

namespace constants {
static const int maxEvents = 512;
static const int maxTouchprobeChannel = 64;
static const int maxPsoChannel = 64;
static const int maxPsoData = 128;
}  // namespace constants

class EventErrorCode : public ErrorCode { public: enum { MEMBERS_EventErrorCode }; };

class EventOption {
   public:
    bool singleShot = false, disableAfterActivate = false, enable = true;
};

class EventApiEventInput : public EventInput {
   public:
    enum EventApiEventInputType {
        None, AnotherEvent, DelayAnotherEvent, OrEvent, AndEvent, XorEvent, DeviceCloseEvent,
        DeviceTimeoutEvent
    };
    EventApiEventInputType inputFunction = None;
    union InputFunctionArguments {
        InputFunctionArguments() { std::memset(this, 0, sizeof *this); }
        struct DeviceCloseEvent { int deviceId; } deviceCloseEvent;
        struct DeviceTimeoutEvent { int deviceId; } deviceTimeoutEvent;
    } input;
    int GetInputModuleId() override;
};

class EventControl {
   public:
    SDK_PART(EventControl)
    class TouchProbeMode { public: enum T { MEMBERS_EventControl_TouchProbeMode }; };
    class PSOOutputType { public: enum T { MEMBERS_EventControl_PSOOutputType }; };
    class ComparatorSourceType { public: enum T { MEMBERS_EventControl_ComparatorSourceType }; };
    class ComparisonType { public: enum T { MEMBERS_EventControl_ComparisonType }; };
    class PSOOutput {
       public:
        PSOOutputType::T outputType{};
        unsigned int byteAddress = 0;
        unsigned char bitAddress = 0, invert = 0;
    };
    class PSOStatus {
       public:
        unsigned char enabled = 0, active = 0;
        int activeDataIndex = 0;
        PSOOutput output;
    };
    class PSOOption {
       public:
        unsigned char allowTriggerOnStart = 0;
    };
    class ComparatorSource {
       public:
        ComparatorSourceType::T sourceType{};
        int axis = 0;
    };
    WMX3APIFUNC SetEvent(int *id, EventInput *input, EventOutput *output,
                         EventOption *option = nullptr);
    WMX3APIFUNC SetEvent(int *id, EventInput *input, EventOutput *output, int wanted,
                         EventOption *option = nullptr);
    WMX3APIFUNC GetEventModuleId(int id, int *inputModuleId, int *outputModuleId);
    WMX3APIFUNC EnableEvent(int id, unsigned char enable);
    WMX3APIFUNC RemoveEvent(int id);
    WMX3APIFUNC ClearAllEvent();
    WMX3APIFUNC SetSoftwareTouchProbe(unsigned int channel, unsigned char enable, int axis,
                                      int byteAddrs, int bitOffset, unsigned char logic,
                                      TouchProbeMode::T mode);
    WMX3APIFUNC EnableSoftwareTouchProbe(unsigned int channel, unsigned char enable);
    WMX3APIFUNC IsSoftwareTouchProbeLatched(unsigned int channel, unsigned char *latched);
    WMX3APIFUNC GetSoftwareTouchProbeCounterValue(unsigned int channel, unsigned char *latched,
                                                  double *value);
    WMX3APIFUNC SetPSOConfig(unsigned int channel, ComparisonType::T type, ComparatorSource *source,
                             PSOOutput *output, double minDurationMilliseconds,
                             PSOOption *option = nullptr);
    WMX3APIFUNC SetPSOSingleData(unsigned int channel, double data);
    WMX3APIFUNC SetPSOMultipleData(unsigned int channel, int count, double *data);
    WMX3APIFUNC SetPSOIntervalData(unsigned int channel, double start, double end, double interval);
    WMX3APIFUNC GetPSODataCount(unsigned int channel, int *count);
    WMX3APIFUNC StartPSO(unsigned int channel);
    WMX3APIFUNC StopPSO(unsigned int channel);
    WMX3APIFUNC GetPSOStatus(unsigned int channel, PSOStatus *status);
};

}  // namespace wmx3Api
