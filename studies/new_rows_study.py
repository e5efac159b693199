#!/usr/bin/env python3
"""How often does a report call new rows unlike those of the fit? new_rows_study.py CONFLUX [FITS [FIRST]]

Every fit has another number of rows (100 to 500 a group) and of features (3 to 10). Its report is asked about new rows
of the same cluster, about rows of which one feature is shifted by two standard deviations, and about rows of twice the
spread. FIRST is the seed of the first fit.
"""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

KINDS = ("alike", "one feature shifted", "twice the spread")


def write_rows(path, draw, features, rows, cluster):
    """Write two groups of which the second is shifted, wider and bent."""
    shift, spread = 2 * (cluster == KINDS[1]), 1 + (cluster == KINDS[2])
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"f{k}" for k in range(features)), "group"])
        for group in "ab":
            for _ in range(rows):
                row = [spread * draw.gauss(0, 1) for _ in range(features)]
                row[0] += shift
                if group == "b":
                    row = [1 + 1.5 * row[0], row[1] + 0.5 * row[0] ** 2, *row[2:]]
                writer.writerow([*(f"{value:.6f}" for value in row), group])


def main():
    """Print one line for every fit, then how often each cluster of rows was called unlike."""
    command = pathlib.Path(sys.argv[1]).resolve()
    fits = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    shares = {cluster: [] for cluster in KINDS}
    for seed in range(first, first + fits):
        draw = random.Random(seed)
        rows, features = draw.randint(100, 500), draw.randint(3, 10)
        with tempfile.TemporaryDirectory() as folder:
            write_rows(pathlib.Path(folder, "fit.csv"), draw, features, rows, KINDS[0])
            subprocess.run([command, "fit", "fit.csv", "-o", "m.conflux", "-q"], cwd=folder, check=True,
                           capture_output=True)
            for cluster in KINDS:
                write_rows(pathlib.Path(folder, "new.csv"), draw, features, 500, cluster)
                done = subprocess.run([command, "report", "m.conflux", "new.csv", "--json"], cwd=folder, check=True,
                                      capture_output=True, text=True)
                reach = json.loads(done.stdout)["reach"]
                shares[cluster].append(reach["beyond_fitted"] if reach else None)
        found = "  ".join("none" if shares[cluster][-1] is None else f"{shares[cluster][-1]:.3f}" for cluster in KINDS)
        print(f"{rows} rows a group, {features} features: {found}", flush=True)
    for cluster in KINDS:
        known = sorted(share for share in shares[cluster] if share is not None)
        print(f"{cluster}: {len(known)} fits with knots, median {known[len(known) // 2]:.3f}, largest {known[-1]:.3f}; "
              + ", ".join(f"above {limit:.0%} {sum(share > limit for share in known)}"
                          for limit in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)))


if __name__ == "__main__":
    main()
