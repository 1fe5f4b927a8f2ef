"""What the parameters of actuators may be."""

from math import inf, nan

import pytest

from wmx_ros2_package.actuators.description import PARAMETERS, Actuator, actuators
from wmx_ros2_package.validation import BadRequest

Array = tuple[object, ...]


def described(names: Array = ("shoulder", "slide"), **arrays: Array) -> dict[str, Actuator]:
    return actuators({**dict.fromkeys(PARAMETERS, ()), "names": names, **arrays})


def test_empty_arrays_are_defaults() -> None:
    shoulder, slide = Actuator(name="shoulder", axis=0), Actuator(name="slide", axis=1)
    assert described() == {"shoulder": shoulder, "slide": slide}
    assert described(("shoulder",)) == {"shoulder": shoulder}


def test_one_element_is_for_all_and_more_are_for_each() -> None:
    limits = {"velocity_max": (0.2,), "acceleration_max": (0.3,)}
    found = described(axes=(3, 1), kinds=("revolute", "prismatic"), **limits)
    assert [(a.axis, a.kind, a.velocity_max) for a in found.values()] == [
        (3, "revolute", 0.2),
        (1, "prismatic", 0.2),
    ]
    slide = found["slide"]
    assert (slide.velocity, slide.acceleration) == (0.2, 0.3), "the defaults are above the limits"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"names": ()}, "names has 0 elements: must have 1 to 128"),
        ({"names": ("a", "a")}, "names has 'a' 2 times: must be different"),
        ({"names": ("a", "")}, "names has an empty name at 1"),
        *(
            ({"names": ("a", name)}, f"names: {name!r} is no name of an axis: must be no number")
            for name in ("1", "0-2", "all", "1e3", "nan", "a,b", "a=1", "a b")
        ),
        ({"axes": (0,)}, "axis has 1 elements but there are 2 actuators"),
        ({"axes": (0, 0)}, "axis 0 has more than one actuator"),
        ({"axes": (0, 128)}, "axis of actuator 'slide' is 128: must be 0 to 127"),
        ({"kinds": ("round",)}, "is 'round': must be revolute or prismatic"),
        ({"velocity_max": (1.0, 2.0, 3.0)}, "velocity_max has 3 elements but there are 2"),
        ({"velocity_max": (0.0,)}, "velocity_max of actuator 'shoulder' is 0.0: must be greater"),
        ({"velocity_max": (inf,)}, "velocity_max of actuator 'shoulder' is inf: must be finite"),
        ({"position_min": (nan,)}, "position_min of actuator 'shoulder' is nan: must be finite"),
        ({"position_min": (1.0,), "position_max": (1.0,)}, "must be below position_max, 1.0"),
        (
            {"effort_per_percent": (1e-320,)},
            "effort_per_percent of actuator 'shoulder' is 1e-320: must be 1e-09 to 1e\\+15",
        ),
        ({"effort_max": (1e300,)}, r"effort_max .* is 1e\+300: must be 1e-09 to 1e\+15"),
        (
            {"velocity": (2.0,), "velocity_max": (1.0,)},
            "is 2.0: must be velocity_max, 1.0, at most",
        ),
        (
            {"acceleration": (2.0,), "acceleration_max": (1.0,)},
            "is 2.0: must be acceleration_max, 1.0, at most",
        ),
    ],
)
def test_what_breaks_a_rule_is_refused(changes: dict[str, Array], reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        described(**changes)
