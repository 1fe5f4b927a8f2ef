"""The parameters of the recorder."""

import re
from dataclasses import dataclass
from pathlib import Path

from rclpy.exceptions import InvalidTopicNameException
from rclpy.validate_topic_name import validate_topic_name

from ...node_base.parameters import parameter
from ...recordings.files import DEFAULT_FOLDER
from ...validation import BadRequest
from .triggers import TRIGGERS

_TYPE = re.compile(r"[A-Za-z]\w*/msg/[A-Za-z]\w*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderParameters:
    """The parameters of `wmx_recorder_node`."""

    seconds: float = parameter(60.0, "how much is kept in memory, s", (1.0, 3600.0))
    memory_megabytes: int = parameter(
        64, "what that may take: less than `seconds` is kept where it is more, MiB", (1, 4096)
    )
    seconds_after: float = parameter(
        2.0, "how long is recorded after what a file is written for, s", (0.0, 60.0)
    )
    seconds_between: float = parameter(
        10.0, "the least time between two files that nobody asked for, s", (0.0, 3600.0)
    )
    triggers: tuple[str, ...] = parameter(TRIGGERS, "what a file is written for", words=TRIGGERS)
    folder: str = parameter(DEFAULT_FOLDER, "where the files are written")
    continuous: bool = parameter(False, "write everything, not only what a file is written for")
    file_megabytes: int = parameter(
        100, "how large a file may get that is written continuously, MiB", (1, 65536)
    )
    disk_megabytes: int = parameter(
        1000, "what all recordings may take: the oldest are removed, MiB", (1, 1_000_000)
    )
    least_free_megabytes: int = parameter(
        500, "nothing is written while less of the disk is free, MiB", (0, 1_000_000)
    )
    status_rate: float = parameter(
        100.0,
        "how often the status is read where the engine does not keep every cycle, Hz",
        (1.0, 1000.0),
    )
    topics: tuple[str, ...] = parameter(
        (), "what is recorded besides, each as: TOPIC PACKAGE/msg/TYPE"
    )

    def __post_init__(self) -> None:
        reasons = [
            f"topics has {each!r}: must be like '/joint_states sensor_msgs/msg/JointState'"
            for each in self.topics
            if not _is_topic(each)
        ]
        try:
            self.path.resolve()
        except RuntimeError as error:  # the home of a user that there is not
            reasons.append(f"folder is {self.folder!r}: {error}")
        if reasons:
            raise BadRequest(reasons)

    @property
    def path(self) -> Path:
        """The folder of the recordings."""
        return Path(self.folder).expanduser()


def _is_topic(text: str) -> bool:
    """Whether `text` is the name of a topic and that of a type of messages."""
    name, _, kind = " ".join(text.split()).partition(" ")
    try:
        validate_topic_name(name)
    except InvalidTopicNameException:
        return False
    return _TYPE.fullmatch(kind) is not None
