"""The EtherCAT networks as they run, at cycles that the test names."""

from collections.abc import Callable

import pytest
from ecat_networks import TWO, lost, network_of, register, slave, states
from hypothesis import given
from hypothesis import strategies as st

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.values import EcState, SlaveInfo
from wmx_sim.engine.machine.description import MasterDescription, SlaveDescription, default_machine
from wmx_sim.engine.network.network import Network
from wmx_sim.engine.network.statistics import TX_DELAY, CycleCount


@pytest.fixture
def running() -> Network:
    """Two networks that communicate since cycle 100."""
    network = network_of(*TWO)
    network.advance(100)
    network.start_communication()
    return network


# States


def test_a_slave_shows_its_description() -> None:
    assert slave(network_of(*TWO), 0) == SlaveInfo(
        id=0,
        position=0,
        address=1001,
        vendor_id=1,
        product_code=2,
        revision=3,
        serial=4,
        alias=5,
        state=EcState.INIT,
        al_status_code=0,
        offline=False,
        inaccessible=False,
        new=False,
        reverse=False,
        input_address=0,
        input_size=0,
        output_address=0,
        output_size=0,
        axes=1,
        propagation_delay=1005,
        neighbors=(1,),
    )


def test_bytes_run_on_in_ring_order_and_from_master_to_master() -> None:
    network = network_of(*TWO)
    slaves = [each for master_id in (0, 1) for each in network.network_state(master_id).slaves]
    assert [each.address for each in slaves] == [1001, 1002, 1003, 1004, 1001, 1002, 1003]
    assert [each.input_address for each in slaves] == [0, 0, 0, 4, 8, 0, 0]
    assert [each.output_address for each in slaves] == [0, 0, 0, 2, 4, 0, 0]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=20))
def test_no_two_slaves_share_a_byte(sizes: list[tuple[int, int]]) -> None:
    slaves = tuple(SlaveDescription(name="io", input_size=i, output_size=o) for i, o in sizes)
    half = len(slaves) // 2
    network = network_of(
        MasterDescription(slaves=slaves[:half]), MasterDescription(slaves=slaves[half:])
    )
    shown = [each for m in (0, 1) for each in network.network_state(m).slaves]
    inputs = [b for s in shown for b in range(s.input_address, s.input_address + s.input_size)]
    outputs = [b for s in shown for b in range(s.output_address, s.output_address + s.output_size)]
    assert inputs == list(range(sum(i for i, _ in sizes)))
    assert outputs == list(range(sum(o for _, o in sizes)))


# Statistics


def test_totals_of_the_default_machine() -> None:
    now = network_of(*default_machine().masters).network_state(0).statistics
    assert (now.comm_period, now.ring_num, now.total_axes) == (1000, 1, 6)
    assert (now.total_input_size, now.total_output_size) == (4, 4)
    assert (now.total_rxpdo_size, now.total_txpdo_size) == (6 * 13 + 4, 6 * 23 + 4)


def test_nothing_is_counted_without_a_fault(running: Network) -> None:
    running.advance(3_600_000)
    now = running.network_state(0).statistics
    assert (now.packet_loss, now.packet_timeout, now.over_cycle) == (0, 0, 0)


def test_delays_are_zero_until_frames_leave() -> None:
    now = network_of(*TWO).network_state(0).statistics
    assert (now.tx_delay, now.min_tx_delay, now.max_tx_delay) == (0, 0, 0)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_delay_extremes_are_those_of_every_cycle_seen(start: int, reset: int, after: int) -> None:
    network = network_of(*TWO)
    network.advance(start)
    network.start_communication()
    network.advance(start + reset)
    network.reset_statistics(0)
    last = start + reset + after
    network.advance(last)
    seen = [TX_DELAY[cycle % len(TX_DELAY)] for cycle in range(start + reset, last + 1)]
    now = network.network_state(0).statistics
    assert (now.tx_delay, now.min_tx_delay, now.max_tx_delay) == (seen[-1], min(seen), max(seen))


def test_a_missing_slave_loses_a_packet_a_cycle_until_it_is_back(running: Network) -> None:
    running.advance(130)
    running.drop_slave(2)
    assert lost(running) == 0
    running.advance(160)
    assert (lost(running), lost(running, 1)) == (30, 0)
    running.return_slave(2)
    running.advance(500)
    assert lost(running) == 30


def test_two_missing_slaves_lose_the_same_packet(running: Network) -> None:
    running.drop_slave(0)
    running.advance(110)
    running.drop_slave(1)
    running.advance(120)
    running.return_slave(0)
    running.advance(130)
    assert lost(running) == 30


def test_no_packet_is_lost_where_none_is_sent(running: Network) -> None:
    running.drop_slave(0)
    running.advance(110)
    running.stop_communication()
    running.advance(200)
    assert lost(running) == 10
    running.start_communication()
    running.advance(205)
    assert lost(running) == 15


