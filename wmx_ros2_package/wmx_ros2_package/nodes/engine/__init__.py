"""The engine: brought up at start, watched, and taken down at the end."""

from .node import KIND

__all__ = ["KIND"]
