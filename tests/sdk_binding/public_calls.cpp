// The calls that public C++ packages make of the SDK (movensys/wmx-ros2 and wmx-r2, with wmx_r2_control),
// each with the types that they pass: a compiler takes them all against the declarations of the newest
// use, and test_public_calls.py makes each by the binding. Not here: the robot option, a product of its
// own with headers of its own (RobotMotionApi.h), whose calls the binding does not offer.
#include <memory>
#include <string>
#include <vector>

#include "AdvancedMotionApi.h"
#include "CoreMotionApi.h"
#include "CyclicBufferApi.h"
#include "EcApi.h"
#include "IOApi.h"

using namespace wmx3Api;

int engine(WMX3Api &device, const std::string &name) {
    unsigned int timeout = 10000;
    int core = -1, id = 0;
    unsigned long affinity = 0;
    char text[256];
    EngineStatus status;
    int err = device.CreateDevice("/opt/wmx3/", DeviceType::DeviceTypeNormal, timeout);
    err = device.CreateDevice(name.c_str(), DeviceType::DeviceTypeNormal, timeout, core, affinity);
    err = device.SetDeviceName(name.c_str());
    err = device.GetDeviceID(&id);
    err = device.StartCommunication(timeout);
    err = device.StopCommunication(timeout);
    err = device.GetEngineStatus(&status);
    for (int i = 0; i < status.numOfInterrupts; ++i) err += status.interrupts[i].numOfAxes;
    WMX3Api::ErrorToString(err, text, sizeof(text));
    device.ErrorToString(err, text, sizeof(text));
    if (err == ErrorCode::StartProcessLockError || err == ErrorCode::CreateDeviceLockError ||
        err == ErrorCode::SetDeviceNameTimeout)
        return ErrorCode::IMLibIsNotRunning;
    err = device.StopEngine(timeout);
    return status.state == EngineState::Communicating ? device.CloseDevice() : err;
}

int axes(WMX3Api &device, int axis) {
    CoreMotion core;
    core = CoreMotion(&device);
    char text[256];
    double place = 0.0;
    CoreMotionStatus status;
    AxisCommandMode::T mode = AxisCommandMode::T::Position;
    Motion::PosCommand position;
    Velocity::VelCommand velocity;
    position.axis = axis;
    position.profile.type = ProfileType::T::Trapezoidal;
    position.profile.velocity = position.profile.acc = position.profile.dec = 1.0;
    velocity.profile.type = ProfileType::T::TimeAccTrapezoidal;
    velocity.profile.accTimeMilliseconds = velocity.profile.decTimeMilliseconds = 1.0;
    int err = core.GetStatus(&status);
    CoreMotion::ErrorToString(err, text, sizeof(text));
    err = core.motion->StartPos(&position);
    err = core.motion->StartMov(&position);
    err = core.velocity->StartVel(&velocity);
    err = core.axisControl->SetServoOn(axis, 1, 1000);
    err = core.axisControl->SetServoOn(axis, 0);
    err = core.axisControl->ClearAmpAlarm(axis);
    err = core.axisControl->SetAxisCommandMode(axis, AxisCommandMode::Position);
    err = core.axisControl->GetAxisCommandMode(axis, &mode);
    err = core.axisControl->GetPosCommand(axis, &place);
    err = core.config->SetAxisPolarity(axis, -1);
    err = core.config->SetGearRatio(axis, 1.0, 1.0);
    Config::HomeParam home;
    err = core.config->GetHomeParam(axis, &home);
    home.homeType = Config::HomeType::CurrentPos;
    home.homePosition = 1.0;
    err = core.config->SetHomeParam(axis, &home);
    err = core.home->StartHome(axis);
    Motion::JogCommand jog = Motion::JogCommand();
    jog.profile.type = ProfileType::T::TimeAccJerkRatio;
    jog.profile.jerkAccRatio = jog.profile.jerkDecRatio = 0.75;
    jog.SetRunTime(2000.0);
    err = core.motion->StartJog(&jog);
    err = core.motion->Stop(axis);
    err = core.motion->Wait(axis);
    const CoreMotionAxisStatus &one = status.axesStatus[axis];
    if (status.engineState != EngineState::T::Communicating || one.ampAlarm || !one.servoOn ||
        one.opState == OperationState::Stop || status.cycleTimeMilliseconds[0] <= 0.0)
        return static_cast<int>(one.actualPos + one.posCmd + one.actualVelocity);
    return one.inPos ? err : ErrorCode::None;
}

