"""The driver on the vendor's SDK: the engine, and the parts that share its device."""

from dataclasses import replace
from typing import Any

from wmx_core.clock import STEADY, Clock
from wmx_core.interface import Driver
from wmx_core.options import DriverOptions

from .ecat import WmxEcat
from .engine import WmxEngine
from .io import WmxIo
from .loading import describe, load_sdk
from .motion import WmxMotion
from .own_process import Aside, here, in_a_process
from .reactions import WmxReactions
from .sdk import Sdk, Trace


def open_wmx3(options: DriverOptions, trace: Trace | None = None) -> Driver:
    """A driver on the installed SDK; DriverUnavailable when there is none."""
    module = load_sdk(options.device_path)
    driver = driver_on(module, options, trace=trace, aside=in_a_process(options))
    return replace(driver, made_of=describe(module))


def driver_on(
    module: Any,
    options: DriverOptions,
    time: Clock = STEADY,
    *,
    trace: Trace | None = None,
    aside: Aside = here,
) -> Driver:
    """A driver on `module`, the vendor's or one of the same surface, by this machine's `time`.

    With `trace` every call of the SDK goes through that. `aside` makes those that take long.
    """
    sdk = Sdk(module, trace) if trace else Sdk(module)
    engine = WmxEngine(sdk, options, time)
    return Driver(
        name="wmx3",
        simulated=False,
        engine=engine,
        motion=WmxMotion(engine.session, aside),
        io=WmxIo(engine.session),
        ecat=WmxEcat(engine.session, aside),
        reactions=WmxReactions(engine.session),
        times_torques=False,
        stops_every_mode=False,
    )
