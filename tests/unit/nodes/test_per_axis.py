"""Per-axis answers, word by word as clients match on them."""

import pytest

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_ros2_package.nodes.core_motion.per_axis import Outcome, answer, carry_out

ON_OFF = "off", "on"


class Servos:
    """Six servos, of which the one of axis 4 has an alarm; and what became of the rows."""

    def __init__(self) -> None:
        self.switched: list[tuple[int, int]] = []

    def set_on(self, axis: int, on: int) -> None:
        if axis >= 6:
            raise CommandRefused(ErrorCode.AxisOutOfRange)
        if axis == 4:
            raise CommandRefused(ErrorCode.AxisAmpAlarm, "alarm code 0x42")
        if axis == 5:
            raise ZeroDivisionError
        self.switched.append((axis, on))


def set_on(servos: Servos, *rows: tuple[int, int]) -> list[Outcome]:
    return carry_out(
        rows,
        servos.set_on,
        done=lambda axis, on: f"Set axis {axis} {ON_OFF[on]}",
        failed=lambda axis, on: f"Failed to set axis {axis} {ON_OFF[on]}",
    )


@pytest.mark.parametrize(
    ("rows", "switched", "message"),
    [
        ([(3, 1), (0, 0)], [(3, 1), (0, 0)], "Set axis 3 on; Set axis 0 off; "),
        (
            [(0, 1), (130, 1)],
            [(0, 1)],
            "Set axis 0 on; Failed to set axis 130 on. Error=1547 (AxisOutOfRange); ",
        ),
        (
            [(4, 0), (1, 1)],
            [(1, 1)],
            "Failed to set axis 4 off. Error=1568 (AxisAmpAlarm): alarm code 0x42; Set axis 1 on; ",
        ),
    ],
    ids=["all succeed", "the example of the contract", "one that fails keeps no other from it"],
)
def test_all_have_to_succeed_and_each_is_tried(
    rows: list[tuple[int, int]], switched: list[tuple[int, int]], message: str
) -> None:
    servos = Servos()
    assert answer(set_on(servos, *rows)) == (switched == rows, message)
    assert servos.switched == switched


def test_an_error_that_turns_up_later_fails_the_axis() -> None:
    outcomes = set_on(Servos(), (0, 1), (1, 1))
    outcomes[1].error = CommandRefused(ErrorCode.WaitTimeout)
    assert answer(outcomes) == (
        False,
        "Set axis 0 on; Failed to set axis 1 on. Error=65616 (WaitTimeout); ",
    )


def test_an_order_without_values_names_its_axis_only() -> None:
    outcomes = carry_out(
        [(2,)],
        lambda axis: None,
        done=lambda axis: f"Homed axis {axis}",
        failed=lambda axis: f"Failed to home axis {axis}",
    )
    assert answer(outcomes) == (True, "Homed axis 2; ")
    assert [outcome.axis for outcome in outcomes] == [2]


def test_a_mistake_of_ours_is_not_taken_for_a_refusal() -> None:
    with pytest.raises(ZeroDivisionError):
        set_on(Servos(), (5, 1))


@pytest.mark.parametrize("error", [WmxError, EngineLost])
def test_every_error_of_the_engine_is_worded(error: type[WmxError]) -> None:
    def act(axis: int) -> None:
        raise error(263, "gone")

    outcomes = carry_out([(0,)], act, done=str, failed=lambda axis: f"Failed to home axis {axis}")
    message = "Failed to home axis 0. Error=263 (IMLibIsNotRunning): gone; "
    assert answer(outcomes) == (False, message)
