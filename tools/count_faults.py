#!/usr/bin/env python3
"""Runs the tests that make things fail, and writes what they count as a table.

    tools/count_faults.py BUILD docs/results/faults.md [--all]

BUILD holds the command and the library that makes calls fail (build/release). --all tries every call
and 200 tables per method, which takes hours; without it, what the gate tries.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = "/usr/bin/python3"
CALLS = re.compile(r"^(\S+): (\d+) runs with a failing call", re.M)
TABLES = re.compile(r"^\W*?([a-z-]+): (\d+) of (\d+) tables fitted, (\d+) did not come back, (\d+) named",
                    re.M)
TESTS = re.compile(r"^Ran (\d+) tests? in", re.M)
FAILED = re.compile(r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?", re.M)
PAGE = """\
# Failures on purpose

What happens to files and rows when calls of the system fail, inputs are hostile and numbers are extreme. Made by

```
{command}
```

with conflux {version}.

## Calls of the system that fail

A library that is preloaded makes the n-th call of a name fail, alone and with all later ones. A failure is an exit code of 0
with wrong bytes, a lost older file, a stray file, a missing sentence or a crash.

| scenario | runs | failures |
|---|---|---|
{calls}

## Rows there and back

Random tables with columns of every type; a number comes back if it is within 1e-9 standard deviations of its feature. Rows
for which maps that jump leave no place are named, with exit code 4.

| method | tables | came back | rows named | failures |
|---|---|---|---|---|
{tables}

## Damage that once was possible

{defects} tests of `tests/cli/test_defects.py`, {failed} failures.
"""


def run(name, build, settings):
    """Return what a test of the command prints."""
    environment = os.environ | settings | {
        "CONFLUX": str(build / "apps/conflux/conflux"),
        "CONFLUX_FAIL_CALL": str(build / "tests/libfail_call.so")}
    done = subprocess.run([PYTHON, ROOT / "tests/cli" / name], env=environment, capture_output=True,
                          text=True)
    return done.stderr


def failures(text):
    """Return how many tests of a run failed."""
    found = FAILED.search(text)
    return sum(int(each or 0) for each in found.groups()) if found else 0


def main():
    build, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    everything = "--all" in sys.argv
    faults = run("test_faults.py", build, {"FAULT_STRIDE": "1"} if everything else {})
    trips = run("test_round_trip.py", build, {"ROUND_TRIP_TABLES": "200"} if everything else {})
    defects = run("test_defects.py", build, {})
    calls = [(name, int(runs)) for name, runs in CALLS.findall(faults)]
    rows = [f"| {name} | {runs:,} | |" for name, runs in calls]
    rows.append(f"| all | {sum(runs for _, runs in calls):,} | {failures(faults)} |")
    tables = [f"| {name} | {fitted} of {tables} | {int(fitted) - int(bad) - int(named)} | {named} | {bad} |"
              for name, fitted, tables, bad, named in TABLES.findall(trips)]
    version = subprocess.run([build / "apps/conflux/conflux", "--version"], capture_output=True,
                             text=True).stdout.split()[1]
    command = " ".join(["tools/count_faults.py build/release docs/results/faults.md",
                        *(["--all"] if everything else [])])
    page.write_text(PAGE.format(command=command, version=version, calls="\n".join(rows),
                                tables="\n".join(tables), defects=TESTS.search(defects)[1],
                                failed=failures(defects)))


if __name__ == "__main__":
    main()
