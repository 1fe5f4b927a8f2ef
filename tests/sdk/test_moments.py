"""The cycles in which events, triggers, buffers and outputs act, as in the real engine's logs.

Figures of logs in the public repository MCCodeAI/MCCoder, MCEval/MCCodeLog: program, position by
cycle from the last one at rest on.
"""

from itertools import pairwise
from pathlib import Path

import pytest
from programs import moved


def near(*places: float) -> object:
    return pytest.approx(places, rel=0.0, abs=2e-3)


def test_a_position_is_equal_to_another_half_a_unit_away(tmp_path: Path) -> None:
    """o3-mini-M3/141: at 99.52 of an axis that goes to 500, the event for 100 starts the other."""
    rows = moved(tmp_path, """
        control = EventControl(api)
        when, then = CoreMotionEventInput(), CoreMotionEventOutput()
        when.inputFunction = CoreMotionEventInputType.EqualPos
        when.equalPos.axis, when.equalPos.pos = 0, 100
        then.type = CoreMotionEventOutputType.StartSinglePos
        to = then.startSinglePos
        to.axis, to.target, to.velocity, to.acc, to.dec = 1, -200, 1000, 10000, 10000
        assert control.SetEvent_ID(when, then, 0) == (0, 0)
        assert control.EnableEvent(0, 1) == 0
        sleep(0.01)
        assert cm.motion.StartPos(move(0, 500, 600)) == 0
        cm.motion.Wait(0)
        """, 0, 1)  # fmt: skip
    begun = next(i for i, row in enumerate(rows) if row[1])
    assert rows[begun - 1] == near(99.52, 0.0)
    assert rows[begun] == near(100.12, -0.005)
    assert rows[begun + 1] == near(100.719, -0.02)


def buffered(*moves: str) -> str:
    """A program that records moves with an end velocity, each `wait` ms before the other's end."""
    return """
        buffer = ApiBuffer(api)
        assert buffer.CreateApiBuffer(0, 1024) == 0
        buffer.StartRecordBufferChannel(0)
        left = ApiBufferCondition()
        left.bufferConditionType = ApiBufferConditionType.RemainingTime
        left.arg_remainingTime.axis = 0
        for target, velocity, rate, end, wait in MOVES:
            command = move(0, target, velocity, rate)
            command.profile.endVelocity = end
            cm.motion.StartPos(command)
            if wait:
                left.arg_remainingTime.timeMilliseconds = wait
                buffer.Wait_ApiBufferCondition(left)
        buffer.EndRecordBufferChannel()
        buffer.Execute(0)
        sleep(0.01)
        cm.motion.Wait(0)
        """.replace("MOVES", f"({', '.join(moves)})")


