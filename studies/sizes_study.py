#!/usr/bin/env python3
"""CPU seconds and peak memory of check, fit, evaluate and report on wide tables and on many groups.

    /usr/bin/python3 studies/sizes_study.py build/release/apps/conflux/conflux [--groups 1000]

Tables are made here: 60 rows of 1,000 to 10,000 columns in two groups, and groups of 50 rows of five
features. One thread.
"""

import argparse
import pathlib
import resource
import subprocess
import tempfile

import numpy as np

LIMIT = 900


def wide(columns):
    """Return 60 rows in two groups that differ by a shift."""
    values = np.random.default_rng(0).standard_normal((60, columns))
    values[1::2] += 0.5
    return values, np.arange(60) % 2


def grouped(groups):
    """Return 50 rows of five features in each group, whose means differ."""
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), 50)
    values = random.standard_normal((50 * groups, 5)) + 0.5 * random.standard_normal((groups, 5))[group]
    return values, group


def write(path, values, group):
    names = ",".join(f"c{j}" for j in range(values.shape[1]))
    np.savetxt(path, np.column_stack([values, group]), delimiter=",", header=names + ",batch",
               comments="", fmt=["%.4f"] * values.shape[1] + ["%d"])


def measure(words, folder):
    """Return CPU seconds and megabytes of one command, as text."""
    script = ("import resource, subprocess, sys\n"
              "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,"
              f" timeout={LIMIT}).returncode\n"
              "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
              "print(code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)\n")
    done = subprocess.run(["/usr/bin/python3", "-c", script, *words], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode != 0:
        return f"over {LIMIT} s"
    code, seconds, megabytes = done.stdout.split()
    return f"{float(seconds):.1f} s, {float(megabytes):.0f} MB" if code == "0" else f"exit code {code}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("conflux", type=pathlib.Path)
    parser.add_argument("--groups", type=int, default=0, help="measure so many groups only")
    given = parser.parse_args()
    conflux = given.conflux.resolve()
    cases = [(f"60 x {columns}", *wide(columns)) for columns in (1_000, 4_000, 10_000)]
    cases += [(f"{groups} groups of 50 rows", *grouped(groups)) for groups in (100, 1_000)]
    if given.groups:
        cases = [(f"{given.groups} groups of 50 rows", *grouped(given.groups))]
    print("| table | check | fit | evaluate | report |\n|---|---|---|---|---|")
    for name, values, group in cases:
        with tempfile.TemporaryDirectory() as folder:
            write(pathlib.Path(folder) / "t.csv", values, group)
            table = ["t.csv", "--group", "batch", "-q", "-j", "1"]
            cells = [measure([conflux, *words], folder) for words in (
                ["check", *table], ["fit", *table, "-o", "m"], ["evaluate", "m", *table],
                ["report", "m", *table, "-o", "r.html"])]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
