"""Every step of a workflow is a command of the Makefile, or prepares the machine for one."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

TOP = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((TOP / ".github/workflows").glob("*.yml"))
TARGETS = {*re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text(), re.MULTILINE)}
SETUP = r"(?:\. /opt/ros/\$\{\{ matrix\.ros \}\}/setup\.bash && )?"
PREPARES = (
    "apt-get update && apt-get install --yes make ",
    "rosdep update && rosdep install ",
    ".venv/bin/pip install --requirement ${{ matrix.libraries }}",
    'gh release create "$GITHUB_REF_NAME" ',
)
"""What no target can do: install make, what package.xml asks for and older libraries; publish."""


def steps(workflow: Path) -> list[str]:
    """What the steps of all jobs run."""
    content: dict[str, Any] = yaml.safe_load(workflow.read_text())
    jobs = content["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_step_is_a_command_of_the_makefile(workflow: Path) -> None:
    others = []
    for run in steps(workflow):
        made = re.fullmatch(rf"{SETUP}make ([a-z-]+)( [A-Z]+=(\S+|\$\{{\{{.*\}}\}}|\".*\"))*", run)
        if made is None or made[1] not in TARGETS:
            others.append(run)
    assert [run for run in others if not run.startswith(PREPARES)] == []
    assert len(others) < len(steps(workflow))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_job_that_takes_the_sources_may_read_them(workflow: Path) -> None:
    """What a job may is no more than what it names, where it names anything."""
    content: dict[str, Any] = yaml.safe_load(workflow.read_text())
    for name, job in content["jobs"].items():
        takes = any("actions/checkout" in step.get("uses", "") for step in job["steps"])
        assert not takes or "contents" in job.get("permissions", content["permissions"]), name


def test_nothing_is_given_away_before_the_tests_have_passed() -> None:
    content = yaml.safe_load((TOP / ".github/workflows/release.yml").read_text())
    jobs = content["jobs"]
    assert [step["run"] for step in jobs.pop("everything")["steps"] if "run" in step] == [
        "make lint",
        "make test-all",
    ]
    assert {job["needs"] for job in jobs.values()} == {"everything"}
