"""What the parameters of the trajectory server change: policies, tolerances, part of the joints."""

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("control_msgs", reason="control_msgs is neither built nor installed")

from arms import NAMES, Arm, Result, pause_until_rest, robot_arm, tolerance, trajectory


@pytest.fixture(scope="module")
def arm() -> Iterator[Arm]:
    parameters = (
        "preempt:=false",
        "allow_partial_joints_goal:=true",
        "allow_unnamed_joints:=true",
        "path_tolerance:=[0.005]",
    )
    with robot_arm(*parameters) as arm:
        yield arm


@pytest.fixture(autouse=True)
def at_zero(arm: Arm) -> None:
    pause_until_rest(arm)
    here = arm.position()
    if any(here):
        freely = [tolerance(name, position=-1.0) for name in NAMES]
        home = trajectory((0.0, 1.5), (here, [0.0] * 6))
        arm.send(home, path_tolerance=freely).succeeded()


@pytest.mark.long
def test_a_second_goal_is_rejected_while_one_runs(arm: Arm) -> None:
    first = arm.send(arm.away(0.05, 3.0))
    assert first.accepted()
    arm.rejected(arm.away(0.1), "another trajectory runs")
    first.succeeded()


@pytest.mark.long
@pytest.mark.parametrize("zero", [[], [tolerance(name, position=0.0) for name in NAMES]])
def test_a_default_tolerance_holds_where_a_goal_has_none_or_zero(arm: Arm, zero: list[Any]) -> None:
    arm.send(arm.away(0.5, 1.0), path_tolerance=zero).aborted(
        Result.PATH_TOLERANCE_VIOLATED, "off the path: must be within 0.005"
    )


@pytest.mark.long
def test_without_names_columns_are_in_the_order_of_the_server(arm: Arm) -> None:
    target = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
    arm.send(trajectory((0.0, 1.0), ([0.0] * 6, target), names=[])).succeeded()
    assert arm.position() == pytest.approx(target)
