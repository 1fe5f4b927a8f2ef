"""What mkdocs does with a page before it is turned into HTML; `mkdocs.yml` names it as a hook.

Pages for those who join, and that of the examples, stand outside docs/. Links to other files become
their names, for the site has none of them. The page of interfaces gets what their files say, that
of the first steps what README.md has of a start. Pages that answer questions are found before lists
of names.
"""

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

TOP = Path(__file__).resolve().parents[1]
MESSAGES = TOP / "wmx_ros2_message"
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)")
OUTSIDE = {
    TOP / "CONTRIBUTING.md": "contributing.md",
    TOP / "SECURITY.md": "security.md",
    TOP / "examples/README.md": "examples.md",
}
"""Pages of the site that are no files of docs/."""
INTERFACES = "<!-- interfaces -->"
START = "<!-- to a moving axis -->"
RANKS = {
    "symptoms.md": 10.0,
    "first-steps.md": 3.0,
    "contributing.md": 4.0,
    "security.md": 4.0,
    "recipes.md": 2.0,
    "decisions": 2.0,
    "interfaces.md": 0.01,
    "python-api.md": 0.01,
}
"""How much more than others a page, or those of a folder, count in a search.

A search for "add a verb" finds all words that begin with an a: the lists of names would come first.
"""
KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}


def on_files(files: Files, *, config: Any) -> Files:
    """Return the pages of the site: those of docs/, and those outside."""
    for path, name in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=f"{path}"))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page as it is for the site."""
    path = Path(page.file.abs_src_path)
    rank = RANKS.get(page.file.src_uri, RANKS.get(path.parent.name, 1.0))
    page.meta["search"] = {"boost": rank}

    def within(link: re.Match[str]) -> str:
        target = (path.parent / link[2]).resolve()
        if target.is_relative_to(TOP / "docs"):
            name = target.relative_to(TOP / "docs").as_posix()
        elif target in OUTSIDE:
            name = OUTSIDE[target]
        else:
            return link[1]
        place = os.path.relpath(name, Path(page.file.src_uri).parent)
        return f"[{link[1]}]({place}{link[3] or ''})"

    text = LINK.sub(within, markdown)
    for marker, content in ((INTERFACES, interfaces), (START, to_a_moving_axis)):
        if marker in text:
            text = text.replace(marker, content())
    return text


def to_a_moving_axis() -> str:
    """Return the section of README.md that says how a system is started."""
    section = (TOP / "README.md").read_text().partition("## To a moving axis\n")[2]
    return section.partition("\n## ")[0].replace("](docs/", "](")


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
