"""Paths, splines and buffers of points move as they did over the real engine.

Figures of logs in the public repository MCCodeAI/MCCoder, MCEval/MCCodeLog: program, position of
both axes by cycle from the last one at rest on.
"""

from pathlib import Path

import pytest
from programs import check, moved

ADVANCED = """
        adv = AdvancedMotion(api).advMotion
        axes = AxisSelection()
        axes.axisCount = 2
        axes.SetAxis(0, 2)
        axes.SetAxis(1, 5)


        def profile(velocity, acc=10000, end=0):
            made = Profile()
            made.type = ProfileType.Trapezoidal
            made.velocity, made.acc, made.dec, made.endVelocity = velocity, acc, acc, end
            return made


        def new_path():
            path = AdvMotion_PathIntplCommand()
            path.SetAxis(0, 2)
            path.SetAxis(1, 5)
            return path


        def run(path):
            assert adv.StartPathIntplPos(path) == 0
            cm.motion.Wait_AxisSel(axes)

"""


def test_a_path_of_lines_and_arcs_each_with_its_profile(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/62: segments begin with the end velocity of the one before."""
    rows = moved(tmp_path, ADVANCED + """
        path = new_path()
        corners = (
            (50, 0, None), (75, 25, (50, 25)), (75, 50, None), (50, 75, (50, 50)),
            (0, 75, None), (-25, 50, (0, 50)), (-25, 25, None), (0, 0, (0, 25)),
        )
        path.numPoints = len(corners)
        velocities = 1000, 900, 800, 700, 600, 700, 800, 900
        for i, (x, y, center) in enumerate(corners):
            path.SetType(i, AdvMotion_PathIntplSegmentType.Circular if center
                         else AdvMotion_PathIntplSegmentType.Linear)
            path.SetTarget(0, i, x)
            path.SetTarget(1, i, y)
            if center:
                path.SetCenterPos(0, i, center[0])
                path.SetCenterPos(1, i, center[1])
                path.SetDirection(i, 1)
            end = velocities[i] if i < 7 else 0
            path.SetProfile(i, profile(velocities[i], end=end))
        run(path)
        """, 2, 5)  # fmt: skip
    check(rows, {
        50: (12.5, 0.0), 100: (50.0, 0.0), 110: (59.174, 1.744), 144: (75.0, 25.0),
        145: (75.0, 25.894), 160: (75.0, 38.173), 200: (68.906, 66.357), 300: (8.346, 75.0),
        400: (-25.0, 27.389), 480: (-0.823, 0.014),
    })  # fmt: skip


def test_a_path_whose_corners_are_rounded(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/63: no further than half-way where the next corner needs it, too."""
    rows = moved(tmp_path, ADVANCED + """
        path = new_path()
        path.enableConstProfile = path.enableAutoSmooth = 1
        path.SetProfile(0, profile(1000))
        path.numPoints = 6
        for i in range(6):
            path.SetType(i, AdvMotion_PathIntplSegmentType.Linear)
            path.SetTarget(0, i, 10 if i % 2 else -40)
            path.SetTarget(1, i, -30 - 20 * i)
            path.SetAutoSmoothRadius(i, 10 * (i + 1) if i < 5 else 0)
        run(path)
        """, 2, 5)  # fmt: skip
    check(rows, {
        19: (-1.439, -1.08), 60: (-14.354, -10.765), 90: (-32.288, -24.231),
        110: (-23.375, -36.65), 150: (-13.084, -59.281), 200: (-11.768, -98.698),
        250: (-2.998, -124.801), 300: (9.958, -129.983),
    })  # fmt: skip


@pytest.mark.long
def test_a_center_that_does_not_fit_is_moved(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/15: half circles, whatever center on their line is named."""
    rows = moved(tmp_path, ADVANCED + """
        path = new_path()
        path.enableConstProfile = 1
        path.profile = profile(1200)
        path.numPoints = 4
        for i, (place, turn) in enumerate(((-50, 0), (-100, -1), (50, 0), (-100, 1))):
            path.SetType(i, AdvMotion_PathIntplSegmentType.Circular if turn
                         else AdvMotion_PathIntplSegmentType.Linear)
            path.SetTarget(0, i, place)
            path.SetTarget(1, i, place)
            path.SetDirection(i, turn)
        run(path)
        """, 2, 5)  # fmt: skip
    check(rows, {
        30: (-3.182, -3.182), 150: (-40.916, -84.397), 190: (-76.969, -110.3),
        300: (-24.912, -24.912), 450: (-15.749, 80.662), 700: (-102.351, -97.573),
    })  # fmt: skip


def spline(kind: str, setting: str, points: str) -> str:
    """A program that follows a spline of a `kind` through five `points`."""
    return (
        ADVANCED
        + f"""
        points = []
        for x, y in ({points}):
            points.append(AdvMotion_SplinePoint())
            points[-1].SetPos(0, x)
            points[-1].SetPos(1, y)
        assert adv.CreateSplineBuffer(0, 100) == 0
        spline = AdvMotion_{kind}SplineCommand()
        spline.dimensionCount = 2
        spline.SetAxis(0, 2)
        spline.SetAxis(1, 5)
        spline.{setting}
        assert adv.StartCSplinePos_{kind}(0, spline, 5, points) == 0
        cm.motion.Wait_AxisSel(axes)
        """
    )


def test_a_spline_in_a_total_time(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/58: the first and the last of even chords take twice as long."""
    points = "(0, 0), (25, 50), (50, 0), (75, -50), (100, 0)"
    body = spline("TotalTime", "totalTimeMilliseconds = 1500", points)
    check(moved(tmp_path, body, 2, 5), {
        1: (0.0, 0.001), 250: (6.875, 28.75), 500: (25.0, 50.0), 625: (37.031, 31.562),
        750: (50.0, 0.0), 1200: (90.28, -36.72), 1499: (100.0, -0.001),
    })  # fmt: skip


def test_a_spline_with_a_profile(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/59: the profile is that along the chords."""
    body = spline(
        "Profile", "profile = profile(1600)", "(0, 0), (25, -50), (50, 0), (75, 50), (100, 0)"
    )
    check(moved(tmp_path, body, 2, 5), {
        1: (0.002, -0.007), 60: (8.0, -23.181), 106: (24.969, -50.0), 150: (50.0, 0.0),
        200: (77.778, 49.108), 299: (99.998, 0.007),
    })  # fmt: skip


def lookahead(velocity: float, acc: float, sample: float, points: str) -> str:
    """A program that follows `points` with look-ahead."""
    return (
        ADVANCED
        + f"""
        configuration = AdvMotion_PathIntplLookaheadConfiguration()
        configuration.axisCount = 2
        configuration.SetAxis(0, 2)
        configuration.SetAxis(1, 5)
        configuration.compositeVel, configuration.compositeAcc = {velocity!r}, {acc!r}
        configuration.sampleDistance = {sample!r}


        def to(x, y, radius=0.0):
            point = AdvMotion_PathIntplLookaheadCommandPoint()
            point.type = AdvMotion_PathIntplLookaheadSegmentType.Linear
            point.linear.axisCount, point.linear.smoothRadius = 2, radius
            for i, (axis, target) in enumerate(((2, x), (5, y))):
                point.linear.SetAxis(i, axis)
                point.linear.SetTarget(i, target)
            return point


        def bit(on, when, value):
            point = AdvMotion_PathIntplLookaheadCommandPoint()
            point.type = AdvMotion_PathIntplLookaheadSegmentType.SetOutputBit
            point.setOutputBit.bitAddress, point.setOutputBit.value = 6, on
            point.setOutputBit.type, point.setOutputBit.triggerValue = when, value
            return point


        path = AdvMotion_PathIntplLookaheadCommand()
        for point in {points}:
            path.SetPoint(path.numPoints, point)
            path.numPoints += 1
        assert adv.CreatePathIntplLookaheadBuffer(0, 1000) == 0
        assert adv.SetPathIntplLookaheadConfiguration(0, configuration) == 0
        assert adv.AddPathIntplLookaheadCommand(0, path) == 0
        assert adv.StartPathIntplLookahead(0) == 0
        cm.motion.Wait_AxisSel(axes)
        stopped = adv.GetPathIntplLookaheadStatus(0)[1].state
        assert stopped == AdvMotion_PathIntplLookaheadState.Stopped
"""
    )


def test_look_ahead_stops_at_corners_between_two_cycles(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/27: at (22.45, -69.1) after 269.5 ms."""
    body = lookahead(1500, 4000, 0, "(to(22.45, -69.1), to(95.11, -69.1))")
    check(moved(tmp_path, body, 2, 5), {
        100: (6.18, -19.021), 200: (19.461, -59.9), 270: (22.45, -69.1), 271: (22.454, -69.1),
        400: (56.486, -69.1),
    })  # fmt: skip


def test_look_ahead_does_not_stop_at_rounded_corners(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/30: two samples of each part, between which velocity changes evenly."""
    points = "(to(50, 0, 2.5), to(50, 50, 5), to(0, 50, 10), to(0, 0))"
    check(moved(tmp_path, lookahead(1500, 20000, 100, points), 2, 5), {
        50: (25.0, 0.0), 69: (47.61, 0.002), 70: (48.912, 0.437), 72: (50.0, 2.912),
        75: (50.0, 7.239), 100: (50.0, 44.455), 130: (8.466, 49.882), 204: (0.0, 0.0),
    })  # fmt: skip


def test_look_ahead_rounds_a_corner_from_where_the_path_begins(tmp_path: Path) -> None:
    points = "(to(10, 0, 10), to(10, 20, 10), to(40, 20))"
    rows = moved(tmp_path, lookahead(1500, 20000, 1, points), 2, 5)
    assert rows[-1] == pytest.approx((40.0, 20.0))
    assert all(x <= 10.0 or y >= 10.0 for x, y in rows)


def test_look_ahead_rounds_a_corner_up_to_the_next_one(tmp_path: Path) -> None:
    """There is no line between them, and the next corner is one all the same."""
    points = "(to(10, 0, 5), to(10, 5), to(20, 5))"
    rows = moved(tmp_path, lookahead(1500, 20000, 1, points), 2, 5)
    assert rows[-1] == pytest.approx((20.0, 5.0))
    assert min(abs(x - 10.0) + abs(y - 5.0) for x, y in rows) < 1e-3, "it stops there"
    assert all(y > 4.999 for x, y in rows if x > 10.001)


def test_look_ahead_is_as_fast_as_its_samples_let_it_be(tmp_path: Path) -> None:
    """DeepSeek-V3-M1/73: of three samples, the one in the middle is evenly fast."""
    body = lookahead(2400, 4800, 100, """(
            bit(1, AdvMotion_PathIntplOutputType.CompletedDist, 50),
            bit(0, AdvMotion_PathIntplOutputType.RemainingDist, 30),
            to(100, 200),
        )""") + """
        assert Io(api).GetOutBit(0, 6) == (0, 0)
        """  # fmt: skip
    check(moved(tmp_path, body, 2, 5), {
        144: (22.256, 44.512), 145: (22.566, 45.133), 177: (33.625, 67.25), 190: (38.543, 77.086),
        300: (78.791, 157.582),
    })  # fmt: skip


@pytest.mark.parametrize("stop", ["Stop", "ExecQuickStop"])
def test_look_ahead_sets_no_bit_behind_the_place_where_it_is_stopped(
    tmp_path: Path, stop: str
) -> None:
    points = "(bit(1, AdvMotion_PathIntplOutputType.CompletedDist, 50), to(100, 200))"
    body = lookahead(2400, 4800, 100, points).replace(
        "StartPathIntplLookahead(0) == 0",
        f"""StartPathIntplLookahead(0) == 0
        sleep(0.05)
        assert cm.motion.{stop}(2) == 0""",
    ) + """
        sleep(0.3)
        assert Io(api).GetOutBit(0, 6) == (0, 0)
        """  # fmt: skip
    assert moved(tmp_path, body, 2, 5)[-1][0] < 20.0


@pytest.mark.long
def test_look_ahead_keeps_the_limits_of_each_axis(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/70: round a corner no faster than the acceleration of an axis allows."""
    points = "(to(200, 0, 10), to(200, 200, 10), to(0, 200, 10), to(0, 0))"
    body = lookahead(1100, 8800, 50, points).replace(
        "configuration.sampleDistance",
        """for i, most in enumerate((700, 500)):
            configuration.SetVelocityLimit(i, most)
            configuration.SetAccLimit(i, 8800)
        configuration.sampleDistance""",
    )
    check(moved(tmp_path, body, 2, 5), {
        273: (143.595, 0.0), 300: (160.773, 0.0), 326: (174.399, 0.0), 395: (197.436, 3.314),
        420: (200.0, 10.918), 600: (200.0, 93.525),
    })  # fmt: skip


def test_arcs_with_look_ahead_are_told_of(tmp_path: Path) -> None:
    moved(
        tmp_path,
        """
        arc = AdvMotion_PathIntplLookaheadCommandPoint()
        arc.type = AdvMotion_PathIntplLookaheadSegmentType.ThroughAndEnd3DCircular
        arc.throughAndEnd3DCircular.SetThroughPos(0, 80)
        path = AdvMotion_PathIntplLookaheadCommand()
        path.numPoints = 1
        path.SetPoint(0, arc)
        assert AdvancedMotion(api).advMotion.AddPathIntplLookaheadCommand(0, path) == 304
        """,
        missing=["AdvMotion_PathIntplLookaheadSegmentType 6"],
    )


def test_a_cyclic_buffer_goes_evenly_from_place_to_place(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/29."""
    rows = moved(tmp_path, """
        buffer = CyclicBuffer(api)
        assert buffer.OpenCyclicBuffer(0, 1024) == 0
        assert buffer.Execute(0) == 0
        command = CyclicBufferSingleAxisCommand()
        kinds = CyclicBufferCommandType
        for kind, cycles, place in (
            (kinds.AbsolutePos, 100, 60), (kinds.RelativePos, 100, 140),
            (kinds.AbsolutePos, 200, -100),
        ):
            command.type, command.intervalCycles, command.command = kind, cycles, place
            assert buffer.AddCommand(0, command) == 0
        while buffer.GetStatus(0)[1].remainCount:
            sleep(0.01)
        assert buffer.CloseCyclicBuffer(0) == 0
        """)  # fmt: skip
    check(rows, {
        1: (0.6,), 100: (60.0,), 101: (61.4,), 200: (200.0,), 201: (198.5,), 400: (-100.0,),
    })  # fmt: skip


@pytest.mark.long
def test_a_periodic_cam_begins_anew_with_each_period(tmp_path: Path) -> None:
    """DeepSeek-V3-M1/76: the master at -398.875 is where it would be at 1.125."""
    rows = moved(tmp_path, """
        cam = AdvSync_ECAMData()
        cam.options.type = AdvSync_ECAMType.Periodic
        cam.masterAxis, cam.slaveAxis, cam.numPoints = 0, 1, 5
        for i, (master, slave) in enumerate(
            ((-100, 100), (-50, 150), (0, 100), (50, 50), (100, 100))
        ):
            cam.SetMasterPos(i, master)
            cam.SetSlavePos(i, slave)
        cm.motion.StartPos(move(0, -400, 2000))
        cm.motion.Wait(0)
        assert AdvancedMotion(api).advSync.StartECAM(0, cam) == 0
        cm.motion.StartPos(move(0, 800, 2000))
        cm.motion.Wait(0)
        """, 0, 1)  # fmt: skip
    slave = {round(row[0], 3): row[1] for row in rows if row[1]}
    for master, place in {
        -398.875: 98.875, -359.5: 59.5, -333.875: 66.125, -302.0: 98.0, -219.5: 119.5,
        -70.0: 130.0, 780.0: 120.0, 800.0: 100.0,
    }.items():  # fmt: skip
        near = min(slave, key=lambda at, m=master: abs(at - m))
        assert slave[near] == pytest.approx(place, abs=abs(near - master) + 2e-3), master


def test_an_axis_of_a_single_turn_takes_the_shortest_way(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/77: from 0 to 300 by way of 360, 60 u at 1000 u/s^2."""
    rows = moved(tmp_path, """
        assert cm.config.SetSingleTurn(0, True, 360000) == 0
        cm.motion.StartPos(move(0, 300, 1000, 1000))
        cm.motion.Wait(0)
        """)  # fmt: skip
    assert rows[-1] == (300.0,)
    assert min(row[0] for row in rows[2:]) == 300.0
    for place in 359.888, 355.952, 325.302, 304.998:
        assert min(abs(row[0] - place) for row in rows) <= 2e-3, place


def test_what_else_is_not_simulated_is_told(tmp_path: Path) -> None:
    moved(
        tmp_path,
        """
        cam = AdvSync_ECAMData()
        cam.options.type = AdvSync_ECAMType.Repeat
        assert cm.config.SetSingleTurn(0, True, 360000) == 0
        assert AdvancedMotion(api).advSync.StartECAM(0, cam) == 304
        assert Compensation(api).SetBacklashCompensation(0, BacklashCompensationData()) == 304
        """,
        missing=[
            "AdvSync_ECAMType.Repeat of an axis of a single turn",
            "Compensation.SetBacklashCompensation",
        ],
    )


def test_compensation_of_pitch_errors_is_kept(tmp_path: Path) -> None:
    """gpt-4o-M1/86: the command is none other for it."""
    rows = moved(tmp_path, """
        table = PitchErrorCompensationData()
        table.enable = 1
        table.SetPitchCompensationValue(0, 2)
        compensation = Compensation(api)
        assert compensation.SetPitchErrorCompensation(0, table) == 0
        assert compensation.GetPitchErrorCompensation(0)[1].enable == 1
        cm.motion.StartPos(move(0, 110, 2000))
        cm.motion.Wait(0)
        """)  # fmt: skip
    assert rows[-1] == (110.0,)
