#!/usr/bin/env python3
"""Runs clang-tidy over joined sources, two at a time, and fails when it warns of anything.

    tools/tidy.py build/lint [SOURCE...]

Headers are most of what clang-tidy reads, so sources that are compiled together are read together.
With sources, only what is compiled with them is read; without, everything in src/.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A file that joins sources includes them.
CHECKS = "-bugprone-suspicious-include"


def sources_of(unit: pathlib.Path) -> set[str]:
    if "/Unity/" not in str(unit):
        return {os.path.relpath(unit, ROOT)}
    joined = re.findall(r'#include "([^"]+)"', unit.read_text())
    return {os.path.relpath(path, ROOT) for path in joined}


def units_of(build: pathlib.Path, wanted: set[str]) -> list[pathlib.Path]:
    out = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["file"])
        held = {source for source in sources_of(unit) if source.startswith("src/")}
        if held & wanted if wanted else held:
            out.append(unit)
    return out


def tidy(build: pathlib.Path, unit: pathlib.Path) -> tuple[bool, str]:
    done = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", f"--checks={CHECKS}", str(unit)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode == 0, done.stdout


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    build, wanted = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
    units = units_of(build, wanted)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2"))) as pool:
        results = list(pool.map(lambda unit: tidy(build, unit), units))
    for fine, text in results:
        if not fine:
            print(text)
    failed = sum(not fine for fine, _ in results)
    print(f"clang-tidy: {len(units) - failed} of {len(units)} compiled files without a warning")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
