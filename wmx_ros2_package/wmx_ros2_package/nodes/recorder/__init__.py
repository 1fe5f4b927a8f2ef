"""The black box: what happened on the machine in the last seconds, as a file when it matters."""

from .node import KIND

__all__ = ["KIND"]
