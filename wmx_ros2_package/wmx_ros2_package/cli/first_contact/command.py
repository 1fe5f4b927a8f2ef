"""`wmx first-contact`: asks before each step, does it, and writes down what it finds."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from wmx3.loading import require_sdk
from wmx_core.clock import STEADY, Clock
from wmx_core.errors import DriverUnavailable, WmxError

from ..failures import Exit, Failure, wrong
from ..interrupts import undisturbed
from ..terminal import Terminal, says_yes
from . import dead_man, failures, gearing, jogging, motion, reactions, read_only, torques
from .options import add_options
from .report import BEGUN, DONE, FAILED, INTERRUPTED, SKIPPED, Finding, Report
from .session import Facts, Occupied, Probe, Settings, Unable
from .virtual import NotVirtual, virtual_slaves

VIRTUAL_AXES = 2
VIRTUAL_WAY = 1000.0
"""u and u/s: with the engine's own parameters a unit is an encoder count."""
VIRTUAL_TORQUE = 10.0
PREPARES = (
    " (Alarms of what moves are cleared, its command mode becomes position, its servo goes on.)"
)


class Step(NamedTuple):
    """A step and what is asked before it, with the settings filled in."""

    name: str
    question: str
    act: Callable[[Probe, Facts], None]
    moves: bool = False
    """It needs axes that may move."""
    turns: bool = False
    """It needs a torque by which they may be turned."""
    kills: bool = False
    """It needs the process id of the engine."""
    simulated: bool = False
    """It is for the vendor's simulation mode only, which the engine is asked for."""
    person: bool = False
    """A person has to do something."""

    def in_words(self, words: Mapping[str, object]) -> str:
        """The question, with all that making axes ready does."""
        return self.question.format(**words) + (PREPARES if self.moves else "")


STEPS = (
    Step(
        "environment",
        "Look at this process, import the module of the SDK and compare its names?",
        read_only.environment,
    ),
    Step(
        "engine",
        "Start the engine and its communication, end both, and start them again? (The vendor's "
        "simulation mode, or a network whose drives may see it start and stop.)",
        read_only.engine,
    ),
    Step("status", "Read the status {reads} times and measure what that costs?", read_only.status),
    Step(
        "parameters",
        "Read the parameters and set the same again, with and without communication?",
        read_only.parameters,
    ),
    Step(
        "inputs and outputs",
        "SET the output bits 0.0 and 0.1 to what they are, by a list, and read inputs without "
        "communication? (The network stops and starts.)",
        read_only.inputs_and_outputs,
    ),
    Step(
        "one axis",
        "MOVE axis {axis} by {distance} u at {velocity} u/s, and jog it for 0.3 s?",
        motion.one_axis,
        moves=True,
    ),
    Step(
        "jogs",
        "MOVE axis {axis} by jogs within {distance} u: one over another, overrides down to 0?",
        jogging.jogs,
        moves=True,
    ),
    Step(
        "stops",
        "MOVE axis {axis} within {distance} u {rounds} times, while a second process stops it?",
        motion.stops,
        moves=True,
    ),
    Step("together", "MOVE the axes {axes} together, 20 times?", motion.together, moves=True),
    Step(
        "splines",
        "MOVE the axes {axes} along splines within {distance} u?",
        motion.splines,
        moves=True,
    ),
    Step(
        "torques",
        "TURN axis {axis} with {torque} % of rated torque, until it has moved by a quarter of "
        "{distance} u or is faster than {velocity} u/s, and stop it, three times?",
        torques.torques,
        moves=True,
        turns=True,
    ),
    Step(
        "dead man",
        "MOVE axis {axis} slowly within {distance} u, and let an event of the engine stop it?",
        dead_man.dead_man,
        moves=True,
    ),
    Step(
        "gearing",
        "MOVE axis {axis} within {distance} u and let the second of the axes {axes} FOLLOW it?",
        gearing.gearing,
        moves=True,
    ),
    Step(
        "stop input",
        "MOVE axis {axis} slowly within {distance} u, and let input 0.0, as it is, stop it three "
        "times, once by an emergency stop?",
        reactions.stop_input,
        moves=True,
    ),
    Step(
        "touch probe",
        "MOVE axis {axis} by half of {distance} u, and let input 0.0 latch where it is, when YOU "
        "change it within 10 s?",
        reactions.touch_probe,
        moves=True,
        person=True,
    ),
    Step(
        "position output",
        "MOVE axis {axis} by half of {distance} u, and let it SET output 0.0 as it passes? (The "
        "network stops and starts.)",
        reactions.position_output,
        moves=True,
    ),
    Step(
        "ended communication",
        "END COMMUNICATION while axis {axis} MOVES slowly, and start it again? What the axis does "
        "then is not known: in the vendor's simulation mode only.",
        failures.ended_communication,
        moves=True,
        simulated=True,
    ),
    Step(
        "killed process",
        "Kill a process that MOVES axis {axis} slowly, and see whether the axis stops?",
        failures.killed_process,
        moves=True,
    ),
    Step(
        "killed engine",
        "KILL THE ENGINE, the process {engine_process!r}? What drives do then is not known.",
        failures.killed_engine,
        kills=True,
    ),
)


