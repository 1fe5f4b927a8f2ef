"""How a simulated axis carries out a search for home, step by step."""

from collections.abc import Iterator
from functools import partial

from wmx_core.values import OperationState

from ..clock import CYCLE, cycle_after
from .axis_brake import AxisBrake
from .axis_motion import Act
from .homing import Homing
from .homing_steps import Condition, Found, HomingFailed, Search
from .limits import Limit
from .profile import hold
from .ramps import Ramp


class AxisHoming(AxisBrake):
    """An axis that moves, and that may be searching for its home."""

    _homing: Homing | None = None
    _search: Search | None = None
    _until: tuple[Condition, ...] = ()
    _looks_from = 0.0

    def _begin_homing(self, time: float) -> None:
        """Start by the parameters, or refuse."""
        now = self._drive.at(time)
        homing = self.new_homing()
        search = homing.search(Found(None, now.position, time))
        if homing.moves:
            self._limits.require_free_way(homing.way, now, but=homing.own_limit)
        if homing.leaves(now.position):
            self._limits.require_free_way(-homing.way, now)
        self._forget_home()
        self._homing, self._search = homing, search
        self._stop_dec, self._stop_ramp = self._parameters.homing_velocity_slow_dec, None
        self._set_state(OperationState.HOME)
        self._next_step(time, None)

    def new_homing(self) -> Homing:
        """Return a search by the parameters that has not begun."""
        switch, time = self._home_switch(), self._model.home_time
        return Homing(self._parameters, self._drive, self._limits, switch, time)

    def _next_step(self, time: float, found: Found | None) -> None:
        search, homing = self._search, self._homing
        if search is None or homing is None:
            return
        try:
            step = search.send(found) if found else next(search)
        except StopIteration as done:
            self._until = ()
            plan = homing.to_home(done.value)
            self._follow(time, plan(*self.commanded(time)), OperationState.HOME, self._arrive_home)
            return
        except HomingFailed:
            self._slow_down(time, self._stop_dec)
            return
        self._until = step.until
        self._looks_from = time + CYCLE
        if step.plan:
            profile = step.plan(*self.commanded(time))
            at_rest = self._wait if step.until else self._step_done
            self._follow(time, profile, OperationState.HOME, at_rest)

    def _wait(self, _time: float) -> None:
        """Nothing is over at rest: not a step that waits for something, nor a move at 0 %."""

    def _found(self, condition: Condition, time: float) -> None:
        self._next_step(time, Found(condition, self._drive.at(time).position, time))

    def _step_done(self, time: float) -> None:
        self._next_step(time, Found(None, self._drive.at(time).position, time))

    def _arrive_home(self, time: float) -> None:
        self._arrive_at(time, self._parameters.home_position)

    def _arrive_at(self, time: float, home: float) -> None:
        """Here is `home`: nothing moves, the numbers of all positions change."""
        self._drive.renumber(time, home - self._drive.at(time).command)
        self.column.home_done[...] = True
        self._end_homing(time)
        self._place_limits()
        self._follow(time, hold(home), OperationState.IDLE)

    def _end_homing(self, time: float) -> None:
        if self._homing:
            self._homing = self._search = None
            self._until = ()
            self._drive.limit_torque(time, None)

    # What homing adds to how an axis moves

    def _events(self, time: float) -> Iterator[tuple[float, Act]]:
        yield from super()._events(time)
        for condition in self._until:
            at = max(cycle_after(condition.comes(self._drive, time)), self._looks_from)
            yield at, partial(self._found, condition)

    def _means_to_meet(self, limit: Limit) -> bool:
        sought = self._homing is not None and self._homing.meets(limit)
        return sought or super()._means_to_meet(limit)

    def _slow_down(self, time: float, dec: float, down: Ramp | None = None) -> None:
        self._end_homing(time)
        super()._slow_down(time, dec, down)
