"""What else there is in the ROS domain: other nodes, as they are discovered, and other programs."""
