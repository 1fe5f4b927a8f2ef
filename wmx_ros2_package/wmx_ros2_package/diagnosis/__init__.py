"""What the state of the machine means, in words; nothing of ROS."""
