"""Making the axes of a device safe: stopped, their servos off, outputs at safe values."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.interface import Driver
from wmx_core.values import IO_BYTES, MAX_AXES, REST_VELOCITY, Floats, MotionStatus

from .axis_file.records import StopCause
from .stopping import SETTLING, Stop, stop_and_wait, with_every_axis
from .stops import Stops

REST_TIMEOUT = 5.0
"""How long axes may take to slow down before their servos go off all the same, s; of an engine
whose clock is slower so much longer."""
OFF_TIMEOUT = 2.0
"""How long a drive may take to switch its servo off, and then a motor to come to rest, s; as well
longer."""
_LOOK_PERIOD = 0.01
_LOOKS = 10


def safe_output(text: str) -> tuple[int, int, bool]:
    """Byte, bit and value of an output that is written like "2.0=1"; ValueError with the rule."""
    match = re.fullmatch(r"([0-9]{1,4})\.([0-7])=([01])", text)
    if match is None or int(match[1]) >= IO_BYTES:
        raise ValueError(f'{text!r} must be "byte.bit=value", "0.0=0" to "{IO_BYTES - 1}.7=1"')
    return int(match[1]), int(match[2]), match[3] == "1"


def safe_outputs(texts: Iterable[str]) -> list[tuple[int, int, bool]]:
    """The outputs that `texts` name; ValueError with the rule, also where one has two values."""
    values: dict[tuple[int, int], bool] = {}
    for text in texts:
        byte, bit, value = safe_output(text)
        if values.setdefault((byte, bit), value) is not value:
            raise ValueError(
                f"output {byte}.{bit} has the values {int(not value)} and {int(value)}: "
                "must have one"
            )
    return [(byte, bit, value) for (byte, bit), value in values.items()]


def disarm(
    driver: Driver, stops: Stops, outputs: Sequence[tuple[int, int, bool]] = ()
) -> list[str]:
    """Stop every axis, switch every servo off, and set `outputs` (byte, bit, value).

    Blocks for as long as axes take to slow down, REST_TIMEOUT at most, and then until servos are
    off and motors rest, at most OFF_TIMEOUT each. Whatever fails, the rest is done all the same;
    what failed is returned in words, of an engine that seems lost, too, for it may live. Refused
    with CommNotStarted where it does not communicate: nothing was done, but what was asked for
    before begins no more.
    """
    stopped = list[Sequence[int]]()

    def stop(axes: Sequence[int]) -> None:
        stops.end_motion(axes)
        stopped.append(axes)

    failures = stop_and_switch_off(stops, None, (), driver.status_latency, stop)
    # Of servos that are left alone, too: none is switched on that was asked for before.
    refuse_earlier = partial(stops.refuse_earlier, range(MAX_AXES), StopCause.SERVO_OFF)
    _attempt(failures, "servos", refuse_earlier)
    try:
        status = stops.status()
    except WmxError as error:
        failures.append(f"which servos are on: {error}")
        _attempt(failures, "servos", lambda: failures.extend(_every_servo_off(stops)))
    else:
        if not status.communicating:
            if failures or stopped:
                left = "servos and outputs may be as they were"
                return [*failures, f"the engine does not communicate any more: {left}"]
            rule = "the engine does not communicate: axes, servos and outputs may be as they were"
            raise CommandRefused(ErrorCode.CommNotStarted, rule)
        failures += _switch_off(stops, _servos(stops, status))
    for byte, bit, value in outputs:
        set_output = partial(driver.io.set_output_bit, byte, bit, value=value)
        _attempt(failures, f"output {byte}.{bit}", set_output)
    try:
        failures += _left(stops)
    except WmxError as error:
        failures.append(f"whether servos are off and motors rest is not known: {error}")
    return failures + without_slave(driver, outputs)


def without_slave(driver: Driver, outputs: Sequence[tuple[int, int, bool]]) -> list[str]:
    """Say in words which of `outputs` no slave has; empty where no slave is known.

    The engine takes what is set there, and it reaches nothing.
    """
    # Asked twice: the slaves of a master that refuses once are not known then.
    missing = _missing(driver, outputs) and _missing(driver, outputs)
    return [f"output {byte}.{bit}: no slave has it" for byte, bit in missing]


def _missing(driver: Driver, outputs: Sequence[tuple[int, int, bool]]) -> list[tuple[int, int]]:
    networks = driver.networks() if outputs else []
    slaves = [slave for network in networks for slave in network.slaves]
    known = {s.output_address + byte for s in slaves for byte in range(s.output_size)}
    return [(byte, bit) for byte, bit, _ in outputs if slaves and byte not in known]


def _left(stops: Stops) -> list[str]:
    """Wait until all servos are off and all motors rest; what is not so in the end, in words.

    A motor that neither its servo nor a brake holds begins to turn only now, and not at once.
    """
    clock, left = stops.clock, list[str]()
    timeout = _status(stops).timeout(OFF_TIMEOUT)
    deadline = clock.now() + timeout
    while _status(stops).servo_on.any() and clock.now() < deadline:
        clock.sleep(_LOOK_PERIOD)
    deadline = clock.now() + timeout
    clock.sleep(SETTLING)
    while (turning := _turning(stops)) and clock.now() < deadline:
        pass
    if turning:
        left.append(f"motors of axes {turning} still turn")
    status = _status(stops)
    if on := np.flatnonzero(status.servo_on).tolist():  # also one that came on by now
        left.append(f"servos of axes {on} are on")
    if not status.communicating:
        left.append("the engine has ended communication")
    return left


def _status(stops: Stops) -> MotionStatus:
    """Return the newest status; one that is refused is asked for again, for OFF_TIMEOUT."""
    deadline = stops.clock.now() + OFF_TIMEOUT
    while True:
        try:
            return stops.status()
        except CommandRefused:
            if stops.clock.now() >= deadline:
                raise
        stops.clock.sleep(_LOOK_PERIOD)


def _turning(stops: Stops) -> list[int]:
    """Return the axes whose motors turn one way for a while; noise of an encoder goes both ways."""
    seen: list[Floats] = []
    for _ in range(_LOOKS):
        stops.clock.sleep(_LOOK_PERIOD)
        seen.append(_status(stops).actual_velocity)
    axes = min(map(len, seen))  # an engine that is started again may have others
    velocities = [each[:axes] for each in seen]
    slowest, fastest = np.min(velocities, axis=0), np.max(velocities, axis=0)
    found: list[int] = np.flatnonzero(
        (slowest > REST_VELOCITY) | (fastest < -REST_VELOCITY)
    ).tolist()
    return found


def _servos(stops: Stops, status: MotionStatus) -> list[int]:
    """Return the axes whose servos are on, or may come on.

    A drive takes its time to switch on, and shows nothing of it until then. Left alone is what is
    off and was never switched while there are nodes: one may switch it on at its start.
    """
    starting = bool(stops.nodes())
    return [
        axis
        for axis in range(status.axes)
        if status.servo_on[axis]
        or not (status.servo_offline[axis] or (starting and stops.is_servo_untouched(axis)))
    ]


def stop_and_switch_off(
    stops: Stops,
    moving: Iterable[int] | None,
    servos: Iterable[int],
    latency: float,
    stop_axes: Stop | None = None,
) -> list[str]:
    """Stop the axes `moving`, or all, wait for rest, and take `servos` off; what failed, in words.

    `stop_axes` stops them in the place of `stops.end_motion`.

    Blocks for as long as axes take to slow down, REST_TIMEOUT at most: then the servos go off all
    the same, as they do when a stop is refused.
    """
    failures: list[str] = []

    def stop() -> None:
        # Those that rest, too: what waits for its start must not begin.
        stops.refuse_earlier(range(MAX_AXES) if moving is None else moving)
        began = stops.clock.now()
        left = stop_and_wait(
            stops.status,
            stop_axes or stops.end_motion,
            moving,
            latency,
            REST_TIMEOUT,
            stops.clock,
            of_engine=True,
        )
        if left is not None:
            why = f": {left.refusal}" if left.refusal else ""
            took = stops.clock.now() - began
            failures.append(f"axes {left.busy} still move {took:.2g} s after the stop{why}")

    _attempt(failures, "stopping the axes", stop)
    return failures + _switch_off(stops, servos)


def _switch_off(stops: Stops, servos: Iterable[int]) -> list[str]:
    failures: list[str] = []
    for axis in servos:
        _attempt(failures, f"servo of axis {axis}", partial(stops.set_servo, axis, on=False))
    return failures


def _every_servo_off(stops: Stops) -> list[str]:
    refused = with_every_axis(partial(stops.set_servo, on=False))
    return [f"servo of axis {axis}: {error}" for axis, error in refused.items()]


def _attempt(failures: list[str], what: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Exception as error:  # whatever it is, the rest has to be made safe
        failures.append(f"{what}: {error}")
