"""How well donors of pbmc3500 mix among all rows, beside perfect mixing.

    /usr/bin/python3 studies/mixing_study.py CONFLUX DATA

`conflux evaluate` looks at as many rows of each group, so that a group of 2000 does not drown one of
500. Published figures look at all rows, where unequal groups mix less by the count of LISI. Perfect
mixing is what the same rows give when their donors are assigned at random.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

import gate_study

PERPLEXITY = 30
DEALS = 20


def neighbors(rows):
    squares = (rows ** 2).sum(axis=1)
    squared = squares[:, None] + squares - 2 * rows @ rows.T
    np.fill_diagonal(squared, np.inf)
    nearest = np.argpartition(squared, 3 * PERPLEXITY - 1, axis=1)[:, :3 * PERPLEXITY - 1]
    return nearest, np.sqrt(np.maximum(0, np.take_along_axis(squared, nearest, axis=1)))


def weights_of(distances):
    """exp(-beta distance), with beta such that the entropy is that of PERPLEXITY equal weights."""
    low, high = np.zeros(len(distances)), np.full(len(distances), np.inf)
    beta = np.ones(len(distances))
    apart = distances - distances.min(axis=1, keepdims=True)
    for _ in range(60):
        weights = np.exp(-beta[:, None] * apart)
        sums = weights.sum(axis=1)
        entropy = np.log(sums) + beta * (apart * weights).sum(axis=1) / sums
        flat = entropy > np.log(PERPLEXITY)
        low, high = np.where(flat, beta, low), np.where(flat, high, beta)
        beta = np.where(np.isinf(high), 2 * beta, (low + np.minimum(high, 1e300)) / 2)
    return weights / sums[:, None]


def median_lisi(nearest, weights, groups):
    parts = [(weights * (groups[nearest] == each)).sum(axis=1) for each in np.unique(groups)]
    return np.median(1 / np.square(parts).sum(axis=0))


def main():
    command, data = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    table = dict(gate_study.real_cases(data))["pbmc3500"]
    with tempfile.TemporaryDirectory() as name:
        table.to_csv(pathlib.Path(name) / "rows.csv", index=False)
        for words in [["fit", "rows.csv", "--group", "group", "-o", "m.conflux"],
                      ["transform", "m.conflux", "rows.csv", "-o", "moved.csv"]]:
            subprocess.run([command, *words, "-q"], cwd=name, check=True)
        moved = pd.read_csv(pathlib.Path(name) / "moved.csv")
    random = np.random.default_rng(0)
    for title, each in [("rows as they are", table), ("after the fit", moved)]:
        nearest, distances = neighbors(each.drop(columns="group").to_numpy())
        weights, groups = weights_of(distances), each.group.to_numpy()
        permuted = [median_lisi(nearest, weights, random.permutation(groups)) for _ in range(DEALS)]
        print(f"{title}: iLISI {median_lisi(nearest, weights, groups):.3f}; donors assigned at random: "
              f"{np.mean(permuted):.3f} ({min(permuted):.3f} to {max(permuted):.3f})")


if __name__ == "__main__":
    main()
