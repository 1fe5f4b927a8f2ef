"""Parameters of the nodes that work: numbers of axes, rates, files, namespaces, simulated time."""

from collections.abc import Iterator

import pytest
import system as systems
from held_system import held_system
from recording import stamp_of
from ros import OFFERED, READY, TOPICS, Client
from system import Place, System


@pytest.mark.long
@pytest.mark.parametrize(
    ("parameter", "reason", "published"),
    [
        ("axis_count:=7", "parameter axis_count is 7: must be 1 to 6, the axes of the engine", 7),
        (
            "jerk_ratio:=[0.1,0.2,0.3,0.4,0.5,0.6,0.7]",
            "jerk_ratio has 7 elements: must be 6 at most, the axes of the engine",
            6,
        ),
    ],
)
def test_more_axes_than_the_engine_has_are_not_published(
    place: Place, parameter: str, reason: str, published: int
) -> None:
    machine = place.machine("machine.yaml", axes=6)
    with held_system(place, f"device_path:={machine}", parameter) as system:
        system.says(
            f"Failed to attach to device, will try again. Error=1558 (ParamOutOfRange): {reason}"
        )
        message = system.client.refused("wmx/axis/set_on", index=[0], data=[1])
        assert message == "CoreMotion not initialized. Engine not ready."
        system.client.eventually(
            lambda: system.client.call("wmx/io/get_input_bit").success, "I/O answers"
        )
        assert not system.client.ready["wmx/core_motion/ready"].next().data
        assert not system.client.states.since(0.0)
        place.machine("machine.yaml", axes=7)  # the node has not ended: the next engine has them
        system.client.must("wmx/engine/set_device", data=False)
        system.client.must("wmx/engine/set_device", data=True)
        system.client.must("wmx/engine/set_comm", data=True)
        system.ready()
        assert len(system.client.state().pos_cmd) == published


def test_fewer_axes_at_another_rate(place: Place) -> None:
    with held_system(place, "axis_count:=2", "rate:=20") as system:
        system.ready()
        first, second = system.client.state(), system.client.state()
        assert len(first.pos_cmd) == len(second.servo_on) == 2
        assert abs((stamp_of(second) - stamp_of(first)) / 1e9 - 0.05) <= 0.02
        system.client.must("wmx/axis/set_on", index=[5], data=[1])


def test_a_parameter_file_of_ros(place: Place) -> None:
    path = place.folder / "params.yaml"
    shipped = (systems.CONFIG / "wmx_ros2.yaml").read_text()
    path.write_text(shipped.replace("axis_count: 6", "axis_count: 3"))
    with held_system(place, ros=["--params-file", str(path)]) as system:
        system.ready()
        assert len(system.client.state().pos_cmd) == 3


@pytest.fixture(scope="module")
def cell() -> Iterator[System]:
    """A system in a namespace, whose ROS time stands still: nobody publishes /clock."""
    with (
        systems.place() as place,
        held_system(place, "use_sim_time:=true", namespace="/cell1") as system,
    ):
        system.ready()
        yield system


@pytest.fixture(scope="module")
def stranger(cell: System) -> Iterator[Client]:
    """A client outside the namespace."""
    client = Client(cell.place.domain, shared=True, clock=cell.client.clock)
    yield client
    client.close()


def test_every_name_moves_with_the_namespace(cell: System, stranger: Client) -> None:
    graph = stranger.node
    stranger.eventually(
        lambda: len(graph.get_node_names_and_namespaces()) >= 6, "all nodes are seen"
    )
    strangers_own = {f"/{topic}" for topic in TOPICS}

    def ours() -> set[str]:
        names = [*graph.get_topic_names_and_types(), *graph.get_service_names_and_types()]
        wmx = {name for name, _ in names if "wmx/" in name}
        offered = {n for n in wmx if graph.count_services(n) or graph.count_publishers(n)}
        return offered - strangers_own

    expected = {f"/cell1/{name}" for name in (*OFFERED, *READY, "wmx/axis/state")}
    stranger.eventually(lambda: expected <= ours(), "all names are seen")
    assert all(name.startswith("/cell1/wmx/") for name in ours())
    cell.client.must("wmx/axis/set_on", index=[0], data=[1])
    cell.client.move("wmx/axis/position", [0], [0.1], [5.0], [50.0], [50.0])
    cell.client.at_rest(0, 0.1)


def test_the_state_does_not_wait_for_the_clock(cell: System) -> None:
    ready = cell.client.ready["wmx/engine/ready"]
    states = [cell.client.state() for _ in range(100)]
    assert all(state.header.stamp.sec == 0 for state in states)
    ready.next()
    ready.next()


def test_a_clock_that_nobody_publishes_is_missed(cell: System) -> None:
    cell.says(
        "[cell1.wmx_core_motion_node]: use_sim_time is true but /clock is not published: "
        "messages are stamped 0"
    )


def test_timeouts_do_not_wait_for_the_clock(cell: System) -> None:
    client = cell.client
    client.must("wmx/axis/set_on", index=[1], data=[1])
    client.must("wmx/axis/homing", index=[1])
    client.must("wmx/engine/set_comm", data=False)
    client.must("wmx/engine/set_comm", data=True)
    cell.ready()
