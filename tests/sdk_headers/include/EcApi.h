// See WMX3Api.h.
#pragma once

#include "WMX3Api.h"

namespace wmx3Api {
namespace ecApi {

namespace constants {
static const int maxMasters = 2;
static const int maxSlaves = 256;
static const int maxSlaveAxes = 16;
}  // namespace constants

SDK_ENUM(EcStateMachine)
SDK_ENUM(EcSdoType)
SDK_ENUM(EcHotconnectState)
SDK_ENUM(EcMasterMode)
class EcOperationMode { public: enum T { NONE = 0, PP = 1, PV = 3, HM = 6, CSP = 8 }; };
class EcHotconnectAbortCode { public: enum T { None, PortOpenError, Timeout, Unknown = 8 }; };
class EcErrorCode : public ErrorCode { public: enum { MEMBERS_EcErrorCode }; };

class EcSlaveAxisInfo {
   public:
    int axisIndex = 0;
    short digitalInputAddr = 0;
    unsigned short digitalInputSize = 0;
    short digitalOutputAddr = 0;
    unsigned short digitalOutputSize = 0;
    EcOperationMode::T operationMode{};
    unsigned char targetReached = 0, followingError = 0, homingError = 0, homingAttained = 0;
    unsigned char halt = 0;
};

class EcSlaveInfo {
   public:
    int id = 0;
    short position = 0, address = 0;
    unsigned int vendorId = 0, productCode = 0, revisionNo = 0, serialNo = 0, alias = 0;
    unsigned int numOfAxes = 0;
    EcSlaveAxisInfo axisInfo[constants::maxSlaveAxes];
    EcStateMachine::T state{};
    unsigned short alStatusCode = 0;
    unsigned char offline = 0, inaccessible = 0, newSlave = 0, reverseSlave = 0;
    unsigned char dcSupport = 0, dcWidth = 0;
    unsigned char portState[4] = {};
    int neighbor[4] = {};
    unsigned int propagaDelay = 0;
    unsigned long long systemTime = 0, systemTimeOffset = 0, startTime = 0;
    unsigned short inputAddr = 0, inputSize = 0, outputAddr = 0, outputSize = 0;
    unsigned int rxLogicAddr = 0, rxPhyAddr = 0, rxSize = 0;
    unsigned int txLogicAddr = 0, txPhyAddr = 0, txSize = 0;
};

class EcMasterStatisticsInfo {
   public:
    long commPeriod = 0;
    long long cycleCounter = 0;
    long long interruptIntervalCount[9] = {};
    long long cycleProcessTimeCount[6] = {}, processTimeCount[6] = {};
    long long commandProcessTimeCount[6] = {}, feedbackProcessTimeCount[6] = {};
    long long communicateProcessTimeCount[6] = {}, dcDiffCount[12] = {};
    unsigned int txDelay = 0, minTxDelay = 0, maxTxDelay = 0, packetLoss = 0, packetTimeout = 0;
    unsigned int packetLossMode[4] = {}, packetTimeoutMode[4] = {};
    unsigned long long minRefClockInterval = 0, maxRefClockInterval = 0, avgRefClockInterval = 0;
    unsigned long long curRefClock = 0, nextDcClock = 0;
    int diffFromNextDcClock = 0, minDiffFromNextDcClock = 0, maxDiffFromNextDcClock = 0;
    unsigned int totalAxesNum = 0, totalRxPdoSize = 0, totalTxPdoSize = 0;
    unsigned int totalInputSize = 0, totalOutputSize = 0, overCycle = 0, ringNum = 0;
    unsigned int numOfCyclicFrames = 0;
    EcHotconnectState::T hcState{};
    EcHotconnectAbortCode::T hcAbortCode{};
    long hcErrorCode = 0;
};

class EcMasterInfo {
   public:
    int id = 0;
    EcStateMachine::T state{};
    EcMasterMode::T mode{};
    unsigned int numOfSlaves = 0;
    EcSlaveInfo slaves[constants::maxSlaves];
    EcMasterStatisticsInfo statisticsInfo;
};

class EcMasterInfoList {
   public:
    unsigned int numOfMasters = 0;
    EcMasterInfo masters[constants::maxMasters];
};

typedef int (*EcRegisterReadCallBack)(int, int, int, int, int, unsigned char *);

class Ecat {
   public:
    SDK_PART(Ecat)
    WMX3APIFUNC ScanNetwork();
    WMX3APIFUNC ScanNetwork(int masterId);
    WMX3APIFUNC ChangeSlaveState(int slaveId, EcStateMachine::T state, int *errorCode);
    WMX3APIFUNC ChangeSlaveState(int masterId, int slaveId, EcStateMachine::T state,
                                 int *errorCode);
    WMX3APIFUNC StartHotconnect();
    WMX3APIFUNC StartHotconnect(int masterId);
    WMX3APIFUNC ResetRefClockInfo();
    WMX3APIFUNC ResetRefClockInfo(int masterId);
    WMX3APIFUNC ResetTransmitStatisticsInfo();
    WMX3APIFUNC ResetTransmitStatisticsInfo(int masterId);
    WMX3APIFUNC GetMasterInfo(EcMasterInfo *master);
    WMX3APIFUNC GetMasterInfo(int masterId, EcMasterInfo *master);
    WMX3APIFUNC RegisterRead(int slaveId, int regAddr, int len, unsigned char *buff);
    WMX3APIFUNC RegisterRead(int masterId, int slaveId, int regAddr, int len, unsigned char *buff);
    WMX3APIFUNC RegisterRead(int slaveId, int regAddr, int len, EcRegisterReadCallBack callback,
                             unsigned int wait);
    WMX3APIFUNC SdoDownload(int slaveId, int index, int subindex, int size, unsigned char *data,
                            unsigned int *errCode, unsigned int wait = 0);
    WMX3APIFUNC SdoUpload(int slaveId, int index, int subindex, int size, unsigned char *buff,
                          unsigned int *actualSize, unsigned int *errCode, unsigned int wait = 0);
    WMX3APIFUNC SdoDownload(int slaveId, int index, int subindex, EcSdoType::T type, int size,
                            unsigned char *data, unsigned int *errCode, unsigned int wait = 0,
                            int complete = 0);
    WMX3APIFUNC SdoUpload(int slaveId, int index, int subindex, EcSdoType::T type, int size,
                          unsigned char *buff, unsigned int *actualSize, unsigned int *errCode,
                          unsigned int wait = 0, int complete = 0);
    WMX3APIFUNC SdoDownload(int masterId, int slaveId, int index, int subindex, EcSdoType::T type,
                            int size, unsigned char *data, unsigned int *errCode,
                            unsigned int wait = 0, int complete = 0);
    WMX3APIFUNC SdoUpload(int masterId, int slaveId, int index, int subindex, EcSdoType::T type,
                          int size, unsigned char *buff, unsigned int *actualSize,
                          unsigned int *errCode, unsigned int wait = 0, int complete = 0);
};

}  // namespace ecApi
}  // namespace wmx3Api
