#!/usr/bin/env python3
"""Compares the time of reading a CSV file with that of pandas' C parser, turn by turn.

compare_csv.py PROGRAM [--rows 1000000] [--cols 50] [--digits 17] [--repeats 3]
PROGRAM is build/bench/bench/read_csv_time. The best time of each counts.
"""

import argparse
import os
import platform
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd


def write_file(path, rows, cols, digits):
    rng = np.random.default_rng(0)
    with open(path, "w") as file:
        file.write(",".join(f"x{j}" for j in range(cols)) + "\n")
        for start in range(0, rows, 10000):
            block = rng.normal(size=(min(10000, rows - start), cols))
            for row in block.tolist():
                file.write(",".join([f"{value:.{digits}g}" for value in row]) + "\n")


def time_ours(program, path, threads):
    line = subprocess.run([program, path, "1", str(threads)], check=True, capture_output=True,
                          text=True).stdout.split()
    return float(line[0]), float(line[3])


def time_pandas(path):
    start = time.perf_counter()
    frame = pd.read_csv(path, engine="c")
    return time.perf_counter() - start, float(frame.to_numpy().sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--cols", type=int, default=50)
    parser.add_argument("--digits", type=int, default=17)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.csv")
        write_file(path, options.rows, options.cols, options.digits)
        size = os.path.getsize(path) / 1e6
        best = {}
        for _ in range(options.repeats):
            for name, run in (("one thread", lambda: time_ours(options.program, path, 1)),
                              ("all cores", lambda: time_ours(options.program, path, 0)),
                              ("pandas", lambda: time_pandas(path))):
                seconds, total = run()
                if not np.isclose(total, best.setdefault("sum", total)):
                    raise SystemExit(f"{name} read other numbers")
                best[name] = min(seconds, best.get(name, seconds))
        print(f"{options.rows} x {options.cols}, {options.digits} digits, {size:.0f} MB, "
              f"{os.cpu_count()} cores, {platform.machine()}, pandas {pd.__version__}")
        for name in ("one thread", "all cores", "pandas"):
            print(f"{name:10}  {best[name]:7.3f} s  {size / best[name]:7.0f} MB/s  "
                  f"{best['pandas'] / best[name]:5.2f} x pandas")


if __name__ == "__main__":
    main()
