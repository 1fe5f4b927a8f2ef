"""Switches an output, and reads inputs. On the simulated machine a wire may answer the output."""

from wmx_ros2_package.client import Machine

with Machine() as machine:
    outputs, inputs = machine.io.outputs, machine.io.inputs
    outputs[0, 1] = True
    print("output 0.1 is", outputs[0, 1])
    print("inputs 0 to 3:", inputs[0:4].hex(" "))
    if machine.simulated:
        machine.simulation.fault("force_input", input="0.2", value=True, after=0.5)
        inputs.wait(0, 2)
        print("input 0.2 came on")
        machine.simulation.fault("release_input", input="0.2")
    outputs.set({(0, 1): False, (0, 2): False})
