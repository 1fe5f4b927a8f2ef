"""Ecat: the network and its slaves, registers, statistics, hot connect, scan."""

from collections.abc import Callable

import pytest
import simulation
from backends import Backend

from wmx_core.errors import ErrorCode
from wmx_core.interface import Ecat
from wmx_core.values import REGISTER_SPACE, EcState, MasterMode

pytestmark = pytest.mark.over_process

INIT, OP = EcState.INIT, EcState.OP

# Network state


def test_all_are_op_while_the_engine_communicates(backend: Backend) -> None:
    network = backend.ecat.network_state(0)
    assert (network.master_id, network.state, network.mode) == (0, OP, MasterMode.CYCLIC)
    there = [slave for slave in network.slaves if not slave.offline]
    assert {slave.state for slave in there} == {OP}
    assert {slave.al_status_code for slave in there} == {0}


def test_none_is_op_while_it_does_not(attached: Backend) -> None:
    for _ in range(2):
        network = attached.ecat.network_state(0)
        assert OP not in {network.state, *(slave.state for slave in network.slaves)}
        attached.engine.start_communication()
        attached.engine.stop_communication()


def test_slaves_are_numbered_in_ring_order(backend: Backend) -> None:
    slaves = backend.ecat.network_state(0).slaves
    assert [slave.id for slave in slaves] == list(range(len(slaves)))
    assert [slave.position for slave in slaves] == list(range(len(slaves)))
    addresses = [slave.address for slave in slaves]
    assert len(set(addresses)) == len(addresses)


def test_the_sums_of_the_master_are_those_of_its_slaves(backend: Backend) -> None:
    network = backend.ecat.network_state(0)
    sums, slaves = network.statistics, network.slaves
    assert sums.total_axes == sum(slave.axes for slave in slaves)
    assert sums.total_input_size == sum(slave.input_size for slave in slaves)
    assert sums.total_output_size == sum(slave.output_size for slave in slaves)


def test_the_slaves_are_those_of_the_machine(harmless: Backend) -> None:
    *drives, io = harmless.ecat.network_state(0).slaves
    drive = simulation.DRIVE
    assert [
        (slave.vendor_id, slave.product_code, slave.revision, slave.serial, slave.axes)
        for slave in drives
    ] == [
        (drive["vendor_id"], drive["product_code"], drive["revision"], drive["serial"] + i, 1)
        for i in range(simulation.AXES)
    ]
    assert (io.axes, io.input_size, io.output_size) == (0, simulation.IO_SIZE, simulation.IO_SIZE)
    assert (io.input_address, io.output_address) == (0, 0)


def test_a_healthy_network_shows_nothing_unusual(backend: Backend) -> None:
    for slave in backend.ecat.network_state(0).slaves:
        unusual = slave.offline, slave.inaccessible, slave.new, slave.reverse
        assert unusual == (False,) * 4


def test_the_slaves_stand_in_a_line(harmless: Backend) -> None:
    slaves = harmless.ecat.network_state(0).slaves
    last = slaves[-1].id
    for slave in slaves:
        line = [each for each in (slave.id - 1, slave.id + 1) if 0 <= each <= last]
        assert list(slave.neighbors) == line, "the one towards the master first"
    delays = [slave.propagation_delay for slave in slaves]
    assert delays == sorted(set(delays)), "every wire takes its time"


def test_the_period_is_that_of_the_cycles(backend: Backend) -> None:
    statistics = backend.ecat.network_state(0).statistics
    assert 125 <= statistics.comm_period <= 10_000
    before = backend.motion.status()
    after = backend.advance(0.2)
    if backend.exact:
        seconds = after.time - before.time
        period = seconds / (after.cycle - before.cycle) * 1e6
        assert period == pytest.approx(statistics.comm_period)


# Statistics


def test_the_transmit_delay_is_between_its_extremes(backend: Backend) -> None:
    backend.advance(0.1)
    statistics = backend.ecat.network_state(0).statistics
    assert statistics.min_tx_delay <= statistics.tx_delay <= statistics.max_tx_delay
    assert statistics.max_tx_delay < statistics.comm_period


def test_a_slave_that_is_gone_loses_packets_until_the_count_is_reset(backend: Backend) -> None:
    assert backend.ecat.network_state(0).statistics.packet_loss == 0
    backend.play(simulation.drop_slave(simulation.IO_SLAVE))
    backend.advance(0.1)
    lost = backend.ecat.network_state(0).statistics.packet_loss
    assert lost >= round(0.09 / backend.cycle_time)
    backend.play(simulation.return_slave(simulation.IO_SLAVE))
    backend.ecat.start_hotconnect(0)
    backend.advance(0.5)
    with backend.where_supported():
        backend.ecat.reset_statistics(0)
    assert backend.ecat.network_state(0).statistics.packet_loss == 0
    backend.advance(0.1)
    assert backend.ecat.network_state(0).statistics.packet_loss == 0


def test_a_reset_keeps_what_is_no_count(backend: Backend) -> None:
    before = backend.ecat.network_state(0)
    with backend.where_supported():
        backend.ecat.reset_statistics(0)
    after = backend.ecat.network_state(0)
    assert after.slaves == before.slaves
    assert after.statistics.total_axes == before.statistics.total_axes
    assert after.statistics.comm_period == before.statistics.comm_period


# Slaves that go and come


