"""Each service that the nodes offer is written down where its users look: once, or on a page."""

import pytest
from offered import offers
from system import CONFIG

DOCS = CONFIG.parent / "docs"
POLICY = (CONFIG / "security/wmx.policy.xml").read_text()


@pytest.fixture(scope="module")
def pages() -> str:
    return "".join(page.read_text() for page in DOCS.glob("*.md"))


@pytest.mark.parametrize("name", offers())
def test_a_service_has_a_page_and_one_line_of_the_policy(pages: str, name: str) -> None:
    assert name in pages
    assert POLICY.count(f"<service>{name}</service>") == 1
