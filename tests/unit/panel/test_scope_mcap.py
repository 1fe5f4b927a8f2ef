"""What the scope shows as a file of the format MCAP, read by the package of its makers."""

import io
import struct

import numpy as np
import pytest

pytest.importorskip("mcap.reader", reason="mcap is not installed")

from mcap.reader import make_reader

from wmx_ros2_package.panel.scope_mcap import KIND, as_mcap


def test_each_curve_is_a_topic_with_all_its_samples_and_its_unit() -> None:
    times = np.array([1_700_000_000.0, 1_700_000_000.01, 1_700_000_000.02])
    values = np.array([[0.5, -1.0, 0.0], [3.25, 4.0, 5.0]])
    data = as_mcap(times, values, ["/joint1/position", "/joint1/torque"], ["rad", "%"])
    found: dict[str, list[tuple[int, float]]] = {}
    units = {}
    for schema, channel, message in make_reader(io.BytesIO(data)).iter_messages():
        assert (schema.name, schema.encoding, channel.message_encoding) == (KIND, "ros2msg", "cdr")
        assert b"float64 data" in schema.data
        assert message.data[:4] == b"\x00\x01\x00\x00"
        [number] = struct.unpack("<d", message.data[4:])
        found.setdefault(channel.topic, []).append((message.log_time, number))
        units[channel.topic] = channel.metadata
    stamps = [1_700_000_000_000_000_000 + 10_000_000 * i for i in range(3)]
    for topic, row in zip(("/joint1/position", "/joint1/torque"), values, strict=True):
        assert [number for _, number in found[topic]] == row.tolist()
        assert [at for at, _ in found[topic]] == pytest.approx(stamps, abs=1000)
    assert units == {"/joint1/position": {"unit": "rad"}, "/joint1/torque": {"unit": "%"}}


def test_the_messages_are_those_of_ros() -> None:
    factory = pytest.importorskip("mcap_ros2.decoder", reason="mcap-ros2-support is not installed")
    data = as_mcap(np.array([1.0]), np.array([[0.5]]), ["/a"], ["rad"])
    read = make_reader(io.BytesIO(data), decoder_factories=[factory.DecoderFactory()])
    [(_, _, _, decoded)] = read.iter_decoded_messages()
    assert decoded.data == 0.5


def test_nothing_is_a_file_without_samples() -> None:
    data = as_mcap(np.zeros(0), np.zeros((1, 0)), ["/a"], ["rad"])
    assert list(make_reader(io.BytesIO(data)).iter_messages()) == []
