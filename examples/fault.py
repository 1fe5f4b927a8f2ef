"""Causes a fault on a simulated machine, says what helps, and recovers."""

from wmx_ros2_package.client import Machine, MachineError, MotionFailed

with Machine() as machine:
    if not machine.simulated:
        raise SystemExit("faults are for simulated machines")
    axis = machine.axes[0]
    axis.on()
    machine.simulation.fault("raise_alarm", axis=0, code=0x7121, after=0.5)
    try:
        axis.move_by(10.0, velocity=1.0).wait()
    except MotionFailed as error:
        print(f"{error.name}: {error.text}")
        print(f"what helps:\n{error.remedy}")
    try:
        axis.on()
    except MachineError as error:
        print(f"the servo stays off: {error.name}")
    axis.clear()
    axis.on()
    print("recovered:", axis.move_by(0.1).wait().reason.name)
