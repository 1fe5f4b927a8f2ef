"""The system that a verb is for: how it is found, and what it refuses as a Failure."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wmx_core.values import MAX_AXES

from .failures import Exit, Failure, wrong
from .terminal import Terminal

if TYPE_CHECKING:
    from ..client import Axes, Axis, Machine, MachineError

ALL = "all"


@contextmanager
def connected(
    out: Terminal, options: argparse.Namespace, *, to_stop: bool = False
) -> Iterator[Machine]:
    """Yield the machine that `options` name; what it refuses inside becomes a Failure.

    So does a ValueError, with which the client library refuses an argument before it sends any.
    Several systems are a Failure, too, unless they are `to_stop`: that reaches all of them.
    However the block is left, what this command still moves is brought to rest.
    """
    try:
        from ..client import Machine, MachineError, NotConnected, NotReady, SystemLost, UnknownAxis
    except ModuleNotFoundError as error:
        raise wrong(
            f"{error.name} is missing: this verb needs ROS 2 and the messages of this package",
            remedy="wmx doctor",
        ) from None
    try:
        machine = Machine(options.namespace, options.domain, options.timeout)
        with out.progress("looking for a system", told=True):
            machine.open(to_stop=to_stop)
        with machine:
            try:
                yield machine
            except NotReady as error:
                activation = machine.nodes.activation(error.service) if error.service else ""
                error.remedy = activation or error.remedy or machine.remedy()
                raise
    except MachineError as error:
        # A system that is lost was there: what it was asked for may have begun.
        lost = isinstance(error, SystemLost)
        not_asked = isinstance(error, (NotConnected, UnknownAxis)) and not lost
        raise Failure(
            error.text,
            remedy=error.remedy,
            exit_code=Exit.NOT_ASKED if not_asked else Exit.REFUSED,
            code=error.code,
            name=error.name,
        ) from None
    except ValueError as error:
        raise wrong(str(error)) from error


def select(machine: Machine, words: Sequence[str]) -> Axes:
    """Return the axes that `words` name: `0`, `joint1`, `0-2`, `0,3`; all of them without words.

    A Failure where one is named twice, or a word is empty, as an unset variable of the shell is;
    UnknownAxis where the machine has not got it.
    """
    from ..client import NotAnswered

    axes = machine.axes
    keys = [key for word in _split(words) for key in _keys(axes, word, words)]
    try:
        return axes[keys]
    except NotAnswered as error:  # which axis a name is of: nothing has been asked of it
        raise Failure(error.text, remedy=error.remedy, exit_code=Exit.NOT_ASKED) from None
    except ValueError as error:
        raise wrong(f"{' '.join(words)!r}: {error}") from None


def select_known(
    machine: Machine, words: Sequence[str]
) -> tuple[list[int], list[Failure | MachineError]]:
    """Return the axes that `words` name, each once, and why other words name none: for a stop.

    It must reach what it can, and not fail before for a word that is misspelt.
    """
    from ..client import MachineError

    axes = machine.axes
    known: list[int] = []
    unknown: list[Failure | MachineError] = []
    for word in _split(words):
        try:
            for key in _keys(axes, word, words):
                known.append(axes[key].number)
        except (Failure, MachineError) as error:
            unknown.append(error)
    return [*dict.fromkeys(known)], unknown


def select_numbers(words: Sequence[str]) -> tuple[list[int], bool]:
    """Return the axes that `words` name by number, each once, and whether all words do that.

    No machine is asked which axes it has: for a stop, which waits for nothing.
    """
    keys: list[int | str] = []
    for word in _split(words):
        try:
            keys += _numbers_or_name(word, words)
        except Failure:  # of a word that can name no axis: the others may
            keys.append(word)
    numbers = [key for key in keys if isinstance(key, int) and key < MAX_AXES]
    return [*dict.fromkeys(numbers)], len(numbers) == len(keys)


def has_names(words: Sequence[str]) -> bool:
    """Return whether one of `words` can be the name of an axis."""
    _, only_numbers = select_numbers([w for w in _split(words) if w != ALL] or ["0"])
    return not only_numbers


def select_one(machine: Machine, word: str) -> Axis:
    """Return the one axis that a word names."""
    axes = select(machine, [word])
    if len(axes) != 1:
        raise wrong(f"{word!r} must be one axis")
    return axes[axes.numbers[0]]


def _split(words: Sequence[str]) -> list[str]:
    return ",".join(words or [ALL]).split(",")


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal()  # there are digits of other scripts, too


def _keys(axes: Axes, word: str, words: Sequence[str]) -> list[int | str]:
    """Return which of all `axes` one of `words` names."""
    return [*range(len(axes))] if word == ALL else _numbers_or_name(word, words)


def _numbers_or_name(word: str, words: Sequence[str]) -> list[int | str]:
    """Return what one of `words` names; no name of an axis is a number or a range."""
    if not word:
        given = " ".join(words)
        raise wrong(f"{given!r} names an axis without a word: all of them are {ALL!r}")
    first, dash, last = word.partition("-")
    if dash and _is_number(first) and _is_number(last):
        if int(first) > int(last):
            raise wrong(f"{word!r} must be FIRST-LAST, such as {last}-{first}")
        if int(last) >= MAX_AXES:  # before as many numbers are made
            raise wrong(f"{word!r}: must be from 0 to {MAX_AXES - 1}")
        return [*range(int(first), int(last) + 1)]
    return [int(word) if _is_number(word) else word]
