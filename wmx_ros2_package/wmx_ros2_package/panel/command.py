"""`wmx_panel`: the panel in the browser, http://127.0.0.1:8642 unless options say otherwise.

The exit code is 0 when it is ended, and 2 when it does not start: an option is unknown, NiceGUI is
missing, others could reach it without a token and TLS, or its port is taken.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from wmx_core.regular_file import read_regular_file

from ..misspelt import unrecognized
from ..robots.catalogue import find_robot
from ..trajectories.taught_positions import file_of
from ..validation import BadRequest
from .access import AccessRefused, Address
from .io_names import IoNames, io_names_of
from .log_writer import LOG_FORMAT, LogWriter
from .restarts import run_again

MISSING = (
    "wmx_panel needs NiceGUI, which is not installed:\n"
    "    pip install 'nicegui>=3,<4'    # or the extra of this package: '.[panel]'"
)
RESTART = "--restart"
STDERR = 2
MOST_TOKEN_BYTES = 4096
TOKEN_VARIABLE, VIEWER_TOKEN_VARIABLE = "WMX_PANEL_TOKEN", "WMX_PANEL_VIEWER_TOKEN"


def main() -> int:
    """Serve the panel until SIGINT or SIGTERM."""
    parser = command_line()
    options, unknown = parser.parse_known_args(own_arguments(sys.argv[1:]))
    if unknown:
        parser.error(unrecognized(parser, unknown))
    if options.restart and not options.check:
        program = [sys.executable, *(word for word in sys.argv if word != RESTART)]
        logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)
        return run_again(program, [word for word in program if word != "--open"])
    if find_spec("nicegui") is None:
        print(MISSING, file=sys.stderr)
        return 2
    try:
        address = _address(options)
        address.require_free()
        urdf = options.urdf or _urdf_of(options.robot)
        robot = _robot_name(options.robot, options.namespace)
        positions = options.positions or file_of(robot)
        names = options.names or io_names_of(robot)
        IoNames(names).read()
    except (AccessRefused, BadRequest, OSError, ValueError) as error:
        print(f"wmx_panel: {error}", file=sys.stderr)
        return 2
    if options.check:
        return 0
    logging.basicConfig(level=logging.INFO, format=LOG_FORMAT, handlers=[LogWriter(STDERR)])
    from .server import serve

    try:
        serve(address, options.namespace, names, urdf, positions, open_browser=options.open)
    except OSError as error:
        print(f"wmx_panel: {error}", file=sys.stderr)
        return 2
    return 0


def command_line() -> argparse.ArgumentParser:
    """Return what reads the options of the panel."""
    parser = argparse.ArgumentParser(
        prog="wmx_panel", description="Show and move a machine in the browser.", allow_abbrev=False
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to serve at (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8642, help="TCP port (8642)")
    token = f"file with the token; or {TOKEN_VARIABLE} in the environment"
    parser.add_argument("--token-file", type=Path, help=token)
    viewers = f"file with the token of pages that only look and stop; or {VIEWER_TOKEN_VARIABLE}"
    parser.add_argument("--viewer-token-file", type=Path, help=viewers)
    parser.add_argument("--certificate", type=Path, help="of TLS, PEM")
    parser.add_argument("--key", type=Path, help="of the certificate, PEM")
    parser.add_argument("--namespace", default="", help="of the system's nodes")
    named = "file of names of inputs and outputs (~/.ros/wmx_io_names/, by --robot or --namespace)"
    parser.add_argument("--names", type=Path, help=named)
    parser.add_argument("--urdf", type=Path, help="the robot, if robot_description has none")
    robot = "a shipped robot, or the folder of one: its URDF, unless --urdf names another"
    parser.add_argument("--robot", help=robot)
    kept = "file of taught positions (~/.ros/wmx_positions/, by --robot or --namespace)"
    parser.add_argument("--positions", type=Path, help=kept)
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    restart = "start it again when a signal or an error has ended it"
    parser.add_argument(RESTART, action="store_true", help=restart)
    check = "say whether it can be served there, and end"
    parser.add_argument("--check", action="store_true", help=check)
    return parser


def _urdf_of(robot: str | None) -> Path | None:
    """The URDF of a robot; None without, BadRequest where there is no such robot."""
    if robot is None:
        return None
    urdf = find_robot(robot).urdf
    return urdf if urdf.is_file() else None


def _robot_name(robot: str | None, namespace: str) -> str:
    """By which its positions are kept."""
    return namespace if robot is None else find_robot(robot).name


def _address(options: argparse.Namespace) -> Address:
    return Address(
        host=options.host,
        port=options.port,
        token=_token(options.token_file, TOKEN_VARIABLE),
        viewer_token=_token(options.viewer_token_file, VIEWER_TOKEN_VARIABLE),
        certificate=options.certificate,
        key=options.key,
    )


def _token(file: Path | None, variable: str) -> str:
    """The token in a file, else that of the environment; empty without one."""
    if file is None:
        return os.environ.get(variable, "")
    try:
        data = read_regular_file(f"{file.absolute()}", MOST_TOKEN_BYTES)
    except ValueError as error:
        raise AccessRefused(f"{file}: {error}") from None
    if not (token := data.decode(errors="replace").strip()):
        raise AccessRefused(f"{file} is empty")
    return token


def own_arguments(arguments: Sequence[str]) -> list[str]:
    """Those before `--ros-args`, and the namespace that launch gives in them."""
    own = list(arguments)
    if "--ros-args" not in own:
        return own
    at = own.index("--ros-args")
    own, ros = own[:at], own[at:]
    for word in ros:
        if word.startswith("__ns:="):
            own += ["--namespace", word.removeprefix("__ns:=")]
    return own
