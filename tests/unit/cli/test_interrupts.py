"""What asks a command to end reaches it, or waits where axes are being stopped."""

import signal
import threading

import pytest

from wmx_ros2_package.cli.interrupts import INTERRUPTS, interruptible, undisturbed

pytestmark = pytest.mark.usefixtures("own_signals")


class Dropping:
    """An object that is interrupted as it goes."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_an_interrupt_that_a_destructor_has_dropped_comes_again() -> None:
    reached = []

    def work() -> None:
        with interruptible():
            Dropping()
            reached.append(True)
            threading.Event().wait(10.0)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached


@pytest.mark.parametrize("number", INTERRUPTS)
def test_what_is_undisturbed_comes_to_its_end(number: signal.Signals) -> None:
    ended = []

    def work() -> None:
        with interruptible():
            with undisturbed():
                signal.raise_signal(number)
                ended.append(True)
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert ended