def test_reset_statistics_counts_on_from_zero_on_its_master_alone(running: Network) -> None:
    running.drop_slave(0, 0)
    running.drop_slave(0, 1)
    running.disturb(0, packet_timeout=2, over_cycle=3)
    running.advance(150)
    running.reset_statistics(0)
    running.advance(157)
    now = running.network_state(0).statistics
    assert (now.packet_loss, now.packet_timeout, now.over_cycle) == (7, 0, 0)
    assert lost(running, 1) == 57


def test_disturbances_add_up(running: Network) -> None:
    running.disturb(1, packet_loss=1)
    running.disturb(1, packet_loss=2, packet_timeout=3, over_cycle=4)
    now = running.network_state(1).statistics
    assert (now.packet_loss, now.packet_timeout, now.over_cycle) == (3, 3, 4)


def test_a_count_stops_at_the_end_of_32_bits() -> None:
    count = CycleCount()
    count.run(0, on=True)
    assert (count.total(2**32 - 2), count.total(2**40)) == (2**32 - 2, 2**32 - 1)


# Dropped slaves


def test_a_dropped_slave_is_offline_with_its_axes_and_no_other(running: Network) -> None:
    assert running.offline_axes() == frozenset()
    running.drop_slave(2)
    dropped = slave(running, 2)
    assert (dropped.offline, dropped.new, dropped.state) == (True, False, EcState.NONE)
    assert [slave(running, i).offline for i in (0, 1, 3)] == [False] * 3
    assert states(running, 0) == [EcState.OP, EcState.OP, EcState.NONE, EcState.OP]
    assert running.offline_axes() == {1, 2}
    running.drop_slave(2, master_id=1)
    assert running.offline_axes() == {1, 2, 5}


def test_a_returned_slave_waits_for_hot_connect(running: Network) -> None:
    running.drop_slave(2)
    running.return_slave(2)
    looks: list[Callable[[], object]] = [
        running.offline_axes,
        lambda: running.scan_network(0),
        lambda: running.start_hotconnect(1),
    ]
    for look in looks:
        look()
        waiting = slave(running, 2)
        assert (waiting.offline, waiting.new, waiting.state) == (True, True, EcState.INIT)
        assert running.offline_axes() == {1, 2}
    running.start_hotconnect(0)
    joined = slave(running, 2)
    assert (joined.offline, joined.new, joined.state) == (False, False, EcState.OP)
    assert running.offline_axes() == frozenset()


def test_hot_connect_does_not_bring_back_what_is_not_there(running: Network) -> None:
    running.drop_slave(2)
    running.start_hotconnect(0)
    assert slave(running, 2).offline


@pytest.mark.parametrize("join", [lambda n: n.scan_network(0), Network.start_communication])
def test_without_communication_a_scan_or_the_start_lets_slaves_join(
    join: Callable[[Network], None],
) -> None:
    network = network_of(*TWO)
    network.drop_slave(0)
    network.return_slave(0)
    assert slave(network, 0).offline
    join(network)
    assert not slave(network, 0).offline


def test_a_slave_that_is_missing_at_the_start_stays_offline() -> None:
    network = network_of(*TWO)
    network.drop_slave(1)
    network.start_communication()
    assert states(network) == [EcState.OP, EcState.NONE, EcState.OP, EcState.OP]


def test_faults_that_change_nothing(running: Network) -> None:
    before = running.network_state(0)
    running.return_slave(1)
    assert running.network_state(0) == before
    running.drop_slave(1)
    running.advance(200)
    running.drop_slave(1)
    assert (lost(running), register(running, 0, 0x0310)) == (100, 0x0100)


# Cut cables


def test_a_cut_takes_along_all_slaves_behind_it(running: Network) -> None:
    running.cut_cable(2)
    shown = running.network_state(0).slaves
    assert [each.inaccessible for each in shown] == [False, False, True, True]
    assert [each.offline for each in shown] == [False, False, True, True]
    assert states(running) == [EcState.OP, EcState.OP, EcState.NONE, EcState.NONE]
    assert not any(each.new for each in shown)
    assert running.offline_axes() == {1, 2}
    assert not any(each.inaccessible for each in running.network_state(1).slaves)


def test_those_behind_a_mended_cable_wait_to_join(running: Network) -> None:
    running.cut_cable(2)
    running.start_hotconnect(0)
    assert slave(running, 2).inaccessible
    running.advance(500)
    running.mend_cable(2)
    waiting = slave(running, 2)
    assert (waiting.offline, waiting.inaccessible, waiting.new) == (True, False, False)
    assert register(running, 2, 0x0010) == 1003, "it kept its address"
    assert running.offline_axes() == {1, 2}
    running.start_hotconnect(0)
    assert states(running) == [EcState.OP] * 4
    assert running.offline_axes() == frozenset()
    assert slave(running, 2).al_status_code == 0


def test_a_cable_behind_another_cut_stays_out_of_reach(running: Network) -> None:
    running.cut_cable(1)
    running.cut_cable(3)
    running.mend_cable(1)
    assert [each.inaccessible for each in running.network_state(0).slaves] == [False] * 3 + [True]
    running.mend_cable(3)
    running.mend_cable(3)
    assert not slave(running, 3).inaccessible


