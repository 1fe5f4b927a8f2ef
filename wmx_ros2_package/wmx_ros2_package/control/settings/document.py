"""What clients have set of the axes, as a document: its first line is the digest of the rest."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from hashlib import sha256
from typing import Any

from wmx_core.parameters.parameter_set import ParameterSet
from wmx_core.values import MAX_AXES, CommandMode


class Loss(Enum):
    """A setting that a new engine lacks and cannot be given: a client has to decide."""

    PARAMETERS = "parameters"
    """Parameters, polarity and gear ratio, or the whole document."""
    MODE = "mode"
    """The command mode."""
    REFERENCE = "reference"
    """The place of zero, by homing or as a client has set it."""
    POSITION_OUTPUT = "position output"
    """The output that the axis switches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisSettings:
    """The settings by clients of one axis, beside the parameters that were loaded."""

    polarity: int | None = None
    gear_ratio: tuple[float, float] | None = None
    """Numerator and denominator."""
    mode: CommandMode | None = None
    """None for position mode, and for what a command has switched it to since."""
    reference: bool = False
    """Whether it was homed, or its position was set."""
    position_output: bool = False
    """Whether it switches an output."""
    lost: frozenset[Loss] = frozenset()

    def without(self, *losses: Loss) -> "AxisSettings":
        """The same settings, of which `losses` are none any more."""
        return replace(self, lost=self.lost - set(losses))

    def with_loss(self, loss: Loss) -> "AxisSettings":
        """The same settings, of which one was lost."""
        return replace(self, lost=self.lost | {loss})


_UNSET = AxisSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsDocument:
    """The settings of all axes by clients and by the files that were loaded at the start."""

    revision: int = 0
    """Greater in each newer one; 0 for one that was never written."""
    parameters: str = ""
    """All parameters that were in force after the last load, as a file's text; empty for those
    with which the engine starts."""
    loaded: tuple[str, ...] = ()
    """Digests of the files that nodes have loaded at their start: each is loaded once."""
    axes: Mapping[int, AxisSettings] = field(default_factory=dict)

    @property
    def says_nothing(self) -> bool:
        """Whether nothing was set."""
        return not (self.parameters or self.loaded or self.axes)

    def of(self, axis: int) -> AxisSettings:
        """Return the settings of `axis`."""
        return self.axes.get(axis, _UNSET)

    def lost(self, axes: Iterable[int]) -> dict[int, frozenset[Loss]]:
        """Return the losses of those of `axes` that have some."""
        return {axis: self.of(axis).lost for axis in axes if self.of(axis).lost}

    def has_lost(self, loss: Loss) -> bool:
        """Whether some axis has lost that."""
        return any(loss in each.lost for each in self.axes.values())

    def with_axis(self, axis: int, settings: AxisSettings) -> "SettingsDocument":
        """This document, in which `axis` has `settings`."""
        others = {each: own for each, own in self.axes.items() if each != axis}
        return replace(self, axes=others if settings == _UNSET else {**others, axis: settings})

    def having(self, axis: int, *found: Loss, **changes: object) -> "SettingsDocument":
        """This document with `changes` of an axis, which has lost what was `found` no more."""
        own = self.of(axis).without(*found)
        return self.with_axis(axis, replace(own, **changes))  # type: ignore[arg-type]

    def losing(self, axis: int, loss: Loss) -> "SettingsDocument":
        """This document, in which `axis` has lost something."""
        return self.with_axis(axis, self.of(axis).with_loss(loss))

    def loading(
        self, given: ParameterSet | None, whole: ParameterSet, digests: Iterable[str]
    ) -> "SettingsDocument":
        """This document for an engine that has the parameters `whole`, after a load of `given`.

        `digests` are those of files that are not to be loaded again.
        """
        document = self
        for axis in self.axes:
            document = document.having(axis, polarity=None, gear_ratio=None)
        for axis in given.axes if given is not None else ():
            mode = whole.axis(axis).command_mode
            document = document.having(
                axis,
                Loss.PARAMETERS,
                Loss.MODE,
                mode=None if mode is CommandMode.POSITION else mode,
            )
        loaded = tuple(dict.fromkeys([*self.loaded, *digests]))
        return replace(document, parameters=whole.to_xml(), loaded=loaded)

    def over(self, in_force: ParameterSet) -> ParameterSet:
        """The parameters that an engine is to have that has those `in_force`.

        Modes are left as they are: commands switch them, too.
        """
        wanted = in_force
        if self.parameters:
            wanted = ParameterSet.from_xml(self.parameters.encode()).over(in_force)
            for axis in wanted.axes:
                mode = in_force.axis(axis).command_mode
                if wanted.axis(axis).command_mode is not mode:
                    wanted = wanted.with_axis(axis, command_mode=mode)
        for axis, own in self.axes.items():
            changes: dict[str, float] = {}
            if own.polarity is not None:
                changes["polarity"] = own.polarity
            if own.gear_ratio is not None:
                changes["gear_ratio_numerator"], changes["gear_ratio_denominator"] = own.gear_ratio
            if changes and axis in wanted.axes:
                wanted = wanted.with_axis(axis, **changes)
        return wanted


def everything_lost(revision: int) -> SettingsDocument:
    """The document in the place of one that cannot be read."""
    lost = AxisSettings(lost=frozenset([Loss.PARAMETERS]))
    return SettingsDocument(revision=revision, axes=dict.fromkeys(range(MAX_AXES), lost))


def encoded(document: SettingsDocument) -> bytes:
    """The text of `document`, after a line with its digest."""
    axes = {
        axis: {**asdict(own), "lost": sorted(each.value for each in own.lost)}
        for axis, own in document.axes.items()
    }
    body = json.dumps(
        {
            "revision": document.revision,
            "parameters": document.parameters,
            "loaded": document.loaded,
            "axes": axes,
        }
    ).encode()
    return sha256(body).hexdigest().encode() + b"\n" + body


def decoded(data: bytes) -> SettingsDocument:
    """The document that `encoded` has made `data` of; ValueError has the reason why it is none."""
    digest, _, body = data.partition(b"\n")
    if digest != sha256(body).hexdigest().encode():
        raise ValueError("its digest is not that of its text")
    try:
        read = json.loads(body)
        return SettingsDocument(
            revision=int(read["revision"]),
            parameters=str(read["parameters"]),
            loaded=tuple(map(str, read["loaded"])),
            axes={int(axis): _axis(own) for axis, own in read["axes"].items()},
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no document of this version: {error!r}") from None


def _axis(read: dict[str, Any]) -> AxisSettings:
    ratio, mode = read["gear_ratio"], read["mode"]
    return AxisSettings(
        polarity=read["polarity"],
        gear_ratio=None if ratio is None else (float(ratio[0]), float(ratio[1])),
        mode=None if mode is None else CommandMode(mode),
        reference=bool(read["reference"]),
        position_output=bool(read["position_output"]),
        lost=frozenset(map(Loss, read["lost"])),
    )
