"""A trajectory: read from a file or made here, plotted and checked before it runs."""

from __future__ import annotations

from time import monotonic

from nicegui import events, ui

from ...client import Motion
from ...trajectories.point_files import Trajectory, read_trajectory, smooth_move, sway
from ..frame import Frame
from ..trajectories import check_trajectory, follow, sways
from .curves import curve, draw, plot

EXAMPLE_WAY, EXAMPLE_DURATION = 0.3, 4.0
"""How far the joints of the example go, rad or m, as far as they may, and how long it takes, s."""
PERIOD = 0.3
"""How often it is shown how far the motion is, s."""
MOST_SHOWN = 2000
"""Points of a curve: more than a screen has columns."""


def build(frame: Frame) -> None:
    """Make the page."""
    server = frame.link.joints
    if not server:
        ui.label("No server of trajectories runs:  make run ROBOT=arm")
        return
    names = list(server["joint_name"])
    chosen: list[Trajectory] = []
    begun: list[tuple[Motion, str, float, float]] = []
    """The motion of this page that is open, in words, when it began, and how long it takes, s."""
    ui.label("1. Choose → 2. Look at the plot → 3. Run").classes("text-h6")
    with ui.row().classes("items-center"):

        async def read(event: events.UploadEventArguments) -> None:
            try:
                show(read_trajectory(await event.file.text(), event.file.name))
            except ValueError as error:
                ui.notify(str(error), type="negative", multi_line=True, timeout=9000)

        upload = ui.upload(
            label="Choose a CSV or YAML file",
            on_upload=read,
            auto_upload=True,
            max_file_size=4_000_000,
        ).props("accept=.csv,.yaml,.yml flat bordered")
        upload.classes("w-64 file")

        def example() -> None:
            now = frame.link.joint_positions
            start = [now.get(name, 0.0) for name in names]
            show(sway(names, start, sways(server, start, EXAMPLE_WAY), EXAMPLE_DURATION))

        ui.button("Example: every joint out and back", on_click=example).props("outline no-caps")
    ui.label(
        "CSV: time_s, joint1, joint2 ...; YAML: joint_names, points with time and positions."
    ).classes("text-caption")
    summary = ui.label("no trajectory is chosen").props("id=trajectory-summary")
    warning = ui.label().classes("level-error").style("white-space: pre-line")
    buttons = ui.row()
    progress = ui.label().props("id=trajectory-progress role=status")
    chart = ui.echart(plot("s", "rad or m")).classes("w-full").style("height: 340px")
    chart.set_visibility(False)

    def show(trajectory: Trajectory) -> None:
        chosen[:] = [trajectory]
        chart.set_visibility(True)
        check()
        shown = slice(None, None, -(-len(trajectory.times) // MOST_SHOWN))
        times, few = trajectory.times[shown], len(trajectory.times) < 60
        series = [
            curve(i, joint, times, trajectory.positions[shown, i], symbols=few)
            for i, joint in enumerate(trajectory.joints)
        ]
        draw(chart, series)

    def check() -> None:
        trajectory = chosen[0]
        summary.text = (
            f"{len(trajectory.times)} points, {trajectory.duration:.2f} s, "
            f"joints {', '.join(trajectory.joints)}"
        )
        warning.text = "\n".join(check_trajectory(trajectory, server, frame.link.joint_positions))

    async def follow_it(what: str, trajectory: Trajectory) -> None:
        def begin() -> Motion:
            motion = follow(frame.link.connected, server, trajectory)
            begun[:] = [(motion, what, monotonic(), trajectory.duration)]
            return motion

        await frame.order(what, begin)

    def show_progress() -> None:
        for motion, what, start, duration in list(begun):
            passed = min(monotonic() - start, duration)
            progress.text = f"{what}: {passed:.1f} of {duration:.1f} s"
            if result := motion.result:
                progress.text = f"{what}: {result.reason.name} {result.message}"
                begun[:] = [each for each in begun if each[0] is not motion]

    async def go_to_start() -> None:
        if not chosen:
            return
        now, first = frame.link.joint_positions, chosen[0]
        start = [now.get(name, 0.0) for name in first.joints]
        slow = [
            0.25 * (server["velocity_limit"][names.index(n)] or 1.0) if n in names else 0.5
            for n in first.joints
        ]
        await follow_it(
            "move to the start of the trajectory",
            smooth_move(first.joints, start, list(first.positions[0]), slow),
        )

    async def start() -> None:
        if not chosen:
            ui.notify("choose a trajectory first", type="warning")
            return
        check()
        await follow_it(f"run a trajectory of {chosen[0].duration:.2f} s", chosen[0])

    with buttons:
        first = ui.button("Move to its start", icon="first_page").props("outline")
        frame.on_click(first, go_to_start)
        frame.on_click(ui.button("Run", icon="play_arrow").props("id=run"), start)
        frame.stop_all_button()
    ui.timer(PERIOD, show_progress)