def test_a_buffer_acts_when_so_much_time_is_left(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/80: of 211 cycles, 8 before the end the next order is in force."""
    rows = moved(
        tmp_path,
        buffered(
            "(111, 1000, 10000, 0, 8)", "(222, 2000, 20000, 0, 9)", "(333, 3000, 30000, 0, 0)"
        ),
    )
    assert [row[0] for row in rows[203:207]] == near(110.68, 110.77, 110.88, 111.009)
    assert rows[250][0] == pytest.approx(136.313, abs=2e-3)


def test_a_move_that_ends_with_a_velocity_is_over_a_cycle_sooner(tmp_path: Path) -> None:
    """DeepSeek-R1-M3/80: the second move is too short for its end velocity, and keeps its own."""
    rows = moved(
        tmp_path,
        buffered(
            "(111, 1000, 10000, 1000, 8)",
            "(222, 2000, 10000, 2000, 9)",
            "(333, 3000, 10000, 3000, 0)",
        ),
    )
    logged = {152: 102.0, 153: 103.006, 154: 104.025, 222: 202.625, 223: 204.51, 230: 218.264}
    for cycle, place in logged.items():
        assert rows[cycle][0] == pytest.approx(place, abs=2e-3), cycle
    assert rows[-1] == (333.0,)


def test_a_buffer_goes_on_with_what_is_added_behind_its_end(tmp_path: Path) -> None:
    rows = moved(tmp_path, """
        buffer = ApiBuffer(api)
        buffer.CreateApiBuffer(0, 1024)
        buffer.Execute(0)
        sleep(0.05)
        buffer.StartRecordBufferChannel(0)
        cm.motion.StartPos(move(0, 10))
        buffer.EndRecordBufferChannel()
        sleep(0.1)
        """)  # fmt: skip
    assert rows[-1] == (10.0,)


@pytest.mark.long
def test_a_later_trigger_takes_the_place_of_one_that_waits(tmp_path: Path) -> None:
    """o3-mini-M3/49 gives four to an axis: the last one is that which acts."""
    rows = moved(tmp_path, """
        assert cm.motion.StartPos(move(0, 180, 30, 1000)) == 0
        for velocity in (60, 90, 30):
            later = Motion_TriggerPosCommand()
            later.axis, later.target, later.profile = 0, 180, move(0, 0, velocity, 1000).profile
            later.trigger.triggerType = TriggerType.CompletedTime
            later.trigger.triggerAxis, later.trigger.triggerValue = 0, 700
            assert cm.motion.StartPos_Trigger(later) == 0
        cm.motion.Wait(0)
        """)  # fmt: skip
    ways = [after[0] - before[0] for before, after in pairwise(rows)]
    assert max(ways) == pytest.approx(0.03, abs=1.1e-3)
    assert rows[-1] == (180.0,)


def test_a_command_and_a_trigger_apart_are_no_arguments(tmp_path: Path) -> None:
    """gpt-4o-M1/44 ended there: nothing moved."""
    with pytest.raises(TypeError, match="trigger of its own"):
        moved(tmp_path, "cm.motion.StartPos_Trigger(move(0, 10), Trigger())")


def test_an_output_shows_a_cycle_later_what_the_command_passed(tmp_path: Path) -> None:
    """gpt-4o-M1/90: 12, 24 and 36 on the way to 48; bit on at 12.740, 24.681 and 36.715."""
    rows = moved(tmp_path, """
        control = EventControl(api)
        source, output = EventControl_ComparatorSource(), EventControl_PSOOutput()
        source.axis, output.byteAddress, output.bitAddress = 0, 0, 0
        compare = EventControl_ComparisonType.Equal
        assert control.SetPSOConfig(0, compare, source, output, 0) == 0
        assert control.SetPSOMultipleData(0, 3, [12, 24, 36]) == 0
        assert control.StartPSO(0) == 0
        assert control.GetPSOStatus(0)[1].enabled == 1
        seen = []
        assert cm.motion.StartPos(move(0, 48)) == 0
        while True:
            place = cm.GetStatus()[1].GetAxesStatus(0)
            if Io(api).GetOutBit(0, 0) == (0, 1):
                seen.append(round(place.posCmd, 3))
            if not place.opState:
                break
        assert seen == [12.74, 24.681, 36.715], seen
        """)  # fmt: skip
    assert rows[-1] == (48.0,)


def test_an_axis_begins_with_its_starting_velocity(tmp_path: Path) -> None:
    """gpt-4o-M1/95: 0.56 u in the first cycle, at 555 u/s."""
    rows = moved(tmp_path, """
        ret, parameters = cm.config.GetMotionParam(0)
        parameters.enableGlobalStartingVelocity = True
        parameters.globalStartingVelocity = 555
        cm.config.SetMotionParam(0, parameters)
        cm.motion.StartPos(move(0, 150))
        cm.motion.Wait(0)
        """)  # fmt: skip
    assert rows[1][0] == pytest.approx(0.56, abs=1.1e-3)
    assert rows[49][0] == pytest.approx(38.799, abs=2e-3)


def test_a_line_that_takes_over_from_a_line_lets_it_run_out(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/43: 100 u along the first line, at (90.179, 45.089), it goes on a cycle."""
    rows = moved(tmp_path, """
        line = Motion_LinearIntplCommand()
        line.axisCount, line.profile = 2, move(0, 0).profile
        for i, target in enumerate((200, 100)):
            line.SetAxis(i, i)
            line.SetTarget(i, target)
        assert cm.motion.StartLinearIntplPos(line) == 0
        after = Trigger()
        after.triggerType, after.triggerValue = TriggerType.CompletedDistance, 100
        line.SetTarget(0, -50)
        line.SetTarget(1, -100)
        assert cm.motion.StartLinearIntplPos_Trigger(line, after) == 0
        cm.motion.Wait(0)
        """, 0, 1)  # fmt: skip
    for cycle, places in {
        151: (90.179, 45.089), 152: (91.071, 45.536), 153: (91.96, 45.98), 157: (95.365, 47.659),
        161: (98.509, 49.159), 500: (-49.941, -99.946), 504: (-50.0, -100.0),
    }.items():  # fmt: skip
        assert rows[cycle] == near(*places), cycle


def test_a_line_begins_beside_the_end_of_the_one_before(tmp_path: Path) -> None:
    """DeepSeek-V3-M1/50: with 10 u left of the first line, the second begins a cycle later."""
    rows = moved(tmp_path, """
        line = Motion_LinearIntplCommand()
        line.axisCount, line.profile = 2, move(0, 0, 1500).profile
        for i, target in enumerate((80, 0)):
            line.SetAxis(i, i)
            line.SetTarget(i, target)
        assert cm.motion.StartLinearIntplPos(line) == 0
        left = Trigger()
        left.triggerType, left.triggerValue = TriggerType.RemainingDistance, 10
        line.SetTarget(1, 80)
        assert cm.motion.StartLinearIntplPos_Trigger(line, left) == 0
        cm.motion.Wait(0)
        """, 0, 1)  # fmt: skip
    for cycle, places in {
        135: (70.0, 0.0), 136: (70.44, 0.0), 137: (70.869, 0.005), 138: (71.289, 0.02),
        150: (75.556, 0.968),
    }.items():  # fmt: skip
        assert rows[cycle] == near(*places), cycle
    assert rows[-1] == (80.0, 80.0)
