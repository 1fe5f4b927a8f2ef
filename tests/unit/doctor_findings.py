"""What checks of `wmx doctor` find."""

from wmx_ros2_package.cli.doctor import controllers, machine, node_parameters, robot
from wmx_ros2_package.cli.doctor.finding import Check, Finding, Level, Subject
from wmx_ros2_package.robots.catalogue import ROBOTS, Robot

ARM = ROBOTS["arm"]


def found(check: Check, subject: Subject, level: Level = Level.WRONG) -> list[Finding]:
    """The findings of one level; each that is not right has a text, and wrong ones a remedy."""
    findings = [*check(subject)]
    assert findings or check is robot.check_robot
    return [finding for finding in findings if finding.level is level]


def files_of(chosen: Robot) -> Subject:
    """The files of a robot, as the doctor looks at them."""
    return Subject(
        device_path=str(chosen.machine),
        parameters=chosen.parameters,
        wmx_parameters=chosen.wmx_parameters,
        urdf=chosen.urdf,
        controllers=chosen.controllers,
    )


def misfits(subject: Subject) -> list[Finding]:
    """What of these files does not fit together."""
    checks: list[Check] = [
        robot.check_robot,
        node_parameters.check_node_parameters,
        machine.check_engine_parameters,
    ]
    if subject.controllers is not None:
        checks.append(controllers.check_controllers)
    return [finding for check in checks for finding in found(check, subject)]
