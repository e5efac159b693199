"""Measures what Python adds to a fit and a transform.

    build/venv/bin/python python/bench/overhead.py build/release/python/conflux_native_fit

Both sides fit and transform the same groups with the same options, in turns. The seconds are those
that the processors worked, and the fastest of the repetitions are compared: both are what a busy
machine disturbs least. Both sides keep the memory that they free, or the fastest would be the one
that happens to ask the system for fewer pages.
"""

import argparse
import os
import subprocess
import sys
import time
import warnings

import numpy as np

import conflux

KEEP = {"MALLOC_MMAP_THRESHOLD_": str(2**30), "MALLOC_TRIM_THRESHOLD_": str(2**33)}
SIZES = [  # groups, features, rows of each group, layers
    (2, 20, 5000, 10),
    (3, 100, 3000, 5),
    (2, 784, 1000, 3),
    (2, 50, 50000, 1),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("native", help="path of conflux_native_fit")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    warnings.simplefilter("ignore", conflux.FitWarning)
    arguments = parser.parse_args()
    print(f"conflux {conflux.__version__}, {os.cpu_count()} cores, {arguments.threads} threads")
    print("groups  dim    rows  layers   C++ s  Python s  interleaved s  added by Python")
    for groups, dim, rows, layers in SIZES:
        X, codes = conflux.datasets.make_gaussian_groups(groups, dim, rows)
        mixed = np.random.default_rng(0).permutation(len(X))
        inputs = {"python": (X, codes), "interleaved": (X[mixed].copy(), codes[mixed].copy())}
        seconds = {"native": [], "python": [], "interleaved": []}
        for _ in range(arguments.repeats):
            sizes = [groups, dim, rows, layers, arguments.threads]
            out = subprocess.run(
                [arguments.native, *map(str, sizes), "2", "-"], check=True, capture_output=True
            )
            seconds["native"] += map(float, out.stdout.split())
            for name, (samples, labels) in inputs.items():
                inb = conflux.INB(layers=layers, n_jobs=arguments.threads)
                start = time.process_time()
                inb.fit(samples, labels).transform(samples, labels)
                seconds[name].append(time.process_time() - start)
        best = {name: min(values) for name, values in seconds.items()}
        print(
            f"{groups:6d} {dim:4d} {rows:7d} {layers:7d} {best['native']:7.3f} "
            f"{best['python']:9.3f} {best['interleaved']:14.3f} "
            f"{100 * (best['python'] / best['native'] - 1):+15.1f} %"
        )


if __name__ == "__main__":
    if not KEEP.items() <= os.environ.items():  # read when a process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})
    main()
