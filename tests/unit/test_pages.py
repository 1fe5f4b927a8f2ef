"""What the pages link to is there: files, and headings."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PAGES = sorted([TOP / "README.md", *(TOP / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")


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
