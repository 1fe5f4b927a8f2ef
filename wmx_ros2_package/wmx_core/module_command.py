"""The command that runs a module in a process of its own, whatever the current folder has.

``python -m`` and ``python -c`` import from the current folder first, which is that of a user: a
file such as yaml.py there would be executed in the place of the library.
"""

import sys

NOT_FROM_HERE = "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
"""What a program for ``python -c`` begins with, so that it imports nothing from there."""
_RUN = (
    NOT_FROM_HERE
    + "import runpy; runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)


def module_command(module: str, *words: str) -> list[str]:
    """Return the command that runs `module` with `words` on this Python, as ``-m`` does.

    The process keeps the current folder, to which its `words` may be relative.
    """
    if sys.version_info >= (3, 11):
        return [sys.executable, "-Pm", module, *words]
    return [sys.executable, "-c", _RUN, module, *words]
