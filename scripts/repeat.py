#!/usr/bin/env python3
"""Repeats a command of tests beside busy loops, and prints each failure once with its count.

    scripts/repeat.py --times 20 --loops 3 make test

Ends with 1 when a run failed. What a run printed is kept in the folder that is named at the end.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\](?=@| |$)\S*)?)(?: - .*)?$", re.MULTILINE)
"""How pytest's summary names a test that failed."""
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"
"""A loop that ends with whoever started it, however that ended."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20, help="how often the command runs")
    parser.add_argument("--loops", type=int, default=0, help="how many busy loops run beside it")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="such as: make test")
    options = parser.parse_args()
    if not options.command or options.times < 1 or options.loops < 0:
        parser.error("a command is needed, --times of at least 1 and --loops of at least 0")
    folder = Path(tempfile.mkdtemp(prefix="repeat-"))
    busy = [sys.executable, "-c", BUSY]
    loops = [subprocess.Popen(busy, start_new_session=True) for _ in range(options.loops)]
    failures: Counter[str] = Counter()
    done = red = 0
    try:
        for number in range(1, options.times + 1):
            output = folder / f"{number}.txt"
            begin = time.monotonic()
            with output.open("wb") as file:
                code = subprocess.run(options.command, stdout=file, stderr=file).returncode
            found = FAILED.findall(output.read_text(errors="replace"))
            done, red = number, red + bool(code)
            failures.update({*found} or ["no test is named: see the output"] * bool(code))
            words = f"exit code {code}, {len(found)} failed" if code else "green"
            print(f"run {number}: {words}, {time.monotonic() - begin:.0f} s", flush=True)
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        for loop in loops:
            loop.kill()
    for test, count in failures.most_common():
        print(f"{count:4d} of {done}  {test}")
    processors = os.cpu_count()
    print(f"{red} of {done} red beside {options.loops} busy loops on {processors} processors")
    print(f"what each run printed: {folder}")
    return int(red > 0 or done < options.times)


if __name__ == "__main__":
    sys.exit(main())