def run(
    settings: Settings,
    ask: Callable[[str], bool],
    say: Callable[[str], None] = print,
    clock: Clock = STEADY,
) -> Report:
    """Go through all steps; whatever happens, leave the axes stopped and the device closed."""
    report, probe = Report(settings.folder), Probe(settings, clock)
    words = asdict(settings) | {
        "axis": settings.axes[0] if settings.axes else "",
        "axes": ", ".join(map(str, settings.axes)),
        "reads": read_only.READS,
    }
    finding = Finding(step="the beginning", outcome=INTERRUPTED)
    try:
        for step in STEPS:
            finding = Finding(step=step.name, outcome=INTERRUPTED)
            carry_out(step, probe, ask, step.in_words(words), finding, report)
            report.add(finding)
            say(
                f"  {step.name}: {finding.outcome}"
                + (f": {finding.error}" if finding.error else "")
            )
    except KeyboardInterrupt:
        report.interrupted = True
        say("interrupted: stopping the axes")
    except Occupied as occupied:
        finding.outcome, finding.error = FAILED, str(occupied)
        say(f"  {finding.step}: {occupied}. End that first")
    finally:
        with undisturbed():  # a second Ctrl-C does not keep the axes from being stopped
            wrong = probe.leave()
            report.add(finding)
            report.add(Finding(step="the end", outcome=FAILED if wrong else DONE, error=wrong))
    say(f"the end: {wrong or probe.ended}")
    say(f"Written to {report.folder}: first_contact.txt, first_contact.json")
    return report


def carry_out(
    step: Step,
    probe: Probe,
    ask: Callable[[str], bool],
    question: str,
    finding: Finding,
    report: Report,
) -> None:
    """Ask, and fill `finding`: what an interrupt leaves in it is what the step has found.

    That it has begun is written before it does anything.
    """
    reason = _unable(step, probe.settings)
    if reason or not ask(f"{step.name}: {question}"):
        finding.outcome, finding.error = SKIPPED, reason or "not wanted"
        return
    began = probe.clock.now()
    finding.outcome = BEGUN
    report.add(finding)
    finding.outcome = INTERRUPTED
    try:
        if probe.settings.virtual and step.moves:
            probe.require_virtual()
        if step.simulated and not (probe.settings.virtual or probe.simulates):
            raise Unable("the engine does not say that it is in its simulation mode")
        step.act(probe, finding.facts)
        finding.outcome = DONE
    except Occupied:
        raise
    except Unable as unable:
        finding.outcome, finding.error = SKIPPED, str(unable)
    except Exception as error:  # whatever it is belongs in the report
        finding.outcome, finding.error = FAILED, f"{type(error).__name__}: {error}"
    finally:
        finding.seconds = probe.clock.now() - began
    if finding.outcome != DONE and (wrong := probe.make_safe()):
        finding.error += f" (making safe: {wrong})"
    probe.end_others()


def _unable(step: Step, settings: Settings) -> str:
    """What was not given that the step needs, or nothing."""
    if step.person and settings.virtual:
        return "it needs a person"
    if step.moves and not settings.axes:
        return "no axis was named: --axes"
    if step.turns and not settings.torque:
        return "no torque was allowed: --torque"
    if step.kills and not settings.engine_process:
        return "the engine's process was not named: --engine-process"
    return ""


def add_first_contact(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_options(parser)
    parser.set_defaults(run=run_first_contact)


def _virtual(options: argparse.Namespace) -> int | None:
    """How many slaves its files say the engine has; what was not given for it is chosen."""
    try:
        slaves = virtual_slaves(Path(options.device_path))
    except NotVirtual as error:
        raise wrong(f"--virtual: {error}") from None
    options.axes = options.axes or (*range(min(VIRTUAL_AXES, slaves or VIRTUAL_AXES)),)
    options.distance, options.velocity = (
        options.distance or VIRTUAL_WAY,
        options.velocity or VIRTUAL_WAY,
    )
    options.torque = options.torque or VIRTUAL_TORQUE
    return slaves


def run_first_contact(out: Terminal, options: argparse.Namespace) -> int:
    """Run from a terminal; 1 where a step failed, 2 where none was carried out."""
    slaves = _virtual(options) if options.virtual else None
    if options.axes and (options.distance is None or options.velocity is None):
        raise wrong("--axes needs --distance and --velocity, in user units: see the parameters")
    settings = Settings(
        device_path=options.device_path,
        axes=options.axes,
        distance=options.distance or 0.0,
        velocity=options.velocity or 0.0,
        rounds=options.rounds,
        torque=options.torque,
        engine_process=options.engine_process,
        folder=options.output,
        virtual=options.virtual,
        virtual_slaves=slaves,
    )

    def always_yes(question: str) -> bool:
        out.say(question)
        return True

    try:
        require_sdk(settings.device_path)  # there is nothing to ask without
        Report(settings.folder)  # before anything is touched
    except DriverUnavailable as unavailable:
        raise wrong(f"nothing was tried: {unavailable.detail}") from None
    except OSError as error:
        raise wrong(f"--output {settings.folder} cannot be written to: {error}") from None
    try:
        report = run(settings, always_yes if options.yes or options.virtual else says_yes, out.say)
    except WmxError as error:
        raise Failure(str(error), code=error.code, name=error.name) from None
    out.show([asdict(finding) for finding in report.findings], str)
    if report.interrupted:
        return Exit.INTERRUPTED
    if report.skipped:
        raise wrong("no step was carried out", remedy="answer y at a terminal, or see --yes")
    return Exit.REFUSED if report.failed else Exit.DONE
