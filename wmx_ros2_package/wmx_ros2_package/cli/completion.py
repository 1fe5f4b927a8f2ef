"""`wmx completion`: prints what lets a shell complete `wmx`, and the names that it completes."""

import argparse
from importlib.metadata import PackageNotFoundError, version

from .failures import wrong
from .terminal import Terminal

SHELLS = "bash", "zsh", "fish"
OLDEST = 3
"""The first version of argcomplete that prints code for all of these; that of Humble is 1.8."""
TIMEOUT = 2.0
"""How long a system is looked for while a person waits for a name to be completed, s."""


def complete_axes(argument: argparse.Action) -> None:
    """Have a shell complete an argument with the names of the axes of the system that runs."""
    argument.completer = axis_names  # type: ignore[attr-defined]


def axis_names(parsed_args: argparse.Namespace, **_: object) -> list[str]:
    """Return the names of the axes; none where no system is found in time, or several are."""
    try:
        from ..client import Machine, MachineError
    except ModuleNotFoundError:
        return []
    try:
        with Machine(parsed_args.namespace, parsed_args.domain, TIMEOUT) as machine:
            return [*machine.axes.names]
    except (MachineError, ValueError):
        return []


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("shell", choices=SHELLS, nargs="?", default="bash")
    parser.epilog = 'bash: eval "$(wmx completion bash)"'
    parser.set_defaults(run=run_completion)


def run_completion(out: Terminal, options: argparse.Namespace) -> None:
    """Print it."""
    try:
        found = version("argcomplete")
    except PackageNotFoundError:
        raise wrong("argcomplete is not installed", "pip install argcomplete") from None
    if int(found.partition(".")[0]) < OLDEST:
        raise wrong(
            f"argcomplete is {found} here, and prints no code for a shell before {OLDEST}.0",
            'in bash: eval "$(register-python-argcomplete3 wmx)"',
        )
    from argcomplete.shell_integration import shellcode

    code = shellcode(["wmx"], shell=options.shell)
    if options.shell == "zsh":  # what completes may not be there yet in a plain one
        code = f"(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit; }}\n{code}"
    out.show({"shell": options.shell, "code": code}, lambda: code)