def test_a_cut_loses_packets_and_one_at_the_master_all_of_them(running: Network) -> None:
    running.cut_cable(3)
    running.advance(110)
    running.cut_cable(0)
    running.advance(140)
    now = running.network_state(0).statistics
    assert (now.packet_loss, now.packet_timeout) == (10, 30)
    running.mend_cable(0)
    running.mend_cable(3)
    running.advance(200)
    now = running.network_state(0).statistics
    assert (now.packet_loss, now.packet_timeout) == (10, 30)


def test_both_ends_of_a_cut_count_a_lost_link(running: Network) -> None:
    running.cut_cable(2)
    running.cut_cable(2)
    running.mend_cable(2)
    ports = [running.read_register(0, i, 0x0310, 2) for i in range(4)]
    assert ports == [b"\x00\x00", b"\x00\x01", b"\x01\x00", b"\x00\x00"]


def test_a_slave_dropped_behind_a_cut_is_found_in_init(running: Network) -> None:
    running.cut_cable(2)
    running.drop_slave(3)
    running.return_slave(3)
    assert (slave(running, 3).inaccessible, slave(running, 3).new) == (True, False)
    running.advance(1000)
    running.mend_cable(2)
    found = slave(running, 3)
    assert (found.state, found.al_status_code, found.new) == (EcState.INIT, 0, True)


# Registers


def test_registers_follow_the_slave(running: Network) -> None:
    assert register(running, 1, 0x0010) == 1002
    assert register(running, 0, 0x0012) == 5
    assert register(running, 1, 0x0130) == 8
    assert [register(running, i, 0x0110) for i in range(4)] == [0x5A33] * 3 + [0x5613]
    assert running.read_register(0, 0, 0xFFF, 1) == b"\x00"
    assert len(running.read_register(0, 0, 0, 0x1000)) == 0x1000


def test_neighbours_of_a_dropped_slave_count_a_lost_link(running: Network) -> None:
    running.drop_slave(2)
    ports = [running.read_register(0, i, 0x0310, 2) for i in (0, 1, 3)]
    assert ports == [b"\x00\x00", b"\x00\x01", b"\x01\x00"]
    running.drop_slave(3)
    assert running.read_register(0, 1, 0x0310, 2) == b"\x00\x02"
    assert register(running, 1, 0x0110) == 0x5613


def test_a_returned_slave_answers_as_after_power_up(running: Network) -> None:
    running.drop_slave(3)
    assert register(running, 2, 0x0310) == 0x0100
    running.drop_slave(2)
    running.return_slave(2)
    assert register(running, 2, 0x0130) == 1
    assert register(running, 2, 0x0310) == 0
    assert register(running, 2, 0x0010) == 0, "its address is lost"
    running.start_hotconnect(0)
    assert register(running, 2, 0x0010) == 1003


# Refusals


REFUSED: dict[ErrorCode, list[tuple[Callable[[Network], object], str]]] = {
    ErrorCode.IDOutOfRange: [
        (lambda n: n.network_state(-1), "master -1: must be 0 to 1"),
        (lambda n: n.disturb(2), "master 2: must be 0 to 1"),
        (lambda n: n.cut_cable(4), "slave 4 of master 0: must be 0 to 3"),
        (lambda n: n.mend_cable(3, 1), "slave 3 of master 1: must be 0 to 2"),
        (lambda n: n.drop_slave(3, 1), "slave 3 of master 1: must be 0 to 2"),
        (lambda n: n.return_slave(-1), "slave -1 of master 0: must be 0 to 3"),
    ],
    ErrorCode.ArgumentOutOfRange: [
        (lambda n: n.disturb(over_cycle=-1), "-1 events of a disturbance: must be 0 or more")
    ],
    ErrorCode.WaitTimeout: [
        (
            lambda n: (n.drop_slave(1), n.read_register(0, 1, 0, 1)),
            "slave 1 of master 0 does not answer: it is offline",
        ),
        (
            lambda n: (n.cut_cable(1), n.read_register(0, 2, 0, 1)),
            "slave 2 of master 0 does not answer: it is offline",
        ),
    ],
    ErrorCode.CommNotStarted: [
        (
            lambda n: (n.stop_communication(), n.read_register(0, 0, 0, 1)),
            "master 0 does not communicate",
        ),
        (
            lambda n: (n.stop_communication(), n.start_hotconnect(1)),
            "master 1 does not communicate",
        ),
    ],
}


@pytest.mark.parametrize(
    ("order", "code", "rule"),
    [(order, code, rule) for code, rows in REFUSED.items() for order, rule in rows],
)
def test_refusals(
    running: Network, order: Callable[[Network], object], code: ErrorCode, rule: str
) -> None:
    with pytest.raises(CommandRefused) as refused:
        order(running)
    assert str(refused.value) == f"Error={code.value} ({code.name}): {rule}"
