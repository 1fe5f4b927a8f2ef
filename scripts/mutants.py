#!/usr/bin/env python3
"""Changes sources in one random place after another, and lists what no test notices.

    . ./env.sh && scripts/mutants.py --count 40 --seed 1                  # of the simulated engine
    . ./env.sh && scripts/mutants.py --count 40 control trajectories/take_over.py ../wmx3

The tests of `make test LONG=1` run once, some fifteen minutes, and coverage notes which of them run
each line. A mutant is made in a copy of the repository, and those that run its line judge it. Not
all survivors are holes in the tests: some mutants do the same as what they were made of.
"""

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from coverage import CoverageData

TOP = Path(__file__).resolve().parents[1]
SOURCES = Path("wmx_ros2_package")
PACKAGE = TOP / SOURCES / "wmx_ros2_package"
ENGINE = TOP / SOURCES / "wmx_sim/engine"
PROCESSORS = os.cpu_count() or 1
NOT_COPIED = ".git", ".venv", ".jazzy", "build", "install", "log"
CIRCLE = "--hypothesis-profile=fewer", "-m", "not process and not slow", "-k", "not binding"
"""But those for which each copy would have to compile the binding, which no mutant changes."""
NOTING = f"-n{PROCESSORS}", "--dist=loadfile", f"--cov={SOURCES}", "--cov-context=test"
OF_TEXT = "tests/unit/test_style.py", "tests/unit/test_package.py"
"""What looks at the text of sources notices each mutant, whatever it does."""
SLOWEST = "client", "nodes", "cli"
"""Folders of tests that judge last: each starts a system."""
LONGEST = 900.0
"""How long the tests of one mutant may take before it counts as noticed, s: it hangs."""
FAILED = re.compile(
    r"^(?:FAILED|ERROR) (\S+)|^ImportError while loading conftest '(\S+)'", re.MULTILINE
)
"""How pytest names a test that failed, or a file that could not even be imported."""
UNUSED = 4, 5
"""How pytest ends where it was called wrongly, or has found no test: that is no judgement."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One place of a file that says something else."""

    path: Path
    lines: range
    """Those from the beginning of the statement to the end of what was changed."""
    old: str
    new: str
    text: str
    """The whole file."""

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[-1]}: {self.old}  ->  {self.new}"


def main() -> int:
    options = _options()
    paths = [path for place in options.places for path in _files(place)]
    found = [m for p in paths for m in mutants(p.relative_to(TOP), p.read_text())]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    with tempfile.TemporaryDirectory(prefix="wmx-mutants") as folder:
        copies = [Path(folder) / str(number) for number in range(PROCESSORS)]
        for copy in copies:
            shutil.copytree(TOP, copy, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
        if (without := _pytest(copies[0], *NOTING, "tests")).returncode:
            print(without.stdout[-5000:], "without any mutant", sep="\n", file=sys.stderr)
            return 2
        data = CoverageData(str(copies[0] / ".coverage"))
        data.read()
        free: SimpleQueue[Path] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def survives(mutant: Mutant) -> bool:
            tests = judges(data, copies[0] / mutant.path, mutant.lines)
            copy = free.get()
            try:
                by = _noticed_by(copy, mutant, tests) if tests else ""
            finally:
                free.put(copy)
            lives = "SURVIVED:" if tests else "NO TEST RUNS:"
            print(f"died by {by}:" if by else lives, mutant, flush=True)
            return not by

        with ThreadPoolExecutor(PROCESSORS) as pool:
            lived = [
                m for m, lives in zip(chosen, pool.map(survives, chosen), strict=True) if lives
            ]
    print(f"{len(lived)} of {len(chosen)} survived (seed {options.seed}):", *lived, sep="\n")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument(
        "places",
        nargs="*",
        type=lambda place: (PACKAGE / place).resolve(),
        default=[ENGINE],
        help="files or folders of wmx_ros2_package, instead of the simulated engine",
    )
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"--count is {options.count}: must be at least 1")
    for place in options.places:
        if not _files(place):
            parser.error(f"{place} has no sources")
    return options


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.glob("**/*.py"))