def test_a_slave_that_is_gone_shows(backend: Backend) -> None:
    backend.play(simulation.drop_slave(backend.x))
    status = backend.until(lambda status: status.servo_offline[backend.x], timeout=1.0)
    assert not status.servo_offline[backend.y]
    slave, other = backend.ecat.network_state(0).slaves[backend.x : backend.x + 2]
    assert slave.offline
    assert slave.state is not OP
    assert (other.offline, other.state) == (False, OP)
    with backend.refuses(ErrorCode.ServoOffline):
        backend.motion.set_servo(backend.x, on=True)


def test_a_hot_connect_lets_a_slave_join_again(backend: Backend) -> None:
    backend.play(simulation.drop_slave(backend.x))
    backend.until(lambda status: status.servo_offline[backend.x], timeout=1.0)
    backend.play(simulation.return_slave(backend.x))
    assert backend.advance(0.1).servo_offline[backend.x], "not by itself"
    backend.ecat.start_hotconnect(0)
    status = backend.until(lambda status: not status.servo_offline[backend.x], timeout=5.0)
    assert not status.servo_on[backend.x], "nor does its servo"
    slave = backend.ecat.network_state(0).slaves[backend.x]
    assert (slave.offline, slave.new, slave.state) == (False, False, OP)
    backend.servo_on(backend.x)


def test_a_hot_connect_with_every_slave_there_changes_nothing(powered: Backend) -> None:
    before = powered.ecat.network_state(0).slaves
    powered.ecat.start_hotconnect(0)
    assert powered.advance(0.1).servo_on[list(powered.axes)].all()
    assert powered.ecat.network_state(0).slaves == before


def test_a_scan_finds_the_slaves(attached: Backend) -> None:
    before = attached.ecat.network_state(0).slaves
    attached.ecat.scan_network(0)
    after = attached.ecat.network_state(0).slaves
    assert len(after) > 0
    if attached.simulated:
        assert after == before


def test_without_communication_a_scan_lets_a_slave_join_again(backend: Backend) -> None:
    backend.play(simulation.drop_slave(backend.x))
    backend.engine.stop_communication()
    backend.play(simulation.return_slave(backend.x))
    backend.ecat.scan_network(0)
    assert not backend.ecat.network_state(0).slaves[backend.x].offline


# Registers


def register(backend: Backend, slave: int, address: int) -> int:
    with backend.where_supported():
        return int.from_bytes(backend.ecat.read_register(0, slave, address, 2), "little")
    raise AssertionError


def test_registers_say_what_the_network_state_says(backend: Backend) -> None:
    station_address, al_status, al_status_code = 0x0010, 0x0130, 0x0134
    for slave in backend.ecat.network_state(0).slaves:
        assert register(backend, slave.id, station_address) == slave.address
        assert register(backend, slave.id, al_status) & 0x0F == 8, "operational"
        assert register(backend, slave.id, al_status_code) == 0


def test_as_many_bytes_as_asked_for(backend: Backend) -> None:
    with backend.where_supported():
        whole = backend.ecat.read_register(0, 0, 0x0000, 64)
    assert (type(whole), len(whole)) == (bytes, 64)
    assert backend.ecat.read_register(0, 0, 0x0010, 2) == whole[0x10:0x12]
    assert len(backend.ecat.read_register(0, 0, REGISTER_SPACE - 1, 1)) == 1


@pytest.mark.parametrize(
    ("address", "length"),
    [(-1, 1), (REGISTER_SPACE, 1), (0, 0), (0, -1), (0, REGISTER_SPACE + 1), (0xFFF, 2)],
)
def test_registers_are_within_their_space(backend: Backend, address: int, length: int) -> None:
    with backend.where_supported():
        backend.ecat.read_register(0, 0, 0, 1)
    with backend.refuses(ErrorCode.ArgumentOutOfRange):
        backend.ecat.read_register(0, 0, address, length)


# Ids

OF_A_MASTER: dict[str, Callable[[Ecat, int], object]] = {
    "network_state": lambda ecat, master: ecat.network_state(master),
    "reset_statistics": lambda ecat, master: ecat.reset_statistics(master),
    "start_hotconnect": lambda ecat, master: ecat.start_hotconnect(master),
    "scan_network": lambda ecat, master: ecat.scan_network(master),
    "read_register": lambda ecat, master: ecat.read_register(master, 0, 0, 1),
    "read_sdo": lambda ecat, master: ecat.read_sdo(master, 0, 0x1018, 1, 4),
    "write_sdo": lambda ecat, master: ecat.write_sdo(master, 0, 0x1018, 1, bytes(4)),
    "set_slave_state": lambda ecat, master: ecat.set_slave_state(master, 0, OP),
}
OF_A_SLAVE: dict[str, Callable[[Ecat, int], object]] = {
    "read_register": lambda ecat, slave: ecat.read_register(0, slave, 0, 1),
    "read_sdo": lambda ecat, slave: ecat.read_sdo(0, slave, 0x1018, 1, 4),
    "write_sdo": lambda ecat, slave: ecat.write_sdo(0, slave, 0x1018, 1, bytes(4)),
    "set_slave_state": lambda ecat, slave: ecat.set_slave_state(0, slave, OP),
}


@pytest.mark.parametrize("name", OF_A_MASTER)
def test_a_master_that_is_not_there(backend: Backend, name: str) -> None:
    for master in (-1, 2):
        with backend.refuses(ErrorCode.IDOutOfRange):
            OF_A_MASTER[name](backend.ecat, master)


@pytest.mark.parametrize("name", OF_A_SLAVE)
def test_a_slave_that_is_not_there(backend: Backend, name: str) -> None:
    for slave in (-1, 256):
        with backend.refuses(ErrorCode.IDOutOfRange):
            OF_A_SLAVE[name](backend.ecat, slave)
