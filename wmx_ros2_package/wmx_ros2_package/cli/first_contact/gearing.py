"""A step that lets an axis follow another one."""

from wmx_core.values import Gearing, OperationState

from .session import Facts, Probe, Unable


def gearing(probe: Probe, facts: Facts) -> None:
    """How far the second axis follows the first, and what each kind of stop does to it."""
    if len(probe.settings.axes) < 2:
        raise Unable("a second axis was not named: --axes")
    master, slave = probe.settings.axes[:2]
    probe.ready(master, slave)
    jog = probe.slow_jog(master)
    for name in ("stop", "quick_stop"):
        probe.motion.start_gearing([Gearing(slave=slave, master=master, ratio=1.0)])
        before = probe.wait(lambda status: status.op_state[slave] == OperationState.SYNC)
        probe.motion.jog([jog])
        moving = probe.wait(lambda status: abs(status.velocity_cmd[slave]) >= 0.99 * jog.velocity)
        way = moving.pos_cmd - before.pos_cmd
        facts[f"{name}: slave behind its master, u"] = float(way[master] - way[slave])
        began = probe.clock.now()
        getattr(probe.motion, name)([slave])
        stopped = probe.wait(lambda status: status.op_state[slave] == OperationState.IDLE)
        facts[f"{name}: slave idle after, s"] = probe.clock.now() - began
        facts[f"{name}: its velocity command then, u/s"] = float(stopped.velocity_cmd[slave])
        probe.motion.stop([master])
        probe.rest(master, slave)
        probe.go(master, 0.0)
        facts[f"{name}: slave moved with its former master, u"] = float(
            probe.motion.status().pos_cmd[slave] - stopped.pos_cmd[slave]
        )
        probe.go(slave, 0.0)
