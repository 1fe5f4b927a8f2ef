"""Where an axis is that nothing measures."""

from math import nan

from wmx_ros2_package.actuators.estimates import Estimates
from wmx_ros2_package.control.request import NO_ID, Begin, End, EndReason, MotionKind

AXIS = 2


def begin(target: float, arrival: float | None) -> Begin:
    return Begin(
        id=NO_ID,
        source="/wmx_actuator_node",
        kind=MotionKind.POSITION,
        axes=(AXIS,),
        time=10.0,
        initial=(1.0,),
        targets=(target,),
        arrival=arrival,
    )


def end(time: float, final: float) -> End:
    return End(
        id=NO_ID, source="", axes=(AXIS,), time=time, final=(final,), reason=EndReason.STOPPED
    )


def test_a_motion_gets_evenly_from_its_begin_to_its_target() -> None:
    estimates = Estimates()
    assert estimates.at(AXIS, 9.0) == (0.0, 0.0)
    estimates.see(begin(5.0, arrival=12.0))
    assert estimates.at(AXIS, 9.0) == (1.0, 2.0), "not behind where it begins"
    assert estimates.at(AXIS, 10.5) == (2.0, 2.0)
    assert estimates.at(AXIS, 12.0) == (5.0, 0.0)
    assert estimates.at(AXIS, 99.0) == (5.0, 0.0)


def test_what_ends_is_where_its_end_says() -> None:
    estimates = Estimates()
    estimates.see(begin(5.0, arrival=12.0))
    estimates.see(end(11.0, 2.9))
    assert estimates.at(AXIS, 11.5) == (2.9, 0.0)


def test_a_motion_without_end_leaves_the_axis_where_it_began() -> None:
    for unknown in begin(nan, arrival=12.0), begin(5.0, arrival=None):
        estimates = Estimates()
        estimates.see(unknown)
        assert estimates.at(AXIS, 11.0) == (1.0, 0.0)
