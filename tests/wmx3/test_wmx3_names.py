"""Every name of the SDK that the backend uses is one that `python_api.json` lists.

The backend's source is read, not run. SDK objects are known by the names of the variables that
hold them; whatever else looks like one of the SDK's names (it is written in camel case) fails.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import wmx3
from wmx3 import sdk, status
from wmx3.commands import shape_profile
from wmx_core.profile_types import MoveProfile, ProfileType
from wmx_core.values import EcState
from wmx_sim.sdk.enums import SURFACE
from wmx_sim.sdk.parts import Part, SdkObject

SOURCES = {path.name: path.read_text() for path in Path(wmx3.__path__[0]).glob("*.py")}

HOLDERS = {
    "_device": "WMX3Api",
    "_texts": "WMX3Api",
    "_core_motion": "CoreMotion",
    "advanced_motion": "AdvancedMotion",
    "api": "WMX3Api",
    "core": "CoreMotion",
    "axis_control": "AxisControl",
    "motion": "Motion",
    "home": "Home",
    "velocity": "Velocity",
    "torque": "Torque",
    "sync": "Sync",
    "source": "EventControl_ComparatorSource",
    "output": "EventControl_PSOOutput",
    "motion_param": "Config_MotionParam",
    "found": "CoreMotionAxisStatus",
    "config": "Config",
    "adv_motion": "AdvMotion",
    "io": "Io",
    "ecat": "Ecat",
    "status": "CoreMotionStatus",
    "axis_status": "CoreMotionAxisStatus",
    "system": "Config_SystemParam",
    "user_memory": "UserMemory",
    "memory": "UserMemory",
    "events": "EventControl",
    "when": "UserMemoryEventInput",
    "delayMBit": "UserMemoryEventInputFunctionArguments_DelayMBit",
    "then": "CoreMotionEventOutput",
    "stopSingleAxis": "CoreMotionEventOutputFunctionArguments_StopSingleAxis",
    "execEStop": "CoreMotionEventOutputFunctionArguments_ExecEStop",
    "execQuickStopSingleAxis": "CoreMotionEventOutputFunctionArguments_ExecQuickStopSingleAxis",
    "ioBit": "IoEventInputFunctionArguments_IOBit",
    "notIOBit": "IoEventInputFunctionArguments_NotIOBit",
    "emergency": "Config_EmergencyStopParam",
    "profile": "Profile",
    "master": "EcMasterInfo",
    "statistics": "EcMasterStatisticsInfo",
    "slave": "EcSlaveInfo",
}
"""Variables and attributes of the backend, and the class of the SDK that they hold."""

FUNCTIONS = {
    owner: described["methods"]
    for owner, described in SURFACE["classes"].items()
    if "GetData" not in described["methods"]  # which structures have
}
"""What acts on the engine."""

RETURNED = {
    "_master": "Ecat",
    "GetEngineStatus": "EngineStatus",
    "GetAxesStatus": "CoreMotionAxisStatus",
    "GetAxisInfo": "EcSlaveAxisInfo",
    "look": "CoreMotionStatus",
    "GetStatus": "CoreMotionStatus",
}

ENUMS = SURFACE["enums"]
NOT_OF_THE_SDK = "ErrorCode", "subprocess", "threading"

NEWER = {
    ("Ecat", "RegisterRead"),
    ("Ecat", "ResetRefClockInfo"),
    ("Ecat", "ResetTransmitStatisticsInfo"),
    ("Motion_JogCommand", "SetRunTime"),
}
"""What the listed SDK lacks, as its list says, and newer ones have."""

CAMEL = re.compile("[a-z]+[A-Z]|[A-Z]+[a-z]")
Use = tuple[str, str]
"""A class or enum of the SDK (the module itself is ""), and what of it is used."""


class Uses(ast.NodeVisitor):
    """Collects the uses in one function, or in what stands outside of all of them."""

    def __init__(self) -> None:
        self.found: set[Use] = set()
        self.unknown: set[str] = set()
        self._holds: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        outer, self._holds = self._holds, {}
        self.generic_visit(node)
        self._holds = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        owner = self._owner(node.value)
        if isinstance(target, ast.Name) and owner:
            self._holds[target.id] = owner
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        owner = "" if _is_class(node) else self._owner(node.value)
        if owner is not None:
            self.found.add((owner, node.attr))
        elif CAMEL.search(node.attr) and ast.unparse(node.value) not in NOT_OF_THE_SDK:
            self.unknown.add(ast.unparse(node))
        self.generic_visit(node)

    def _owner(self, node: ast.expr) -> str | None:
        """The class or enum of the SDK that `node` is, or is an object of."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in RETURNED:
                return RETURNED[node.func.attr]
            return self._owner(node.func) if _is_class(node.func) else None
        if isinstance(node, ast.Name):
            return self._holds.get(node.id) or HOLDERS.get(node.id)
        if isinstance(node, ast.Attribute):
            return node.attr if _is_class(node) else HOLDERS.get(node.attr)
        return None


