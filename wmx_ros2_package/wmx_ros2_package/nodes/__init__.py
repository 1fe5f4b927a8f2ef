"""The nodes: a file or folder each, whose `KIND` says what the node is made of.

`core_motion` serves single axes by topics and services, and publishes their state; `actuators`
axes with names; `follow_joint_trajectory`, `joint_position`, `manipulator_state` and `gripper` an
arm; `diff_drive` a base; `engine` the engine itself; `ethercat` and `io` the rest of the machine.
`recorder` and `lifecycle_manager` look after the others.
"""
