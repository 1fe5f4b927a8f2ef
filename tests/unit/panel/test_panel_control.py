"""One page of all panels has control, and the line of alarms has what is broken."""

import asyncio
import json
from threading import Event
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from hand_clock import Clock

from wmx_ros2_package.panel.alarms import ENGINE_LOST, Alarms
from wmx_ros2_package.panel.machine_link import MachineLink
from wmx_ros2_package.panel.orders import GONE, Lane, Orders
from wmx_ros2_package.panel.safety.other_panels import CLAIM_TIMEOUT, MOST_PANELS, OtherPanels
from wmx_ros2_package.panel.safety.page_control import (
    ASK_TIMEOUT,
    CONTROL_TIMEOUT,
    VIEWER,
    Control,
    ControlRefused,
    PageSession,
)


class Network:
    """Panels that receive what the others publish, while it is whole."""

    def __init__(self, number: int) -> None:
        self.clock = Clock()
        self.whole = True
        self.panels = [OtherPanels(self.clock) for _ in range(number)]
        for panel in self.panels:
            panel.publish = self._send

    def _send(self, text: str) -> None:
        if self.whole:
            for panel in self.panels:
                panel.take(text)

    def repeat(self) -> None:
        for panel in self.panels:
            panel.repeat()


def test_a_claim_is_known_to_others_until_it_is_given_back_or_its_panel_ends() -> None:
    network = Network(3)
    first, *others = network.panels
    first.claim("Ann")
    assert [panel.holder for panel in network.panels] == ["", "Ann", "Ann"]
    first.claim("")
    assert [panel.holder for panel in network.panels] == ["", "", ""]
    first.claim("Ann")
    network.clock.now += CLAIM_TIMEOUT + 0.1
    assert [panel.holder for panel in others] == ["", ""], "it was killed"
    network.repeat()
    assert [panel.holder for panel in others] == ["Ann", "Ann"], "it was only slow"


def test_of_two_that_took_it_at_once_one_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for times in ((1.0, 2.0), (2.0, 1.0), (3.0, 3.0)):
        network = Network(2)
        first, second = network.panels
        network.whole = False
        for panel, at in zip(network.panels, times, strict=True):
            monkeypatch.setattr("wmx_ros2_package.panel.safety.other_panels.time", lambda at=at: at)
            panel.claim("somebody")
        assert not any(panel.outranked for panel in network.panels)
        network.whole = True
        network.repeat()
        assert [first.outranked, second.outranked].count(True) == 1
        if times[0] != times[1]:
            assert first.outranked == (times[0] > times[1])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"panel": 1, "since": "x", "holder": ""}',
        "[" * 9999,
        json.dumps({"panel": "p", "since": float("nan"), "holder": "x"}),
        json.dumps({"panel": "p", "since": 10**400, "holder": "x"}),
    ],
    ids=range(8),
)
def test_what_is_no_claim_is_left_out(text: str) -> None:
    panel = OtherPanels()
    panel.take(text)
    assert panel.holder == ""


def test_panels_that_were_killed_make_room_for_others() -> None:
    network = Network(MOST_PANELS + 2)
    first, *killed = network.panels
    for panel in killed[:-1]:
        panel.claim("Ann")
    network.clock.now += CLAIM_TIMEOUT + 0.1
    for panel in killed[:-1]:
        panel.publish = lambda _: None
    killed[-1].claim("Bob")
    assert first.holder == "Bob"


def test_a_page_takes_control_only_if_none_of_another_panel_has_it() -> None:
    network = Network(2)
    links = [MachineLink(), MachineLink()]
    for link, panels in zip(links, network.panels, strict=True):
        link.panels = panels
    orders = [Orders(link) for link in links]
    ann, bob = PageSession("1", "10.0.0.1"), PageSession("2", "10.0.0.2")
    assert orders[0].take(ann, "Ann").done
    refused = orders[1].take(bob, "Bob")
    assert refused.answer == "Ann (10.0.0.1) has control, at another panel"
    assert orders[1].control.holder is None
    orders[0].give_back(ann)
    assert orders[1].take(bob, "Bob").done
    # Ann's panel was cut off when Bob took it.
    network.panels[0].take(json.dumps({"panel": network.panels[1].id, "since": 0, "holder": ""}))
    assert orders[0].take(ann, "Ann").done
    network.repeat()
    for each in orders:
        each.expire(ann.answered_at)
    assert [each.control.holder for each in orders] == [None, bob]
    lost = f"lost: {bob} has it, at another panel"
    assert orders[0].kept[-1].outcome == lost


def page(name: str, shown: list[str]) -> PageSession:
    session = PageSession(name, "10.0.0.1", name=name, connections=1)
    session.show = lambda order: shown.append(f"{order.what}: {order.outcome}")
    return session