int trajectory(WMX3Api &device, char *path) {
    CoreMotion core(&device);
    AdvancedMotion advanced(&device);
    char text[256];
    AdvMotion::PointTimeSplineCommand spline;
    std::vector<AdvMotion::SplinePoint> points(2);
    std::vector<double> times = {0.0, 1000.0};
    AxisSelection selection;
    selection.axisCount = spline.dimensionCount = constants::maxSplineDimensions;
    Motion::LinearIntplCommand line;
    line.axisCount = 1u;
    line.axis[0] = 0;
    line.target[0] = line.maxVelocity[0] = line.maxAcc[0] = line.maxDec[0] = 1.0;
    Config::SystemParam wrong;
    Config::AxisParam parameters;
    int err = advanced.advMotion->CreateSplineBuffer(0, 1000);
    err = advanced.advMotion->StartCSplinePos(0, &spline, 2, points.data(), times.data());
    AdvancedMotion::ErrorToString(err, text, sizeof(text));
    err = core.motion->StartLinearIntplPos(&line);
    err = core.motion->Stop(&selection);
    err = core.motion->Wait(&selection);
    err = core.motion->Wait(&selection, 2000u);
    err = core.config->ImportAndSetAll(path);
    err = core.config->ImportAndSetAll(path, &wrong, &parameters);
    err = core.config->GetAxisParam(&parameters);
    if (parameters.gearRatioNumerator[0] == parameters.gearRatioDenominator[0])
        return static_cast<int>(parameters.axisPolarity[0]) + parameters.axisCommandMode[0];
    return advanced.advMotion->FreeSplineBuffer(0) + err;
}

int stream(WMX3Api &device, AxisSelection selection) {
    CyclicBuffer buffer(&device);
    char text[256];
    CyclicBufferMultiAxisCommands command;
    CyclicBufferMultiAxisOption option;
    CyclicBufferMultiAxisStatus status;
    command.cmd[0].type = CyclicBufferCommandType::T::AbsolutePos;
    command.cmd[0].command = 1.0;
    command.cmd[0].intervalCycles = 1;
    option.option[0].maxAcc = 1.0;
    int err = buffer.OpenCyclicBuffer(&selection, 3000);
    err = buffer.AddCommand(&selection, &command);
    err = buffer.Execute(&selection);
    err = buffer.Execute(&selection, &option);
    err = buffer.GetStatus(&selection, &status);
    err = buffer.ExecQuickStop(&selection);
    err = buffer.Abort(&selection);
    CyclicBuffer::ErrorToString(err, text, sizeof(text));
    switch (status.status[0].state) {
        case CyclicBufferState::T::Stopped:
        case CyclicBufferState::T::ExecutingCommand:
        case CyclicBufferState::T::WaitingForCommand:
            return status.status[0].availableCount - status.status[0].remainCount;
        case CyclicBufferState::T::MaxAccError:
        case CyclicBufferState::T::CommandModeMismatchError:
        case CyclicBufferState::T::Busy:
        case CyclicBufferState::T::ServoOff:
            break;
    }
    return buffer.CloseCyclicBuffer(&selection);
}

// wmx-ros2 names the class Io, wmx-r2 IO.
template <class Image>
int image(WMX3Api &device, int byte, int bit) {
    Image io(&device);
    io = Image(&device);
    char text[256];
    unsigned char data = 0;
    std::vector<unsigned char> block(8, 0);
    int err = io.GetInBitEx(byte, bit, &data) + io.GetOutBitEx(byte, bit, &data);
    err += io.GetInBytesEx(byte, 8, block.data()) + io.GetOutBytesEx(byte, 8, block.data());
    std::vector<int> bytes(2, 0), bits(2, 0);
    if (byte >= constants::maxIOInSize || byte >= constants::maxIOOutSize) return err;
    err += io.SetOutBitEx(byte, bit, data) + io.SetOutBytesEx(byte, 8, block.data());
    err += io.SetOutBitsEx(bytes.data(), bits.data(), block.data(), 2);
    err += io.GetInByteEx(byte, &data) + io.GetOutByteEx(byte, &data) + io.SetOutByteEx(byte, data);
    err += io.SetOutBit(0, 0, 1) + io.GetOutBit(0, 0, &data) + io.GetInBit(0, 1, &data);
    Image::ErrorToString(err, text, sizeof(text));
    return err + io.SetOutByte(28, 113) + io.GetOutByte(28, &data);
}
template int image<IO>(WMX3Api &device, int byte, int bit);

int network(WMX3Api &device, int master) {
    ecApi::Ecat ecat(&device);
    ecat = ecApi::Ecat(&device);
    char text[256];
    auto info = std::make_unique<ecApi::EcMasterInfo>();
    std::vector<unsigned char> registers(16, 0);
    int err = ecat.GetMasterInfo(master, info.get()) + ecat.ScanNetwork(master);
    err += ecat.RegisterRead(master, 0, 0x130, 16, registers.data());
    err += ecat.ResetRefClockInfo(master) + ecat.ResetTransmitStatisticsInfo(master);
    ecApi::Ecat::ErrorToString(err, text, sizeof(text));
    const ecApi::EcMasterStatisticsInfo &counted = info->statisticsInfo;
    err += counted.commPeriod + counted.totalAxesNum + counted.ringNum + counted.packetLoss;
    err += counted.txDelay + counted.packetTimeout + counted.overCycle + info->mode + info->state;
    for (unsigned i = 0; i < info->numOfSlaves && i < ecApi::constants::maxSlaves; ++i) {
        const ecApi::EcSlaveInfo &slave = info->slaves[i];
        err += slave.id + slave.alStatusCode + slave.position + slave.address + slave.newSlave;
        err += slave.vendorId + slave.productCode + slave.revisionNo + slave.serialNo + slave.alias;
        err += slave.inputAddr + slave.inputSize + slave.outputAddr + slave.outputSize;
        err += static_cast<int>(slave.state) + slave.offline + slave.inaccessible + slave.numOfAxes;
    }
    return err + ecat.StartHotconnect(master);
}
