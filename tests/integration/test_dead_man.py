"""Nodes that are killed in motions that no lease ends: the engine stops their axes."""

import system as systems
from actuator_client import Actuators
from ros import eventually
from system import MOVING
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.interface import Motion
from wmx_core.values import MotionStatus, OperationState

FAR = 1000.0
"""Where a position move would end, u."""


def rest(motion: Motion, *axes: int) -> MotionStatus | None:
    """The status in which all of them rest, if they do."""
    status = motion.status()
    rests = not status.velocity_cmd[[*axes]].any()
    return status if rests and (abs(status.actual_velocity[[*axes]]) < 0.01).all() else None


def test_what_a_node_moves_ends_with_it() -> None:
    """A position, an axis that follows one that a living node moves, and a torque."""
    executables = (*MOVING, "wmx_actuator_node")
    position, slave, master, torque = range(4)
    with systems.place() as place, systems.system(place, executables=executables) as system:
        client = system.client
        client.attached()
        client.must("wmx/axis/set_on", index=[0, 1, 2, 3], data=[1, 1, 1, 1])
        with system.place.driver() as driver:
            motion = driver.motion
            actuators = Actuators(client)
            client.move("wmx/axis/position", [position], [FAR], [1.0], [10.0], [10.0])
            client.must("wmx/axis/set_gearing", index=[slave], master=[master], ratio=[1.0])
            actuators.accepted(f"axis_{master}", ActuatorCommand.VELOCITY, 0.5)
            actuators.accepted(f"axis_{torque}", ActuatorCommand.EFFORT, 5.0)
            eventually(lambda: motion.status().velocity_cmd[position] > 0.99, "the axis moves")
            eventually(lambda: motion.status().velocity_cmd[master] > 0.49, "it moves as asked")
            eventually(lambda: motion.status().velocity_cmd[slave] > 0.49, "the slave follows")
            eventually(lambda: motion.status().actual_velocity[torque] > 0.2, "the motor turns")
            system.place.kill("wmx_core_motion_node", "wmx_engine_node")
            status = eventually(lambda: rest(motion, position, slave), "the engine stops them")
            assert status.pos_cmd[position] < FAR / 2.0
            assert status.op_state[slave] == OperationState.IDLE
            assert status.velocity_cmd[master] > 0.49, "its node lives"
            assert abs(status.actual_velocity[torque]) > 0.01
            system.place.kill("wmx_actuator_node")
            eventually(lambda: rest(motion, master, torque), "the engine stops them")


def test_an_input_stops_an_axis_whatever_became_of_the_engine_node() -> None:
    with systems.place() as place, systems.system(place, executables=MOVING) as system:
        client = system.client
        client.attached()
        client.must("wmx/axis/set_on", index=[0], data=[1])
        row = {"index": [0], "byte": [0], "bit": [3], "value": [1], "data": [0]}
        client.must("wmx/engine/set_stop_inputs", **row)
        with system.place.driver() as driver:
            client.move("wmx/axis/position", [0], [FAR], [1.0], [10.0], [10.0])
            eventually(lambda: driver.motion.status().velocity_cmd[0] > 0.99, "the axis moves")
            system.place.kill("wmx_engine_node")
            assert driver.faults is not None
            driver.faults.play("[{force_input: {input: '0.3', value: true}}]")
            eventually(lambda: rest(driver.motion, 0), "the engine has stopped the axis")
            place = driver.motion.status().pos_cmd[0]
            (node,) = [p for p in system.place.processes if p.name == "wmx_core_motion_node"]

            def is_refused() -> bool:
                """Errors of a topic are logged once a second."""
                client.move("wmx/axis/position", [0], [FAR], [1.0], [10.0], [10.0])
                return "its stop input 0.3 is on" in node.output

            eventually(is_refused, "motion is refused")
            assert driver.motion.status().pos_cmd[0] == place
