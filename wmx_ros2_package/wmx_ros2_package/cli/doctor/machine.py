"""The files of one machine: parameters of its engine that are probably mistakes."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wmx_core.errors import WmxError
from wmx_core.options import MACHINE_FILES
from wmx_core.parameters.mistakes import axes_in_words, doubts, probable_mistakes
from wmx_core.parameters.parameter_set import ParameterSet, read_parameters
from wmx_sim.engine.machine.description import default_machine, load_machine

from .finding import Finding, Subject, note, right, wrong

CHECK = "engine parameters"


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFiles:
    """What the files hold of the axes; None or empty where no file does."""

    parameters: ParameterSet | None = None
    counts: tuple[float, ...] = ()
    """Encoder counts per motor revolution of each axis of the simulated machine."""


def read_machine(subject: Subject) -> MachineFiles:
    """Read the files of the machine; WmxError where one of them breaks a rule."""
    path = subject.wmx_parameters
    counts: tuple[float, ...] = ()
    if subject.driver == "fake":
        device = subject.device_path
        named = device.lower().endswith(MACHINE_FILES)
        machine = load_machine(Path(device)) if named else default_machine()
        path = path or machine.parameters
        counts = tuple(float(axis.counts_per_revolution) for axis in machine.axes)
    parameters = read_parameters(path.resolve()) if path else None
    return MachineFiles(parameters=parameters, counts=counts)


def check_engine_parameters(subject: Subject) -> Iterator[Finding]:
    """Check the parameter file that the engine gets."""
    try:
        machine = read_machine(subject)
    except WmxError as error:
        yield wrong(CHECK, error.detail)
        return
    if machine.parameters is None:
        yield note(CHECK, "no file was named: --wmx-parameters FILE")
        return
    axes = len(machine.counts) or len(machine.parameters.axes)
    found = [note(CHECK, text) for text in doubts(machine.parameters, axes)]
    for mistake in probable_mistakes(machine.parameters):
        found.append(note(CHECK, f"{axes_in_words(mistake.axes)}: {mistake.text}", mistake.remedy))
    yield from found
    if not found:
        yield right(CHECK, f"of {axes} axes, none looks like a mistake")


CHECKS = (check_engine_parameters,)
