"""Programs over the simulated engine move as they did over the real one.

Figures of logs in the public repository MCCodeAI/MCCoder, MCEval/MCCodeLog: program, position by
cycle from the last one at rest on.
"""

import time
from pathlib import Path

import pytest
from programs import check, moved

from wmx_sim.compare.traces import read_trace
from wmx_sim.sdk.runtime import OutOfTime, Runtime


def test_a_move(tmp_path: Path) -> None:
    """o3-mini-M1/1."""
    rows = moved(tmp_path, "cm.motion.StartPos(move(0, 130.2, 1060, 11000)); cm.motion.Wait(0)")
    check(
        rows,
        {1: (0.005,), 50: (13.641,), 97: (51.339,), 110: (65.1,), 200: (128.017,), 220: (130.2,)},
        within=1.1e-3,
    )


def test_moves_in_a_row_are_a_cycle_apart(tmp_path: Path) -> None:
    """o3-mini-M1/5: each stands for a cycle more than it has to. Seven programs: 1 cycle."""
    rows = moved(tmp_path, """
        for target in (10.0, 0.0):
            cm.motion.StartPos(move(0, target))
            cm.motion.Wait(0)
        """)  # fmt: skip
    there = next(i for i, row in enumerate(rows) if row[0] == 10.0)
    assert [row[0] for row in rows[there : there + 3]] == [
        10.0,
        10.0,
        pytest.approx(9.995, abs=1e-3),
    ]
    rows = moved(tmp_path, "cm.motion.StartPos(move(1, 10)); cm.motion.StartPos(move(2, 10))", 1, 2)
    assert rows[1] == (pytest.approx(0.005, abs=1e-3), 0.0)
    assert rows[2][1] == pytest.approx(0.005, abs=1e-3)


