#!/usr/bin/env python3
"""Real tables through the defaults of the command, judged on rows that no fit has seen.

    /usr/bin/python3 studies/real_data.py build/release/apps/conflux/conflux ../shared/data

writes docs/results/real_data.md. Every fit is `conflux fit` without an option that chooses
anything; rows of people are cut into two halves, one to fit and one to judge. Who guesses the group
is scikit-learn's HistGradientBoosting, 3 folds.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.metrics import roc_auc_score

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEART = "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal num".split()


class Command:
    """Runs conflux in a folder of its own."""

    def __init__(self, program, folder):
        self.program = pathlib.Path(program).resolve()
        self.folder = folder

    def __call__(self, *words):
        done = subprocess.run(
            [self.program, *words], cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"conflux {' '.join(words)}\n{done.stderr}")
        return done.stdout

    def write(self, name, table):
        table.to_csv(self.folder / name, index=False)

    def read(self, name):
        return pd.read_csv(self.folder / name, na_values="?")


def guessing_auc(rows, truth):
    """Area under the curve of a guess of `truth` from `rows`, mean over classes."""
    features = rows.copy()
    for name in features.columns:
        if features[name].dtype == object:
            features[name] = features[name].astype("category").cat.codes
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = HistGradientBoostingClassifier(random_state=0)
    chances = cross_val_predict(model, features.to_numpy(float), truth, cv=folds, method="predict_proba")
    if chances.shape[1] == 2:
        return roc_auc_score(truth, chances[:, 1])
    return roc_auc_score(truth, chances, multi_class="ovr", average="macro")


def energy_distance(a, b):
    return 2 * cdist(a, b).mean() - cdist(a, a).mean() - cdist(b, b).mean()


def halves(table):
    order = np.random.RandomState(0).permutation(len(table))
    half = len(table) // 2
    return table.iloc[order[:half]], table.iloc[order[half:]]


def climate(run, data):
    """gcm looks like rcm, in years after those of the fit."""
    for name in ("gcm_c", "rcm_c", "gcm_p"):
        run.write(f"{name}.csv", pd.read_csv(data / f"cccma_climate/{name}.csv.gz"))
    truth = pd.read_csv(data / "cccma_climate/rcm_p.csv.gz")
    fitted = pd.read_csv(data / "cccma_climate/rcm_c.csv.gz")
    start = time.time()
    run("fit", "gcm_c.csv", "rcm_c.csv", "-o", "climate.conflux")
    seconds = time.time() - start
    run("translate", "climate.conflux", "gcm_p.csv", "--from", "gcm_c", "--to", "rcm_c", "-o", "as_rcm.csv")
    moved, before = run.read("as_rcm.csv"), run.read("gcm_p.csv")

    def unit(table):
        return ((table - fitted.mean()) / fitted.std()).to_numpy()

    negative = int((moved[["pr", "sfcWind", "huss", "dtr"]] < 0).sum().sum())
    dry = [(each.pr < 0.05).mean() for each in (before, moved, truth)]
    return [
        ("energy distance to rcm_p", energy_distance(unit(before), unit(truth)),
         energy_distance(unit(moved), unit(truth)), "<= 0.002"),
        ("negative rain, wind, humidity, range", 0, negative, "0"),
        ("dry days (below 0.05)", dry[0], dry[1], f"{dry[2]:.3f} +- 0.01"),
        ("days without any rain", (before.pr == 0).mean(), (moved.pr == 0).mean(),
         f"{(truth.pr == 0).mean():.3f}"),
    ], seconds


def people(run, table, group, label, name, limits):
    """Guessing the group and the label before and after, and the way back."""
    fit, new = halves(table)
    run.write(f"{name}_fit.csv", fit)
    run.write(f"{name}_new.csv", new)
    start = time.time()
    run("fit", f"{name}_fit.csv", "--group", group, "--label", label, "-o", f"{name}.conflux")
    seconds = time.time() - start
    run("transform", f"{name}.conflux", f"{name}_new.csv", "-o", f"{name}_shared.csv")
    run("inverse", f"{name}.conflux", f"{name}_shared.csv", "-o", f"{name}_back.csv")
    shared, back, new = (run.read(f"{name}_{k}.csv") for k in ("shared", "back", "new"))
    features = [c for c in new.columns if c not in (group, label)]
    codes = new[group].astype("category").cat.codes
    # A category that is new stays a text among the numbers of the shared space.
    moved = shared[features].apply(pd.to_numeric, errors="coerce")
    same = ((back[features] == new[features]) | (back[features].isna() & new[features].isna())).all(axis=None)
    results = [
        ("guessing the group", guessing_auc(new[features], codes), guessing_auc(moved, codes), limits[0]),
        ("the label", guessing_auc(new[features], new[label]), guessing_auc(moved, new[label]), limits[1]),
        ("there and back: equal", "", "yes" if same else "no", "yes"),
    ]
    if new[features].isna().any(axis=None):
        kept = (shared[features].isna() == new[features].isna()).all(axis=None)
        results.append(("missing where it was, only there", "", "yes" if kept else "no", "yes"))
    return results, seconds


def adult(data):
    return pd.read_csv(data / "adult/adult.csv.gz")


def compas(data):
    table = pd.read_csv(data / "compas/compas-scores-two-years.csv.gz")
    largest = table.race.value_counts().index[:2]
    return table[table.race.isin(largest)]


def heart(data):
    parts = []
    for hospital in ("cleveland", "hungarian", "switzerland", "va"):
        part = pd.read_csv(data / f"heart4/processed.{hospital}.data", names=HEART)
        parts.append(part.assign(hospital=hospital, num=(part.num > 0).astype(int)))
    return pd.concat(parts)


def number(value):
    return value if isinstance(value, str) else f"{value:.4g}"


def section(title, results, seconds):
    lines = [f"## {title}", "", "| | before | after | wanted |", "|---|---|---|---|"]
    for what, before, after, wanted in results:
        lines.append(f"| {what} | {number(before)} | {number(after)} | {wanted} |")
    return "\n".join([*lines, "", f"Fitted in {seconds:.0f} s.", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[2])
    numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    juvenile = ["juv_fel_count", "juv_misd_count", "juv_other_count"]
    few = ["age", *juvenile, "priors_count"]
    parts = [
        "# Real tables, defaults\n\nMade by `/usr/bin/python3 studies/real_data.py "
        "build/release/apps/conflux/conflux ../shared/data`.\n"
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = Command(sys.argv[1], pathlib.Path(folder))
        parts.append(section("climate: gcm as rcm, eight variables", *climate(run, data)))
        jobs = [
            ("adult by sex, numeric columns", adult(data)[[*numbers, "sex", "income-per-year"]],
             "sex", "income-per-year", ("<= 0.55", ">= 0.83")),
            ("adult by sex, all columns", adult(data), "sex", "income-per-year", ("", "")),
            ("compas by race, numeric columns", compas(data)[[*few, "race", "two_year_recid"]],
             "race", "two_year_recid", ("<= 0.53", ">= 0.68")),
            ("compas by race, with sex and charge",
             compas(data)[[*few, "sex", "c_charge_degree", "race", "two_year_recid"]],
             "race", "two_year_recid", ("", "")),
            ("heart4 by hospital, missing values kept", heart(data), "hospital", "num", ("falls", "")),
        ]
        for k, (title, table, group, label, limits) in enumerate(jobs):
            parts.append(section(title, *people(run, table, group, label, f"set{k}", limits)))
            print(parts[-1], flush=True)
            (ROOT / "docs/results/real_data.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
