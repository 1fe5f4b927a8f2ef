"""A client that looks for a machine where there is none."""

from threading import Thread

from domain import Domain
from waits import eventually

from wmx_ros2_package.client import Closed, Machine


def test_a_machine_that_is_looked_for_can_be_closed() -> None:
    """Its node would be in the graph for 20 s after a process that ends meanwhile."""
    empty = Domain()
    machine, raised = Machine(domain=empty.number, timeout=30.0), list[Exception]()

    def look() -> None:
        try:
            machine.open()
        except Exception as error:
            raised.append(error)

    looking = Thread(target=look)
    looking.start()
    eventually(lambda: machine._session_or_none, "it is looked for", clock=machine.clock)
    start = machine.clock.now()
    machine.close()
    looking.join()
    empty.release()
    assert machine.clock.now() < start + 5.0
    assert [type(error) for error in raised] == [Closed]
