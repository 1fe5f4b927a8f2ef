"""Which cases Hypothesis tries, and how many: fewer where `make check` or `make test` is quick."""

from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from hypothesis import settings

USUAL = 100
"""Of a test that says nothing, in a full run."""


def cases(count: int) -> int:
    """The share of `count` cases that the profile in force asks for."""
    return max(1, count * settings().max_examples // USUAL)


@cache
def load_the_product() -> None:
    """Load every module of the product, once in a process, before Hypothesis makes a case.

    It takes constants for its cases from what is loaded. So a test alone has other cases than one
    that runs after a thousand others, and a failure does not come again, unless all is loaded.
    """
    for package in ("wmx_core", "wmx_sim", "wmx3", "wmx_ros2_package"):
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            try:
                import_module(module.name)
            except ImportError:  # what needs a package that this machine does not have
                continue