def test_a_triggered_move_turns_round_within_a_cycle(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/41: 6.6 u before its target, at 0.365 u a cycle, it goes back."""
    rows = moved(tmp_path, """
        cm.motion.StartPos(move(0, 66.6, 600))
        back = Motion_TriggerPosCommand()
        back.axis, back.target, back.profile = 0, -66.6, move(0, 0).profile
        back.trigger.triggerAxis, back.trigger.triggerValue = 0, 6.6
        back.trigger.triggerType = TriggerType.RemainingDistance
        cm.motion.StartPos_Trigger(back)
        cm.motion.Wait(0)
        """)  # fmt: skip
    check(
        rows,
        {60: (18.0,), 111: (48.6,), 135: (60.12,), 136: (60.12,), 137: (60.115,), 236: (10.23,)},
        within=1.1e-3,
    )
    assert rows[-1] == (-66.6,)


def test_velocities_that_time_triggers(tmp_path: Path) -> None:
    """DeepSeek-R1-M1/49: 30 u/s, then 60 after 700 ms: seen in the cycle 699 after the start."""
    rows = moved(tmp_path, """
        cm.motion.StartPos(move(0, 180, 30, 1000))
        faster = Motion_TriggerPosCommand()
        faster.axis, faster.target, faster.profile = 0, 180, move(0, 0, 60, 1000).profile
        faster.trigger.triggerAxis, faster.trigger.triggerValue = 0, 700
        faster.trigger.triggerType = TriggerType.CompletedTime
        cm.motion.StartPos_Trigger(faster)
        ready = Motion_WaitCondition()
        ready.waitConditionType = Motion_WaitConditionType.MotionStartedOverrideReady
        ready.axisCount = 1
        ready.SetAxis(0, 0)
        cm.motion.Wait_WaitCondition(ready)
        cm.motion.Stop(0)
        cm.motion.Wait(0)
        """)  # fmt: skip
    check(rows, {699: (20.52,)}, within=1.1e-3)


def test_a_line_as_fast_as_its_axes_may(tmp_path: Path) -> None:
    """o3-mini-M1/42: an axis at most at 666 u/s bounds the line to 744.6."""
    rows = moved(tmp_path, """
        line = Motion_LinearIntplCommand()
        line.axisCount = 2
        line.profile = move(0, 0).profile
        for i, (axis, target, most, rate) in enumerate(((2, 111, 555, 8888), (5, 222, 666, 9999))):
            line.SetAxis(i, axis)
            line.SetTarget(i, target)
            line.SetMaxVelocity(i, most)
            line.SetMaxAcc(i, rate)
            line.SetMaxDec(i, rate)
        cm.motion.StartLinearIntplPos(line)
        selection = AxisSelection()
        selection.axisCount = 2
        selection.SetAxis(0, 2)
        selection.SetAxis(1, 5)
        cm.motion.Wait_AxisSel(selection)
        """, 2, 5)  # fmt: skip
    assert rows[9] == (pytest.approx(0.179, abs=1.1e-3), pytest.approx(0.359, abs=1.1e-3))
    assert rows[-1] == (111.0, 222.0)


def test_an_event_starts_another_axis_in_its_cycle(tmp_path: Path) -> None:
    """DeepSeek-V3-M3/135: 300 ms after the start of one axis, the other is 0.005 u on its way."""
    rows = moved(tmp_path, """
        events = EventControl(api)
        when, then = CoreMotionEventInput(), CoreMotionEventOutput()
        when.inputFunction = CoreMotionEventInputType.CompletedTime
        when.completedTime.axis, when.completedTime.timeMilliseconds = 0, 300
        then.type = CoreMotionEventOutputType.StartSinglePos
        order = then.startSinglePos
        order.axis, order.type, order.target = 1, ProfileType.Trapezoidal, 300
        order.velocity, order.acc, order.dec = 1000, 10000, 10000
        assert events.SetEvent_ID(when, then, 1) == (0, 1)
        assert events.EnableEvent(1, 1) == 0
        assert events.GetEventModuleId(1) == (0, ModuleId.CoreMotion, ModuleId.CoreMotion)
        cm.motion.StartPos(move(0, 2000))
        cm.motion.Wait(0)
        assert events.RemoveEvent(1) == 0
        assert events.GetEventModuleId(1)[0] != 0
        """, 0, 1)  # fmt: skip
    assert [rows[299][1], rows[300][1]] == [0.0, pytest.approx(0.005, abs=1.1e-3)]
    assert rows[-1] == (2000.0, 300.0)


def test_a_buffer_carries_out_what_was_recorded(tmp_path: Path) -> None:
    rows = moved(tmp_path, """
        buffer = ApiBuffer(api)
        buffer.CreateApiBuffer(0, 1024)
        buffer.StartRecordBufferChannel(0)
        for target in (10, -10):
            assert cm.motion.StartMov(move(0, target)) == 0
            buffer.Wait(0)
        buffer.EndRecordBufferChannel()
        assert cm.GetStatus()[1].GetAxesStatus(0).posCmd == 0.0
        buffer.Execute(0)
        cm.motion.Wait(0)
        """)  # fmt: skip
    assert max(row[0] for row in rows) == 10.0
    assert rows[-1] == (0.0,)


def test_a_program_that_fails_leaves_its_log_and_time_as_it_was(tmp_path: Path) -> None:
    sleep = time.sleep
    with pytest.raises(ZeroDivisionError):
        moved(tmp_path, "cm.motion.StartPos(move(0, 50)); 1 / 0")
    assert time.sleep is sleep
    assert "50.000" in (tmp_path / "log.txt").read_text(), "the engine goes on to the target"


JOG = """
    jog = Motion_JogCommand()
    jog.axis, jog.profile.velocity, jog.profile.acc, jog.profile.dec = 0, 1000, 10000, 10000
    assert cm.motion.StartJog(jog) == 0
    sleep(0.2)
    """


@pytest.mark.timeout(60)
def test_a_program_that_polls_a_position_sees_the_axis_move(tmp_path: Path) -> None:
    rows = moved(tmp_path, JOG + """
    while cm.axisControl.GetPosCommand(0)[1] < 500.0:
        pass
    cm.motion.Stop(0)
    cm.motion.Wait(0)
    """, runtime=Runtime(fast=True, limit=5.0))  # fmt: skip
    assert rows[-1][0] == pytest.approx(550.0, abs=5.0), "0.1 s to slow down"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("read", ["Io(api).GetInByte(0)", "UserMemory(api).GetMBit(0, 0)"])
def test_the_limit_ends_a_program_that_polls_for_ever(tmp_path: Path, read: str) -> None:
    with pytest.raises(OutOfTime, match="after 2 s"):
        moved(tmp_path, f"while {read} == (0, 0): pass", runtime=Runtime(fast=True, limit=2.0))


def test_ctrl_c_ends_a_program_at_once_and_its_log_is_written(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        moved(tmp_path, JOG + "raise KeyboardInterrupt")
    rows = read_trace(tmp_path / "log.txt").rows
    assert rows[-1][0] > 100.0
    assert len(rows) < 300


def test_ctrl_c_after_a_program_ends_its_last_motion(tmp_path: Path) -> None:
    def interrupt() -> None:
        if runtime.cycle == 2000:
            raise KeyboardInterrupt

    runtime = Runtime(fast=True)
    runtime.watch(interrupt)
    with pytest.raises(KeyboardInterrupt):
        moved(tmp_path, JOG + "raise SystemExit", runtime=runtime)
    assert read_trace(tmp_path / "log.txt").rows[-1][0] > 1000.0