def test_control_is_handed_over_with_the_consent_of_its_holder() -> None:
    orders = Orders(MachineLink())
    shown: list[str] = []
    ann, bob, eve = page("Ann", []), page("Bob", shown), page("Eve", [])
    orders.take(ann, "Ann")
    refused = orders.take(bob, "Bob")
    assert refused.answer.startswith("Ann (10.0.0.1) has control, and is asked for it.")
    assert "Bob (10.0.0.1) has asked for it before you" in orders.take(eve, "Eve").answer
    assert orders.words(ann).startswith("Bob (10.0.0.1) asks for control: Give back hands it over")
    assert "may be taken in 60 s" in orders.words(bob)
    assert orders.words(eve) == ""
    orders.keep_control(eve)
    assert orders.control.asker is bob, "whose it is not to refuse"
    orders.keep_control(ann)
    assert shown == ["take control: refused: Ann (10.0.0.1) keeps it"]
    assert (orders.control.holder, orders.words(ann)) == (ann, "")
    orders.take(bob, "Bob")
    orders.give_back(ann)
    assert orders.control.holder is bob
    assert shown[1:] == ["control is handed over by Ann (10.0.0.1): done"]


def test_control_that_is_lost_is_handed_to_nobody() -> None:
    orders, ann, bob = Orders(MachineLink()), page("Ann", []), page("Bob", [])
    orders.take(ann, "Ann")
    orders.take(bob, "Bob")
    orders.give_back(ann, "its page was closed")
    assert orders.control.holder is None


def test_who_loses_control_is_told_why() -> None:
    orders = Orders(MachineLink())
    shown: list[str] = []
    ann, bob = page("Ann", shown), page("Bob", [])
    orders.take(ann, "Ann")
    orders.take(bob, "Bob")
    orders.control.idle_since -= ASK_TIMEOUT
    assert orders.words(ann).endswith("If you do nothing it may be taken now.")
    assert orders.take(bob, "Bob").done
    orders.take(ann, "Ann")
    orders.give_back(bob)
    orders.give_back(ann)
    orders.take(ann, "Ann")
    orders.expire(ann.answered_at + CONTROL_TIMEOUT)
    assert orders.control.holder is ann
    orders.expire(ann.answered_at + CONTROL_TIMEOUT + 0.1)
    assert orders.control.holder is None
    assert shown == [
        "control: lost: Bob (10.0.0.1) has asked for it in vain",
        "control is handed over by Bob (10.0.0.1): done",
        "control: lost: its browser does not answer",
    ]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (" Ann ", "Ann"),
        ("", "operator"),
        (
            "Ann\n12:00:00 wmx_panel: Bob (1.2.3.4): estop",
            "Ann 12:00:00 wmx_panel: Bob (1.2.3.4): e",
        ),
        ("\u202eA\x1b[2Jnn", "A [2Jnn"),
    ],
)
def test_a_name_is_one_line_of_the_log(given: str, shown: str) -> None:
    session = PageSession("1", "10.0.0.1")
    Orders(MachineLink()).take(session, given)
    assert str(session) == f"{shown} (10.0.0.1)"


def test_control_is_taken_from_one_who_has_gone_and_from_nobody_else() -> None:
    control, ann, bob = Control(), PageSession("1", "a"), PageSession("2", "b")
    with pytest.raises(ControlRefused):
        control.require(ann)
    control.take(ann)
    control.take(ann)
    control.require(ann)
    assert not control.give_back(bob)
    with pytest.raises(ControlRefused):
        control.take(bob, 100.0)
    with pytest.raises(ControlRefused):
        control.require(bob)
    control.see(ann, 150.0)  # an order, a button that is held, or a motion that is open
    with pytest.raises(ControlRefused):
        control.take(bob, 100.0 + ASK_TIMEOUT)
    control.see(bob, 200.0)
    assert "Take control takes it" in control.words(bob, 150.0 + ASK_TIMEOUT)
    control.take(bob, 150.0 + ASK_TIMEOUT)
    assert control.holder is bob
    with pytest.raises(ControlRefused):
        control.require(ann)


def test_a_holder_whose_motion_is_open_has_not_gone() -> None:
    link = MachineLink()
    orders, ann, bob = Orders(link), page("Ann", []), page("Bob", [])
    orders.take(ann, "Ann")
    motion: Any = SimpleNamespace(done=False, cancel=lambda: None)
    orders.adopt(ann, motion)
    orders.take(bob, "Bob")

    def may_be_taken() -> bool:
        at = monotonic() + 10.0 * ASK_TIMEOUT
        ann.answered_at = bob.answered_at = at
        orders.expire(at)
        return "takes it" in orders.control.words(bob, at)

    assert not may_be_taken()
    link.machine = SimpleNamespace()  # type: ignore[assignment]
    orders.control.idle_since = 0.0
    assert may_be_taken(), "the ends of a machine that was lost do not come"


def test_what_a_page_has_begun_ends_when_no_browser_shows_it() -> None:
    orders, ann = Orders(MachineLink()), page("Ann", [])
    orders.take(ann, "Ann")
    canceled = Event()
    motion: Any = SimpleNamespace(done=False, cancel=canceled.set)
    orders.adopt(ann, motion)
    orders.expire(ann.answered_at)
    assert orders.kept[-1].what == "take control"
    ann.connections = 0
    for _ in range(2):  # what begins only now, too
        orders.expire(ann.answered_at)
        assert canceled.wait(5.0)
        canceled.clear()
        assert orders.kept[-1].what == GONE
        orders.adopt(ann, motion)
    assert orders.control.holder is ann, "it may connect again"


