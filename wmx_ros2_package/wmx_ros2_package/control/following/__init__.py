"""Trajectories while they are carried out, for MoveIt, Nav2's spins, and moves of actuators.

`executor` has all of a node, and decides which goes on; `execution` is one of them: its `pacing`,
the `faults` that end it, and its `context`, the node.
"""
