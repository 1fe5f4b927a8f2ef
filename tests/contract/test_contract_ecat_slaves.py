"""Ecat: the dictionary of a slave (SDO), and its state."""

import pytest
from backends import Backend

from wmx_core.errors import CommandRefused, ErrorCode, WmxError
from wmx_core.values import EcState

pytestmark = pytest.mark.over_process

DEVICE_TYPE, IDENTITY = 0x1000, 0x1018
VENDOR, PRODUCT, REVISION, SERIAL = 1, 2, 3, 4
"""Entries of the identity object."""
FOLLOWING_ERROR_WINDOW = 0x6065
"""CiA 402: counts, 4 bytes, may be written; has no effect on a drive whose servo is off."""


def number(backend: Backend, slave: int, index: int, subindex: int) -> int:
    data = backend.ecat.read_sdo(0, slave, index, subindex, 4)
    assert (type(data), len(data)) == (bytes, 4)
    return int.from_bytes(data, "little")


def test_the_identity_is_that_of_the_network_state(backend: Backend) -> None:
    slaves = backend.ecat.network_state(0).slaves
    for slave in (each for each in slaves if each.axes or backend.simulated):
        assert number(backend, slave.id, IDENTITY, VENDOR) == slave.vendor_id
        assert number(backend, slave.id, IDENTITY, PRODUCT) == slave.product_code
        assert number(backend, slave.id, IDENTITY, REVISION) == slave.revision
        assert number(backend, slave.id, IDENTITY, SERIAL) == slave.serial


def test_a_drive_is_of_the_drive_profile(harmless: Backend) -> None:
    assert number(harmless, harmless.x, DEVICE_TYPE, 0) & 0xFFFF == 402


def test_an_object_is_as_it_was_set(harmless: Backend) -> None:
    before = harmless.ecat.read_sdo(0, harmless.x, FOLLOWING_ERROR_WINDOW, 0, 4)
    other = harmless.ecat.read_sdo(0, harmless.y, FOLLOWING_ERROR_WINDOW, 0, 4)
    harmless.ecat.write_sdo(0, harmless.x, FOLLOWING_ERROR_WINDOW, 0, b"\x78\x56\x34\x12")
    assert number(harmless, harmless.x, FOLLOWING_ERROR_WINDOW, 0) == 0x12345678
    assert harmless.ecat.read_sdo(0, harmless.y, FOLLOWING_ERROR_WINDOW, 0, 4) == other
    harmless.ecat.write_sdo(0, harmless.x, FOLLOWING_ERROR_WINDOW, 0, before)


def test_what_is_only_to_be_read_is_not_set(harmless: Backend) -> None:
    before = number(harmless, harmless.x, IDENTITY, VENDOR)
    with pytest.raises(CommandRefused) as refused:
        harmless.ecat.write_sdo(0, harmless.x, IDENTITY, VENDOR, b"\1\2\3\4")
    assert refused.value.detail
    assert number(harmless, harmless.x, IDENTITY, VENDOR) == before


@pytest.mark.parametrize(("index", "subindex"), [(0x5FFF, 0), (IDENTITY, 99)])
def test_an_object_that_is_not_there(harmless: Backend, index: int, subindex: int) -> None:
    with pytest.raises(CommandRefused) as read:
        harmless.ecat.read_sdo(0, harmless.x, index, subindex, 4)
    with pytest.raises(CommandRefused) as written:
        harmless.ecat.write_sdo(0, harmless.x, index, subindex, bytes(4))
    assert read.value.detail
    assert written.value.detail


def test_an_object_larger_than_the_size_asked_for(harmless: Backend) -> None:
    with pytest.raises(CommandRefused):
        harmless.ecat.read_sdo(0, harmless.x, IDENTITY, VENDOR, 2)


def test_a_size_larger_than_the_object(harmless: Backend) -> None:
    data = harmless.ecat.read_sdo(0, harmless.x, IDENTITY, VENDOR, 64)
    assert len(data) == 4


