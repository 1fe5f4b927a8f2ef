"""What the launch files have in common: arguments, a process for each node, when to end.

arguments   what may be given, and the checks of it before anything starts
files       what the files of parameters say, and the engine that they mean
nodes       the processes of a system, or of a robot
"""

from .nodes import NEWER_ARM, low_level_launch, newer_launch, robot_launch

__all__ = ["NEWER_ARM", "low_level_launch", "newer_launch", "robot_launch"]
