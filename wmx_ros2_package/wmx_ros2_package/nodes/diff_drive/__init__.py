"""A base on two driven wheels: follows velocity commands, and publishes where it is."""

from .node import KIND

__all__ = ["KIND"]
