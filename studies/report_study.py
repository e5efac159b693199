#!/usr/bin/env python3
"""How large reports are, and what they cost: report_study.py CONFLUX [--rows N].

Prints a table for docs/report.md: processor time and memory of `conflux report`, bytes and elements of its page.
The last table has N rows (10 million) of 10 features in two files, 400 MB of them in a temporary folder.
"""

import argparse
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np


def write_table(path, groups):
    """Write rows of groups as CSV with a column that names the group."""
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(f"f{j}" for j in range(groups[0][1].shape[1])) + ",batch\n")
        for name, rows in groups:
            file.writelines(",".join(f"{x:.6g}" for x in row) + f",{name}\n" for row in rows)


def write_long(folder, rows):
    """Write two long files, block by block."""
    random = np.random.default_rng(1)
    for k, name in enumerate("ab"):
        out = np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=np.float32, shape=(rows // 2, 10))
        for begin in range(0, rows // 2, 100_000):
            block = out[begin:begin + 100_000]
            block[:] = random.standard_normal(block.shape, dtype=np.float32) + np.float32(k)
        out.flush()


def measured(command, folder, words):
    """Run a report; return its processor seconds, its peak in MB, and its page."""
    with subprocess.Popen([command, "report", "m.conflux", *words, "-o", "r.html", "--force", "-q"],
                          cwd=folder) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"conflux report {words} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, (folder / "r.html").read_text()


def main():
    """Measure every scene."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conflux", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    flags = parser.parse_args()
    command = flags.conflux.resolve()
    random = np.random.default_rng(0)
    shifted = {
        "2 groups of 60 rows, 800 features": [(g, random.normal(size=(60, 800)) + k) for k, g in enumerate("ab")],
        "100 groups of 100 rows, 10 features": [(f"g{m}", random.normal(size=(100, 10)) + m % 3) for m in range(100)],
    }
    print("| table | processor s | peak MB | page kB | elements |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def show(title, words):
            seconds, peak, page = measured(command, folder, words)
            elements = len(re.findall(r"<[a-z]", page))
            print(f"| {title} | {seconds:.1f} | {peak:.0f} | {len(page.encode()) / 1000:.0f} | {elements} |", flush=True)

        for title, groups in shifted.items():
            write_table(folder / "t.csv", groups)
            subprocess.run([command, "fit", "t.csv", "--group", "batch", "--method", "nb", "-o", "m.conflux", "--force",
                            "-q"], cwd=folder, check=True)
            show(title, ["t.csv"])
        write_long(folder, 600)
        subprocess.run([command, "fit", "a.npy", "b.npy", "--method", "nb", "-o", "m.conflux", "--force", "-q"],
                       cwd=folder, check=True)
        write_long(folder, flags.rows)
        show(f"2 files of {flags.rows // 2:,} rows, 10 features", ["a.npy", "b.npy"])


if __name__ == "__main__":
    main()
