"""The device and the communication of the engine node: how they come, and how they go."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from wmx_core.errors import CommandRefused, EngineLost, ErrorCode, WmxError
from wmx_core.parameters.mistakes import axes_in_words
from wmx_core.values import MAX_AXES, EmergencyStop, EngineState

from ...control.settings.kept import WORDS
from ...control.settings.restorer import SettingsRestorer
from ...control.stopping import stop_and_wait
from ...node_base.attachment import ReadyTopic
from ...node_base.context import NodeContext
from ...node_base.device import bring_to_rest, close_device, open_device
from ...node_base.refusals import NotReady
from .emergency_stop import EmergencyStops
from .system_topic import SystemTopic

HARDER_STOP_TIMEOUT = 5.0
"""How long axes that do not come to rest may take with each harder stop, s."""


class EngineLife:
    """The life of the engine of `node`; any thread may call.

    With the communication begins what keeps axes from moving: `emergency_stops`, stop inputs; and
    what clients have set is in force again.
    """

    def __init__(self, node: NodeContext[Any], emergency_stops: EmergencyStops) -> None:
        self._node = node
        self._driver = node.driver
        self._emergency_stops = emergency_stops
        self.settings = SettingsRestorer(node.driver, node.settings.store)
        self.device = ""
        """The name of the device, which the engine may hold while it is idle, too; else empty."""
        self.changing = threading.RLock()
        """Held while the device or the communication comes or goes."""
        self._is_new = False
        """Whether the communication has been started anew since axes were ready last."""
        self._begun = False
        """Whether this node has asked for it since then: it may begin late."""
        self.unfit = False
        """Whether the engine communicates all the same, though what axes need first is refused."""
        self.ready = ReadyTopic(node, "wmx/engine/ready")
        self._system = SystemTopic(node)

    def ensure_device(self, name: str) -> str:
        """Create the device unless it is there; return which of both as text."""
        with self.changing:
            if self.device:  # else the driver may have one of an engine that has died
                self._driver.engine.state()  # which raises unless it lives
                return f"Device was created already with name: {self.device}"
            try:
                self.create_device(name)
            except EngineLost as error:  # there was none yet that could be brought up again
                raise CommandRefused(error.code, error.detail, error.name) from error
            return f"Created device with name: {name}"

    def create_device(self, name: str) -> None:
        """Create the device `name` on this system's engine; warn where another node leads it."""
        path = self._node.common.device_path
        with self.changing:
            self._require_active()
            if not self.device:
                with suppress(WmxError):  # the engine may have refused to close the one before
                    self._driver.engine.close_device()
            open_device(self._node, path, name)
            self.device = name
            self._system.publish()
            self._node.supervisor.start()
            if leader := self._leader():
                self._node.log.warning(
                    f"The engine of {path} is led by {leader}: what is done to it here is done to "
                    "that system. Another machine needs another device_path (or WMX_DEVICE_PATH) "
                    "and another ROS_DOMAIN_ID"
                )
            elif (file := self._node.ownership.file) is not None:
                file.ended = False

    def close_device(self) -> None:
        """Give the device up, also where the engine answers with an error."""
        self.device, self.unfit, self._begun = "", False, False
        self.ready.set(False)
        self._node.supervisor.stop()
        close_device(self._node)

    def start_communication(self) -> None:
        """Start the communication, unless it runs; axes may be commanded then."""
        with self.changing:
            self._require_active()
            if not self.device:  # nor would other nodes learn from the axis file of it
                detail = "no device is attached: call wmx/engine/set_device first"
                raise CommandRefused(ErrorCode.DeviceIsNull, detail)
            engine = self._driver.engine
            communicates = engine.state() is EngineState.COMMUNICATING
            if self.ready and communicates:
                return
            if not communicates:
                # First: the axis file may say ready yet, of an engine node that was killed.
                self.set_ready(False)
                self._is_new = True  # also for the next attempt, where this one begins it and fails
            has_parameters = not communicates and self._prepare_parameters()
            self._begun = self._begun or not communicates
            engine.start_communication()
            try:
                self.restore_stops()  # first: other devices may command axes that communicate
                self.restore_settings(new=self._is_new)
                if not has_parameters:
                    self.load_parameters()
            except WmxError:
                # Axes must not be ready so, nor stay it for nodes that go on: these bring them to
                # rest. Those that communicated before, or for another device or system, may move
                # until then: the end of the communication would take their servos off.
                begun_elsewhere = communicates and (self.unfit or not self._begun)
                self.unfit = begun_elsewhere or bool(self._leader())
                self.set_ready(False)
                if not self.unfit:
                    engine.stop_communication()
                raise
            self.set_ready(True)

    def _prepare_parameters(self) -> bool:
        """Put parameters in force before communication; whether the engine takes them then.

        It never communicates with its defaults where it does, nor with a file that it refuses.
        """
        self.settings.restore_parameters()
        try:
            self.load_parameters()
        except CommandRefused as refused:
            if refused.code != ErrorCode.CommNotStarted:
                raise
            return False
        return True

    def load_parameters(self) -> None:
        """Put the parameter file in force."""
        if path := self._node.parameters.parameter_file:
            loaded = self._node.gate.load_parameters_at_start(path)
            done = "Loaded WMX parameters from" if loaded else "In force before: WMX parameters of"
            self._node.log.info(f"{done} {path}")

    def restore_stops(self) -> None:
        """Have what keeps axes from moving in force before any may move."""
        self._emergency_stops.restore()
        self._node.stop_inputs.restore()

    def restore_settings(self, *, new: bool) -> None:
        """Have what clients have set in force; log what a `new` engine cannot be given."""
        document = self.settings.restore(new=new)
        status = self._node.gate.status()
        axes: dict[str, list[int]] = {}
        for axis, losses in self._node.settings.losses(range(status.axes), status).items():
            axes.setdefault("; ".join(WORDS[loss] for loss in losses), []).append(axis)
        for words, which in axes.items():
            self._node.log.error(
                f"{axes_in_words(which).capitalize()} must not move: {words}. "
                "wmx/axis/explain has what a client can do"
            )
        kept = sorted(axis for axis, own in document.axes.items() if not own.lost)
        if new and kept:
            self._node.log.warning(
                f"{axes_in_words(kept).capitalize()}: what clients had set is in force again"
            )

    def forget_ended(self) -> None:
        """Forget what ends with the communication of an engine that lives."""
        try:
            self.settings.forget_ended(self._node.gate.status())
        except WmxError as error:
            self._node.log.error(f"Settings that have ended: {error}")

    def stop_communication(self) -> None:
        """Stop the axes, and the communication when they rest."""
        with self.changing:
            # First, so that no client commands the axes that are being stopped.
            self.set_ready(False)
            if self._may_communicate():
                stopped_harder = not bring_to_rest(self._node, None) and self._stop_harder()
                if not stopped_harder:
                    self._keep_emergency_stop()
                self._driver.engine.stop_communication()
                self.forget_ended()
                if stopped_harder and not self._emergency_stops.active:
                    self._driver.motion.release_emergency_stop()

    def _may_communicate(self) -> bool:
        """Whether axes may move: also where an engine that lives does not answer that."""
        try:
            return self._driver.engine.state() is EngineState.COMMUNICATING
        except CommandRefused:
            return True

    def _keep_emergency_stop(self) -> None:
        """Keep what the engine or another device has stopped since the node followed it last.

        One that clients know already stays as it is: a new engine may not have it yet.
        """
        if not self._emergency_stops.active:
            with suppress(WmxError):  # what follows is done all the same
                self._emergency_stops.follow(self._node.gate.status())

    def _stop_harder(self) -> bool:
        """Stop what still moves with all that the engine has, before its network ends.

        Return whether that was an emergency stop of the node's own.
        """
        gate, latency = self._node.gate, self._driver.status_latency
        emergency_stopped = False

        def quick(axes: Sequence[int]) -> None:
            gate.end_motion(axes, quick=True)

        def emergency(_: Sequence[int]) -> None:
            nonlocal emergency_stopped
            if not emergency_stopped:
                self._keep_emergency_stop()  # no status tells it from the node's own afterwards
            emergency_stopped = True  # also where it is refused: it may have been carried out
            try:
                self._driver.motion.emergency_stop(EmergencyStop.LEVEL1)
            except CommandRefused as error:
                harder = ErrorCode.CurrentEmergencyStopLevelIsHigher  # that of somebody else
                emergency_stopped = error.code != harder
                raise

        for stop, axes in ((quick, None), (emergency, range(MAX_AXES))):  # one call stops all
            try:
                left = stop_and_wait(
                    gate.status, stop, axes, latency, HARDER_STOP_TIMEOUT, gate.clock
                )
            except WmxError as error:
                self._node.log.error(f"What a harder stop has done is not known: {error}")
                continue
            if left is None:
                break
            self._node.log.error(f"Axes {left.busy} still move after a harder stop")
        return emergency_stopped

    def make_ready(self) -> None:
        """Have axes ready that communicate for another device, once their file is in force."""
        with self.changing:
            # A client may have closed the device meanwhile, or ended the communication.
            attached = self.device and not self._node.deactivating.is_set()
            if attached and self._driver.engine.state() is EngineState.COMMUNICATING:
                self.load_parameters()
                self.set_ready(True)

    def set_ready(self, ready: bool) -> None:
        """Publish whether the engine is ready, here and in the axis file."""
        file = self._node.ownership.file
        if file is not None and not file.leader():
            file.engine_ready = ready
        self.ready.set(ready)
        if ready:
            self._is_new = self._begun = self.unfit = False

    def take_down(self, *, end_system: bool = False) -> None:
        """Close the device; the axes and the communication are stopped unless another node leads.

        They belong to its system. With `end_system` the next one begins with its files.
        """
        with self.changing:
            try:
                if not self._leader():
                    file = self._node.ownership.file
                    if end_system and file is not None:
                        file.ended = True
                    self.stop_communication()
            except WmxError as error:
                self._node.log.error(f"Taking the engine down: {error}")
            finally:
                self.close_device()

    def _require_active(self) -> None:
        """NotReady once the node is to be inactive: it would not take down what comes after."""
        node = self._node
        if node.deactivating.is_set() or not node.active:
            raise NotReady(f"Engine not initialized. {node.name} is not active.")

    def _leader(self) -> str:
        """The engine node that was on the engine before this one, if there is one."""
        file = self._node.ownership.file
        if file is None or file.lead():
            return ""
        return file.leader() or "an engine node that is just leaving it"
