"""ROS 2 nodes, a client library, a command line and a panel over the WMX motion engine.

`docs/architecture.md` draws the rooms and the paths between them.
"""
