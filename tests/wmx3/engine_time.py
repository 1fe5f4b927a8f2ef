"""The time of an engine's clock, as the backend waits for it."""

from wmx_sim.engine.clock import Clock


class EngineTime:
    """The time of the engine's clock, which goes on by itself or when somebody sleeps."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.now_ns() / 1e9

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)
