"""A program that holds a joystick: it moves axis 0 by a topic of AxisVelocity, until it ends."""

import sys
import time

import rclpy
from wmx_ros2_message.msg import AxisVelocity

rclpy.init()
node = rclpy.create_node("joystick")
publisher = node.create_publisher(AxisVelocity, sys.argv[1], 10)
while not publisher.get_subscription_count():
    time.sleep(0.01)
message = AxisVelocity(index=[0], velocity=[1.0], acc=[50.0], dec=[10.0])
print("holds", flush=True)
while True:
    publisher.publish(message)
    time.sleep(0.025)
