"""What a slave itself refuses, with its own code."""

from wmx_ros2_package.drivers.errors import UNNUMBERED, CommandRefused


class SlaveRefused(CommandRefused):
    """`name` of the vendor's errors; `slave_code` is an AL status code, or that of an SDO abort."""

    def __init__(self, name: str, detail: str, slave_code: int) -> None:
        super().__init__(UNNUMBERED, detail, name)
        self.slave_code = int(slave_code)
