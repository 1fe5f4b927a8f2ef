"""What was found, as text for a person and as JSON for the project."""

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DONE, SKIPPED, FAILED, INTERRUPTED = "done", "skipped", "failed", "interrupted"
BEGUN = "begun"
"""Of a step that is under way: or the last one, if everything has crashed in it."""


@dataclass(slots=True, kw_only=True)
class Finding:
    """One step: how it ended, and what it found out."""

    step: str
    outcome: str
    seconds: float = 0.0
    error: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


class Report:
    """The findings so far; each is written as soon as it is there, for the next may crash."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.findings: list[Finding] = []
        self.interrupted = False
        """Whether somebody asked the run to end before its last step was over."""
        self._write()

    def add(self, finding: Finding) -> None:
        """Write `finding`, in the place of what was written of it when it began."""
        if not any(finding is each for each in self.findings):
            self.findings.append(finding)
        self._write()

    def _write(self) -> None:
        found = {"started": self.started, "findings": [asdict(each) for each in self.findings]}
        text = json.dumps(found, indent=2, default=str)
        (self.folder / "first_contact.json").write_text(text, encoding="utf-8")
        (self.folder / "first_contact.txt").write_text(self.as_text(), encoding="utf-8")

    @property
    def failed(self) -> bool:
        """Whether a step could not be carried out."""
        return any(finding.outcome in (FAILED, INTERRUPTED) for finding in self.findings)

    @property
    def skipped(self) -> bool:
        """Whether no step was carried out; the last finding is how the run ended."""
        steps = self.findings[:-1]
        return bool(steps) and all(finding.outcome == SKIPPED for finding in steps)

    def as_text(self) -> str:
        """One paragraph a step."""
        lines = [f"wmx_first_contact, {self.started}", ""]
        for finding in self.findings:
            lines.append(f"{finding.step}: {finding.outcome} ({finding.seconds:.1f} s)")
            lines += [f"    {finding.error}"] if finding.error else []
            lines += [f"    {name}: {_short(value)}" for name, value in finding.facts.items()]
            lines.append("")
        return "\n".join(lines)


def _short(value: Any) -> str:
    """`value`, but of a long list or table only how long it is."""
    if isinstance(value, dict | list | tuple) and len(value) > 12:
        return f"{len(value)} of them, see the JSON file"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