def test_a_value_of_another_size_is_not_taken(harmless: Backend) -> None:
    before = number(harmless, harmless.x, FOLLOWING_ERROR_WINDOW, 0)
    for data in (b"\1", b"\1\2\3\4\5"):
        with pytest.raises(CommandRefused):
            harmless.ecat.write_sdo(0, harmless.x, FOLLOWING_ERROR_WINDOW, 0, data)
    assert number(harmless, harmless.x, FOLLOWING_ERROR_WINDOW, 0) == before


@pytest.mark.parametrize(
    ("index", "subindex", "size"),
    [
        (-1, 0, 4),
        (0x10000, 0, 4),
        (IDENTITY, -1, 4),
        (IDENTITY, 0x100, 4),
        (IDENTITY, 1, 0),
        (IDENTITY, 1, -1),
    ],
)
def test_arguments_out_of_range(harmless: Backend, index: int, subindex: int, size: int) -> None:
    with harmless.refuses(ErrorCode.ArgumentOutOfRange):
        harmless.ecat.read_sdo(0, harmless.x, index, subindex, size)
    if size > 0:
        with harmless.refuses(ErrorCode.ArgumentOutOfRange):
            harmless.ecat.write_sdo(0, harmless.x, index, subindex, bytes(size))


def test_without_communication_there_are_no_mailboxes_for_writing(attached: Backend) -> None:
    with pytest.raises(WmxError):
        attached.ecat.write_sdo(0, 0, FOLLOWING_ERROR_WINDOW, 0, bytes(4))


# States


def state(backend: Backend, slave: int) -> EcState:
    return backend.ecat.network_state(0).slaves[slave].state


UP = [EcState.INIT, EcState.PREOP, EcState.SAFEOP, EcState.OP]
"""The steps in which a slave comes up."""


@pytest.mark.parametrize("low", UP[:-1])
def test_a_slave_goes_down_at_once_and_up_again_step_by_step(
    harmless: Backend, low: EcState
) -> None:
    x, y = harmless.x, harmless.y
    for step in UP[UP.index(low) :]:
        harmless.ecat.set_slave_state(0, x, step)
        assert (state(harmless, x), state(harmless, y)) == (step, EcState.OP)
        assert harmless.ecat.network_state(0).slaves[x].al_status_code == 0
    harmless.servo_on(x)


def test_a_step_up_cannot_be_left_out(harmless: Backend) -> None:
    harmless.ecat.set_slave_state(0, harmless.x, EcState.PREOP)
    with pytest.raises(CommandRefused) as refused:
        harmless.ecat.set_slave_state(0, harmless.x, EcState.OP)
    assert refused.value.detail
    slave = harmless.ecat.network_state(0).slaves[harmless.x]
    assert slave.state is EcState.PREOP
    assert slave.al_status_code == 0x0011, "invalid requested state change"


def test_a_slave_that_is_not_op_has_no_servo(harmless: Backend) -> None:
    harmless.servo_on()
    harmless.ecat.set_slave_state(0, harmless.x, EcState.PREOP)
    status = harmless.until(lambda status: not status.servo_on[harmless.x], timeout=1.0)
    assert status.servo_on[harmless.y]
    with pytest.raises(CommandRefused):
        harmless.motion.set_servo(harmless.x, on=True)
    for step in (EcState.SAFEOP, EcState.OP):
        harmless.ecat.set_slave_state(0, harmless.x, step)
    assert not harmless.advance(0.1).servo_on[harmless.x], "no servo comes back by itself"


def test_a_state_that_it_is_in_changes_nothing(harmless: Backend) -> None:
    harmless.servo_on()
    harmless.ecat.set_slave_state(0, harmless.x, EcState.OP)
    assert harmless.advance(0.05).servo_on[harmless.x]


def test_there_is_no_state_none(harmless: Backend) -> None:
    with pytest.raises(CommandRefused):
        harmless.ecat.set_slave_state(0, harmless.x, EcState.NONE)
    assert state(harmless, harmless.x) is EcState.OP


def test_op_is_not_boot(harmless: Backend) -> None:
    """EtherCAT lets a slave into Boot from Init alone."""
    with pytest.raises(CommandRefused):
        harmless.ecat.set_slave_state(0, harmless.x, EcState.BOOT)
    assert state(harmless, harmless.x) is EcState.OP
