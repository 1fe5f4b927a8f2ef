"""The profile of position moves is a parameter of wmx_core_motion_node."""

import pytest
from lifecycle import Managed
from ros import Client

ABSOLUTE = "wmx/axis/position"
CORE = "wmx_core_motion_node"


@pytest.mark.long
def test_a_move_is_as_smooth_as_the_parameter_says(client: Client) -> None:
    client.must("wmx/axis/set_on", index=[0, 1], data=[1, 1])
    core = Managed(client, CORE)
    assert core.set(profile_type=["s_curve", "trapezoidal"]) == ""
    # So slowly that even a machine that holds this test up does not let it miss the beginning.
    client.move(ABSOLUTE, [0, 1], [0.5, 0.5], [1.0, 1.0], [0.1, 0.1], [0.1, 0.1])
    both = client.states.next(lambda s: 0.05 < s.pos_cmd[1] < 0.12)
    # Both have the same mean acceleration; the smooth one is behind in its first half.
    assert 0.0 < both.pos_cmd[0] < 0.8 * both.pos_cmd[1]
    client.at_rest(0, 0.5)
    client.at_rest(1, 0.5)
    assert core.set(profile_type=["trapezoidal"]) == ""
    client.move(ABSOLUTE, [0, 1], [0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0])
    both = client.states.next(lambda s: 0.1 < s.pos_cmd[1] < 0.45)
    assert both.pos_cmd[0] == pytest.approx(both.pos_cmd[1], abs=1e-9)
    client.at_rest(0, 0.0)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"jerk": [0.0]}, "jerk[0] is 0.0: must be 1e-09 to 1e+15"),
        (
            {"profile_type": ["s_curve"] * 7},
            "profile_type has 7 elements: must be 6 at most, the axes of the engine",
        ),
    ],
)
def test_what_breaks_a_rule_is_refused(
    client: Client, values: dict[str, list[float]], reason: str
) -> None:
    assert reason in Managed(client, CORE).set(**values)
