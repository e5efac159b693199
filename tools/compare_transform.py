#!/usr/bin/env python3
"""Compares the command's transform through one NB layer with scikit-learn's QuantileTransformer.

compare_transform.py CONFLUX [--rows 10000000] [--cols 10] [--repeats 2]
Both fit 100,000 rows with 100 quantiles. The command's time contains reading and writing NPY files;
scikit-learn's is that of transform() in memory. The best time of each counts.
"""

import argparse
import os
import platform
import subprocess
import tempfile
import time

import numpy as np
import sklearn
from sklearn.preprocessing import QuantileTransformer

FITTED_ROWS = 100_000


def run(words):
    start = time.perf_counter()
    subprocess.run(words, check=True)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("conflux")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--cols", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    conflux = os.path.abspath(options.conflux)
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(options.rows, options.cols))
    peer = QuantileTransformer(n_quantiles=100, output_distribution="normal",
                               subsample=FITTED_ROWS).fit(rows[:FITTED_ROWS])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.save("rows.npy", rows)
        np.save("a.npy", rows[:FITTED_ROWS])
        np.save("b.npy", rows[:FITTED_ROWS] * 2 + 1)
        run([conflux, "fit", "a.npy", "b.npy", "--method", "nb", "--knots", "100", "-q", "-o", "m"])
        transform = [conflux, "transform", "m", "rows.npy", "--from", "a", "-q", "-o", "out.npy"]
        best = {}
        for _ in range(options.repeats):
            for name, seconds in (("conflux, 1 thread", run(transform + ["-j", "1"])),
                                  ("conflux", run(transform))):
                best[name] = min(seconds, best.get(name, seconds))
            start = time.perf_counter()
            peer.transform(rows)
            seconds = time.perf_counter() - start
            best["scikit-learn"] = min(seconds, best.get("scikit-learn", seconds))
    print(f"{options.rows} x {options.cols}, {os.cpu_count()} cores, {platform.machine()}, "
          f"scikit-learn {sklearn.__version__}")
    for name, seconds in best.items():
        print(f"{name:18}{seconds:8.2f} s {best['scikit-learn'] / seconds:8.1f} x scikit-learn")


if __name__ == "__main__":
    main()
