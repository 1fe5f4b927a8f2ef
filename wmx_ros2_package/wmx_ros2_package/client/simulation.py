"""What only a simulated machine offers: faults on request, and time that is held."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from std_srvs.srv import Trigger
from wmx_ros2_message.srv import InjectFaults

from .checked import whole
from .commands import finite
from .discovery import POLL_PERIOD
from .errors import MachineError, NotAnswered
from .session import Session

CYCLE = 0.001
"""A communication cycle of the simulated engine, s."""
MOST_CYCLES = 3_600_000
"""As far as a script reaches."""
SLOWEST = 0.1
"""Engine time in a second, s, of the slowest engine that there is (`clock_rate`)."""


class Simulation:
    """The simulated engine of a machine.

    Its time can be held: what moves stands where it is until time goes on, cycle by cycle or for as
    long as is wanted. The nodes live on meanwhile, so that everything can be asked and commanded.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def fault(self, kind: str, *, after: float = 0.0, **arguments: Any) -> None:
        """Let a fault happen, `after` seconds of engine time: `fault("drop_slave", slave=2)`.

        docs/faults.md says where all kinds stand. Refused for one that there is not.
        """
        self.play([{"after": round(finite(after, "after") / CYCLE), kind: arguments}])

    def play(self, script: str | Sequence[Mapping[str, Any]]) -> None:
        """Let the faults of a script happen, all or none; a list, or YAML as in docs/faults.md."""
        text = script if isinstance(script, str) else json.dumps(script)
        self._session.call_once(InjectFaults, "wmx/simulation/inject_faults", script=text)

    @property
    def time(self) -> float:
        """The engine's time, s since the engine was started."""
        return self._time()[0]

    @property
    def held(self) -> bool:
        """Whether time is held."""
        return self._time()[1]

    def hold(self) -> None:
        """Hold time at the present cycle, until `run`, or until this client is closed."""
        self._hold({"hold_time": {}})
        self._await_held(0.0)

    def step(self, cycles: int = 1) -> None:
        """Let so many communication cycles pass, 1 ms each, and hold time then.

        They take as long as they always do, so that the nodes can follow; returns when they are
        over.
        """
        if not 0 < (cycles := whole(cycles, "cycles")) <= MOST_CYCLES:
            raise ValueError(f"cycles is {cycles}: must be 1 to {MOST_CYCLES}")
        self._hold({"run_time": {}}, {"after": cycles, "hold_time": {}})
        self._await_held(cycles * CYCLE)

    def advance(self, seconds: float) -> None:
        """Let so many seconds of engine time pass, and hold time then; as `step`."""
        self.step(round(finite(seconds, "seconds") / CYCLE))

    def run(self) -> None:
        """Let time go on by itself."""
        self.play([{"run_time": {}}])
        self._session.release_time = None

    def _hold(self, *script: Mapping[str, Any]) -> None:
        """Play what holds time; it goes on when this client is closed, unless that was refused.

        It may be held by another client then.
        """
        before, self._session.release_time = self._session.release_time, self.run
        try:
            self.play(script)
        except MachineError as error:
            if not isinstance(error, NotAnswered):  # by then it may be held
                self._session.release_time = before
            raise

    def _await_held(self, seconds: float) -> None:
        timeout = self._session.link.timeout + seconds / SLOWEST
        deadline = self._session.link.clock.now() + timeout
        while not self.held:
            if self._session.link.clock.now() > deadline:
                raise NotAnswered(f"the engine's time is not held within {timeout:g} s")
            self._session.link.clock.sleep(POLL_PERIOD)
        self._session.states.outdate()

    def _time(self) -> tuple[float, bool]:
        answer = self._session.call(Trigger, "wmx/simulation/get_time")
        time, _, held = answer.message.partition(" s")
        return float(time), bool(held)
