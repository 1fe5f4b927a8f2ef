"""What clients set at random, and rule 5: after a loss it is what it was, or blocks motion."""

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from campaign_stage import ALL, Stage
from wmx_ros2_message.msg import ActuatorCommand

from wmx_core.errors import ErrorCode, RefusalCode
from wmx_core.parameters.axis_parameters import AxisParameters
from wmx_core.values import CommandMode

BLOCKS = {
    "PARAMETERS_LOST": ErrorCode.ParameterSettingsInvalid,
    "MODE_LOST": ErrorCode.ParameterSettingsInvalid,
    "REFERENCE_LOST": ErrorCode.NotHomeState,
    "POSITION_OUTPUT_LOST": ErrorCode.ParameterSettingsInvalid,
}
"""What explain says of an axis that has lost something, and what refuses its motion."""
FOUND = 1.1
"""Within what time every node finds that a file was lost, s: until then they may differ."""
FAR = 10_000
"""Beyond what random motions reach, u."""


@dataclass(frozen=True)
class Axis:
    """What a client may have set of one axis, as the engine has it."""

    parameters: AxisParameters
    mode: int
    homed: bool
    servo_on: bool


def difference(old: Axis, new: Axis) -> dict[str, tuple[Any, Any]]:
    """What is another one, before and after."""
    before, after = ({**asdict(each.parameters), **vars(each)} for each in (old, new))
    return {
        name: (before[name], after[name])
        for name in before
        if name != "parameters" and before[name] != after[name]
    }


@dataclass(frozen=True)
class Machine:
    """What clients may have set of all axes, as the engine and the nodes have it."""

    axes: tuple[Axis, ...]
    stop_inputs: dict[int, tuple[int, ...]]
    """Byte, bit, level and kind of each axis that has one."""
    emergency_stop: object


def _may_block(lost: Collection[str]) -> bool:
    """Whether something may be lost for good: a file alone is put back from what nodes know."""
    files = {name.partition(" ")[0] for name in lost}
    return bool(files - {"axis", "folder", "document", ""}) or (
        "document" in files and bool(files & {"axis", "folder"})
    )


