"""What mkdocs does with a page before it is turned into HTML; `mkdocs.yml` names it as a hook.

Links to files outside docs/ become their names, for the site has none of them; and the page of
interfaces gets what their files say.
"""

import re
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]
MESSAGES = TOP / "wmx_ros2_message"
LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s]+)\)")
INTERFACES = "<!-- interfaces -->"
KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page as it is for the site."""
    folder = Path(page.file.abs_src_path).parent

    def within(link: re.Match[str]) -> str:
        target = (folder / link[2].partition("#")[0]).resolve()
        inside = target.is_relative_to(TOP / "docs")
        return link[0] if inside else link[1]

    return LINK.sub(within, markdown).replace(INTERFACES, interfaces())


def interfaces() -> str:
    """Return a section for each interface: what it is for, and its fields with their comments."""
    parts = []
    for kind, title in KINDS.items():
        parts.append(f"## {title}\n")
        for path in sorted((MESSAGES / kind).glob("*." + kind)):
            lines = path.read_text().splitlines()
            intro = []
            while lines and lines[0].startswith("#"):
                intro.append(lines.pop(0).lstrip("# "))
            body = "\n".join(lines).strip()
            parts.append(f"### {path.stem}\n\n{' '.join(intro)}\n\n```\n{body}\n```\n")
    return "\n".join(parts)
