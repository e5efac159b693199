#!/usr/bin/python3
"""Makes examples/cells.csv: blood cells of three technologies, as 20 principal components.

    tools/make_cells.py ../shared/data/pbmcs_sparse examples/cells.csv

The folder holds matrix.mtx.gz (genes x cells, log-normalized), barcodes.tsv.gz and meta.csv.gz. Needs numpy
and scipy. examples/DATA.md has the source and the license.
"""

import csv
import gzip
import pathlib
import sys

import numpy as np
import scipy.io

COMPONENTS = 20


def components(counts):
    """Return the first principal components of the rows, with signs that do not depend on the machine."""
    centered = counts - counts.mean(axis=0)
    left, values, right = np.linalg.svd(centered, full_matrices=False)
    largest = np.abs(right[:COMPONENTS]).argmax(axis=1)
    signs = np.sign(right[np.arange(COMPONENTS), largest])
    return left[:, :COMPONENTS] * values[:COMPONENTS] * signs


def main(folder, path):
    folder = pathlib.Path(folder)
    with gzip.open(folder / "matrix.mtx.gz") as file:
        counts = scipy.io.mmread(file).toarray().T
    with gzip.open(folder / "barcodes.tsv.gz", "rt") as file:
        barcodes = [line.strip() for line in file]
    with gzip.open(folder / "meta.csv.gz", "rt") as file:
        meta = {row["cell_id"]: row for row in csv.DictReader(file)}
    with open(path, "w", newline="", encoding="ascii") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*(f"PC{k + 1}" for k in range(COMPONENTS)), "technology", "cell_type"])
        for barcode, row in zip(barcodes, components(counts)):
            out.writerow([*(f"{value:.5f}" for value in row), meta[barcode]["donor"],
                          meta[barcode]["cell_type"]])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
