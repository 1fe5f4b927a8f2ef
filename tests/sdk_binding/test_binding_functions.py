"""What the binding offers, what it leaves out, and that others go on while it calls."""

import re
import sys
import threading
import time
from functools import reduce
from types import ModuleType, SimpleNamespace

from test_wmx3_names import NEWER, SOURCES, uses
from waits import WAIT_TIMEOUT, at_best

from wmx3.loading import describe
from wmx3.sdk import Part

OF_ONE_EDITION = {
    1: {"Motion_JogCommand.SetRunTime"},
    2: {"Motion_TimedJogCommand", "Motion.StartJog_TimedJog"},
}
"""What the headers of each edition lack of what the backend can use."""


def test_what_the_backend_uses_is_there(sdk: ModuleType, edition: int) -> None:
    used = set().union(*(uses(source).found for source in SOURCES.values())) | NEWER
    lacking = {
        ".".join(filter(None, (owner, name)))
        for owner, name in used
        if not (hasattr(getattr(sdk, owner, None), name) if owner else hasattr(sdk, name))
        and not hasattr(Part, name)
    }
    members = {name for name in lacking if name.rpartition(".")[0] in lacking}
    assert lacking - members <= OF_ONE_EDITION[edition]


def found(sdk: ModuleType, name: str) -> object:
    """What the binding has by a name such as Motion.StartJog; None where it has nothing."""
    return reduce(lambda owner, part: getattr(owner, part, None), name.split("."), sdk)


def test_what_the_headers_lack_is_left_out_by_name(sdk: ModuleType, edition: int) -> None:
    assert OF_ONE_EDITION[edition] <= {*sdk.left_out}
    assert all(found(sdk, name) is not None for name in OF_ONE_EDITION[3 - edition])
    assert not OF_ONE_EDITION[3 - edition] & {*sdk.left_out}
    assert not [name for name in sdk.left_out if found(sdk, name) is not None]


def test_others_go_on_during_a_call(device: SimpleNamespace) -> None:
    """With the interpreter's lock held, the other thread would not end before the call does."""

    def later() -> float:
        """How much later than a call another thread ends that may go on as it begins, s."""
        ended: list[float] = []
        may_go_on = threading.Lock()

        def end() -> None:
            with may_go_on:
                ended.append(time.monotonic())

        other = threading.Thread(target=end)
        interval = sys.getswitchinterval()
        with may_go_on:
            other.start()
            sys.setswitchinterval(1000.0)  # it gets its turn in the call, or never
        try:
            assert device.api.SleepAtEngine(300_000) == 0
            after = time.monotonic()
        finally:
            sys.setswitchinterval(interval)
        other.join(WAIT_TIMEOUT)
        return ended[0] - after

    at_best(later, most=0.0)


def test_it_says_what_it_is(sdk: ModuleType, edition: int) -> None:
    text = describe(sdk)
    assert re.match(r"the binding wmx_sdk_binding \d+\.\d+\.\d+ to /", text), text
    assert text.endswith({1: "SDK 3.5.0.0", 2: "SDK 3.7.0.0"}[edition])


def test_a_device_that_is_closed_is_an_event(sdk: ModuleType) -> None:
    """Which no module of the vendor's for Python has."""
    when = sdk.EventApiEventInput()
    when.deviceCloseEvent.deviceId = 3
    assert when.deviceCloseEvent.deviceId == 3


def test_texts_of_errors(sdk: ModuleType) -> None:
    assert "0x0000012d" in sdk.WMX3Api.ErrorToString(sdk.ErrorCode.DeviceIsNull)
    assert sdk.CoreMotionErrorCode.DeviceIsNull == sdk.ErrorCode.DeviceIsNull == 301
