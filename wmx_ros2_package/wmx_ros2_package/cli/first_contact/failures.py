"""Steps in which something ends: communication, another process with a device, the engine."""

import os
import signal
from dataclasses import replace
from pathlib import Path

from wmx_core.errors import EngineLost, WmxError
from wmx_core.values import OperationState

from .session import Facts, Probe, Unable

WATCHED = 3.0
"""How long an axis is watched after its process has died, s."""
ENDED = 0.5
"""How long an axis moves before communication ends, and for how long there is none, s."""


def ended_communication(probe: Probe, facts: Facts) -> None:
    """Communication ends while an axis moves: what the axis does, and what it is afterwards."""
    axis = probe.settings.axes[0]
    probe.require_own_communication()
    probe.ready(axis)
    probe.motion.jog([replace(probe.slow_jog(axis, 2.0 * WATCHED), run_time=WATCHED)])
    probe.clock.sleep(ENDED)
    before = probe.motion.status()
    facts["it moved at, u/s"] = float(before.velocity_cmd[axis])
    # What it does next is not known, nor whether its positions count from the same place.
    probe.homes.pop(axis)
    try:
        probe.driver.engine.stop_communication()
        probe.clock.sleep(ENDED)
        ended = probe.motion.status()
        facts |= {
            "state of the engine": ended.engine_state.name,
            "operation state without communication": int(ended.op_state[axis]),
            "servo on without communication": bool(ended.servo_on[axis]),
        }
    except WmxError as error:
        facts["refused"] = str(error)
    finally:
        refused = _start_again(probe)
        if refused:
            facts["communication does not start again"] = str(refused)
    if refused:
        raise refused
    after = probe.motion.status()
    facts |= {
        "operation state after it": int(after.op_state[axis]),
        "servo on after it": bool(after.servo_on[axis]),
        "alarm after it": int(after.alarm_code[axis]),
        "still moves at, u/s": float(after.actual_velocity[axis]),
        "command, u further": float(after.pos_cmd[axis] - before.pos_cmd[axis]),
        "motor, u further": float(after.actual_pos[axis] - before.actual_pos[axis]),
    }
    # A drive that has gone off may refuse a stop: what was asked for is answered all the same.
    if wrong := probe.make_safe():
        facts["making it safe"] = wrong


def _start_again(probe: Probe) -> WmxError | None:
    """Start communication; what it is refused with does not take the place of an interrupt."""
    try:
        probe.driver.engine.start_communication()
    except WmxError as error:
        return error
    return None


def killed_process(probe: Probe, facts: Facts) -> None:
    """A process that jogs an axis is killed: with a run time, and without."""
    axis = probe.settings.axes[0]
    probe.ready(axis)
    slow = probe.slow_jog(axis, 2.0 * WATCHED).velocity
    for run_time in (1.0, 0.0):
        other = probe.other_process()
        other.command("jog", axis, slow, probe.acceleration, run_time)
        _, _, refused = other.answer()
        other.kill()
        killed = probe.clock.now()
        rested: float | None = None
        while probe.clock.now() - killed < WATCHED and rested is None:
            if probe.motion.status().op_state[axis] == OperationState.IDLE:
                rested = probe.clock.now() - killed
            probe.clock.sleep(0.01)
        probe.motion.stop([axis])
        probe.rest(axis)
        probe.go(axis, 0.0)
        name = f"run time {run_time:g} s" if run_time else "no run time"
        facts[name] = refused or (f"at rest after {rested:.2f} s" if rested else "moves on")
    facts["watchdog, ms"] = str(probe.session.api.GetWatchdog())


def killed_engine(probe: Probe, facts: Facts) -> None:
    """The engine is killed: what is answered then, and how soon that and a new one are noticed."""
    probe.require_own_communication()
    probe.communicate()
    pid = _engine(probe)
    before = probe.motion.status()
    os.kill(pid, signal.SIGKILL)
    killed = probe.clock.now()
    answers: dict[str, float] = {}
    lost = ""
    last = before
    while not lost and probe.clock.now() - killed < 20.0:
        try:
            last = probe.motion.status()
            probe.driver.engine.state()
            probe.clock.sleep(0.01)
        except EngineLost as error:
            lost = str(error)
        except WmxError as error:
            answers.setdefault(str(error), probe.clock.now() - killed)
            probe.clock.sleep(0.01)
    facts |= {
        "killed": pid,
        "lost after, s": probe.clock.now() - killed,
        "noticed by": lost or "nothing",
        "other answers": answers,
        "it still said": last.engine_state.name,
        "cycles counted after it": last.cycle - before.cycle,
    }
    probe.homes.clear()
    probe.armed.clear()
    probe.close()
    probe.communicate()
    facts["a new one"] = probe.driver.engine.state().name


def _engine(probe: Probe) -> int:
    """The one process whose command line contains what was named."""
    name = probe.settings.engine_process
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has just ended
            continue
        pid = int(entry.name)
        # Nor the shell, sudo or tmux in whose command line this program stands with its option.
        if name in line and "first-contact" not in line.replace("_", "-") and pid != os.getpid():
            found.append(pid)
    if len(found) != 1:
        raise Unable(f"{len(found)} processes are named {name!r}, must be one: {found}")
    return found[0]
