"""What the vendor's manual shows a new user of its SDK, a chapter each, as programs of our own.

Each is a program for `WMX3ApiPython` as it stands, which a machine with the SDK would run as well.
"""

SET_UP = """
api = WMX3Api()
assert api.CreateDevice("/opt/wmx3", DeviceType.DeviceTypeNormal, 10_000) == 0
assert api.SetDeviceName("manual") == 0
ret, status = api.GetEngineStatus()
assert (ret, status.state) == (0, EngineState.Running)
assert api.StartCommunication(10_000) == 0
assert api.GetEngineStatus()[1].state == EngineState.Communicating
ret, devices = api.GetAllDevices()
assert (ret, devices.count, devices.GetDevices(0).name) == (0, 1, "manual")
cm = CoreMotion(api)
ret, *version = cm.GetLibVersion()
assert ret == 0 and version[0] == 3
assert cm.GetStatus()[1].GetCycleTimeMilliseconds(0) == 1.0
"""
END = """
assert api.StopCommunication(10_000) == 0
assert api.CloseDevice() == 0
assert api.StartCommunication(10_000) == ErrorCode.DeviceIsNull
"""
SERVO_ON = """
def servo_on(*axes):
    for axis in axes:
        assert cm.axisControl.SetServoOn(axis, 1) == 0
        while not cm.GetStatus()[1].GetAxesStatus(axis).servoOn:
            sleep(0.01)


def at(axis):
    return round(cm.GetStatus()[1].GetAxesStatus(axis).posCmd, 3)


def command(axis, target, velocity=1000.0):
    made = Motion_PosCommand()
    made.axis, made.target = axis, target
    made.profile.type = ProfileType.Trapezoidal
    made.profile.velocity, made.profile.acc, made.profile.dec = velocity, 10_000.0, 10_000.0
    return made


servo_on(0, 1)
"""
CHAPTERS = {
    "the engine is stopped for all": """
assert api.StopEngine(10_000) == 0
assert WMX3Api().GetEngineStatus()[1].state == EngineState.Shutdown
assert cm.GetStatus()[0] == ErrorCode.IMLibIsNotRunning
assert api.CreateDevice("/opt/wmx3", DeviceType.DeviceTypeNormal, 10_000) == 0
assert api.GetEngineStatus()[1].state == EngineState.Running
assert api.StartCommunication(10_000) == 0
""",
    "axis control": """
assert cm.axisControl.ClearAmpAlarm(0) == 0
assert cm.axisControl.SetAxisCommandMode(0, AxisCommandMode.Velocity) == 0
assert cm.axisControl.GetAxisCommandMode(0) == (0, AxisCommandMode.Velocity)
assert cm.axisControl.SetAxisCommandMode(0, AxisCommandMode.Position) == 0
assert cm.config.SetGearRatio(1, 1000.0, 1.0) == 0
assert cm.config.GetGearRatio(1) == (0, 1000.0, 1.0)
assert cm.config.SetAxisPolarity(1, -1) == 0
assert cm.axisControl.SetServoOn(0, 0) == 0
while cm.GetStatus()[1].GetAxesStatus(0).servoOn:
    sleep(0.01)
ret = cm.motion.StartPos(command(0, 1.0))
assert ret == CoreMotionErrorCode.ServoOffline or ret == CoreMotionErrorCode.ServoOff, ret
assert "Error" in CoreMotion.ErrorToString(ret)
""",
    "homing": """
ret, home = cm.config.GetHomeParam(0)
home.homeType = Config_HomeType.CurrentPos
assert cm.config.SetHomeParam(0, home)[0] == 0
assert cm.home.StartHome(0) == 0
cm.motion.Wait(0)
assert cm.GetStatus()[1].GetAxesStatus(0).homeDone
assert cm.home.SetCommandPos(0, 25.0) == 0
assert at(0) == 25.0
""",
    "moves": """
assert cm.motion.StartPos(command(0, 100.0)) == 0
assert cm.motion.Wait(0) == 0
assert cm.motion.StartMov(command(0, -30.0)) == 0
assert cm.motion.Wait(0) == 0
assert at(0) == 70.0
both = AxisSelection()
both.axisCount = 2
both.SetAxis(0, 0)
both.SetAxis(1, 1)
assert cm.motion.StartPos(2, [command(0, 10.0), command(1, 20.0)]) == 0
assert cm.motion.Wait_AxisSel(both) == 0
assert (at(0), at(1)) == (10.0, 20.0)
line = Motion_LinearIntplCommand()
line.axisCount = 2
line.profile = command(0, 0.0).profile
for i in (0, 1):
    line.SetAxis(i, i)
    line.SetTarget(i, 50.0)
assert cm.motion.StartLinearIntplPos(line) == 0
assert cm.motion.Wait_AxisSel(both) == 0
assert (at(0), at(1)) == (50.0, 50.0)
""",
    "jogs and stops": """
for stop in (cm.motion.Stop, cm.motion.ExecQuickStop, lambda axis: cm.motion.Stop_Dec(axis, 500.0)):
    jog = Motion_JogCommand()
    jog.axis, jog.profile = 0, command(0, 0.0, 200.0).profile
    assert cm.motion.StartJog(jog) == 0
    sleep(0.05)
    assert cm.GetStatus()[1].GetAxesStatus(0).opState == OperationState.Jog
    begun = at(0)
    assert stop(0) == 0
    assert cm.motion.Wait(0) == 0
    slowed = at(0) - begun
assert 38.0 < slowed < 42.0, slowed  # v^2 / 2 dec, and a cycle
""",
    "an override": """
assert cm.motion.StartPos(command(0, 200.0, 100.0)) == 0
sleep(0.1)
assert cm.motion.OverrideVel(command(0, 200.0, 500.0)) == 0
sleep(0.1)
assert round(cm.GetStatus()[1].GetAxesStatus(0).velocityCmd) == 500
assert cm.motion.Wait(0) == 0
assert at(0) == 200.0
""",
    "velocity and torque": """
assert cm.axisControl.SetAxisCommandMode(0, AxisCommandMode.Velocity) == 0
run = Velocity_VelCommand()
run.axis, run.profile = 0, command(0, 0.0, 300.0).profile
assert cm.velocity.StartVel(run) == 0
sleep(0.1)
assert cm.GetStatus()[1].GetAxesStatus(0).velocityCmd == 300.0
assert cm.velocity.Stop(0) == 0
cm.motion.Wait(0)
assert cm.axisControl.SetAxisCommandMode(0, AxisCommandMode.Torque) == 0
push = Torque_TrqCommand()
push.axis, push.torque = 0, 5.0
assert cm.torque.StartTrq(push) == 0
sleep(0.1)
assert cm.GetStatus()[1].GetAxesStatus(0).actualVelocity > 0.0
assert cm.torque.StopTrq(0) == 0
""",
    "a spline": """
advanced = AdvancedMotion(api)
assert advanced.advMotion.CreateSplineBuffer(0, 100) == 0
spline, points = AdvMotion_PointTimeSplineCommand(), []
spline.dimensionCount = 2
for i in (0, 1):
    spline.SetAxis(i, i)
for place in (0.0, 10.0, 40.0, 50.0):
    point = AdvMotion_SplinePoint()
    point.SetPos(0, place)
    point.SetPos(1, -place)
    points.append(point)
times = [0.0, 100.0, 200.0, 300.0]
start = advanced.advMotion.StartCSplinePos_PointTime
assert start(0, spline, len(points), points, times) == 0
assert cm.motion.Wait(0) == 0
assert (at(0), at(1)) == (50.0, -50.0)
assert advanced.advMotion.FreeSplineBuffer(0) == 0
""",
    "synchronous control": """
assert cm.sync.SetSyncMasterSlave(0, 1) == 0
assert cm.motion.StartPos(command(0, 100.0)) == 0
assert cm.motion.Wait(0) == 0
assert (at(0), at(1)) == (100.0, 100.0)
assert cm.GetStatus()[1].GetAxesStatus(1).opState == OperationState.Sync
assert cm.sync.ResolveSync(1) == 0
""",
    "inputs and outputs": """
io = Io(api)
assert io.SetOutBit(0, 3, 1) == io.SetOutByte(1, 0x5A) == io.SetOutBytes(2, 2, [1, 2]) == 0
assert io.SetOutBits([4, 4], [0, 7], [1, 1], 2) == 0
assert io.GetOutBit(0, 3) == (0, 1)
assert io.GetOutBytes(0, 5) == (0, [8, 0x5A, 1, 2, 0x81])
assert io.GetInBit(0, 0) == (0, 0)
assert io.GetInBytes(0, 2)[0] == 0
memory = UserMemory(api)
assert memory.SetMByte(10, 7) == 0
assert memory.GetMByte(10) == (0, 7)
""",
    "an event": """
events, io = EventControl(api), Io(api)
when, then, option = IoEventInput(), CoreMotionEventOutput(), EventOption()
when.type = IoEventInputType.IOBit
when.ioBit.byteAddress, when.ioBit.bitAddress = 0, 5
when.ioBit.ioSourceType = IOSourceType.Output
then.type = CoreMotionEventOutputType.StopSingleAxis
then.stopSingleAxis.axis = 0
option.singleShot = True  # it is cleared when it has acted, and enabled from the beginning
ret, number = events.SetEvent_Option(when, then, option)
assert ret == 0
assert events.GetEventModuleId(number) == (0, ModuleId.IO, ModuleId.CoreMotion)
jog = Motion_JogCommand()
jog.axis, jog.profile = 0, command(0, 0.0, 100.0).profile
assert cm.motion.StartJog(jog) == 0
sleep(0.1)
assert io.SetOutBit(0, 5, 1) == 0
sleep(0.1)
assert cm.GetStatus()[1].GetAxesStatus(0).opState == OperationState.Idle
assert events.GetEventModuleId(number)[0] == EventErrorCode.IDNotDefined
""",
    "an emergency stop": """
assert cm.motion.StartPos(command(0, 1000.0)) == 0
sleep(0.1)
assert cm.ExecEStop(EStopLevel.Final) == 0
assert cm.GetStatus()[1].emergencyStop
assert cm.motion.StartPos(command(1, 1.0)) != 0
assert cm.ReleaseEStop() == 0
servo_on(0)
assert cm.motion.StartMov(command(0, 1.0)) == 0
""",
    "the network": """
ecat = Ecat(api)
ret, master = ecat.GetMasterInfo()
assert (ret, master.state) == (0, EcStateMachine.Op)
assert master.numOfSlaves > 0 and master.GetSlaves(0).state == EcStateMachine.Op
ret, data, size, error = ecat.SdoUpload_SdoType_WaitTime(0, 0x1018, 1, EcSdoType.Normal, 4, 1000)
assert (ret, error) == (0, 0), (ret, error)
assert int.from_bytes(bytes(data), "little") == master.GetSlaves(0).vendorId
""",
}


def program(chapter: str) -> str:
    """The whole program of a chapter."""
    begin = "from time import sleep\n\nfrom WMX3ApiPython import *\n"
    return begin + SET_UP + SERVO_ON + CHAPTERS[chapter] + END
