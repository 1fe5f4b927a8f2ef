"""The text where control_msgs is missing: no Python registry has it, every ROS release does."""

MISSING = (
    "control_msgs is missing, whose messages it speaks: install ros-$ROS_DISTRO-control-msgs, or "
    "run `make build` on plain Python"
)


def is_missing(error: ModuleNotFoundError) -> bool:
    """Whether it is control_msgs that is not there."""
    return (error.name or "").partition(".")[0] == "control_msgs"
