"""The former name of `wmx_sim.sdk` and `wmx_sim.compare`, for programs that import it."""

import sys
from importlib import import_module

_NOW = {
    "run": "wmx_sim.sdk.program",
    "module": "wmx_sim.sdk.module",
    "parts": "wmx_sim.sdk.parts",
    "runtime": "wmx_sim.sdk.runtime",
}
for _name, _module in _NOW.items():
    sys.modules[f"{__name__}.{_name}"] = globals()[_name] = import_module(_module)
