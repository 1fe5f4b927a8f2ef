"""What whoever loads a parameter file is told, although the file breaks no rule."""

import pytest

from wmx_core.parameters.mistakes import doubts
from wmx_core.parameters.parameter_set import ParameterSet

UNKNOWN = "unknown elements, which the simulated engine ignores: "
TOO_MANY = "parameters of axes that the engine does not have: "
MISSING = "no parameters of these axes, which have the vendor's defaults: "


def axes(*numbers: int, sections: str = "") -> str:
    return "".join(f'<AxisParameters Axis="{n}">{sections}</AxisParameters>' for n in numbers)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (axes(0, 1), []),
        (axes(0), [f"{MISSING}1"]),
        (axes(1, 0, 7), [f"{TOO_MANY}7"]),
        (axes(7), [f"{TOO_MANY}7", f"{MISSING}0, 1"]),
        ("<Odd/>" + axes(0, 1), [f"{UNKNOWN}'Odd'"]),
        (
            axes(
                0, 1, sections="<HomeParam><HomeType>0</HomeType><HomeTyp>2</HomeTyp></HomeParam>"
            ),
            [f"{UNKNOWN}axis 0, HomeParam/'HomeTyp', axis 1, HomeParam/'HomeTyp'"],
        ),
        (
            axes(0, 1, sections="<Homing><a/></Homing>"),
            [f"{UNKNOWN}axis 0, 'Homing', axis 1, 'Homing'"],
        ),
        (
            "<GlobalParameters><X/></GlobalParameters>" + axes(0, 1),
            [f"{UNKNOWN}GlobalParameters, 'X'"],
        ),
        (axes(*range(7)), [f"{TOO_MANY}2, 3, 4, 5, 6"]),
        (axes(*range(8)), [f"{TOO_MANY}2, 3, 4, 5, 6, ..."]),
    ],
)
def test_doubts_of_an_engine_with_two_axes(content: str, told: list[str]) -> None:
    parameters = ParameterSet.from_xml(f"<Parameters>{content}</Parameters>".encode())
    assert list(doubts(parameters, 2)) == told


def test_the_vendors_own_elements_are_all_known() -> None:
    assert list(doubts(ParameterSet.defaults(128), 128)) == []
