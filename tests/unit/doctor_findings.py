"""What checks of `wmx doctor` find."""

from wmx_ros2_package.cli.doctor import robot
from wmx_ros2_package.cli.doctor.finding import Check, Finding, Level, Subject
from wmx_ros2_package.robots.catalogue import ROBOTS

ARM = ROBOTS["arm"]


def found(check: Check, subject: Subject, level: Level = Level.WRONG) -> list[Finding]:
    """The findings of one level; each that is not right has a text, and wrong ones a remedy."""
    findings = [*check(subject)]
    assert findings or check is robot.check_robot
    return [finding for finding in findings if finding.level is level]
