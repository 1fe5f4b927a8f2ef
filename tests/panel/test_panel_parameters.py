"""Parameters in a browser: searched, edited in place, compared with a file, loaded and saved."""

from typing import Any

import pytest
from acts import READY, click_for, order, take_control, until
from panels import Served, downloaded, shows

from wmx_core.parameters.differences import differences
from wmx_core.parameters.parameter_set import ParameterSet
from wmx_ros2_package.client import Machine
from wmx_ros2_package.robots.catalogue import ROBOTS

HIGH = "LimitParam/SoftLimitPositivePos"


def in_force(machine: Machine) -> ParameterSet:
    return ParameterSet.from_xml(machine.parameters.export().encode())


def type_value(page: Any, key: str, text: str) -> None:
    """As a person does, who looks for it, and leaves the field then."""
    axis, name = key.split()
    page.get_by_label("Search").fill(f"{axis} {name.rpartition('/')[2]}")
    field = page.get_by_label(f"New value of {key}", exact=True)
    field.fill(text)
    field.press("Enter")


def show_only(page: Any, what: str) -> None:
    option = page.get_by_role("option", name=what)
    click_for(page.locator("#which"), option)
    option.click()


def test_parameters_are_edited_uploaded_undone_and_saved(browse: Any, machine: Machine) -> None:
    before = in_force(machine)
    page = browse("/parameters")
    take_control(page)
    show_only(page, "soft limits")
    shows(page, "#changes", "30 parameters, in force at ")
    page.get_by_label("Search").fill("2 SoftLimitPositivePos")
    shows(page, "#changes", "1 parameter")
    row = page.locator(".page tbody tr").first
    for text in ("rad", "a finite number; 0 is no limit", f"{before.axis(2).soft_limit_positive}"):
        row.filter(has_text=text).wait_for()
    upload, undo, edits = page.locator("#upload"), page.locator("#undo"), "#edits"
    assert upload.is_disabled()
    assert undo.is_disabled()
    type_value(page, f"2 {HIGH}", "1;5")
    shows(page, edits, "Not taken: axis 2 LimitParam/SoftLimitPositivePos: '1;5' is no number")
    assert upload.is_disabled()
    page.get_by_role("button", name="Discard").click()
    page.wait_for_function("document.querySelector('#edits').textContent === ''")
    type_value(page, f"2 {HIGH}", "1,25")
    shows(page, edits, f"axis 2 {HIGH}: ")
    shows(page, edits, " → 1.25 rad")
    assert in_force(machine) == before, "nothing is uploaded that nobody asked for"

    def change() -> None:
        type_value(page, f"2 {HIGH}", "1,25")
        page.locator(f"#upload{READY}").click()

    order(page, change, " → 1.25 rad: done")
    shows(page, ".page tbody tr", "1.25")
    changed = in_force(machine)
    assert [(each.where, each.name) for each in differences(before, changed)] == [("axis 2", HIGH)]
    assert changed.axis(2).soft_limit_positive == 1.25
    name, saved = downloaded(page, "#save")
    assert name.startswith("wmx_parameters_")
    assert ParameterSet.from_xml(saved) == changed
    order(page, page.locator(f"#undo{READY}").click, "undo: set axis 2")
    page.locator("#undo.disabled").wait_for()
    assert [*differences(before, in_force(machine))] == []


def test_a_file_is_compared_and_loaded(browse: Any, machine: Machine, served: Served) -> None:
    page = browse("/parameters")
    take_control(page)
    before = in_force(machine)
    width = before.axis(2).in_pos_width
    file = served.place.folder / "axis_2.xml"

    def write(width: float) -> None:
        file.write_text(before.with_axis(2, in_pos_width=width).of([2]).to_xml())

    def preview(path: object) -> None:
        page.get_by_label("Parameter file").fill(str(path))
        page.get_by_role("button", name="Preview").click()

    changes = page.locator("#changes")
    one = changes.filter(has_text="Loading the file changes 1 parameter")

    def is_read(path: object, shown: Any) -> None:
        until(page, lambda: preview(path), shown.is_visible, f"{path} is read")

    write(2 * width)
    is_read(file, one)
    first = page.locator(".page tbody tr").first
    assert first.inner_text().split()[:3] == ["2", "FeedbackParam", "InPosWidth"]
    words = "Load into the engine"
    load, ready = page.get_by_role("button", name=words), page.locator(f"button{READY}")
    # An error stands alone: nothing of the file before is shown or loaded.
    is_read("/no/such/file.xml", changes.filter(has_text="No such file or directory"))
    page.locator(".page tbody tr").filter(has_text="InPosWidth").wait_for(state="detached")
    assert load.is_disabled()

    def load_what_has_changed() -> None:
        write(2 * width)
        preview(file)
        one.wait_for()
        write(3 * width)
        ready.filter(has_text=words).click()

    order(page, load_what_has_changed, "has changed since its preview")

    def load_it() -> None:
        preview(file)
        one.wait_for()
        ready.filter(has_text=words).click()

    until(page, load_it, changes.filter(has_text="is loaded: it changed 1 ").is_visible, "loaded")
    assert in_force(machine).axis(2).in_pos_width == pytest.approx(3 * width)
    order(page, page.locator(f"#undo{READY}").click, "undo: set axis 2")
    assert in_force(machine).axis(2).in_pos_width == pytest.approx(width)
    machine.parameters.load(ROBOTS["arm"].wmx_parameters)
