"""Between our values and messages of ROS."""
