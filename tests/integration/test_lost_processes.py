"""Rule 5 of docs/safety.md: what clients have set stays, whichever process is killed."""

import os
import signal
from contextlib import suppress

import pytest
import system as systems
from ros import Client, eventually
from system import NODES, SERVICES_OF, Place, System

ENGINE, MOTION = "wmx_engine_node", "wmx_core_motion_node"


def polarity_and_unit(client: Client) -> list[str]:
    """Of axis 0, and whether it is homed."""
    lines = client.must("wmx/params/get", index=[0]).params_dump
    return [line for line in lines if "Polarity" in line or "GearRatio" in line]


def kill_engine(place: Place) -> None:
    for pid in place.engine_pids():
        os.kill(pid, signal.SIGKILL)


LOSSES = {
    "the engine": (True, ()),
    "the engine node": (False, (ENGINE,)),
    "the node of the axes": (False, (MOTION,)),
    "all": (True, NODES),
}
"""Whether the engine is killed, and which nodes are."""


def set_all(client: Client) -> list[str]:
    client.must("wmx/axis/set_polarity", index=[0], data=[-1])
    client.must("wmx/axis/set_gear_ratio", index=[0], numerator=[1000.0], denominator=[360.0])
    client.must("wmx/axis/reference", index=[1], position=[1.5])
    return polarity_and_unit(client)


def wait_for_axes(client: Client) -> None:
    client.meet(SERVICES_OF[MOTION])

    def answers() -> bool:
        with suppress(TimeoutError):
            return bool(client.call("wmx/params/get", timeout=5.0, index=[0]).success)
        return False

    eventually(answers, "axes are commanded", 60.0)


def require_kept(system: System, before: list[str], *, ended: bool = False) -> None:
    client = system.client
    wait_for_axes(client)
    assert polarity_and_unit(client) == before
    first, second = client.must("wmx/axis/explain", index=[0, 1]).explanations
    assert "lost" not in first
    known = client.state().home_done[1]
    assert ("its reference was lost" in second) is (not known and not ended)
    if not known:
        client.must("wmx/axis/confirm", index=[1])
        client.must("wmx/axis/reference", index=[1], position=[1.5])


def test_nodes_in_processes_of_their_own() -> None:
    with (
        systems.place() as place,
        systems.system(place, executables=NODES) as system,
    ):
        system.ready()
        before = set_all(system.client)
        for name, (engine, nodes) in LOSSES.items():
            print(name)
            if engine:
                kill_engine(place)
            place.kill(*nodes)
            for node in nodes:
                place.start(node)
            require_kept(system, before)


def test_all_is_lost_the_document_as_well() -> None:
    with (
        systems.place() as place,
        systems.system(place, executables=NODES) as system,
    ):
        system.ready()
        set_all(system.client)
        kill_engine(place)
        place.kill(*NODES)
        [document] = place.folder.glob("wmx-axes-*/*.settings")
        document.write_bytes(b"garbage")
        for node in NODES:
            place.start(node)
        client = system.client
        wait_for_axes(client)
        (text,) = client.must("wmx/axis/explain", index=[0]).explanations
        assert "what clients have set of its parameters was lost" in text
        client.must("wmx/axis/stop")
        client.must("wmx/axis/confirm", index=[0])
        (text,) = client.must("wmx/axis/explain", index=[0]).explanations
        assert "lost" not in text


@pytest.mark.parametrize("ended", [False, True], ids=["killed", "ended"])
def test_bringup_that_is_started_again(ended: bool) -> None:
    with systems.place() as place, systems.system(place) as system:
        system.ready()
        first = polarity_and_unit(system.client)
        before = set_all(system.client)
        again(place, ended=ended)
        require_kept(system, first if ended else before, ended=ended)


def again(place: Place, *, ended: bool) -> None:
    """`bringup` ends as its user ends it, or is killed, and is started again."""
    [bringup] = place.processes
    if ended:
        bringup.stop()
    else:
        bringup.kill()
    place.processes.remove(bringup)
    place.start("bringup")
