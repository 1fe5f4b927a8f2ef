"""What the vendor's engine needs of the process that starts it, named when something fails.

Source: movensys/wmx-ros2-doc, system_requirements and troubleshooting.
"""

import os

from wmx_core.errors import CommandRefused, ErrorCode

NOT_ROOT = (
    "this process is not root, as the engine needs it to be for real time and its network "
    'interface (sudo env PYTHONPATH="$PYTHONPATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" ...; sudo '
    "takes LD_LIBRARY_PATH away, also where it is asked to preserve it)"
)
LOCKED = (
    "another WMX application may be starting or ending, or the vendor's wmx-gateway (port 5050) "
    "holds it; if there is none, one that was killed has left the lock, which goes with a restart "
    "of the machine"
)
OTHER_VERSION = (
    "the engine is of another version than the SDK in this process: they have to be of one "
    "installation, and the binding built to its headers (make sdk SDK=/opt/wmx3)"
)
OF_VERSIONS = {"IMVersionMismatch", "ModuleVersionMismatch", "VersionCheckError"}
"""What the SDK answers, by the names, to an engine of another version than its own."""
LIBRARIES = (
    "; LD_LIBRARY_PATH must name the folder of the SDK's libraries, such as /opt/wmx3/lib, when "
    "Python starts, also under sudo"
)
LACKING = "; the SDK's libraries lack what its headers declare: they may be of two releases"


def explained(refused: CommandRefused) -> CommandRefused:
    """A refused device, with what may be the reason."""
    reasons = [LOCKED] if refused.code == ErrorCode.CreateDeviceLockError else []
    reasons += [OTHER_VERSION] if refused.name in OF_VERSIONS else []
    if os.geteuid() != 0:
        reasons.append(NOT_ROOT)
    return refused.more(*reasons)


def about_libraries(error: ImportError) -> str:
    """What to do about a module whose libraries are not found, or are other ones."""
    if "undefined symbol" in str(error):
        return LACKING
    return LIBRARIES if "cannot open shared object" in str(error) else ""
