"""Systems and nodes that die, or come later, while a client is connected."""

from collections.abc import Iterator

import pytest
import system as systems
from ros import READY_QOS
from std_msgs.msg import Bool
from system import MOVING, System
from until import until

from wmx_ros2_package.client import EndReason, Machine, MotionBegin, MotionFailed, SystemLost

pytestmark = pytest.mark.process


@pytest.mark.parametrize("back", [False, True], ids=["not back yet", "back"])
def test_an_emergency_stop_is_answered_though_the_engine_node_was_killed(back: bool) -> None:
    with systems.place() as place, systems.system(place, executables=MOVING) as system:
        system.client.attached()
        active = system.client.listen("wmx/engine/estop_active", Bool, READY_QOS)
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.estop()  # the client has met the service, of the node that is gone then
            machine.release()
            place.kill("wmx_engine_node")
            engine = place.start("wmx_engine_node")
            if back:
                engine.says("Communication started")
            start = system.client.clock.now()
            machine.estop()
            active.first(start, lambda message: message.data)


def test_a_system_that_dies_in_the_middle() -> None:
    with systems.place() as place:
        process = place.start("bringup")
        process.says("wmx_actuator_node is ready")
        with Machine(domain=place.domain, timeout=30.0) as machine:
            machine.axes[0].on()
            motion = machine.axes[0].move(1000.0, velocity=1.0)
            process.kill()
            machine.ros.timeout = 1.0
            with pytest.raises(SystemLost):
                motion.wait(60.0)
            for lost in (
                machine.status,
                machine.axes[0].on,
                lambda: machine.axes[0].move(0.0),
                lambda: next(iter(machine.states())),
                lambda: next(iter(machine.events())),
                lambda: machine.states().get(0.1),
            ):
                with pytest.raises(SystemLost):
                    lost()
            with pytest.warns(UserWarning, match="may move"):
                machine.close()


@pytest.fixture(scope="module")
def moving() -> Iterator[System]:
    with systems.place() as place:
        device = f"device_path:={place.machine(home_time=60.0)}"
        with systems.system(place, device, executables=MOVING) as system:
            system.client.attached()
            yield system


def test_names_that_come_later_are_read_anew(moving: System) -> None:
    place = moving.place
    with Machine(domain=place.domain, timeout=30.0) as machine:
        assert not machine.describe()
        assert machine.axes.names[0] == "0"
        place.start("wmx_actuator_node", "names:=[joint1]", "kinds:=[prismatic]")
        until(machine, machine.describe, "it has names")
        assert machine.axes.names[:2] == ("joint1", "1")
        assert machine.axes.units[0] == "m"
        assert machine.status().names[0] == "joint1"


def test_a_homing_ends_though_its_node_is_killed_before_it_answers(moving: System) -> None:
    place = moving.place
    with Machine(domain=place.domain, timeout=30.0) as machine, machine.events() as events:
        machine.axes.on()
        motion = machine.axes[0:2].home()
        assert {type(events.get(10.0)) for _ in range(2)} == {MotionBegin}
        place.kill("wmx_core_motion_node")
        until(machine, lambda: motion.done, "it ends")
        with pytest.raises(MotionFailed) as failed:
            motion.wait()
        assert failed.value.result.reason is EndReason.OWNER_LOST