def _is_class(node: ast.expr) -> bool:
    """Whether `node` is something of the module itself, and not what `Sdk` adds to it."""
    if not isinstance(node, ast.Attribute) or hasattr(sdk.Sdk, node.attr):
        return False
    module = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
    return module in ("sdk", "_sdk")


def uses(source: str) -> Uses:
    found = Uses()
    found.visit(ast.parse(source))
    return found


def unlisted(found: set[Use]) -> Iterator[Use]:
    enums = SURFACE["enums"]
    for owner, name in found - NEWER:
        if owner in FUNCTIONS and hasattr(sdk.Part, name):
            continue  # what `Part` adds to the SDK's objects
        described = SURFACE["classes"].get(owner, {"methods": (), "attributes": ()})
        listed = {*described["methods"], *described["attributes"], *enums.get(owner, ())}
        if name not in (listed if owner else {*SURFACE["classes"], *enums}):
            yield owner, name


def every(kind: type) -> Iterator[type]:
    """The classes below `kind`."""
    for below in kind.__subclasses__():
        yield below
        yield from every(below)


@pytest.mark.parametrize("name", SOURCES)
def test_every_name_is_listed(name: str) -> None:
    found = uses(SOURCES[name])
    assert not found.unknown
    assert not list(unlisted(found.found))


def test_the_binding_is_asked_for_one_function_that_a_listed_class_has() -> None:
    asked = re.findall(r'through_binding\("(\w+)"', "".join(SOURCES.values()))
    assert asked == ["Config_ImportAndSetAll"]
    assert "ImportAndSetAll" in SURFACE["classes"]["Config"]["methods"]


def names_of_io() -> set[str]:
    """The functions of Io that are called in either form."""
    return {*re.findall(r'"([GS]et(?:In|Out)\w+)"', SOURCES["io.py"])}


def test_both_forms_of_io_are_listed() -> None:
    names = names_of_io()
    assert len(names) == 10
    listed = SURFACE["classes"]["Io"]["methods"]
    assert {f"{name}{form}" for name in names for form in ("", "Ex")} <= {*listed}


def test_what_is_used_is_simulated() -> None:
    found = {use for source in SOURCES.values() for use in uses(source).found}
    found |= {("Io", f"{name}{form}") for name in names_of_io() for form in ("", "Ex")}
    functions = {(owner, name) for owner, name in found - NEWER if name in FUNCTIONS.get(owner, ())}
    simulated = {
        (kind.__name__, method) for kind in (*every(Part), SdkObject) for method in dir(kind)
    }
    of_every_object = {("WMX3Api", "ErrorToString"), ("CoreMotion", "GetLibVersion")}
    assert functions - simulated == of_every_object
    assert found >= NEWER


def test_enums_are_matched_by_listed_names() -> None:
    module = {kind: SimpleNamespace(**{n: n for n in names}) for kind, names in ENUMS.items()}
    backend = sdk.Sdk(SimpleNamespace(**module))
    profiles = [SimpleNamespace() for _ in ProfileType]
    for profile, kind in zip(profiles, ProfileType, strict=True):
        shape_profile(profile, backend, MoveProfile(type=kind))
    assert [profile.type for profile in profiles] == [*ENUMS["ProfileType"]]
    enums = sdk.Enums(backend)
    assert [*enums.engine_states.ours] == [*ENUMS["EngineState"]]
    assert {*enums.operation_states.ours} < {*ENUMS["OperationState"]}
    assert [*enums.command_modes.ours] == [*ENUMS["AxisCommandMode"]]
    assert [*enums.emergency_stops.ours] == [*ENUMS["EStopLevel"]]
    assert enums.ec_states.theirs[EcState.SAFEOP] == "Safeop"
    assert [*enums.master_modes.ours] == [*ENUMS["EcMasterMode"]]


def test_names_in_tables_are_listed() -> None:
    for owner in ("WMX3Api", "CoreMotion", "AdvancedMotion", "Io", "Ecat"):
        assert "ErrorToString" in SURFACE["classes"][owner]["methods"]
    listed = SURFACE["classes"]["CoreMotionAxisStatus"]["attributes"]
    assert {name for name, _ in status.FIELDS.values()} <= {*listed}
    assert len({name for name, _ in status.FIELDS.values()}) == len(status.FIELDS) == 21
    assert [*sdk.ERROR_CLASSES] == [*SURFACE["errors"]]
    assert {*SURFACE["errors"]["ErrorCode"]} >= sdk.LOST
