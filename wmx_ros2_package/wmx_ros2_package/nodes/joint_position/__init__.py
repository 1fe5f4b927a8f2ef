"""Positions that come as a stream, as MoveIt Servo sends them: the arm follows the last one."""

from .node import KIND

__all__ = ["KIND"]
