"""Trajectories of an arm: the action to which MoveIt 2 sends them, and a topic."""

from .node import KIND

__all__ = ["KIND"]
