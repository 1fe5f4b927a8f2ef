"""What is there before anything is done: other devices, the platform, prototypes, versions."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from wmx3.session import SdkSession
from wmx_core.errors import CommandRefused

NAME = "wmx_first_contact"
"""The name of the device of a run; that of its second process begins so."""
SIMULATED = "SimuPlatform"
PLATFORMS = SIMULATED, "EcPlatform", "RtexPlatform", "MIIIPlatform", "CCLinkPlatform", "M4Platform"


def other_devices(session: SdkSession) -> list[str]:
    """The names of the devices that others have on the engine, another run among them."""
    devices = session.api.GetAllDevices()
    names = [str(devices.GetDevices(index).name) for index in range(devices.count)]
    if NAME in names:
        names.remove(NAME)  # its own
    return [name for name in names if name == NAME or not name.startswith(NAME)]


def platforms(session: SdkSession) -> list[str]:
    """The platforms that the engine has loaded: what its network runs on."""
    return [name for name in PLATFORMS if _is_loaded(session, name)]


def is_simulation(session: SdkSession) -> bool:
    """Whether the engine reports that no drive can move: it has the simulated platform alone.

    False where it does not say.
    """
    try:
        return platforms(session) == [SIMULATED]
    except CommandRefused:
        return False


def _is_loaded(session: SdkSession, platform: str) -> bool:
    ids = session.sdk.ModuleId
    if not hasattr(ids, platform):
        return False
    try:
        session.api.GetModuleInfo(getattr(ids, platform))
    except CommandRefused as refused:
        if refused.name == "ModuleIsNotLoaded":
            return False
        raise
    return True


def prototypes(binding: Any, surface: Mapping[str, Any]) -> dict[str, str]:
    """What each function of the binding raises when it is called with no argument.

    SWIG refuses that with the types that it takes, and reaches no engine. Only methods are called,
    which lack at least the object; what may be called without an argument is left alone.
    """
    said = {}
    for kind, described in surface["classes"].items():
        for method, signature in described["methods"].items():
            function = getattr(binding, f"{kind}_{method}", None)
            if function is None or not signature.startswith("(self"):
                continue
            try:
                said[f"{kind}_{method}"] = f"answered {function()!r}"
            except Exception as error:
                said[f"{kind}_{method}"] = f"{type(error).__name__}: {error}"
    return said


def sources() -> str:
    """The hash of the Python files of this package, whatever its version and wherever they are."""
    top, digest = Path(__file__).resolve().parents[2], sha256()
    for file in sorted(top.rglob("*.py")):
        digest.update(f"{file.relative_to(top)}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def files(module: Any) -> dict[str, str]:
    """Size and hash of the module's files: which build it is."""
    source = Path(getattr(module, "__file__", None) or "")
    found = {}
    for file in [source, *sorted(source.parent.glob("_WMX3ApiPython*"))] if source.name else []:
        data = file.read_bytes()
        found[file.name] = f"{len(data)} bytes, sha256 {sha256(data).hexdigest()}"
    return found
