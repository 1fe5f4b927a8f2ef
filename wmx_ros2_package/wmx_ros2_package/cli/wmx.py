"""`wmx VERB ...`: what people do with the system, as the verbs of one program.

The same verbs are `ros2 wmx VERB ...` (`ros2_command.py`). Exit codes are those of `Exit`; a
user's mistake is one line on stderr and never a traceback.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper

from ..misspelt import unrecognized
from .arguments import Parser
from .failures import Exit, Failure, wrong
from .interrupts import interruptible
from .terminal import Terminal
from .verbs import GROUPS, VERBS

PACKAGE = "wmx_ros2_package"
OF_A_SYSTEM = "-n", "--namespace", "--domain", "--timeout"
"""Options, each with a value, that may stand before the verb, too; see `add_system`."""
OPTIONS = """Of every verb that asks a system: -n NAMESPACE (such as /cell1), --domain NUMBER and
--timeout SECONDS, before or behind it; of every verb --json. `wmx --version` prints the version."""
CODES = """Exit codes: 0 done; 1 refused or failed, or explain, doctor, plan, replay, params, ecat
and node found something; 2 nothing was asked (wrong argument, no system); 130 interrupted; 141 its
reader has gone."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command of `words`, those of this process by default; its exit code."""
    words = [*(sys.argv[1:] if words is None else words)]
    out = Terminal(as_json="--json" in words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that has not got each letter
            stream.reconfigure(errors="replace")
    try:
        # However a command ends, what it began is brought to an end.
        with interruptible(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: out.warn(str(message))
            return _run(words, out)
    except Failure as failure:
        with suppress(BrokenPipeError):
            out.fail(failure)
        return failure.exit_code
    except KeyboardInterrupt:
        with suppress(OSError):
            out.say("")
        return Exit.INTERRUPTED
    except BrokenPipeError:  # its reader has gone, such as `head`
        return Exit.UNREAD
    except OSError as error:  # of what it prints, such as to a disk that is full
        out.warn(f"{error.filename or 'the output'}: {error.strerror or error}")
        _print_no_more()
        return Exit.REFUSED


def _print_no_more() -> None:
    """Let Python end without a last attempt to print what is left."""
    with suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _run(words: list[str], out: Terminal) -> int:
    parser = Parser(
        prog="wmx",
        description="Look at, set up and move a machine of the WMX motion engine.",
        epilog=f"{list_of_verbs()}\n\n`wmx VERB --help` explains a verb. {OPTIONS}\n\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = add_verbs(parser, words)
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(parser)  # answers a shell that completes a line, and ends
    words = ["--help"] if words == ["help"] else options_behind(words)
    if [word for word in words if word != "--json"] == ["--version"]:
        out.show({"version": version(PACKAGE)}, lambda: f"wmx {version(PACKAGE)}")
        return Exit.DONE
    require_verb(words)
    options, unknown = parser.parse_known_args(without_ros_arguments(words))
    if unknown:
        message = unrecognized(verbs[options.verb], unknown)
        raise wrong(message, remedy=f"wmx {options.verb} --help")
    out.domain = getattr(options, "domain", None)
    return int(options.run(out, options) or Exit.DONE)


def add_verbs(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> dict[str, argparse.ArgumentParser]:
    """Give `parser` all verbs, which are returned; only what `words` name gets its arguments."""
    made: dict[str, argparse.ArgumentParser] = {}
    typed = {*words, *os.environ.get("COMP_LINE", "").split()}
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for name, verb in VERBS.items():
        description = f"{verb.summary[0].upper()}{verb.summary[1:]}."
        made[name] = verbs.add_parser(name, description=description)
        if name in typed:
            module = import_module(f".{verb.module}", __package__)
            getattr(module, f"add_{name.replace('-', '_')}")(made[name])
    return made


def options_behind(words: Sequence[str]) -> list[str]:
    """Return `words` with the options of a system that stand before the verb behind all others.

    Behind the verb another verb may have to stand, such as `get` of `wmx io get`.
    """
    before, rest = [], [*words]
    while rest and rest[0].startswith("-"):
        name, found, _ = rest[0].partition("=")
        if name not in OF_A_SYSTEM and name != "--json":
            break
        count = 2 if name in OF_A_SYSTEM and not found else 1
        before += rest[:count]
        rest = rest[count:]
    end = next((i for i, word in enumerate(rest) if word in ("--", "--ros-args")), len(rest))
    return [*rest[:end], *before, *rest[end:]]


def require_verb(words: Sequence[str]) -> None:
    """Refuse a verb that there is not, and name the one that was probably meant."""
    verb = next((word for word in words if word != "--json"), None)
    if verb is None:
        raise wrong("say what to do, such as `wmx status`", remedy="wmx --help")
    if verb in (*VERBS, "-h", "--help"):
        return
    if verb.startswith("-"):
        raise wrong(f"{verb} stands behind the verb, such as `wmx status -n /a`", "wmx --help")
    alike = get_close_matches(verb, VERBS, n=2)
    meant = f": did you mean {' or '.join(alike)}?" if alike else ""
    raise wrong(f"there is no verb {verb!r}{meant}", remedy="wmx --help")


def without_ros_arguments(words: Sequence[str]) -> list[str]:
    """Return `words` with `--ros-args -r __ns:=NAME` as the option that it stands for.

    The older programs, such as wmx_demo, name a namespace like that.
    """
    if "--ros-args" not in words:
        return [*words]
    at = words.index("--ros-args")
    kept, ros = [*words[:at]], [word for word in words[at + 1 :] if word not in ("-r", "--")]
    for word in ros:
        name, found, value = word.partition(":=")
        if not (found and name == "__ns"):
            raise wrong(f"{word!r} is no argument of ROS that is known here", remedy="--namespace")
        kept += ["--namespace", value]
    return kept


def list_of_verbs() -> str:
    """Return all verbs in their groups, each with what it does."""
    lines = []
    for group, verbs in GROUPS.items():
        lines += ["", f"{group}:", *(f"  {name:<16}{v.summary}" for name, v in verbs.items())]
    return "\n".join(lines[1:])


if __name__ == "__main__":
    sys.exit(main())