def mutants(path: Path, text: str) -> Iterator[Mutant]:
    """Every mutant of a file that is made by one change."""
    tree = ast.parse(text)
    said = {id(n) for a in ast.walk(tree) for part in _only_said(a) for n in ast.walk(part)}
    begins: dict[int, int] = {}
    """The first line of the innermost statement around each node: outer ones are walked first."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.stmt):
            begins.update((id(node), statement.lineno) for node in ast.walk(statement))
    for node in ast.walk(tree):
        if id(node) not in said:
            for new in _changed(node):
                yield _mutant(path, text, node, new, begins[id(node)])


def _only_said(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that are there for readers and type checkers."""
    for name in ("annotation", "returns"):
        if isinstance(part := getattr(node, name, None), ast.AST):
            yield part
    yield from getattr(node, "decorator_list", ())
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr)):
        yield node
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: a mistake is all it finds
        yield node


def _changed(node: ast.AST) -> Iterator[str]:
    """What could stand in the place of a node."""
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield ast.unparse(ast.Compare(left, [COMPARED[type(op)]()], [right]))
        case ast.BinOp(left, op, right) if type(op) in COMPUTED:
            yield ast.unparse(ast.BinOp(left, COMPUTED[type(op)](), right))
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield ast.unparse(ast.BoolOp(other, values))
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield ast.unparse(operand)
        case ast.IfExp(test, body, orelse):
            yield ast.unparse(ast.IfExp(test, orelse, body))
        case ast.Constant(bool() as value):
            yield repr(not value)
        case ast.Constant(int() | float() as value):
            yield repr(value + 1)
        case ast.Expr(ast.Call()) | ast.AugAssign():
            yield "pass"


def _mutant(path: Path, text: str, node: ast.AST, new: str, begin: int) -> Mutant:
    assert isinstance(node, (ast.expr, ast.stmt))
    split = text.splitlines(keepends=True)
    start = _offset(split, node.lineno, node.col_offset)
    end = _offset(split, node.end_lineno or 0, node.end_col_offset or 0)
    placed = f"({new})" if isinstance(node, ast.expr) else new
    lines = range(begin, (node.end_lineno or begin) + 1)
    return Mutant(path, lines, ast.unparse(node), new, text[:start] + placed + text[end:])


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    """The place in the text of a column, which counts bytes."""
    before = lines[line - 1].encode()[:column].decode()
    return sum(map(len, lines[: line - 1])) + len(before)


def judges(data: CoverageData, path: Path, lines: range) -> list[str]:
    """The test functions that run one of these lines, in the order in which they judge.

    Those that run anything of the file, for a line that runs when it is imported.
    """
    noted = data.contexts_by_lineno(str(path))
    on_lines = [noted[line] for line in lines if line in noted]
    if on_lines and not any(filter(None, (name for names in on_lines for name in names))):
        on_lines = [*noted.values()]
    tests = {name.partition("|")[0].partition("[")[0] for names in on_lines for name in names}
    return sorted(tests - {""}, key=lambda test: _turn(test, path))


def _turn(test: str, path: Path) -> tuple[bool, bool, bool, str, int]:
    """Its place among others: that of the file first, then units, and what starts systems last.

    Tests of one file keep their order, for they share a system.
    """
    file, _, name = test.partition("::")
    folder = file.split("/")[1]
    line = (TOP / file).read_text().find(f"def {name}(")
    named = file.endswith(f"/test_{path.stem}.py")
    return not named, folder in SLOWEST, folder != "unit", file, line


def _noticed_by(copy: Path, mutant: Mutant, tests: Sequence[str]) -> str:
    """The first test that fails with the mutant in the place of its file; empty where none does."""
    file, chosen = copy / mutant.path, copy / "chosen.txt"
    before = file.read_text()
    file.write_text(mutant.text)
    chosen.write_text("\n".join(tests))
    try:
        done = _pytest(copy, "-x", f"@{chosen}", longest=LONGEST)
    except subprocess.TimeoutExpired:
        return f"{LONGEST:g} s"
    finally:
        file.write_text(before)
    if done.returncode == 0:
        return ""
    if found := FAILED.search(done.stdout + done.stderr):
        return found[1] or found[2]
    if done.returncode in UNUSED:
        raise RuntimeError(f"{mutant}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return f"exit code {done.returncode}"


def _pytest(
    copy: Path, *arguments: str, longest: float | None = None
) -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(copy / SOURCES), os.environ.get("PYTHONPATH", "")])
    unlooked = [word for file in OF_TEXT for word in ("--deselect", file)]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, *CIRCLE, *unlooked, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=longest,
    )


if __name__ == "__main__":
    sys.exit(main())
