"""A program for the vendor's SDK: `python3 -m wmx_sim examples/sdk_program.py --fast` runs it.

It needs neither ROS nor a running system. On a machine with the SDK it runs as it stands.
"""

from time import sleep

from WMX3ApiPython import CoreMotion, DeviceType, Motion_PosCommand, ProfileType, WMX3Api

TIMEOUT = 10_000  # ms

api = WMX3Api()
api.CreateDevice("/opt/wmx3", DeviceType.DeviceTypeNormal, TIMEOUT)
api.StartCommunication(TIMEOUT)
core = CoreMotion(api)
core.axisControl.SetServoOn(0, 1)
while not core.GetStatus()[1].GetAxesStatus(0).servoOn:
    sleep(0.01)

command = Motion_PosCommand()
command.axis, command.target = 0, 50_000
command.profile.type = ProfileType.Trapezoidal
command.profile.velocity = 100_000
command.profile.acc = command.profile.dec = 1_000_000
error = core.motion.StartPos(command)
if error:
    raise SystemExit(f"StartPos: {WMX3Api.ErrorToString(error)}")
core.motion.Wait(0)
print("axis 0 is at", core.GetStatus()[1].GetAxesStatus(0).posCmd)

core.axisControl.SetServoOn(0, 0)
api.StopCommunication(TIMEOUT)
api.CloseDevice()
