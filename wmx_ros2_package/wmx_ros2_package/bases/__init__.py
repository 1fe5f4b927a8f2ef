"""Bases on two driven wheels, as numbers: kinematics, limits of speed, odometry."""
