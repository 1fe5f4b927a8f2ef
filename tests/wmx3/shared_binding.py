"""The binding as a module that any process can import: all share one engine behind it.

`wmx_sdk_binding.py` on Python's path, and nothing more than an import of this. Behind the
declarations is the simulated SDK of `shared_sdk`, whose engine is a process of its own.
"""

import ctypes

from checked_sdk import changed
from sdk_headers import build
from shared_sdk import shared

NEWEST = build.EDITIONS[-1]
vendor = shared(changed(added={"Motion_JogCommand.SetRunTime": "(self, milliseconds)"}))
sdk = build.binding(NEWEST)
_library = ctypes.PyDLL(str(build.built(NEWEST) / "sdk" / "lib" / "libwmx3api.so"))
_library.stand_in_connect(ctypes.py_object(vendor.sdk))
