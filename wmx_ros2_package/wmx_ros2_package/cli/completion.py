"""`wmx completion`: prints what lets a shell complete `wmx`."""

import argparse

from .failures import wrong
from .terminal import Terminal

SHELLS = "bash", "zsh", "fish"


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("shell", choices=SHELLS, nargs="?", default="bash")
    parser.epilog = 'bash: eval "$(wmx completion bash)"'
    parser.set_defaults(run=run_completion)


def run_completion(out: Terminal, options: argparse.Namespace) -> None:
    """Print it."""
    try:
        from argcomplete.shell_integration import shellcode
    except ModuleNotFoundError:
        raise wrong("argcomplete is not installed", "pip install argcomplete") from None
    code = shellcode(["wmx"], shell=options.shell)
    if options.shell == "zsh":  # what completes may not be there yet in a plain one
        code = f"(( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit; }}\n{code}"
    out.show({"shell": options.shell, "code": code}, lambda: code)