class Settings:
    """Clients that set what a machine is."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self._stage = stage
        self._folder = folder
        self._random = stage.random
        self.switching: set[int] = set()
        """Axes that switch outputs."""
        self._kinds: list[Callable[[int], tuple[str, dict[str, Any]]]] = [
            self._polarity,
            self._gear_ratio,
            self._reference,
            self._parameters,
            self._mode,
            self._output,
            self._stop_input,
            self._homing,
            self._servo,
        ]

    def seen(self) -> Machine:
        """What is in force."""
        status = self._stage.status()
        parameters = self._stage.driver.motion.parameters()
        axes = tuple(
            Axis(
                # Modes are changed by commands, too, and are shown by the status.
                replace(parameters.axis(axis), command_mode=CommandMode.POSITION),
                int(status.command_mode[axis]),
                bool(status.home_done[axis]),
                bool(status.servo_on[axis]),
            )
            for axis in ALL
        )
        given = self._stage.asked("wmx/engine/get_stop_inputs")
        rows = zip(given.byte, given.bit, given.value, given.data, strict=True)
        inputs = dict(zip(given.index, rows, strict=True))
        return Machine(axes, inputs, status.emergency_stop)

    def change(self) -> None:
        """Set something; what is answered with success is so, what is refused changed nothing."""
        axis, before = self._random.choice(ALL), self.seen()
        service, fields = self._random.choice(self._kinds)(axis)
        answer = self._stage.client.call(service, **fields)
        self._stage.losses[f"{service} {'done' if answer.success else 'refused'}"] += 1
        after = self.seen()
        what = service, fields, answer.message
        if not answer.success:
            homed = service.endswith("homing")  # which may fail when it has begun
            changed = {
                i: difference(*each)
                for i, each in enumerate(zip(before.axes, after.axes, strict=True))
                if each[0] != each[1] and not (homed and i == axis)
            }
            assert not changed, (what, changed)
            return
        self._require_done(axis, service, fields, after, what)
        others = [each for each in ALL if each != axis]
        assert [after.axes[i] for i in others] == [before.axes[i] for i in others], what

    def _require_done(
        self, axis: int, service: str, fields: dict[str, Any], after: Machine, what: object
    ) -> None:
        """Fail unless the engine shows what was answered."""
        now = after.axes[axis]
        match service.rsplit("/", 1)[1]:
            case "set_polarity":
                assert [now.parameters.polarity] == fields["data"], what
            case "set_gear_ratio":
                ratio = now.parameters.gear_ratio_numerator, now.parameters.gear_ratio_denominator
                assert ratio == (fields["numerator"][0], fields["denominator"][0]), what
            case "reference":
                assert now.homed, what
                here = float(self._stage.status().actual_pos[axis])
                assert abs(here - fields["position"][0]) < 0.02, (what, here)
            case "load":
                assert now.parameters.soft_limit_positive == self._limit, what
            case "set_mode":
                assert [now.mode] == fields["data"], what
            case "homing":
                assert now.homed, what
                assert abs(float(self._stage.status().following_error[axis])) < 0.02, what
            case "set_on":
                assert [now.servo_on] == fields["data"], what
            case "set_position_outputs":
                (self.switching.add if fields["byte"] else self.switching.discard)(axis)
            case "set_stop_inputs":
                assert (axis in after.stop_inputs) is bool(fields["byte"]), what

    def _polarity(self, axis: int) -> tuple[str, dict[str, Any]]:
        sign = self._random.choice([1, -1, -1, 0])
        return "wmx/axis/set_polarity", {"index": [axis], "data": [sign]}

    def _gear_ratio(self, axis: int) -> tuple[str, dict[str, Any]]:
        unit = self._random.choice([6.283185, 6.0, 6.5, 0.0])
        fields = {"index": [axis], "numerator": [8388608.0], "denominator": [unit]}
        return "wmx/axis/set_gear_ratio", fields

    def _reference(self, axis: int) -> tuple[str, dict[str, Any]]:
        place = round(self._random.uniform(-1.0, 1.0), 3)
        return "wmx/axis/reference", {"index": [axis], "position": [place]}

    def _parameters(self, axis: int) -> tuple[str, dict[str, Any]]:
        """Limits and a deceleration for one axis, in a file for that alone."""
        self._limit = float(FAR + self._random.randrange(1000))
        wanted = self._stage.driver.motion.parameters().with_axis(
            axis,
            soft_limit_type=3,
            soft_limit_positive=self._limit,
            soft_limit_negative=-self._limit,
            quick_stop_dec=float(self._random.randint(50, 80)),
        )
        file = self._folder / "limits.xml"
        file.write_text(wanted.to_xml())
        return "wmx/params/load", {"file_path": str(file)}

    def _mode(self, axis: int) -> tuple[str, dict[str, Any]]:
        return "wmx/axis/set_mode", {"index": [axis], "data": [self._random.choice([0, 1, 2, 7])]}

    def _output(self, axis: int) -> tuple[str, dict[str, Any]]:
        one = {"byte": [3], "bit": [axis], "position": [0.5], "value": [1]}
        none: dict[str, Any] = {key: [] for key in one}
        chosen = self._random.choice([one, one, none])
        return "wmx/axis/set_position_outputs", {"index": [axis], **chosen}

    def _stop_input(self, axis: int) -> tuple[str, dict[str, Any]]:
        one = {"byte": [0], "bit": [axis], "value": [1], "data": [0]}
        none: dict[str, Any] = {key: [] for key in one}
        chosen = self._random.choice([one, none])
        return "wmx/engine/set_stop_inputs", {"index": [axis], **chosen}

    def _homing(self, axis: int) -> tuple[str, dict[str, Any]]:
        return "wmx/axis/homing", {"index": [axis], "data": [0]}

    def _servo(self, axis: int) -> tuple[str, dict[str, Any]]:
        return "wmx/axis/set_on", {"index": [axis], "data": [self._random.randrange(2)]}

    # A loss

    def require_kept(self, before: Machine, lost: Collection[str]) -> None:
        """Fail unless each axis has what it had `before`, or is blocked for what was `lost`."""
        self._stage.client.clock.sleep(FOUND)
        after, engine_lost = self.seen(), "engine" in lost
        assert after.stop_inputs == before.stop_inputs
        assert after.emergency_stop == before.emergency_stop
        blocked = self.blocked()
        for axis in ALL:
            old, new, codes = before.axes[axis], after.axes[axis], blocked[axis]
            why = f"axis {axis} after {lost}, {codes}: {difference(old, new)}"
            assert not new.servo_on, why
            assert not codes or _may_block(lost), why
            if new.parameters != old.parameters:
                assert "PARAMETERS_LOST" in codes, why
            if new.mode != old.mode:
                assert codes & {"MODE_LOST", "PARAMETERS_LOST"}, why
            if old.homed and not new.homed:
                cleared = old.parameters.clear_home_done_on_comm_stop and not engine_lost
                assert cleared or codes & {"REFERENCE_LOST", "PARAMETERS_LOST"}, why
            if engine_lost and axis in self.switching:
                assert codes & {"POSITION_OUTPUT_LOST", "PARAMETERS_LOST"}, why
        for axis, codes in blocked.items():
            self._require_refused(axis, {BLOCKS[code] for code in codes})

    def blocked(self) -> dict[int, set[str]]:
        """What explain says that each axis has lost."""
        answer = self._stage.asked("wmx/axis/explain", index=ALL)
        return {
            axis: {b.code for b in answer.blockers if b.axis == axis and b.code in BLOCKS}
            for axis in ALL
        }

    def _require_refused(self, axis: int, codes: Collection[int]) -> None:
        """Fail unless a command is refused with one of `codes`; without any, for another reason."""
        if axis not in range(6):
            return  # of the base, whose axes are no actuators here

        def refused() -> Any:
            """A node that has not found the engine again yet knows nothing of the axis."""
            answer = self._stage.actuators.execute(
                f"axis_{axis}", ActuatorCommand.POSITION, 0.0, velocity=1.0, acceleration=10.0
            )
            assert not answer.accepted
            return answer.code != RefusalCode.NOT_READY and answer

        answer = self._stage.client.eventually(refused, "the node is at the engine")
        expected = answer.code in codes if codes else answer.code not in BLOCKS.values()
        assert expected, (axis, codes, answer.code, answer.message)

    def forgive(self) -> None:
        """A client takes all axes as they are, in position mode and without reactions."""
        stage = self._stage
        stage.asked("wmx/axis/confirm", index=ALL)
        assert not any(self.blocked().values())
        for service in "wmx/engine/set_stop_inputs", "wmx/axis/set_position_outputs":
            stage.asked(service, index=ALL)
        self.switching.clear()
