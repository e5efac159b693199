"""What gates keep apart: iLISI (groups, should rise) and cLISI (labels, should not), medians.

    /usr/bin/python3 studies/gate_study.py CONFLUX [DATA]

CONFLUX is the command. The synthetic cases need no files; DATA is a folder that holds pbmcs_sparse
and pbmc3500, which are left out without it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

DIM = 20


def centres(count, seed):
    """Points ten deviations apart from each other."""
    columns, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(DIM, count)))
    return 10 / np.sqrt(2) * columns.T


def mixtures(points, shares, sizes, shift, seed):
    random = np.random.default_rng(seed)
    tables = []
    for group, (size, parts) in enumerate(zip(sizes, shares)):
        direction = random.normal(size=DIM)
        direction *= shift / np.linalg.norm(direction)
        kinds = random.choice(len(points), size, p=parts)
        rows = random.normal(size=(size, DIM)) + points[kinds] + direction
        table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(DIM)])
        table["group"] = f"g{group}"
        table["label"] = [f"c{kind}" for kind in kinds]
        tables.append(table)
    return pd.concat(tables)


UNEQUAL = [[.5, .2, .1, .1, .1], [.1, .1, .2, .3, .3], [.2, .2, .3, .3, 0], [.2] * 5]


def synthetic_cases():
    yield "pure A, pure B, both", mixtures(centres(2, 1), [[1, 0], [0, 1], [.5, .5]], [600] * 3, 1, 2)
    yield "five clusters", mixtures(centres(5, 3), UNEQUAL, [800, 800, 800, 60], 1, 4)
    yield "five, shifts of 5", mixtures(centres(5, 3), UNEQUAL, [800, 800, 800, 60], 5, 4)
    points = np.zeros((2, DIM))
    points[1, 0] = 6
    yield "a large shift only", mixtures(points, [[.5, .5]] * 2, [1500] * 2, 15, 5)


def principal_components(rows, count):
    left, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return left[:, :count] * sizes[:count]


def real_cases(data):
    import scipy.io
    sparse = data / "pbmcs_sparse"
    meta = pd.read_csv(sparse / "meta.csv.gz")
    rows = scipy.io.mmread(sparse / "matrix.mtx.gz").T.toarray()
    table = pd.DataFrame(principal_components(rows, 20), columns=[f"PC{j}" for j in range(20)])
    table["group"], table["label"] = meta.donor, meta.cell_type
    yield "pbmcs_sparse", table
    table = pd.read_csv(data / "pbmc3500" / "pbmc_3500_pcs.tsv.gz", sep="\t").select_dtypes("number")
    table["group"] = pd.read_csv(data / "pbmc3500" / "pbmc_3500_meta.tsv.gz", sep="\t").donor
    yield "pbmc3500", table


def run(command, folder, table, gate):
    table.to_csv(folder / "rows.csv", index=False)
    label = ["--label", "label"] if "label" in table else []
    subprocess.run([command, "fit", "rows.csv", *label, "--gate", gate, "-q", "-o", "m.conflux"],
                   cwd=folder, check=True)
    metrics = "ilisi,transport_cost,neighbors_kept" + (",clisi" if label else "")
    done = subprocess.run(
        [command, "evaluate", "m.conflux", "rows.csv", *label, "--metrics", metrics, "--max-rows",
         "100000", "--json"], cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["metrics"]


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    cases = list(synthetic_cases())
    if len(sys.argv) > 2:
        cases += list(real_cases(pathlib.Path(sys.argv[2])))
    print("| rows | gate | iLISI | cLISI | TC | neighbours kept |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for title, table in cases:
            for gate in ["none", "auto"] + (["label"] if "label" in table else []):
                found = run(command, pathlib.Path(name), table, gate)
                mixed = found.get("clisi")
                labels = f"{mixed['before']:.3f} -> {mixed['after']:.3f}" if mixed else ""
                print(f"| {title} | {gate} | {found['ilisi']['before']:.2f} -> "
                      f"{found['ilisi']['after']:.2f} | {labels} | "
                      f"{found['transport_cost']['mean']:.1f} | "
                      f"{found['neighbors_kept']['mean']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
