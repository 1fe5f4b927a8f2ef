"""As many requests as many clients send while a node is busy: each gets its own answer."""

from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from ros import WAIT_TIMEOUT, Client
from wmx_ros2_message.srv import GetWmxParams

SERVICE = "wmx/params/get"
MANY = 60


def test_a_burst_of_requests_is_answered(client: Client) -> None:
    patient = QoSProfile(depth=MANY, reliability=ReliabilityPolicy.RELIABLE)
    asking: Any = client.node.create_client(GetWmxParams, SERVICE, qos_profile=patient)
    assert asking.wait_for_service(WAIT_TIMEOUT)
    client.must(SERVICE, index=[0])
    requests = [GetWmxParams.Request(index=[i % 6] * (1 + i % 2)) for i in range(MANY)]
    answers = [client.answer(asking.call_async(request)) for request in requests]
    for i, answer in enumerate(answers):
        assert answer.result().success == (i % 2 == 0), "one axis, or one axis twice"
