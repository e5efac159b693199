"""Can the group still be predicted from aligned rows, and are they still of use?

    /usr/bin/python3 studies/fairness_study.py CONFLUX DATA

CONFLUX is the command, DATA a folder that holds adult and compas. Gradient boosting predictions group
and label from two thirds of the rows; shown are areas under the curve on the rest. The model is
fitted on the two thirds.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score


def adult(data):
    table = pd.read_csv(data / "adult" / "adult.csv.gz")
    features = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    label = table["income-per-year"].str.contains(">").astype(int)
    return table[features].assign(group=table["sex"].str.strip()), features, label


def compas(data):
    table = pd.read_csv(data / "compas" / "compas-scores-two-years.csv.gz")
    table = table[table.race.isin(["African-American", "Caucasian"])].reset_index(drop=True)
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    return table[features].assign(group=table.race), features, table.two_year_recid


def area(rows, truth, train, test):
    prediction = HistGradientBoostingClassifier(max_iter=150, random_state=0).fit(rows[train], truth[train])
    return roc_auc_score(truth[test], prediction.predict_proba(rows[test])[:, 1])


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    data = pathlib.Path(sys.argv[2])
    print("| rows | alignment | group | label |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def call(*words):
            subprocess.run([command, *words, "-q"], cwd=folder, check=True)

        for title, load in ("adult", adult), ("compas", compas):
            table, features, label = load(data)
            order = np.random.default_rng(0).permutation(len(table))
            train, test = order[:len(order) * 2 // 3], order[len(order) * 2 // 3:]
            group = (table.group == table.group.iloc[0]).to_numpy(int)

            def show(what, rows):
                rows = rows[features].to_numpy()
                print(f"| {title} | {what} | {area(rows, group, train, test):.3f} | "
                      f"{area(rows, label.to_numpy(), train, test):.3f} |", flush=True)

            def align(what, rows, *options):
                rows.iloc[train].to_csv(folder / "train.csv", index=False)
                rows.to_csv(folder / "rows.csv", index=False)
                call("fit", "train.csv", "-o", "m.conflux", *options)
                call("transform", "m.conflux", "rows.csv", "-o", "aligned.csv")
                show(what, pd.read_csv(folder / "aligned.csv"))

            show("none", table)
            align("nb, repeats kept", table, "--method", "nb", "--repeats", "keep")
            align("nb", table, "--method", "nb")
            align("auto", table)
            align("auto, all scores", table, "--scale", "normal")
            align("gates", table, "--gate", "clusters")


if __name__ == "__main__":
    main()
