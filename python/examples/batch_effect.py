"""Removes the differences between donors from cells.

    python batch_effect.py [--data FOLDER] [--figure FILE]

FOLDER holds pbmc_3500_pcs.tsv.gz and pbmc_3500_meta.tsv.gz of harmonypy; without it, made-up cells
are used. The maps are fitted on two thirds of the cells and judged on the others.
"""

import argparse
from pathlib import Path

import numpy as np

from conflux import Aligner, datasets, metrics, plot


def read(folder):
    if folder is None:
        X, donors, _ = datasets.make_cells(1800)
        return X, donors
    X = np.loadtxt(Path(folder) / "pbmc_3500_pcs.tsv.gz", skiprows=1)
    donors = np.loadtxt(Path(folder) / "pbmc_3500_meta.tsv.gz", skiprows=1, dtype=str)[:, 0]
    return X, donors


def main(data=None, figure=None):
    X, donors = read(data)
    judged = np.arange(len(X)) % 3 == 0
    aligner = Aligner().fit(X[~judged], donors[~judged])
    Z = aligner.transform(X, donors)

    # Donors of unequal sizes mix perfectly below 3 kinds; shuffled labels show where.
    shuffled = np.random.default_rng(0).permutation(donors[judged])
    results = {}
    for name, rows, labels in [
        ("before", X[judged], donors[judged]),
        ("after", Z[judged], donors[judged]),
        ("shuffled", Z[judged], shuffled),
    ]:
        distance = metrics.pairwise(metrics.energy_distance, rows, labels).mean
        results[name] = distance, np.median(metrics.lisi(rows, labels))
    print(f"{judged.sum()} cells that were not fitted on, {len(set(donors))} donors")
    print("          energy distance   donors around a cell (median LISI)")
    for name, (distance, mix) in results.items():
        print(f"{name:8s} {distance:16.3f} {mix:20.2f}")
    if figure:
        names = [f"component {j + 1}" for j in range(X.shape[1])]
        plot.pairs(X, Z, donors, names=names).savefig(figure, dpi=80)
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--figure")
    main(**vars(parser.parse_args()))
