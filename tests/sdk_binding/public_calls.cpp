// The calls that public C++ packages make of the SDK (movensys/wmx-ros2, and the jog of wmx-r2), each
// with the types that they pass: a compiler takes them all against the declarations of the newest use.
#include <memory>
#include <string>
#include <vector>

#include "AdvancedMotionApi.h"
#include "CoreMotionApi.h"
#include "EcApi.h"
#include "IOApi.h"

using namespace wmx3Api;

int engine(WMX3Api &device, const std::string &name) {
    unsigned int timeout = 10000;
    char text[256];
    EngineStatus status;
    int err = device.CreateDevice("/opt/wmx3/", DeviceType::DeviceTypeNormal, timeout);
    err = device.CreateDevice(name.c_str(), DeviceType::DeviceTypeNormal, timeout);
    err = device.SetDeviceName(name.c_str());
    err = device.StartCommunication(timeout);
    err = device.StopCommunication(timeout);
    err = device.GetEngineStatus(&status);
    for (int i = 0; i < status.numOfInterrupts; ++i) err += status.interrupts[i].numOfAxes;
    WMX3Api::ErrorToString(err, text, sizeof(text));
    err = device.StopEngine(timeout);
    return status.state == EngineState::Communicating ? device.CloseDevice() : err;
}

int axes(WMX3Api &device, int axis) {
    auto core = std::make_unique<CoreMotion>(&device);
    CoreMotionStatus status;
    Motion::PosCommand position;
    Velocity::VelCommand velocity;
    position.axis = axis;
    position.profile.type = ProfileType::Trapezoidal;
    position.profile.velocity = position.profile.acc = position.profile.dec = 1.0;
    int err = core->GetStatus(&status);
    err = core->motion->StartPos(&position);
    err = core->motion->StartMov(&position);
    err = core->velocity->StartVel(&velocity);
    err = core->axisControl->SetServoOn(axis, 1, 1000);
    err = core->axisControl->SetServoOn(axis, 0);
    err = core->axisControl->ClearAmpAlarm(axis);
    err = core->axisControl->SetAxisCommandMode(axis, AxisCommandMode::Position);
    err = core->config->SetAxisPolarity(axis, -1);
    err = core->config->SetGearRatio(axis, 1.0, 1.0);
    Config::HomeParam home;
    err = core->config->GetHomeParam(axis, &home);
    home.homeType = Config::HomeType::CurrentPos;
    err = core->config->SetHomeParam(axis, &home);
    err = core->home->StartHome(axis);
    Motion::JogCommand jog = Motion::JogCommand();
    jog.profile.type = ProfileType::T::TimeAccJerkRatio;
    jog.SetRunTime(2000.0);
    err = core->motion->StartJog(&jog);
    err = core->motion->Stop(axis);
    return status.axesStatus[axis].inPos ? err : ErrorCode::None;
}

int trajectory(WMX3Api &device, char *path) {
    CoreMotion core(&device);
    AdvancedMotion advanced(&device);
    AdvMotion::PointTimeSplineCommand spline;
    AdvMotion::SplinePoint points[2];
    double times[2] = {0.0, 1000.0};
    AxisSelection selection;
    selection.axisCount = spline.dimensionCount = constants::maxSplineDimensions;
    Config::AxisParam parameters;
    int err = advanced.advMotion->CreateSplineBuffer(0, 1000);
    err = advanced.advMotion->StartCSplinePos(0, &spline, 2, points, times);
    err = core.motion->Stop(&selection);
    err = core.motion->Wait(&selection);
    err = core.config->ImportAndSetAll(path);
    err = core.config->GetAxisParam(&parameters);
    return advanced.advMotion->FreeSplineBuffer(0) + err;
}

int image(WMX3Api &device, int byte, int bit) {
    Io io(&device);
    unsigned char data = 0;
    std::vector<unsigned char> block(8, 0);
    int err = io.GetInBitEx(byte, bit, &data) + io.GetOutBitEx(byte, bit, &data);
    err += io.GetInBytesEx(byte, 8, block.data()) + io.GetOutBytesEx(byte, 8, block.data());
    err += io.SetOutBitEx(byte, bit, data) + io.SetOutBytesEx(byte, 8, block.data());
    return err + io.SetOutBit(0, 0, 1) + io.GetOutBit(0, 0, &data);
}

int network(WMX3Api &device, int master) {
    ecApi::Ecat ecat(&device);
    auto info = std::make_unique<ecApi::EcMasterInfo>();
    std::vector<unsigned char> registers(16, 0);
    int err = ecat.GetMasterInfo(master, info.get()) + ecat.ScanNetwork(master);
    err += ecat.RegisterRead(master, 0, 0x130, 16, registers.data());
    err += ecat.ResetRefClockInfo(master) + ecat.ResetTransmitStatisticsInfo(master);
    const ecApi::EcSlaveInfo &slave = info->slaves[0];
    return err + ecat.StartHotconnect(master) + static_cast<int>(slave.state) + slave.offline;
}
