// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {

class IOErrorCode : public ErrorCode { public: enum { MEMBERS_IOErrorCode }; };

class IoEventInput : public EventInput {
   public:
    enum IoEventInputType { MEMBERS_IoEventInputType };
    IoEventInputType inputFunction = IOBit;
    union InputFunctionArguments {
        InputFunctionArguments() { std::memset(this, 0, sizeof *this); }
        struct IOBit {
            unsigned int byteAddress;
            unsigned char bitAddress, invert;
            IOSourceType::T ioSourceType;
        } ioBit;
        struct NotIOBit {
            unsigned int byteAddress;
            unsigned char bitAddress, invert;
            IOSourceType::T ioSourceType;
        } notIOBit;
    } input;
    int GetInputModuleId() override;
};

#if SDK_EDITION == 1
#define SDK_IO_CLASS Io
#else
#define SDK_IO_CLASS IO
#endif
class SDK_IO_CLASS {
   public:
    SDK_PART(SDK_IO_CLASS)
#define SDK_IO(ex)                                                                                 \
    WMX3APIFUNC SetOutBit##ex(int addr, int bit, unsigned char data);                              \
    WMX3APIFUNC SetOutByte##ex(int addr, unsigned char data);                                      \
    WMX3APIFUNC SetOutBytes##ex(int addr, int size, unsigned char *data);                          \
    WMX3APIFUNC SetOutBits##ex(int *addr, int *bit, unsigned char *data, int count);               \
    WMX3APIFUNC GetInBit##ex(int addr, int bit, unsigned char *data);                              \
    WMX3APIFUNC GetInByte##ex(int addr, unsigned char *data);                                      \
    WMX3APIFUNC GetInBytes##ex(int addr, int size, unsigned char *data);                           \
    WMX3APIFUNC GetOutBit##ex(int addr, int bit, unsigned char *data);                             \
    WMX3APIFUNC GetOutByte##ex(int addr, unsigned char *data);                                     \
    WMX3APIFUNC GetOutBytes##ex(int addr, int size, unsigned char *data);
    SDK_IO()
    SDK_IO(Ex)
};

}  // namespace wmx3Api
