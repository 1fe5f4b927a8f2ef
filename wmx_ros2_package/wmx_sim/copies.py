"""A copy of the axes of any engine: what is commanded to it moves nothing else."""

from collections.abc import Sequence

from wmx_core.interface import Driver, EngineCopy

from .engine.engine_copy import copy_from_status


def copy_of(driver: Driver, axes: Sequence[int]) -> EngineCopy:
    """Return a copy of `axes` as they are now.

    A simulated engine copies all that there is. Of any other, whose axes must rest, the copy is
    a simulated one with the same state and parameters. Refused for an axis that is not there.
    """
    if driver.copy is not None:
        return driver.copy(axes)
    return copy_from_status(driver.motion.status(), driver.motion.parameters(), axes)
