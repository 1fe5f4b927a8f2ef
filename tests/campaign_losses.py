"""What is lost while a system runs: its engine, its communication, and the files of its nodes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from campaign_stage import Stage

Damage = Callable[[Path], object]
FILE: dict[str, Damage] = {
    "axis file deleted": Path.unlink,
    "axis file emptied": lambda path: os.truncate(path, 0),
    "axis file zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "axis file garbage": lambda path: path.write_bytes(os.urandom(path.stat().st_size)),
    "folder deleted": lambda path: shutil.rmtree(path.parent),
}
DOCUMENT: dict[str, Damage] = {
    "document deleted": Path.unlink,
    "document emptied": lambda path: path.write_bytes(b""),
    "document garbage": lambda path: path.write_bytes(os.urandom(500)),
    "document truncated": lambda path: path.write_bytes(path.read_bytes()[:-20]),
}


class Losses:
    """Lets things be lost, of a system in one place."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._random = stage.random
        self.last: list[str] = []
        """What was lost last."""

    def crash_engine(self) -> None:
        self._stage.asked("wmx/simulation/inject_faults", script="[{crash_engine: {}}]")

    def stop_communication(self) -> None:
        self._stage.asked("wmx/engine/set_comm", data=False)
        self._stage.asked("wmx/engine/set_comm", data=True)

    def close_device(self) -> None:
        self._stage.asked("wmx/engine/set_device", data=False)
        self._stage.asked("wmx/engine/set_device", data=True, path=str(self._stage.machine))
        self._stage.asked("wmx/engine/set_comm", data=True)

    def damage(self, kinds: dict[str, Damage]) -> None:
        """Damage a file of the nodes, where there is one."""
        name = self._random.choice(list(kinds))
        place = self._stage.system.place.folder
        pattern = "*.settings" if kinds is DOCUMENT else "*.axes?"
        for path in [*place.glob(f"wmx-axes-*/{pattern}")]:
            kinds[name](path)
            self._stage.losses[name] += 1
            self.last.append(name)

    def one(self) -> None:
        """Something is lost, or several things at once."""
        chance, self.last = self._random.random, []
        if chance() < 0.5:
            self.damage(FILE)
            if chance() < 0.5:
                self._stage.client.must("wmx/axis/stop")  # at once, whatever is lost
        if chance() < 0.3:
            self.damage(DOCUMENT)
        kinds = {
            "engine": self.crash_engine,
            "communication": self.stop_communication,
            "device": self.close_device,
        }
        lost = self._stage.choose(kinds, none=0.3)
        self.last.append(lost)
        self._stage.asked("wmx/params/get", index=[0])
