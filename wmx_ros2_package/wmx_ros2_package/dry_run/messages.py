"""Dry runs <-> ROS messages."""

from array import array
from collections.abc import Iterable
from math import isfinite

from wmx_ros2_message.msg import PlannedAxis, PlannedMotion
from wmx_ros2_message.srv import PlanMotion

from ..control.request import EndReason
from ..messages.actuators import command
from .values import USUAL, Outcome, Peaks, Trial, Tried


def trial(request: PlanMotion.Request) -> Trial:
    """Return the trial that `request` asks for."""
    return Trial(
        steps=[[command(each) for each in step.commands] for step in request.steps],
        line=request.line,
        longest=request.longest or USUAL,
        samples=request.samples,
    )


def fill(response: PlanMotion.Response, outcome: Outcome) -> None:
    """Enter `outcome` in `response`."""
    response.accepted = True
    response.exact = outcome.exact
    response.duration = outcome.duration
    response.message = in_words(outcome)
    response.motions = [_motion(tried) for tried in outcome.motions]
    response.times = _numbers(outcome.times)
    response.axes = [
        _axis(peaks, outcome.paths[:, i], outcome.motors[:, i])
        for i, peaks in enumerate(outcome.axes)
    ]


def in_words(outcome: Outcome) -> str:
    """Return the outcome in a sentence."""
    unexpected = [
        f"{', '.join(tried.begin.names)}: {tried.end.reason.name}"
        + (f", {tried.end.message}" if tried.end.message else "")
        for tried in outcome.motions
        if tried.end is not None and tried.end.reason is not EndReason.ARRIVED
    ]
    if isfinite(outcome.duration):
        return "; ".join([f"Would be at rest after {outcome.duration:.3f} s", *unexpected])
    unended = [tried.begin for tried in outcome.motions if tried.end is None]
    if any(begin.arrival is not None for begin in unended):
        longest = f"{outcome.longest:g} s, and no more is computed"
        return "; ".join([f"Would not be at rest after {longest}", *unexpected])
    return "; ".join(["Would go on without end", *unexpected])


def _motion(tried: Tried) -> PlannedMotion:
    begin, end = tried.begin, tried.end
    message = PlannedMotion(
        step=tried.step,
        names=list(begin.names),
        axes=list(begin.axes),
        type=int(begin.kind),
        begin=tried.begins,
        end=tried.ends,
    )
    if end is not None:
        message.final_position = list(end.final)
        message.reason = int(end.reason)
        message.error_code = end.code
        message.message = end.message
    return message


def _axis(peaks: Peaks, path: Iterable[float], motor: Iterable[float]) -> PlannedAxis:
    return PlannedAxis(
        name=peaks.name,
        axis=peaks.axis,
        settled=peaks.settled,
        low=peaks.low,
        high=peaks.high,
        velocity=peaks.velocity,
        acceleration=peaks.acceleration,
        jerk=peaks.jerk,
        torque=peaks.torque,
        following_error=peaks.following_error,
        limits=[words for _, words in peaks.limits],
        limit_times=[time for time, _ in peaks.limits],
        path=_numbers(path),
        motor=_numbers(motor),
    )


def _numbers(values: Iterable[float]) -> "array[float]":
    return array("d", values)
