"""Paths whose workpiece turns under the tool move as they did over the real engine.

Figures of logs in the public repository MCCodeAI/MCCoder, MCEval/MCCodeLog: program, position of
the axes by cycle from the last one at rest on; the axis that turns is the first.
"""

from pathlib import Path

import pytest
from programs import check, moved

SQUARE = """
        adv = AdvancedMotion(api).advMotion
        assert adv.CreatePathIntplWithRotationBuffer(0, 1000) == 0
        conf = AdvMotion_PathIntplWithRotationConfiguration()
        conf.SetAxis(0, 5)
        conf.SetAxis(1, 6)
        conf.rotationalAxis = 3
        conf.SetCenterOfRotation(0, 80)
        conf.SetCenterOfRotation(1, 80)
        conf.angleCorrectionProfile.velocity = 900
        conf.angleCorrectionProfile.acc = conf.angleCorrectionProfile.dec = 1800
        assert cm.config.SetSingleTurn(3, True, 360000) == 0
        path = AdvMotion_PathIntplWithRotationCommand()
        path.numPoints = 4
        corners = (160, 0), (160, 160), (0, 160), (0, 0)


        def corner(i):
            point = AdvMotion_PathIntplWithRotationCommandPoint()
            point.type = AdvMotion_PathIntplSegmentType.Linear
            point.profile.velocity = 1000
            point.profile.acc = point.profile.dec = 2000
            point.SetTarget(0, corners[i][0])
            point.SetTarget(1, corners[i][1])
            return point


        def go():
            assert adv.SetPathIntplWithRotationConfiguration(0, conf) == 0
            assert adv.AddPathIntplWithRotationCommand(0, path) == 0
            assert adv.StartPathIntplWithRotation(0) == 0
            states = AdvMotion_PathIntplWithRotationState()
            assert adv.GetPathIntplWithRotationStatus(0)[1].state == states.Executing
            while adv.GetPathIntplWithRotationStatus(0)[1].state != states.Idle:
                sleep(0.1)
            assert adv.FreePathIntplWithRotationBuffer(0) == 0

"""
ROUNDED = """
        conf.enableAutoSmooth = 1
        for i in range(4):
            point = corner(i)
            point.autoSmoothRadius = 10
            path.SetPoint(i, point)
"""


