"""Named actuators: what they are, and what commands to them mean for the engine; without rclpy."""
