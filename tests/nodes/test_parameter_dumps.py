"""What `ros2 param dump` writes of a node can be loaded into it again with `ros2 param load`."""

from typing import Any

import pytest
from rcl_interfaces.msg import Parameter
from rcl_interfaces.srv import GetParameters, ListParameters, SetParameters
from rclpy.parameter import parameter_value_to_python
from ros import WAIT_TIMEOUT, Client

rclpy_parameter = pytest.importorskip("rclpy.parameter")
if not hasattr(rclpy_parameter, "get_parameter_value"):
    pytest.skip("rclpy reads no values from text", allow_module_level=True)

READ_ONLY = "start_type_description_service"
"""A parameter of rclpy itself, in every node of it from Jazzy on."""


def call(client: Client, kind: Any, name: str, **fields: Any) -> Any:
    service = client.node.create_client(kind, name)
    assert service.wait_for_service(WAIT_TIMEOUT)
    future = service.call_async(kind.Request(**fields))
    return client.eventually(lambda: future.done() and future.result(), name)


@pytest.mark.parametrize(
    "node",
    [f"wmx_{name}_node" for name in ("engine", "core_motion", "io", "ethercat", "actuator")],
)
def test_a_dump_of_a_node_is_taken_back(client: Client, node: str) -> None:
    names = sorted(call(client, ListParameters, f"{node}/list_parameters").result.names)
    values = call(client, GetParameters, f"{node}/get_parameters", names=names).values
    dumped = []
    for name, value in zip(names, values, strict=True):
        shown = parameter_value_to_python(value)
        text = str(shown.tolist() if hasattr(shown, "tolist") else shown)
        read = rclpy_parameter.get_parameter_value(text)
        dumped.append(Parameter(name=name, value=read))
    results = call(client, SetParameters, f"{node}/set_parameters", parameters=dumped).results
    refused = [each.name for each, r in zip(dumped, results, strict=True) if not r.successful]
    assert refused in ([], [READ_ONLY])
