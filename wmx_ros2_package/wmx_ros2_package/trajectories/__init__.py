"""Trajectories of joints: what a goal must be, and how the engine's splines follow it.

Pure functions of numbers, without ROS. Positions and their derivatives are arrays of shape
(points, joints) or (joints,), in the joints' user units (u), times in s.
"""
