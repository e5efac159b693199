"""Does our judge tell groups apart as well as scikit-learn's gradient boosting, and only then?

    /usr/bin/python3 studies/guessing_study.py CONFLUX DATA [SEEDS]

CONFLUX is the command, DATA a folder that holds adult, compas, cccma_climate and pbmc3500. The first
table compares the AUC of `conflux check` with that of HistGradientBoosting, both in three folds on
the same rows. The second deals the groups of a thousand rows to the rows at random, SEEDS times, and
counts how often `conflux check` claims a difference: at most its error rate of 5 % is right.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold


def adult(data):
    table = pd.read_csv(data / "adult" / "adult.csv.gz")
    features = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return table[features].assign(group=table["sex"].str.strip())


def compas(data):
    table = pd.read_csv(data / "compas" / "compas-scores-two-years.csv.gz")
    table = table[table.race.isin(["African-American", "Caucasian"])].reset_index(drop=True)
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    return table[features].assign(group=table.race)


def climate(data):
    parts = [pd.read_csv(data / "cccma_climate" / f"{name}_c.csv.gz").assign(group=name)
             for name in ("gcm", "rcm")]
    return pd.concat(parts, ignore_index=True)


def pbmc(data):
    table = pd.read_csv(data / "pbmc3500" / "pbmc_3500_pcs.tsv.gz", sep="\t")
    meta = pd.read_csv(data / "pbmc3500" / "pbmc_3500_meta.tsv.gz", sep="\t")
    return table.select_dtypes("number").assign(group=meta["donor"])


def reference(table):
    rows = table.drop(columns="group").to_numpy(float)
    groups = pd.factorize(table.group)[0]
    found = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(rows, groups):
        model = HistGradientBoostingClassifier(random_state=0).fit(rows[train], groups[train])
        guess = model.predict_proba(rows[test])
        found.append(roc_auc_score(groups[test], guess[:, 1]) if groups.max() == 1 else
                     roc_auc_score(groups[test], guess, multi_class="ovr"))
    return np.mean(found)


def main():
    command, data = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    seeds = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "rows.csv"

        def check(table, seed=0):
            table.to_csv(path, index=False)
            done = subprocess.run([command, "check", path, "--group", "group", "--seed", str(seed),
                                   "--max-rows", "100000", "--json", "-q"],
                                  check=True, capture_output=True, text=True)
            return json.loads(done.stdout)

        print("| rows | conflux | scikit-learn | features that differ |\n|---|---|---|---|")
        tables = {each.__name__: each(data) for each in (adult, compas, climate, pbmc)}
        for title, table in tables.items():
            found = check(table)
            named = [key for key, value in found["features"].items() if value["differs"]]
            print(f"| {title} | {found['guess']['auc']:.3f} | {reference(table):.3f} | "
                  f"{len(named)} of {len(found['features'])}: {', '.join(named[:8])} |", flush=True)
        print("\n| rows, groups dealt at random | difference claimed |\n|---|---|")
        for title, table in tables.items():
            claimed = 0
            for seed in range(seeds):
                rows = table.sample(1000, random_state=seed)
                rows["group"] = np.random.default_rng(seed).permutation(rows.group.to_numpy())
                claimed += check(rows, seed)["differ"]
            print(f"| {title} | {claimed} of {seeds} |", flush=True)


if __name__ == "__main__":
    main()
