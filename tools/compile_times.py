#!/usr/bin/env python3
"""CPU seconds that each source of a build folder takes to compile, one after the other.

    tools/compile_times.py build/release src/ tests/kernels/

Sources whose path holds one of the given words are compiled; all of them without words. Run it after
a build, which leaves the precompiled headers there: what was not built is left out. A cache of
compilations is not asked.
"""

import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_alone(command: list[str], folder: str) -> float:
    began = cpu_seconds()
    subprocess.run(command, cwd=folder, check=True)
    return cpu_seconds() - began


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    build, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    os.environ["CCACHE_DISABLE"] = "1"
    times = []
    with tempfile.TemporaryDirectory() as scratch:
        for entry in json.loads((build / "compile_commands.json").read_text()):
            source = os.path.relpath(entry["file"], ROOT)
            if "cmake_pch" in source or (words and not any(word in source for word in words)):
                continue
            command = shlex.split(entry["command"])
            # Targets that were never built may include sources that are still to be made.
            if not (build / command[command.index("-o") + 1]).exists():
                continue
            command[command.index("-o") + 1] = os.path.join(scratch, "alone.o")
            times.append((compile_alone(command, entry["directory"]), source))
    for seconds, source in sorted(times, reverse=True):
        print(f"{seconds:6.1f} {source}")
    print(f"{sum(seconds for seconds, _ in times):6.1f} in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
