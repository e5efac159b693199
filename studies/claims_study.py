"""Does what a fit claims agree with what new rows show?

    /usr/bin/python3 studies/claims_study.py CONFLUX [DATA] [ROUNDS]

CONFLUX is the command, DATA a folder that holds adult, compas, heart4, cccma_climate and pbmc3500.
Every table is cut into rows to fit and up to four sets of as many new rows. `conflux fit` claims a
group AUC afterwards; `conflux evaluate` measures it on each set of new rows with the same judge, and
the mean is what new rows show. Families of made tables and parts
of real ones; ROUNDS draws of each (1). The summary gives the size of the difference of both; a fit
that leaves rows alone claims that nothing changes.
"""

import pathlib
import subprocess
import sys
import tempfile

import json
import numpy as np
import pandas as pd

import judge_study as tables


def moons(rng, rows):
    angle = rng.uniform(0, np.pi, rows)
    half = np.arange(rows) < rows // 2
    xy = np.c_[np.cos(angle), np.sin(angle)] * np.where(half, 1, -1)[:, None]
    xy[~half] += [1, 0.5]
    xy += rng.normal(0, 0.1, xy.shape)
    return tables.made(["a", "b"], [xy[half], xy[~half]])


def scales(rng, rows):
    return tables.made(["a", "b", "c"], [np.exp(rng.standard_normal((rows // 3, 5)) * s + m)
                                         for m, s in ((0, 1), (0.4, 1), (0.2, 1.3))])


def mixture(rng, rows):
    parts = []
    for shift in (0, 1):
        kind = rng.integers(0, 3, rows // 2)
        centers = np.random.default_rng(5).normal(0, 3, (3, 6))
        parts.append(centers[kind] + rng.standard_normal((rows // 2, 6)) + shift)
    return tables.made(["a", "b"], parts)


def counts(rng, rows):
    return tables.made(["a", "b"], [rng.poisson(np.exp(rng.normal(0.3, 0.5, (rows // 2, 5)) + m))
                                    for m in (0, 0.3)])


SETS = 4

MADE = {"shift": (tables.shift, (400, 2000)), "five of 20": (tables.five_of_twenty, (400, 2000)),
        "covariances of 50": (tables.covariances, (600,)), "ring": (tables.ring, (600,)),
        "sign of a product": (tables.checkerboard, (1000,)),
        "three steps": (tables.three_steps, (600, 3000)), "moons": (moons, (500,)),
        "logarithmic scales": (scales, (900,)), "mixture": (mixture, (1000,)),
        "counts": (counts, (800, 3000))}
REAL = {"adult": (tables.adult, (500, 2000, 8000)), "compas": (tables.compas, (500, 1500, 3000)),
        "heart4": (tables.heart, (400,)), "climate": (tables.climate, (500, 2000, 4000)),
        "pbmc3500": (tables.pbmc, (500, 1700))}


def pairs_of_tables(data, seed):
    """Name, rows to fit, sets of new rows."""
    for name, (make, sizes) in MADE.items():
        for rows in sizes:
            rng = np.random.default_rng([seed, rows])
            yield f"{name}, {rows:,}", make(rng, rows), [make(rng, rows) for _ in range(SETS)]
    for name, (read, sizes) in REAL.items() if data else ():
        whole = read(data)
        for rows in sizes:
            drawn = whole.sample(frac=1, random_state=seed)
            size = min(rows, len(drawn) // 2)
            sets = min(SETS, len(drawn) // size - 1)
            yield (f"{name}, {size:,}", drawn[:size],
                   [drawn[(k + 1) * size:(k + 2) * size] for k in range(sets)])


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    rest = sys.argv[2:]
    data = pathlib.Path(rest.pop(0)) if rest and not rest[0].isdigit() else None
    rounds = int(rest[0]) if rest else 1
    errors, rises = [], 0
    print("| rows to fit | before | claimed | new rows before | new rows after | claimed - new | verdict |"
          "\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments):
            done = subprocess.run([command, *arguments, "--json", "-q"], cwd=folder, check=True,
                                  capture_output=True, text=True)
            return json.loads(done.stdout)

        for seed in range(rounds):
            for title, fitted, new in pairs_of_tables(data, seed):
                fitted.to_csv(folder / "fitted.csv", index=False)
                claim = run("fit", "fitted.csv", "--group", "group", "-o", "m.conflux", "--seed",
                            str(seed))["summary"]
                # Fits that leave rows alone have nothing to evaluate but the rows themselves.
                shown = []
                for rows in new:
                    rows.to_csv(folder / "new.csv", index=False)
                    judged = run("evaluate", "m.conflux", "new.csv")["judgement"]
                    shown.append(judged["group_auc_within_labels" if claim["within_labels"]
                                        else "group_auc"])
                found = {key: np.mean([each[key] for each in shown]) for key in ("before", "after")}
                auc = claim["group_auc"]
                if auc["after"] is None:
                    auc = {"before": np.nan, "after": found["before"]}
                errors.append(auc["after"] - found["after"])
                rises += found["after"] > found["before"] + 0.02
                print(f"| {title} | {auc['before']:.3f} | {auc['after']:.3f} | "
                      f"{found['before']:.3f} | {found['after']:.3f} | {errors[-1]:+.3f} | "
                      f"{claim['verdict']} |", flush=True)
    size = np.abs(errors)
    print(f"\n{len(size)} fits: |claimed - new| has median {np.median(size):.3f}, 95 % quantile "
          f"{np.quantile(size, 0.95):.3f}; mean of claimed - new {np.mean(errors):+.3f}; the group is "
          f"easier to predict than before by more than 0.02 in {rises}.")


if __name__ == "__main__":
    main()