@pytest.mark.long
def test_the_axes_follow_what_the_table_carries(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/66: at each corner the point rests until the next line lies as the first."""
    rows = moved(tmp_path, SQUARE + """
        for i in range(4):
            path.SetPoint(i, corner(i))
        go()
        """, 3, 5, 6)  # fmt: skip
    check(rows, {
        566: (0.0, 160.0, 0.0), 568: (0.001, 159.999, -0.001), 608: (1.508, 157.868, -2.077),
        768: (36.233, 97.243, -31.815), 888: (75.535, 22.519, -17.447), 1015: (90.0, 0.0, 0.0),
        1017: (90.0, 0.001, 0.0), 2032: (180.0, 0.0, 0.0), 3047: (270.0, 0.0, 0.0),
        3614: (270.0, 160.0, 0.0),
    })  # fmt: skip


@pytest.mark.long
def test_or_they_do_not(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/65: disableXYRotationalMotion, as fast as before."""
    rows = moved(tmp_path, SQUARE + """
        conf.disableXYRotationalMotion = 1
        for i in range(4):
            path.SetPoint(i, corner(i))
        go()
        """, 3, 5, 6)  # fmt: skip
    check(rows, {
        566: (0.0, 160.0, 0.0), 569: (0.004, 160.0, 0.0), 1015: (90.0, 160.0, 0.0),
        1018: (90.0, 160.0, 0.004), 2031: (180.0, 160.0, 160.0), 2033: (180.0, 159.999, 160.0),
        3614: (270.0, 0.0, 0.0),
    })  # fmt: skip


@pytest.mark.long
def test_along_an_arc_the_table_turns_with_the_path(tmp_path: Path) -> None:
    """DeepSeek-R1-M3/66: corners are rounded, and the point rests where an arc begins and ends."""
    rows = moved(tmp_path, SQUARE + ROUNDED + """
        go()
        """, 3, 5, 6)  # fmt: skip
    check(rows, {
        548: (0.0, 150.0, 0.0), 550: (0.0, 150.0, 0.0), 551: (0.006, 149.993, -0.007),
        552: (0.023, 149.972, -0.028), 728: (90.0, 10.0, 0.0), 731: (90.0, 10.001, 0.0),
        1441: (180.0, 10.0, 0.0), 1975: (180.006, 149.993, -0.007), 2155: (270.0, 10.001, 0.0),
        2702: (270.0, 160.0, 0.0),
    })  # fmt: skip


@pytest.mark.long
def test_the_table_turns_around_the_center_of_a_segment(tmp_path: Path) -> None:
    """DeepSeek-R1-M3/67: as the point goes around that center, and corrected for the next one."""
    rows = moved(tmp_path, SQUARE + ROUNDED + """
        conf.enableLocalCenterOfRotation = 1
        for i, center in enumerate(((50, 40), (60, 50), (50, 60), (40, 50))):
            point = path.GetPoint(i)
            point.useLocalCenterOfRotation = point.localCenterOfRotationDirection = 1
            point.SetLocalCenterOfRotation(0, center[0])
            point.SetLocalCenterOfRotation(1, center[1])
            path.SetPoint(i, point)
        go()
        """, 3, 5, 6)  # fmt: skip
    check(rows, {
        100: (6.333, 1.593, 8.211), 250: (68.612, -0.895, 67.179), 550: (119.539, -24.113, 58.539),
        650: (123.098, -26.116, 55.784), 730: (126.084, -23.689, 56.576),
        800: (121.827, -21.663, 48.943), 852: (119.539, -20.343, 44.909),
        1100: (153.368, 4.591, 51.91), 1550: (192.006, -5.249, 16.342),
        2300: (257.297, 21.912, -12.224), 2950: (3.766, -4.198, 18.84),
        3070: (12.68, -15.61, 19.512),
    })  # fmt: skip


@pytest.mark.long
def test_a_third_axis_rises_along_the_path_alone(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/68: one profile for all segments, and a turn that passes 0."""
    rows = moved(tmp_path, """
        adv = AdvancedMotion(api).advMotion
        conf = AdvMotion_PathIntplWithRotationConfiguration()
        conf.SetAxis(0, 8)
        conf.SetAxis(1, 9)
        conf.SetCenterOfRotation(0, 30)
        conf.SetCenterOfRotation(1, 30)
        conf.enableConstProfile = conf.enableZAxis = conf.zAxis = 1
        conf.angleCorrectionProfile.velocity = 900
        conf.angleCorrectionProfile.acc = conf.angleCorrectionProfile.dec = 1800
        assert adv.SetPathIntplWithRotationConfiguration(0, conf) == 0
        assert cm.config.SetSingleTurn(0, True, 360000) == 0
        path = AdvMotion_PathIntplWithRotationCommand()
        path.numPoints = 5
        for i, (end, center) in enumerate(((50, 0), (100, 20), (150, 0), (200, 40), (300, 0))):
            point = AdvMotion_PathIntplWithRotationCommandPoint()
            point.type = AdvMotion_PathIntplSegmentType.Linear
            if i == 0:
                point.profile.velocity = 1000
                point.profile.acc = point.profile.dec = 2000
            point.SetTarget(0, end)
            point.SetTarget(1, end)
            if center:
                point.type = AdvMotion_PathIntplSegmentType.Circular
                point.direction = 1
                point.SetCenterPos(0, center)
                point.SetCenterPos(1, center)
            point.zAxisTarget = 25 * (i + 1)
            path.SetPoint(i, point)
        assert adv.AddPathIntplWithRotationCommand(0, path) == 0
        assert adv.StartPathIntplWithRotation(0) == 0
        while adv.GetPathIntplWithRotationStatus(0)[1].state:
            sleep(0.1)
        """, 0, 1, 8, 9)  # fmt: skip
    check(rows, {
        100: (0.0, 3.499, 6.999, 6.999), 378: (0.0, 25.0, 50.0, 50.0),
        380: (359.999, 25.0, 50.0, 50.0), 600: (316.197, 25.0, 30.591, 58.278),
        827: (270.0, 25.0, 10.0, 50.0), 829: (270.002, 25.0, 10.001, 50.001),
        1050: (349.639, 36.061, 91.173, 57.36), 1300: (90.0, 50.0, 100.0, -40.0),
        1500: (54.484, 50.0, 127.642, 13.688), 1750: (0.0, 50.0, 100.0, 100.0),
        2900: (53.642, 94.95, 257.733, -25.812), 3900: (0.0, 121.922, 287.687, 287.687),
        4032: (0.0, 125.0, 300.0, 300.0),
    })  # fmt: skip


def test_what_no_log_shows_is_not_simulated(tmp_path: Path) -> None:
    names = [
        "AdvMotion_PathIntplWithRotation: disableRotationalAxis",
        "AdvMotion.StartPathIntplWithRotation_Pos",
    ]
    moved(tmp_path, SQUARE + """
        conf.disableRotationalAxis = 1
        assert adv.SetPathIntplWithRotationConfiguration(0, conf) == 304
        conf.disableRotationalAxis = 0
        assert adv.SetPathIntplWithRotationConfiguration(0, conf) == 0
        path.SetPoint(0, corner(0))
        assert adv.AddPathIntplWithRotationCommand(0, path) == 0
        assert adv.StartPathIntplWithRotation_Pos(0, 10.0) == 304
        """, 3, 5, 6, missing=names)  # fmt: skip


def test_a_path_that_cannot_be_is_refused_and_nothing_moves(tmp_path: Path) -> None:
    rows = moved(tmp_path, SQUARE + """
        conf.angleCorrectionProfile.velocity = 0
        assert adv.StartPathIntplWithRotation(0) == 1555
        assert adv.SetPathIntplWithRotationConfiguration(0, conf) == 0
        assert adv.StartPathIntplWithRotation(0) == 65615
        for i in range(4):
            path.SetPoint(i, corner(i))
        assert adv.AddPathIntplWithRotationCommand(0, path) == 0
        assert adv.StartPathIntplWithRotation(0) not in (0, 1555, 65615)
        """, 3, 5, 6)  # fmt: skip
    assert set(rows) == {(0.0, 0.0, 0.0)}