def test_who_asks_is_forgotten_when_its_browser_does_not_answer() -> None:
    orders, ann, bob = Orders(MachineLink()), page("Ann", []), page("Bob", [])
    orders.take(ann, "Ann")
    orders.take(bob, "Bob")
    ann.answered_at = bob.answered_at + CONTROL_TIMEOUT + 1.0
    orders.expire(ann.answered_at)
    assert orders.control.asker is None
    orders.give_back(ann)
    assert orders.control.holder is None


def test_a_page_that_only_looks_has_no_control_and_stops() -> None:
    orders = Orders(MachineLink())
    viewer = PageSession("1", "10.0.0.1", viewer=True)
    assert orders.take(viewer, "Eve").answer == VIEWER
    order = asyncio.run(orders.carry_out(viewer, "move", lambda: None))
    assert order.answer == VIEWER
    stop = orders.carry_out(viewer, "stop", lambda: None, lane=Lane.STOP)
    assert asyncio.run(stop).done


def alarm(
    alarms: Alarms,
    axis: int,
    time: float,
    *,
    active: bool = True,
    code: int = 0x2310,
) -> None:
    place, text = ["engine", f"axis {axis}"], "its drive has an alarm"
    alarms.take(place, "AmpAlarm", text, time, active=active, code=code)


def test_the_line_of_alarms_has_their_number_and_the_newest() -> None:
    alarms = Alarms()
    assert alarms.words == ""
    alarm(alarms, 0, 10.0)
    assert alarms.words.startswith("1 alarm: axis 0: its drive has an alarm, since ")
    alarm(alarms, 3, 20.0)
    alarm(alarms, 0, 30.0)  # of before, told again by a node that was started anew
    assert alarms.words.startswith("2 alarms, the newest: axis 3: ")
    alarm(alarms, 3, 40.0, active=False)
    assert alarms.words.startswith("1 alarm: axis 0: ")
    alarms.clear()
    assert alarms.words == ""


def test_another_alarm_of_an_axis_is_new_and_nobody_has_noted_it() -> None:
    alarms = Alarms()
    alarm(alarms, 0, 10.0)
    alarms.acknowledge("Ann", alarms.to_acknowledge)
    alarm(alarms, 0, 20.0)
    assert not alarms.to_acknowledge, "it is the same, told again"
    alarm(alarms, 0, 20.0, code=0x7121)
    assert alarms.words.startswith("1 alarm: axis 0: its drive has an alarm, since ")
    assert "noted" not in alarms.words
    assert alarms.to_acknowledge


def test_an_engine_that_was_away_stands_in_the_line_until_it_is_acknowledged() -> None:
    alarms = Alarms()
    alarms.take(["engine"], ENGINE_LOST, "the engine is lost", 10.0, active=True)
    assert not alarms.restarted
    assert "engine: the engine is lost" in alarms.words
    alarms.take(["engine"], ENGINE_LOST, "the engine answers again", 12.0, active=False)
    assert alarms.restarted
    assert (
        "1 alarm: engine: the engine was away: positions are those that it has now" in alarms.words
    )
    alarms.acknowledge("Ann", alarms.to_acknowledge - 1)
    assert alarms.restarted, "it came after what was shown"
    alarms.acknowledge("Ann", alarms.to_acknowledge)
    assert not alarms.restarted
    assert alarms.words == ""


def test_what_is_noted_stays_in_the_line_until_it_is_whole() -> None:
    alarms = Alarms()
    alarm(alarms, 0, 10.0)
    alarms.acknowledge("Ann", alarms.to_acknowledge)
    assert alarms.to_acknowledge == 0
    assert alarms.words.endswith(", noted by Ann")
    alarm(alarms, 3, 9.0)  # of a clock that was set back
    assert alarms.words.startswith("2 alarms, 1 not noted, the newest: axis 3: ")
    alarms.acknowledge("Bob", alarms.to_acknowledge)
    assert alarms.words.endswith(", noted by Bob")
    alarm(alarms, 3, 12.0, active=False)
    assert alarms.words.endswith(", noted by Ann"), "the first who has noted it"
    alarm(alarms, 0, 13.0, active=False)
    alarm(alarms, 0, 14.0)
    assert alarms.to_acknowledge, "it has come again"


def test_an_alarm_that_came_after_those_that_were_shown_is_not_noted() -> None:
    alarms = Alarms()
    alarm(alarms, 0, 10.0)
    shown = alarms.to_acknowledge
    alarm(alarms, 3, 11.0)
    alarms.acknowledge("Ann", shown)
    assert alarms.words.startswith("2 alarms, 1 not noted, the newest: axis 3: ")


def test_an_alarm_of_another_day_has_its_date() -> None:
    alarms = Alarms()
    alarm(alarms, 0, 86400.0)
    assert ", since 1970-01-0" in alarms.words
