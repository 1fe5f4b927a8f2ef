"""I/O and EtherCAT through the SDK."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from checked_sdk import CheckedSdk, changed
from held_engine import HeldEngine
from recorder import Recorder

from wmx_core.errors import CommandRefused, ErrorCode
from wmx_core.interface import Driver
from wmx_core.values import EcState, MasterMode, MasterStatistics, NetworkState, SlaveInfo

SLAVES = tuple(
    SlaveInfo(
        id=i,
        **{name: 1000 * i + n for n, name in enumerate(SlaveInfo.__slots__[1:], 1)},  # type: ignore[arg-type]
    )
    for i in range(3)
)
"""Every number another one."""


def network() -> NetworkState:
    slaves = [
        replace(
            slave,
            state=state,
            offline=slave.id == 0,
            inaccessible=slave.id == 1,
            new=slave.id == 2,
            reverse=slave.id != 1,
            axes=slave.id,
            neighbors=neighbors,
        )
        for slave, state, neighbors in zip(
            SLAVES, [EcState.BOOT, EcState.SAFEOP, EcState.PREOP], [(1,), (0, 2), (1,)], strict=True
        )
    ]
    statistics = {name: 10 + n for n, name in enumerate(MasterStatistics.__slots__)}
    return NetworkState(
        master_id=0,
        state=EcState.OP,
        mode=MasterMode.PP,
        statistics=MasterStatistics(**statistics),
        slaves=tuple(slaves),
    )


class Network(Recorder):
    """An engine with the network above."""

    def __init__(self) -> None:
        super().__init__()
        self.network = network()

    def call(self, part: str, method: str, *args: Any, **kwargs: Any) -> Any:
        if method == "network_state":
            return self.network
        return super().call(part, method, *args, **kwargs)


def test_every_field_of_a_network_arrives_in_its_place() -> None:
    assert CheckedSdk(Network()).attached().ecat.network_state(0) == network()


@pytest.mark.parametrize("state", EcState)
@pytest.mark.parametrize("mode", MasterMode)
def test_states_and_modes_by_their_names(state: EcState, mode: MasterMode) -> None:
    engine = Network()
    slaves = tuple(replace(slave, state=state) for slave in engine.network.slaves)
    engine.network = replace(engine.network, state=state, mode=mode, slaves=slaves)
    assert CheckedSdk(engine).attached().ecat.network_state(0) == engine.network


def test_a_state_that_has_no_name_here(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.alter("Ecat.GetMasterInfo", lambda master: setattr(master, "state", 77))
    assert driver.ecat.network_state(0).state is EcState.NONE


def test_a_mode_that_has_no_name_here(vendor: CheckedSdk, driver: Driver) -> None:
    vendor.alter("Ecat.GetMasterInfo", lambda master: setattr(master, "mode", 77))
    with pytest.raises(CommandRefused, match="master mode 77 has no name here"):
        driver.ecat.network_state(0)


def test_only_ports_that_communicate_have_neighbors(vendor: CheckedSdk, driver: Driver) -> None:
    def wire(master: Any) -> None:
        ports = [(0b111, -1), (0b011, 2), (0b100, 3), (0b100, 1), (0b100, 4)]  # there are four
        for port, (state, neighbor) in enumerate(ports):
            master.GetSlaves(1).SetPortState(port, state)
            master.GetSlaves(1).SetNeighbor(port, neighbor)

    vendor.alter("Ecat.GetMasterInfo", wire)
    assert driver.ecat.network_state(0).slaves[1].neighbors == (3,)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 64])
def test_objects_of_any_size(
    vendor: CheckedSdk, driver: Driver, recorder: Recorder, size: int
) -> None:
    data = bytes(range(1, size + 1))
    recorder.answers = {"read_sdo": data[: size - size // 3]}
    assert driver.ecat.read_sdo(0, 1, 0x1018, 4, size) == data[: size - size // 3]
    driver.ecat.write_sdo(0, 2, 0x6060, 7, data)
    assert recorder.orders == [
        ("read_sdo", 0, 1, 0x1018, 4, size),
        ("write_sdo", 0, 2, 0x6060, 7, data),
    ]
    kind = vendor.sdk.EcSdoType.Expedited if size in (1, 2, 4) else vendor.sdk.EcSdoType.Normal
    assert vendor.called("Ecat.SdoUpload_SdoType_WaitTime") == [[1, 0x1018, 4, kind, size, 1000]]


@pytest.mark.parametrize(
    ("answered", "length", "expected"),
    [
        ([0x11, 0x22, 0x33, 0x44], 4, b"\x11\x22\x33\x44"),
        ([0x44332211, 0, 0, 0], 4, b"\x11\x22\x33\x44"),
        ([0x44332211, 0x66, 0, 0, 0, 0], 6, b"\x11\x22\x33\x44\x66\x00"),
    ],
)
def test_an_object_whose_bytes_are_packed(
    vendor: CheckedSdk, driver: Driver, answered: list[int], length: int, expected: bytes
) -> None:
    vendor.play("Ecat.SdoUpload_SdoType_WaitTime", lambda *_: (answered, length, 0))
    assert driver.ecat.read_sdo(0, 1, 0x1018, 4, length) == expected


OF_A_MASTER: dict[str, Callable[[Any, int], Any]] = {
    "GetMasterInfo": lambda ecat, m: ecat.network_state(m),
    "RegisterRead": lambda ecat, m: ecat.read_register(m, 0, 0x130, 2),
    "ResetRefClockInfo": lambda ecat, m: ecat.reset_statistics(m),
    "ChangeSlaveState": lambda ecat, m: ecat.set_slave_state(m, 0, EcState.OP),
    "SdoUpload_SdoType_WaitTime": lambda ecat, m: ecat.read_sdo(m, 0, 0x1000, 0, 4),
    "SdoDownload_SdoType_WaitTime": lambda ecat, m: ecat.write_sdo(m, 0, 0x1000, 0, b"\1"),
    "StartHotconnect": lambda ecat, m: ecat.start_hotconnect(m),
    "ScanNetwork": lambda ecat, m: ecat.scan_network(m),
}


@pytest.mark.parametrize("function", OF_A_MASTER)
def test_the_second_master_is_of_newer_sdks(
    vendor: CheckedSdk, driver: Driver, function: str
) -> None:
    with pytest.raises(CommandRefused) as refused:
        OF_A_MASTER[function](driver.ecat, 1)
    assert refused.value.code == ErrorCode.NoSupportedFunction
    missing = f"not supported by the installed SDK ({function}_MasterId missing)"
    assert refused.value.detail == missing
    assert vendor.calls == []


@pytest.mark.parametrize(
    ("order", "missing"),
    [
        (lambda e: e.read_register(0, 0, 0x130, 2), "RegisterRead"),
        (lambda e: e.reset_statistics(0), "ResetRefClockInfo"),
    ],
)
def test_registers_and_statistics_are_of_newer_sdks(
    driver: Driver, order: Callable[[Any], Any], missing: str
) -> None:
    with pytest.raises(CommandRefused, match=rf"installed SDK \({missing} missing\)"):
        order(driver.ecat)
    assert driver.ecat.network_state(0).state is EcState.OP


def test_a_newer_sdk(recorder: Recorder) -> None:
    done: list[tuple[Any, ...]] = []
    newer = {
        "Ecat.RegisterRead": "(self, slaveId, address, length)",
        "Ecat.RegisterRead_MasterId": "(self, masterId, slaveId, address, length)",
        "Ecat.ResetRefClockInfo": "(self)",
        "Ecat.ResetTransmitStatisticsInfo": "(self)",
        "Ecat.ScanNetwork_MasterId": "(self, masterId)",
    }
    vendor = CheckedSdk(recorder, changed(added=newer))
    for name in newer:
        vendor.play(name, lambda _, *args, name=name: done.append((name[5:], *args)) or ([8, 0],))
    ecat = vendor.attached().ecat
    assert ecat.read_register(0, 3, 0x130, 2) == b"\x08\x00"
    assert ecat.read_register(1, 3, 0x130, 2) == b"\x08\x00"
    ecat.reset_statistics(0)
    ecat.scan_network(1)
    assert done == [
        ("RegisterRead", 3, 0x130, 2),
        ("RegisterRead_MasterId", 1, 3, 0x130, 2),
        ("ResetRefClockInfo",),
        ("ResetTransmitStatisticsInfo",),
        ("ScanNetwork_MasterId", 1),
    ]


# I/O

BITS = [(7, 1, True), (0, 0, False), (7, 6, True)]


def test_bits_are_set_by_one_call(vendor: CheckedSdk, driver: Driver, recorder: Recorder) -> None:
    driver.io.set_output_bits(BITS)
    assert vendor.called("Io.SetOutBitsEx") == [[[7, 0, 7], [1, 0, 6], [1, 0, 1], 3]]
    assert recorder.orders == [("set_output_bits", BITS)]


def test_bits_are_set_one_by_one_where_there_is_no_other_function(recorder: Recorder) -> None:
    vendor = CheckedSdk(recorder, changed(without=["Io.SetOutBits", "Io.SetOutBitsEx"]))
    vendor.attached().io.set_output_bits(BITS)
    assert recorder.orders == [("set_output_bit", *bit) for bit in BITS]


def test_bits_are_read_in_one_block(vendor: CheckedSdk, driver: Driver, recorder: Recorder) -> None:
    recorder.answers = {"input_bytes": b"\x80\x00\x00"}
    assert driver.io.input_bits([(5, 0), (3, 7), (4, 4)]) == (False, True, False)
    assert vendor.called("Io.GetInBytesEx") == [[3, 3]]


def in_words(vendor: CheckedSdk, *args: Any) -> Any:
    """A block as a binding returns it whose elements are four bytes each."""
    (data,) = vendor.real("Io.GetInBytesEx", *args)
    padded = bytes(data).ljust(4 * len(data), b"\0")
    return ([int.from_bytes(padded[i : i + 4], "little", signed=True)
             for i in range(0, len(padded), 4)],)  # fmt: skip


BLOCKS = [b"\x00\x00\x00\x00\x07\x00", b"\x01\x00\x00\x02", b"\x05", b"\xff" * 9, bytes(12)]


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_is_read_whatever_the_elements_of_the_binding_are(
    words: bool, block: bytes
) -> None:
    held = HeldEngine(1)
    held.fake.call("io", "force_input_bytes", 10, block)
    vendor = CheckedSdk(held.fake)
    if words:
        vendor.play("Io.GetInBytesEx", in_words)
    io = vendor.attached().io
    assert [io.input_bytes(10, len(block)) for _ in range(2)] == [block, block]
    held.fake.call("io", "force_input_bytes", 10, BLOCKS[0])
    known = len(vendor.called("Io.GetInByteEx"))
    assert io.input_bytes(10, 6) == io.input_bytes(10, 6) == BLOCKS[0]
    if block == BLOCKS[0] or (words and block != BLOCKS[2] and any(block)):
        assert len(vendor.called("Io.GetInByteEx")) == known, "it is found out once"


def test_a_byte_that_changes_decides_nothing(recorder: Recorder) -> None:
    vendor = CheckedSdk(recorder)
    recorder.answers = {"input_bytes": b"\x80\x00\x01"}  # of a single byte, too
    with pytest.raises(CommandRefused, match="the bytes change too quickly"):
        vendor.attached().io.input_bytes(3, 3)
    assert len(vendor.called("Io.GetInBytesEx")) == 20


def test_an_object_is_read_as_inputs_are(vendor: CheckedSdk) -> None:
    held = HeldEngine(1)
    held.fake.call("io", "force_input_bytes", 0, b"\x00\x01")
    vendor = CheckedSdk(held.fake)
    vendor.play("Io.GetInBytesEx", in_words)
    upload = "Ecat.SdoUpload_SdoType_WaitTime"
    vendor.play(upload, lambda *_: ([5, 7, 0, 0, 0, 0, 0, 0], 8, 0))
    driver = vendor.attached()
    plain = b"\x05\x07\x00\x00\x00\x00\x00\x00"
    assert driver.ecat.read_sdo(0, 0, 0x2000, 0, 8) == plain, "both are possible: a byte an element"
    assert driver.io.input_bytes(0, 2) == b"\x00\x01"
    assert driver.ecat.read_sdo(0, 0, 0x2000, 0, 8) == b"\x05\x00\x00\x00\x07\x00\x00\x00"


def test_bytes_are_set_one_by_one_where_lists_are_not_taken(recorder: Recorder) -> None:
    vendor = CheckedSdk(recorder, changed(without=["Io.SetOutBytes", "Io.SetOutBytesEx"]))
    vendor.attached().io.set_output_bytes(5, b"\x01\x02")
    assert recorder.orders == [("set_output_bytes", 5, b"\x01"), ("set_output_bytes", 6, b"\x02")]


def test_a_build_without_the_forms_that_do_not_wait(recorder: Recorder) -> None:
    recorder.answers = {"input_bytes": b"\x07"}
    vendor = CheckedSdk(recorder, changed(without=["Io.GetInBytesEx"]))
    assert vendor.attached().io.input_bytes(3, 1) == b"\x07"
    assert vendor.called("Io.GetInBytes") == [[3, 1]]


def test_no_bits_ask_nobody(vendor: CheckedSdk, driver: Driver) -> None:
    assert driver.io.input_bits([]) == ()
    driver.io.set_output_bits([])
    assert vendor.calls == []
