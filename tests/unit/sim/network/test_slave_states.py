"""The EtherCAT state machine of slaves: what they go to, what they refuse, and what trips them."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from ecat_networks import DOUBLE, DRIVE, IO, SENSOR, TWO, network_of, register, slave, states

from wmx_core.errors import UNNUMBERED, CommandRefused, ErrorCode
from wmx_core.values import EcState
from wmx_sim.engine.machine.description import MasterDescription
from wmx_sim.engine.network.network import Network

NONE, INIT, PREOP, BOOT, SAFEOP, OP = EcState

WAY_FROM_INIT = {
    INIT: [],
    PREOP: [PREOP],
    BOOT: [BOOT],
    SAFEOP: [PREOP, SAFEOP],
    OP: [PREOP, SAFEOP, OP],
}
ILLEGAL = {
    (INIT, SAFEOP),
    (INIT, OP),
    (PREOP, OP),
    (PREOP, BOOT),
    (SAFEOP, BOOT),
    (OP, BOOT),
    (BOOT, PREOP),
    (BOOT, SAFEOP),
    (BOOT, OP),
}


@pytest.fixture
def running() -> Network:
    """Two networks that communicate since cycle 100."""
    network = network_of(*TWO)
    network.advance(100)
    network.start_communication()
    return network


def bring(network: Network, slave_id: int, state: EcState) -> None:
    for step in [INIT, *WAY_FROM_INIT[state]]:
        network.set_slave_state(0, slave_id, step)


def refusal(network: Network, slave_id: int, state: EcState) -> CommandRefused:
    with pytest.raises(CommandRefused) as refused:
        network.set_slave_state(0, slave_id, state)
    return refused.value


def al(network: Network, slave_id: int) -> tuple[int, int, int]:
    """AL control, AL status and AL status code."""
    control, status, code = (register(network, slave_id, a) for a in (0x0120, 0x0130, 0x0134))
    return control, status, code


AL_NUMBER = {NONE: 0, INIT: 1, PREOP: 2, BOOT: 3, SAFEOP: 4, OP: 8}


@pytest.mark.parametrize(("before", "after"), product(WAY_FROM_INIT, WAY_FROM_INIT))
def test_every_transition(running: Network, before: EcState, after: EcState) -> None:
    bring(running, 1, before)
    if (before, after) in ILLEGAL:
        error = refusal(running, 1, after)
        assert (error.code, error.name) == (UNNUMBERED, "SlaveStateChangeError")
        assert error.detail == (
            f"slave 1 of master 0 stays in {before.name} and does not go to {after.name}: "
            "AL status code 0x0011 (INVALID_STATE_CHANGE)"
        )
        assert slave(running, 1).state is before
        assert slave(running, 1).al_status_code == 0x0011
        assert al(running, 1) == (AL_NUMBER[after], AL_NUMBER[before] | 0x10, 0x0011)
    else:
        running.set_slave_state(0, 1, after)
        assert slave(running, 1).state is after
        assert al(running, 1) == (AL_NUMBER[after], AL_NUMBER[after], 0)
    others = [slave(running, i).state for i in (0, 2, 3)]
    assert others == [OP] * 3


def test_none_is_no_state_to_a_slave(running: Network) -> None:
    error = refusal(running, 0, NONE)
    assert "AL status code 0x0012 (UNKNOWN_STATE)" in error.detail
    assert al(running, 0) == (0, 0x18, 0x0012)


def test_the_next_request_acknowledges_an_error(running: Network) -> None:
    refusal(running, 0, BOOT)
    running.set_slave_state(0, 0, OP)
    assert al(running, 0) == (8, 8, 0)
    assert slave(running, 0).al_status_code == 0


def test_a_slave_out_of_op_has_its_axes_offline_and_no_others(running: Network) -> None:
    running.set_slave_state(0, 2, SAFEOP)
    assert running.offline_axes() == {1, 2}
    assert not slave(running, 2).offline, "it is there"
    running.set_slave_state(1, 2, PREOP)
    assert running.offline_axes() == {1, 2, 5}
    running.set_slave_state(0, 2, OP)
    assert running.offline_axes() == {5}


def test_hot_connect_leaves_those_that_have_joined_where_they_are(running: Network) -> None:
    running.set_slave_state(0, 0, SAFEOP)
    running.drop_slave(1)
    running.return_slave(1)
    running.start_hotconnect(0)
    assert states(running) == [SAFEOP, OP, OP, OP]


def test_communication_brings_every_slave_to_op_and_back_to_init(running: Network) -> None:
    running.set_slave_state(0, 0, PREOP)
    refusal(running, 1, BOOT)
    running.stop_communication()
    assert states(running) == [INIT] * 4
    assert slave(running, 1).al_status_code == 0
    assert running.offline_axes() == frozenset(range(6))
    running.start_communication()
    assert states(running) == [OP] * 4
    assert running.offline_axes() == frozenset()


def test_a_scan_does_not_bring_a_slave_further_than_it_first_starts() -> None:
    network = network_of(MasterDescription(slaves=(replace(DRIVE, start_state="PREOP"),)))
    network.drop_slave(0)
    network.return_slave(0)
    network.scan_network(0)
    network.start_communication()
    assert states(network) == [PREOP]


def test_a_slave_in_boot_comes_back_with_the_next_start(running: Network) -> None:
    bring(running, 0, BOOT)
    running.stop_communication()
    running.start_communication()
    assert slave(running, 0).state is OP


def test_a_returned_slave_is_in_init_without_an_error_until_it_joins(running: Network) -> None:
    refusal(running, 2, BOOT)
    running.drop_slave(2)
    assert (slave(running, 2).state, slave(running, 2).al_status_code) == (NONE, 0)
    running.return_slave(2)
    assert (slave(running, 2).state, slave(running, 2).al_status_code) == (INIT, 0)
    assert al(running, 2) == (1, 1, 0)
    error = refusal(running, 2, PREOP)
    assert error.code == ErrorCode.WaitTimeout
    assert error.detail == "slave 2 of master 0 does not answer: it is offline"
    running.start_hotconnect(0)
    assert al(running, 2) == (8, 8, 0)


@pytest.mark.parametrize(
    ("missed", "state", "code", "control_and_status"),
    [(99, OP, 0, (8, 8, 0)), (100, SAFEOP, 0x001B, (8, 0x14, 0x001B))],
)
def test_the_watchdog_trips_after_100_ms_without_process_data(
    running: Network,
    missed: int,
    state: EcState,
    code: int,
    control_and_status: tuple[int, int, int],
) -> None:
    running.advance(300)
    running.cut_cable(3)
    running.advance(350)
    running.cut_cable(2)
    running.advance(350 + missed)
    running.mend_cable(2)
    running.mend_cable(3)
    found = slave(running, 2)
    assert (found.state, found.al_status_code, found.offline) == (state, code, True)
    assert al(running, 2) == control_and_status
    assert register(running, 2, 0x0440) == (code == 0)
    assert slave(running, 3).al_status_code == 0x001B, "it was cut off 50 ms earlier"


@pytest.mark.parametrize(
    ("description", "code"), [(DRIVE, 0x001B), (DOUBLE, 0x001B), (IO, 0x001B), (SENSOR, 0)]
)
def test_a_slave_without_outputs_has_no_watchdog(description: object, code: int) -> None:
    network = network_of(MasterDescription(slaves=(DRIVE, description)))
    network.start_communication()
    network.cut_cable(1)
    network.advance(10_000)
    network.mend_cable(1)
    assert slave(network, 1).al_status_code == code


def test_a_slave_below_op_has_no_watchdog(running: Network) -> None:
    running.set_slave_state(0, 3, SAFEOP)
    running.cut_cable(3)
    running.advance(10_000)
    running.mend_cable(3)
    assert (slave(running, 3).state, slave(running, 3).al_status_code) == (SAFEOP, 0)


def test_a_slave_out_of_reach_misses_the_orderly_stop(running: Network) -> None:
    running.cut_cable(3)
    running.advance(110)
    running.stop_communication()
    running.mend_cable(3)
    assert states(running) == [INIT, INIT, INIT, SAFEOP]
    assert slave(running, 3).al_status_code == 0x001B
    running.scan_network(0)
    assert (slave(running, 3).state, slave(running, 3).al_status_code) == (INIT, 0)


def test_faults_happen_without_communication_too() -> None:
    network = network_of(*TWO)
    network.cut_cable(2)
    network.drop_slave(0)
    assert states(network) == [NONE, INIT, NONE, NONE]
    network.advance(1000)
    network.mend_cable(2)
    network.return_slave(0)
    assert states(network) == [INIT] * 4, "without process data no watchdog ran"
    assert [slave(network, i).offline for i in range(4)] == [True, False, True, True]
    network.disturb(over_cycle=3)
    assert network.network_state(0).statistics.over_cycle == 3
    network.start_communication()
    assert states(network) == [OP] * 4


@pytest.mark.parametrize("state", [3, float("nan")])
def test_what_is_no_state(running: Network, state: Any) -> None:
    error = refusal(running, 0, state)
    assert error.code == ErrorCode.ArgumentOutOfRange
    assert error.detail == f"state {state}: must be one of NONE, INIT, PREOP, BOOT, SAFEOP, OP"


def test_no_state_is_asked_for_without_communication() -> None:
    error = refusal(network_of(*TWO), 0, PREOP)
    assert (error.code, error.detail) == (ErrorCode.CommNotStarted, "master 0 does not communicate")
