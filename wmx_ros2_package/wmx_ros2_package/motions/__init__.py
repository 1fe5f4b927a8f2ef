"""Motions with a life: what began, why it ended, and how long it takes. Pure: no ROS, no engine."""
