"""The simulated engine: motion, network, inputs and outputs, faults, the machine, time."""
