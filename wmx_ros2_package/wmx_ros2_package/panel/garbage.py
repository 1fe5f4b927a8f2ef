"""What is left to searches for garbage: little, for one stops every thread as long as it lasts.

Those that stop the machine wait then, too.
"""

import gc
from collections.abc import Iterable

from fastapi.dependencies import models
from nicegui.client import Client
from nicegui.element import Element
from nicegui.elements.upload import Upload


def freeze_what_stays() -> None:
    """Let no later search look at what there is now."""
    gc.collect()
    gc.freeze()


def free_removed_elements() -> None:
    """Let the elements of a page that is left or closed be freed one by one, without a search.

    The classes, the style and the properties of an element hold themselves, by the handler that
    they call when they change; an input holds its page, which holds it, by that of its own: nine
    of ten objects that a search found. And FastAPI keeps the handlers of 4096 routes, with all that
    they know: each upload has one, of its page.
    """
    remove = Client.remove_elements
    caches = [each for each in vars(models).values() if hasattr(each, "cache_clear")]

    def remove_elements(self: Client, elements: Iterable[Element]) -> None:
        removed = [*elements]
        remove(self, removed)
        if any(isinstance(element, Upload) for element in removed):
            for cache in caches:
                cache.cache_clear()
        for element in removed:
            for each in (element, element.classes, element.style, element.props):
                for name, kept in vars(each).items():
                    if name.endswith("_handlers"):
                        kept.clear()

    Client.remove_elements = remove_elements  # type: ignore[method-assign]
