"""Named actuators: what they are, and what a command to them means for the engine. Pure: no rclpy."""
