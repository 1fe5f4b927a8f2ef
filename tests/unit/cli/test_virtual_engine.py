"""What the files of the vendor's SDK say of drives that may move."""

from pathlib import Path

import pytest

from wmx_ros2_package.cli.first_contact.virtual import NotVirtual, virtual_slaves

PLATFORMS = """; which platforms are loaded
[Engine]
DllName = core.so
[Platform 0]
Location = ./platform/ethercat
DllName = ec_platform.so  ; EtherCAT
disable = {ethercat}
[Platform 1]
DllName = simu_platform.so
disable = {simulation}
"""
NETWORK = """[rtnd0]
UseNicDrvDll=ndd_vnw.so
numofslaves=3           ; number of virtual slaves
"""


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    (tmp_path / "platform" / "ethercat").mkdir(parents=True)
    return tmp_path


def write(sdk: Path, ethercat: object, simulation: object, network: str = "") -> None:
    text = PLATFORMS.format(ethercat=ethercat, simulation=simulation)
    (sdk / "Module.ini").write_text(text)
    if network:
        (sdk / "platform" / "ethercat" / "PrtTcpip.ini").write_text(network)


def test_the_simulated_platform_has_no_network(sdk: Path) -> None:
    write(sdk, 1, 0)
    assert virtual_slaves(sdk) is None


@pytest.mark.parametrize(
    ("network", "slaves"), [(NETWORK, 3), (NETWORK + "[rtnd1]\nusenicdrvdll = ndd_vnw.so\n", 3)]
)
def test_a_virtual_network_has_so_many_slaves(sdk: Path, network: str, slaves: int) -> None:
    write(sdk, 0, 1, network)
    assert virtual_slaves(sdk) == slaves


@pytest.mark.parametrize(
    ("disabled", "network", "reason"),
    [
        ((0, 0), NETWORK, r"enables ec_platform\.so, simu_platform\.so"),
        ((1, 1), NETWORK, "enables none"),
        (("false", 0), NETWORK, r"enables ec_platform\.so, simu_platform\.so"),
        ((0, 1), "", r"PrtTcpip\.ini cannot be read"),
        ((0, 1), "[rtnd0]\nUseNicDrvDll=ndd_sock_raw.so\nifname=enp4s0\n", r"ndd_sock_raw\.so"),
        ((0, 1), NETWORK + "[rtnd1]\nUseNicDrvDll=ndd_dpdk.so\n", r"ndd_dpdk\.so, ndd_vnw\.so"),
        ((0, 1), ";UseNicDrvDll=ndd_vnw.so\n[rtnd0]\n", "has the driver none"),
        ((0, 1), "[rtnd0]\nUseNicDrvDll=ndd_vnw.so\nnumofslaves=some\n", "must be a number"),
    ],
)
def test_where_a_drive_might_be_reached(
    sdk: Path, disabled: tuple[object, object], network: str, reason: str
) -> None:
    write(sdk, *disabled, network)
    with pytest.raises(NotVirtual, match=reason):
        virtual_slaves(sdk)


def test_an_sdk_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotVirtual, match=r"Module\.ini cannot be read"):
        virtual_slaves(tmp_path / "none")
