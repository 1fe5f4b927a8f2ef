"""Which worker of pytest-xdist takes which tests, so that processors have something to do.

Most of the time of a test with nodes it waits for what happens in real time. So there are two
workers more than there are processors. The last one takes only tests that do not depend on real
time, while there are any, with a low priority: tests that look at real time hardly notice it.
"""

import os
import re
from collections.abc import Iterator

from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

TIMELESS = re.compile(
    r"\btests/((unit|contract|wmx3|sdk)/|integration/test_(demo|documented_python)\.py)"
)
"""These compute, or wait for what may come however late."""
IN_REAL_TIME = re.compile(r"/sim/server/|\bprocess\b|first_contact")
"""Of these some look at real time all the same."""
LOW_PRIORITY = 10
"""Of `nice`: what others leave, and a tenth of what one of them has on a machine that is busy."""


def is_timeless(test: str) -> bool:
    """Whether a test, or group of tests, by its name, takes no look at real time."""
    return bool(TIMELESS.search(test) and not IN_REAL_TIME.search(test))


def is_extra(worker: str, count: int) -> bool:
    """Whether a worker, by its name, of `count`, is the last of more than there are processors."""
    return count > (os.cpu_count() or 1) and worker == f"gw{count - 1}"


class Shifts(LoadGroupScheduling):
    """Gives what takes real time to the others first, and to the extra worker what is timeless."""

    def _assign_work_unit(self, node: WorkerController) -> None:
        mine = self._units(timeless=self._is_extra(node))
        self.workqueue.move_to_end(next(mine, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if self._is_extra(node) and not any(self._units(timeless=True)):
            if not node.shutting_down:
                node.shutdown()
        else:
            super()._reschedule(node)

    def _units(self, *, timeless: bool) -> Iterator[str]:
        return (unit for unit in self.workqueue if is_timeless(unit) is timeless)

    def _is_extra(self, node: WorkerController) -> bool:
        return is_extra(node.gateway.id, node.workerinput["workercount"])
