"""What only a simulated machine offers: things that go wrong when a program wants them to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from wmx_ros2_message.srv import InjectFaults

from .link import Link


class Simulation:
    """The simulated engine of a machine."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def fault(self, kind: str, *, after: float = 0.0, **arguments: Any) -> None:
        """Let a fault happen, `after` seconds of engine time: `fault("drop_slave", slave=2)`.

        docs/faults.md says where all kinds stand. Refused for one that there is not.
        """
        self.play([{"after": round(after * 1000), kind: arguments}])

    def play(self, script: str | Sequence[Mapping[str, Any]]) -> None:
        """Let the faults of a script happen, all or none; a list, or YAML as in docs/faults.md."""
        text = script if isinstance(script, str) else json.dumps(script)
        self._link.call_once(
            InjectFaults, "wmx/simulation/inject_faults", InjectFaults.Request(), script=text
        )
