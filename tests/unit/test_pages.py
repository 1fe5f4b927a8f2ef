"""What the pages link to is there: files, and headings."""

import ast
import re
from pathlib import Path

import pytest

from wmx_core.errors import ErrorCode, RefusalCode
from wmx_ros2_package import client
from wmx_ros2_package.cli.first_contact.command import STEPS
from wmx_ros2_package.cli.robot_kit import MEASURES
from wmx_ros2_package.diagnosis.blockers import BlockerCode

TOP = Path(__file__).resolve().parents[2]
SITE = sorted((TOP / "docs").glob("**/*.md"))
PAGES = sorted(
    [*TOP.glob("*.md"), *SITE, *TOP.glob("benchmarks/**/*.md"), *TOP.glob("examples/*.md")]
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


NUMBERED = re.compile(r"(\d{3,5}) \(?`?([A-Z][A-Za-z]+)\b|`?\b([A-Z][A-Za-z]+)`? \((\d{3,5})\)")
"""An error of the vendor beside its number, in the two ways in which the pages have them."""


def anchors(page: Path) -> set[str]:
    """The headings of a page, as a link names them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    missing = []
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in anchors(target)
        ):
            missing.append(link)
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_no_command_leaves_a_flag_to_be_false(page: Path) -> None:
    """An empty request is data=false, which releases an emergency stop or ends communication."""
    text = page.read_text().replace("\\\n", "")
    calls = re.findall(r"^ +ros2 service call .*(?:SetBool|SetEngine)\b(.*)$", text, re.MULTILINE)
    assert [values for values in calls if "data:" not in values] == []


@pytest.mark.parametrize("page", SITE, ids=lambda page: str(page.relative_to(TOP)))
def test_a_page_is_not_too_long(page: Path) -> None:
    assert page.read_text().count("\n") < 200


def test_the_reference_of_the_library_has_all_that_it_offers() -> None:
    page = (TOP / "docs/python-api.md").read_text()
    shown = {*re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    missing = []
    for name in {*client.__all__} - {"Event"}:  # the union of two that are there
        module = getattr(client, name).__module__
        if shown.isdisjoint({module, f"{module}.{name}"}):
            missing.append(f"{module}.{name}")
    assert missing == []


def test_an_error_has_its_number_on_every_page() -> None:
    numbers = {error.name: int(error) for error in ErrorCode}
    found = [
        (page.name, name, int(number))
        for page in PAGES
        for before, behind, name_first, number_behind in NUMBERED.findall(page.read_text())
        for name, number in [(behind or name_first, before or number_behind)]
        if name in numbers
    ]
    assert len(found) > 10
    assert [each for each in found if numbers[each[1]] != each[2]] == []


def test_the_table_of_codes_has_every_code() -> None:
    text = (TOP / "docs/reference-axes.md").read_text()
    table = text.partition("| code | condition |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [
        code.value for code in BlockerCode
    ]


def test_the_steps_of_first_contact_are_in_the_order_in_which_they_are_asked() -> None:
    page = (TOP / "docs/first-contact.md").read_text()
    table = page.partition("| step |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| ([a-z ]+?)(?:, only .*?)? \|", table, re.MULTILINE)
    assert rows == [step.name for step in STEPS]


def test_what_robot_new_measures_is_on_its_page() -> None:
    page = (TOP / "docs/robots.md").read_text()
    assert [name for name in MEASURES if f"`--{name}`" not in page] == []


def test_every_code_of_a_refusal_is_on_its_page() -> None:
    text = (TOP / "docs/motion-events.md").read_text()
    sentence = text.partition("`CommandActuator` answers a refusal with a `code`:")[2]
    codes = {int(number) for number in re.findall(r" (-\d+)\b", sentence.partition("\n\n")[0])}
    assert codes == {*RefusalCode}


def texts_of_the_product() -> list[str]:
    """Every text in the sources but docstrings, with `...` for what an f-string fills in."""
    found = []
    for path in (TOP / "wmx_ros2_package").glob("wmx*/**/*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text()))]
        said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if id(node) in said:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(re.sub(r"\{[^}]*\}", "...", node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", None) for part in node.values)
                found.append("".join(p if isinstance(p, str) else "..." for p in parts))
    return found


def test_the_index_by_symptom_has_messages_as_they_are() -> None:
    page = (TOP / "docs/symptoms.md").read_text()
    messages = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    texts = texts_of_the_product()
    assert len(messages) > 15
    missing = [
        message
        for message in messages
        if not any(are_in_turn(message.split("..."), text) for text in texts)
    ]
    assert missing == []


def are_in_turn(parts: list[str], text: str) -> bool:
    """Whether `text` has these parts, one after the other."""
    at = 0
    for part in parts:
        if (found := text.find(part, at)) < 0:
            return False
        at = found + len(part)
    return True
