"""A trajectory: read from a file or made here, plotted and checked before it runs."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import events, ui

from ...client import Motion
from ...diagnosis.blockers import BlockerCode as Code
from ...trajectories.point_files import Trajectory, smooth_move, sway
from ..chosen_trajectory import ChosenTrajectory, made, read_chosen
from ..file_reader import FileError
from ..frame import Frame
from ..front import MOST_UPLOAD_BYTES
from ..joint_targets import OneAtATime, joints_in, require_ready
from ..motion_ends import END_UNKNOWN, SYSTEM_LOST
from ..remedies import MOVES
from ..trajectories import check_start, follow, progress_text, require_start, sways
from .curves import curve, draw, plot

EXAMPLE_WAY, EXAMPLE_DURATION = 0.3, 4.0
"""How far the joints of the example go, rad or m, as far as they may, and how long it takes, s."""
START_SHARE = 0.25
"""Of their highest velocities, with which joints move to where a trajectory begins."""
PERIOD = 0.3
"""How often the page is brought up to date, s."""
MOST_SHOWN = 2000
"""Points of a curve: more than a screen has columns."""
MOST_FILE_BYTES = MOST_UPLOAD_BYTES - 4096
"""What an upload adds to a file is shorter than that."""
NOTHING = "no trajectory is chosen"


def build(frame: Frame) -> None:
    """Make the page."""
    if not frame.link.joints:
        ui.label("No server of trajectories runs: the system was started without an arm.")
        return
    TrajectoryPage(frame).build()


class TrajectoryPage:
    """The page in one browser: what it shows is what it runs, and else it shows nothing."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._server = frame.link.joints
        self._names = list(self._server["joint_name"])
        self._chosen: ChosenTrajectory | None = None
        self._refused = ""
        """Why nothing is chosen."""
        self._limits: list[str] = []
        """What the server would refuse of it wherever the joints are."""
        self._choices = 0
        """Counts what was chosen, so that a file that is read slowly replaces nothing newer."""
        self.begun: tuple[Motion, str, float] | None = None
        """The motion of this page that is open, in words, how long its path is, s."""
        self._follows = OneAtATime("a trajectory of this page runs: stop it, or wait for its end")

    def build(self) -> None:
        """Make the elements."""
        ui.label("1. Choose → 2. Look at the plot → 3. Run").classes("text-h6")
        with ui.row().classes("items-center"):
            self._upload = ui.upload(
                label="Choose a CSV or YAML file",
                on_begin_upload=lambda: self._clear("reading ..."),
                on_upload=self._read,
                on_rejected=lambda: self._clear(
                    f"The file was refused: it must be CSV or YAML, and {_size()} at most"
                ),
                auto_upload=True,
                max_file_size=MOST_FILE_BYTES,
            ).props("accept=.csv,.yaml,.yml flat bordered")
            self._upload.classes("w-64 file").on("failed", self._not_sent, args=[])
            # Else the browser would not send the same file again. A reset before it has the answer
            # would be a failure to it.
            self._upload.on("uploaded", self._upload.reset, args=[])
            ui.button("Example: every joint out and back", on_click=self._make_example).props(
                "outline no-caps"
            )
        ui.label(
            "CSV: time_s, joint1, joint2 ...; YAML: joint_names, points with time and positions."
        ).classes("text-caption")
        with ui.row():  # above all whose height changes
            to_start = ui.button("Move to its start", icon="first_page").props("outline")
            self._to_start = self._frame.on_click(to_start, self._go_to_start, shown=self._shown)
            run = ui.button("Run", icon="play_arrow").props("id=run")
            self._run = self._frame.on_click(run, self._start, shown=self._shown)
            self._frame.stop_all_button()
        self._progress = ui.label().props("id=trajectory-progress role=status")
        self._summary = ui.label(NOTHING).props("id=trajectory-summary")
        self._warning = ui.label().classes("level-error").style("white-space: pre-line")
        self._warning.props("id=trajectory-warning role=status")
        self._chart = ui.echart(plot("s", "rad or m")).classes("w-full").style("height: 340px")
        self._show()
        ui.timer(PERIOD, self._update)

    # What is chosen

    def _clear(self, why: str) -> None:
        self._choices += 1
        self._chosen, self._limits, self._refused = None, [], why
        self._show()

    async def _read(self, event: events.UploadEventArguments) -> None:
        name = event.file.name
        self._clear(f"reading {name} ...")
        number = self._choices
        try:
            data = await event.file.read()
            chosen = await self._frame.panel.files.run(read_chosen, data, name, self._server)
        except FileError as error:
            if number == self._choices:
                self._clear(f"The file was refused: {error}")
            return
        if number == self._choices:
            self._choose(chosen)

    def _not_sent(self) -> None:
        self._upload.reset()
        self._clear(f"The file was refused: it did not arrive, or is larger than {_size()}")

    def _make_example(self) -> None:
        now = self._frame.link.joint_positions
        start = [now.get(name, 0.0) for name in self._names]
        ways = sways(self._server, start, EXAMPLE_WAY)
        example = sway(self._names, start, ways, EXAMPLE_DURATION)
        self._choose(made(example, "Example", self._server))

    def _choose(self, chosen: ChosenTrajectory) -> None:
        self._choices += 1
        self._chosen, self._refused = chosen, ""
        self._limits = list(chosen.foreseen.reasons)
        self._show()

    # What is shown

    def _shown(self) -> str:
        """What the buttons stand for: a click of another one is refused."""
        return self._chosen.words if self._chosen is not None else ""

    def _show(self) -> None:
        chosen = self._chosen
        self._summary.text = chosen.words if chosen is not None else NOTHING
        for button in self._run, self._to_start:
            self._frame.show_on(button, self._shown())
        self._chart.set_visibility(chosen is not None)
        draw(self._chart, _curves(chosen.foreseen.path) if chosen is not None else [])
        self._update()

    def _update(self) -> None:
        chosen, blocked = self._chosen, self.blocked()
        link = self._frame.link
        now = link.joint_positions
        start = check_start(chosen.trajectory, now) if chosen else []
        known = chosen is not None and {*chosen.trajectory.joints} <= {*now}
        if self._runs or link.status is None:  # they are on their way, or `blocked` says it
            start = []
        found = [*self._limits, *start, *blocked] if chosen else [self._refused]
        self._warning.text = "\n".join(filter(None, found))
        self._run.set_enabled(chosen is not None and not found and not self._runs)
        self._to_start.set_enabled(bool(start) and known and not self._limits and not blocked)
        self._show_progress()

    @property
    def _runs(self) -> bool:
        """Whether a motion of this page is open."""
        return self.begun is not None and not self.begun[0].done

    def blocked(self) -> list[str]:
        """Why the joints do not move now; nothing of a motion of this page, which is shown."""
        own = (*MOVES, Code.PAUSED) if self._runs else ()
        link = self._frame.link
        if link.status is None:
            return [link.problem]
        explained = {
            axis.name: link.published.explanations.get(number)
            for number, axis in enumerate(link.actuators)
        }
        return [
            f"{name}: {blocker.reason}"
            for name, explanation in explained.items()
            if name in self._names and explanation is not None and explanation.blocked
            for blocker in explanation.blockers
            if blocker.code not in own
        ]

    def _show_progress(self) -> None:
        if self.begun is None:
            return
        motion, what, duration = self.begun
        speed = self._frame.link.pause.speed
        paused = speed is not None and speed.paused
        text = progress_text(motion.progress, duration, paused=paused)
        self._progress.text = f"{what}: {text}"
        if result := motion.result:
            self._progress.text = f"{what}: {result.reason.name} {result.message}"
            self.begun = None
        elif self._frame.link.gone:
            self._progress.text = f"{what}: {END_UNKNOWN}: {SYSTEM_LOST}"

    # What it does

    async def _follow(self, what: str, make: Callable[[], Trajectory]) -> None:
        def begin() -> Motion:
            trajectory = make()
            motion = follow(self._frame.link.connected, self._server, trajectory)
            self.begun = motion, what, trajectory.duration
            return motion

        await self._frame.order(what, lambda: self._follows.begin(begin))

    async def _go_to_start(self) -> None:
        if (chosen := self._chosen) is None:
            return
        first, link = chosen.trajectory, self._frame.link
        limits = dict(zip(self._names, self._server["velocity_limit"], strict=True))
        slow = [START_SHARE * (limits[name] or 1.0) for name in first.joints]

        def move() -> Trajectory:
            now, moving = joints_in(link.actuators, link.status)
            require_ready(first.joints, now, moving)
            start = [now[name] for name in first.joints]
            return smooth_move(first.joints, start, list(first.positions[0]), slow)

        what = f"move to the start of {chosen.name} at {START_SHARE:.0%} of their velocity"
        await self._follow(what, move)

    async def _start(self) -> None:
        if (chosen := self._chosen) is None:
            return
        link = self._frame.link

        def run() -> Trajectory:
            return require_start(chosen.trajectory, *joints_in(link.actuators, link.status))

        await self._follow(f"run {chosen.label}", run)


def _curves(trajectory: Trajectory) -> list[dict[str, object]]:
    shown = slice(None, None, -(-len(trajectory.times) // MOST_SHOWN))
    times = trajectory.times[shown]
    return [
        curve(i, joint, times, trajectory.positions[shown, i])
        for i, joint in enumerate(trajectory.joints)
    ]


def _size() -> str:
    return f"{MOST_FILE_BYTES / 2**20:.1f} MiB"
