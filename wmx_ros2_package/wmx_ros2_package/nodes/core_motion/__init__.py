"""The axes: their state, their motion commands, and their settings."""

from .node import KIND

__all__ = ["KIND"]
