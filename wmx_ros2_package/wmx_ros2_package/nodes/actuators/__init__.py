"""Named actuators: commands by topic, service and action, with a begin and an end of each."""

from .node import KIND

__all__ = ["KIND"]
