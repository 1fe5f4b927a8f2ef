#!/usr/bin/env python3
"""Changes sources in one random place after another, and lists what no test notices.

    . ./env.sh && scripts/mutants.py --count 40 --seed 1                  # of the simulated engine
    . ./env.sh && scripts/mutants.py --count 40 control trajectories/take_over.py node_base

Each mutant is made in a copy of the repository. The unit tests judge it, those of the changed file
first, then those of its folder; the contract on the held clock judges the engine as well, and the
tests of nodes whose time is held judge the package. Not all survivors are holes in the tests: some
mutants do the same as what they were made of. A mutant takes some minutes, so this runs at night.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
ENGINE = Path("wmx_ros2_package/wmx_sim/engine")
PACKAGE = Path("wmx_ros2_package/wmx_ros2_package")
UNIT = Path("tests/unit")
NODES = Path("tests/nodes")
ROOMS = {ENGINE: UNIT / "sim", PACKAGE: UNIT}
"""Where the tests of sources are: in folders of the same names."""
LONGEST = 900.0
"""How long the tests of one mutant may take before it counts as noticed, s: it hangs."""

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
    line: int
    old: str
    new: str
    text: str
    """The whole file."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old}  ->  {self.new}"


def main() -> int:
    options = _options()
    paths = [path for place in options.places for path in _files(TOP / place)]
    found = [m for p in paths for m in mutants(p.relative_to(TOP), p.read_text())]
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    survivors = []
    with tempfile.TemporaryDirectory(prefix="wmx-mutants") as folder:
        copy = Path(folder) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv", ".jazzy", "build", "install", "log")
        shutil.copytree(TOP, copy, symlinks=True, ignore=ignored)
        if not _passes(copy, [UNIT, NODES, Path("tests/contract")]):
            print("the tests fail without any mutant", file=sys.stderr)
            return 2
        for number, mutant in enumerate(chosen, 1):
            file = copy / mutant.path
            before = file.read_text()  # not that of TOP, which may have changed since
            file.write_text(mutant.text)
            survives = all(_passes(copy, tests) for tests in _tests(copy, mutant.path))
            file.write_text(before)
            survivors += [mutant] * survives
            print(f"{number}/{len(chosen)} {'SURVIVED' if survives else 'died'} {mutant}")
            sys.stdout.flush()
    print(
        f"{len(survivors)} of {len(chosen)} survived (seed {options.seed}):", *survivors, sep="\n"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=20, help="how many mutants")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument(
        "places",
        nargs="*",
        type=lambda place: PACKAGE / place,
        default=[ENGINE],
        help="files or folders of wmx_ros2_package, instead of the simulated engine",
    )
    options = parser.parse_args()
    if options.count < 1 or not (found := [*map(_files, options.places)]) or not all(found):
        parser.error("--count of at least 1 is needed, and places in which there are sources")
    return options


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.glob("**/*.py"))


def mutants(path: Path, text: str) -> Iterator[Mutant]:
    """Every mutant of a file that is made by one change."""
    tree = ast.parse(text)
    said = {id(n) for a in ast.walk(tree) for part in _only_said(a) for n in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) not in said:
            for new in _changed(node):
                yield _mutant(path, text, node, new)


def _only_said(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node that are there for readers and type checkers."""
    for name in ("annotation", "returns"):
        if isinstance(part := getattr(node, name, None), ast.AST):
            yield part
    yield from getattr(node, "decorator_list", ())
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr)):
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


def _mutant(path: Path, text: str, node: ast.AST, new: str) -> Mutant:
    assert isinstance(node, (ast.expr, ast.stmt))
    lines = text.splitlines(keepends=True)
    start = _offset(lines, node.lineno, node.col_offset)
    end = _offset(lines, node.end_lineno or 0, node.end_col_offset or 0)
    placed = f"({new})" if isinstance(node, ast.expr) else new
    return Mutant(path, node.lineno, ast.unparse(node), new, text[:start] + placed + text[end:])


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    """The place in the text of a column, which counts bytes."""
    before = lines[line - 1].encode()[:column].decode()
    return sum(map(len, lines[: line - 1])) + len(before)


def _tests(copy: Path, path: Path) -> Iterator[Sequence[Path]]:
    """The tests that judge a file, the likeliest to notice first."""
    sources = ENGINE if path.is_relative_to(ENGINE) else PACKAGE
    rooms = ROOMS[sources]
    if named := sorted((copy / rooms).glob(f"**/test_{path.stem}.py")):
        yield named
    room = rooms / path.relative_to(sources).parent
    if room != rooms and (copy / room).is_dir():
        yield [room]
    if sources is ENGINE:
        yield [rooms]
        yield [Path("tests/contract"), UNIT]
    else:
        yield [p.relative_to(copy) for p in sorted((copy / UNIT).iterdir()) if _has_tests(p)]
        yield [NODES]


def _has_tests(path: Path) -> bool:
    """Whether `path` has unit tests of something else than the simulator."""
    return path.name.startswith("test_") or (
        path.is_dir() and path.name not in ("sim", "__pycache__")
    )


def _passes(copy: Path, tests: Sequence[Path]) -> bool:
    held = ["-k", "held or not process"]
    style = ["--deselect", "tests/unit/test_style.py", "--deselect", "tests/unit/test_package.py"]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    paths = os.pathsep.join([str(copy / "wmx_ros2_package"), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            [*command, *held, *style, *map(str, tests)],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
