"""The line of a network: who is on it, who is whose neighbour, and how far away."""

import pytest
from ecat_networks import IO, network_of
from hypothesis import given
from hypothesis import strategies as st

from wmx_sim.engine.machine.description import MasterDescription
from wmx_sim.engine.network.topology import Line

# Metres that lead to four slaves: 1000 ns a slave and 5 ns a metre.
CABLES = 10.0, 0.0, 100.0, 1.0
WHOLE = {0: 1050, 1: 2050, 2: 3550, 3: 4555}
IN_A_ROW = {0: (1,), 1: (0, 2), 2: (1, 3), 3: (2,)}


@pytest.fixture
def line() -> Line:
    return Line(CABLES)


def test_a_whole_line(line: Line) -> None:
    assert line.delays == WHOLE
    assert line.neighbors == IN_A_ROW
    assert line.lost_links == [[0, 0]] * 4


def test_a_slave_alone_has_no_neighbours() -> None:
    line = Line([1.0])
    assert (line.delays, line.neighbors) == ({0: 1005}, {0: ()})


def test_the_line_closes_around_a_slave_that_is_off(line: Line) -> None:
    line.switch_off(1)
    assert line.delays == {0: 1050, 2: 2550, 3: 3555}
    assert line.neighbors == {0: (2,), 2: (0, 3), 3: (2,)}
    assert line.lost_links[0] == [0, 1]
    assert line.lost_links[2] == [1, 0]
    line.switch_off(0)
    assert line.delays == {2: 1550, 3: 2555}
    assert line.neighbors == {2: (3,), 3: (2,)}
    assert line.lost_links[2] == [2, 0]
    line.switch_on(1)
    line.switch_on(0)
    assert (line.delays, line.neighbors) == (WHOLE, IN_A_ROW)
    assert line.lost_links[:2] == [[0, 0], [0, 0]]


def test_a_cut_ends_the_line(line: Line) -> None:
    line.cut(2)
    assert line.delays == {0: 1050, 1: 2050}
    assert line.neighbors == {0: (1,), 1: (0,)}
    assert [line.is_cut_off(slave) for slave in range(4)] == [False, False, True, True]
    line.switch_off(3)
    assert line.lost_links == [[0, 0], [0, 1], [1, 1], [1, 0]], "behind the cut links are up"
    line.mend(2)
    assert line.delays == {0: 1050, 1: 2050, 2: 3550}


def test_a_cut_counts_before_a_slave_that_is_off(line: Line) -> None:
    line.switch_off(2)
    line.cut(2)
    assert list(line.delays) == [0, 1]
    line.mend(2)
    assert list(line.delays) == [0, 1, 3]


def test_the_cable_to_the_first_slave_is_the_master_s(line: Line) -> None:
    line.cut(0)
    assert (line.delays, line.neighbors) == ({}, {})
    assert line.lost_links == [[1, 0], [0, 0], [0, 0], [0, 0]]


def test_a_frame_comes_back_to_the_ports_it_left_by(line: Line) -> None:
    assert [line.receive_times(slave) for slave in range(4)] == [
        (1050, 2 * 4555 - 1050),
        (2050, 2 * 4555 - 2050),
        (3550, 2 * 4555 - 3550),
        (4555, 0),
    ]


events = st.tuples(
    st.sampled_from(["switch_off", "switch_on", "cut", "mend"]), st.integers(0, len(CABLES) - 1)
)


@given(st.lists(events, max_size=30))
def test_whatever_happens_a_mended_line_is_whole(happens: list[tuple[str, int]]) -> None:
    line = Line(CABLES)
    for event, slave in happens:
        getattr(line, event)(slave)
        reached = list(line.delays)
        assert reached == sorted(reached)
        assert list(line.delays.values()) == sorted(line.delays.values())
        assert all(line.is_on(each) and not line.is_cut_off(each) for each in reached)
        assert all(
            each in reached or not line.is_on(each) or line.is_cut_off(each) for each in range(4)
        )
        assert all(one in line.neighbors[other] for one in reached for other in line.neighbors[one])
    for slave in range(4):
        line.switch_on(slave)
        line.mend(slave)
    assert (line.delays, line.neighbors) == (WHOLE, IN_A_ROW)


def test_slaves_show_their_neighbours_and_delays() -> None:
    network = network_of(MasterDescription(slaves=(IO, IO, IO)))
    network.start_communication()
    shown = network.network_state(0).slaves
    assert [each.neighbors for each in shown] == [(1,), (0, 2), (1,)]
    assert [each.propagation_delay for each in shown] == [1005, 2010, 3015]
    network.drop_slave(1)
    shown = network.network_state(0).slaves
    assert [each.neighbors for each in shown] == [(2,), (), (0,)]
    assert [each.propagation_delay for each in shown] == [1005, 0, 2015]
    network.return_slave(1)
    assert [each.neighbors for each in network.network_state(0).slaves] == [(1,), (0, 2), (1,)]


def test_registers_hold_what_a_master_measures_the_line_by() -> None:
    network = network_of(MasterDescription(slaves=(IO, IO, IO)))
    network.start_communication()

    def measured(slave_id: int) -> list[int]:
        image = network.read_register(0, slave_id, 0, 0x1000)
        return [int.from_bytes(image[a : a + 4], "little") for a in (0x0900, 0x0904, 0x0928)]

    assert [measured(slave_id) for slave_id in range(3)] == [
        [1005, 5025, 0],
        [2010, 4020, 1005],
        [3015, 0, 2010],
    ]
    network.drop_slave(0)
    assert measured(2) == [2015, 0, 1005]
