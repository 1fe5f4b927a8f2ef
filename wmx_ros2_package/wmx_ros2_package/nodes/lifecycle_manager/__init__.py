"""Takes other nodes through their lives, in order, for systems without a manager of their own."""

from .node import KIND

__all__ = ["KIND"]
