// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {

namespace constants {
static const int maxUserMemoryBytes = 1024 * 2480;
static const int maxUserMemoryReadWriteBytes = 1024 * 248;
}  // namespace constants

class UserMemoryErrorCode : public ErrorCode { public: enum { MEMBERS_UserMemoryErrorCode }; };

class UserMemoryEventInput : public EventInput {
   public:
    enum UserMemoryEventInputType { MEMBERS_UserMemoryEventInputType };
    UserMemoryEventInputType inputFunction = MBit;
    union InputFunctionArguments {
        InputFunctionArguments() { std::memset(this, 0, sizeof *this); }
        struct DelayMBit {
            unsigned int byteAddress;
            unsigned char bitAddress, invert;
            unsigned int delayTime;
        } delayMBit;
    } input;
    int GetInputModuleId() override;
};

class UserMemory {
   public:
    SDK_PART(UserMemory)
#define SDK_MEMORY(ex)                                                                             \
    WMX3APIFUNC SetMBit##ex(unsigned int addr, unsigned int bit, unsigned char data);              \
    WMX3APIFUNC SetMByte##ex(unsigned int addr, unsigned char data);                               \
    WMX3APIFUNC SetMBytes##ex(unsigned int addr, unsigned int size, unsigned char *data);          \
    WMX3APIFUNC GetMBit##ex(unsigned int addr, unsigned int bit, unsigned char *data);             \
    WMX3APIFUNC GetMByte##ex(unsigned int addr, unsigned char *data);                              \
    WMX3APIFUNC GetMBytes##ex(unsigned int addr, unsigned int size, unsigned char *data);
    SDK_MEMORY()
    SDK_MEMORY(Ex)
};

}  // namespace wmx3Api
