"""Is a fit with labels as strong as one without, on rows that it has not seen?

    /usr/bin/python3 studies/labels_study.py CONFLUX [DATA] [--seeds N] [--only NAME...]

CONFLUX is the command, DATA a folder that holds adult, compas and cccma_climate. Every table is cut
in halves: one is fitted with `conflux fit --label`, the other is transformed. Within each label,
four classifiers of scikit-learn (histogram gradient boosting, a random forest, logistic regression
and a Gaussian kernel machine on normal scores) predict the group in three folds, before and after;
the best of the four counts. Labels that `--label` protects must not become easier to tell from each
other's groups: `means` is the largest distance between the groups' means within a label, in standard
deviations within groups.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

import judge_study as tables


def adult(data):
    table = pd.read_csv(data / "adult" / "adult.csv.gz")
    return table, "sex", "income-per-year"


def adult_race(data):
    table = pd.read_csv(data / "adult" / "adult.csv.gz")
    table = table[table.race.str.strip().isin(["White", "Black"])].reset_index(drop=True)
    return table, "race", "income-per-year,sex"


def compas(data):
    table = tables.compas(data)
    whole = pd.read_csv(data / "compas" / "compas-scores-two-years.csv.gz")
    whole = whole[whole.race.isin(["African-American", "Caucasian"])].reset_index(drop=True)
    return table.assign(outcome=np.where(whole.two_year_recid == 1, "yes", "no")), "group", "outcome"


def climate(data):
    """Years of 365 days."""
    days = np.repeat(np.arange(12), [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    parts = []
    for name in ("gcm", "rcm"):
        part = pd.read_csv(data / "cccma_climate" / f"{name}_c.csv.gz")[["tas", "dtr", "rsds"]]
        month = [f"m{days[i % 365] + 1:02d}" for i in range(len(part))]
        parts.append(part.assign(group=name, month=month))
    return pd.concat(parts, ignore_index=True), "group", "month"


def seasons(data):
    """Four overlapping labels, whose groups differ by a shift of half of the distance."""
    rng = np.random.default_rng(5)
    parts = []
    for g, name in enumerate("ab"):
        for k in range(4):
            rows = rng.standard_normal((500, 3))
            rows[:, 0] += 0.8 * k + (1.6 - 0.6 * k) * g
            rows[:, 1] += rows[:, 0] * (0.4 if k % 2 else -0.4) * g
            parts.append(pd.DataFrame(rows, columns=["x", "y", "z"]).assign(group=name,
                                                                           season=f"s{k}"))
    return pd.concat(parts, ignore_index=True), "group", "season"


CASES = {"adult by sex within income": adult, "adult by race within income x sex": adult_race,
         "compas by race within outcome": compas, "climate within month": climate,
         "four overlapping seasons": seasons}


def best_auc(rows, group):
    rows = pd.get_dummies(rows).astype(float)
    rows = rows.loc[:, rows.std() > 0].fillna(-1)
    return max(tables.references(rows.assign(group=list(group))).values())


def apart(rows, group):
    numbers = rows.select_dtypes("number")
    spread = numbers.groupby(group.values).std().mean()
    means = numbers.groupby(group.values).mean()
    return float(((means.max() - means.min()) / spread.where(spread > 0)).max())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("conflux")
    parser.add_argument("data", nargs="?")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--options", default="")
    given = parser.parse_args()
    command = pathlib.Path(given.conflux).resolve()
    print("| case | seed | label | rows | AUC before | after | means before | after |\n"
          "|---|---|---|---|---|---|---|---|")
    for name, read in CASES.items():
        if given.only and not any(each in name for each in given.only):
            continue
        table, group, label = read(pathlib.Path(given.data) if given.data else None)
        for seed in range(given.seeds):
            drawn = table.sample(frac=1, random_state=seed)
            half = len(drawn) // 2
            new = drawn[half:].reset_index(drop=True)
            with tempfile.TemporaryDirectory() as folder:
                drawn[:half].to_csv(f"{folder}/fit.csv", index=False)
                new.to_csv(f"{folder}/new.csv", index=False)
                for arguments in (["fit", "fit.csv", "--group", group, "--label", label, "-o",
                                   "m.conflux", "-q", *given.options.split()],
                                  ["transform", "m.conflux", "new.csv", "-o", "moved.csv", "-q"]):
                    subprocess.run([command, *arguments], cwd=folder, check=True)
                moved = pd.read_csv(f"{folder}/moved.csv")
                # Categories are numbers in the shared space; one that is new is carried as a text.
                for name in moved.columns.difference([group, *label.split(",")]):
                    moved[name] = pd.to_numeric(moved[name], errors="coerce")
            own = new[label.split(",")].astype(str).agg("+".join, axis=1)
            for each, rows in new.groupby(own).groups.items():
                features = [c for c in new if c not in (group, *label.split(","))]
                if new.loc[rows, group].nunique() < 2:
                    continue
                found = []
                for at in (new, moved):
                    found.append((best_auc(at.loc[rows, features], at.loc[rows, group]),
                                  apart(at.loc[rows, features], at.loc[rows, group])))
                print(f"| {name} | {seed} | {each} | {len(rows)} | {found[0][0]:.3f} | "
                      f"{found[1][0]:.3f} | {found[0][1]:.2f} | {found[1][1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
