"""Makes a prediction treat two groups alike.

    python fair_representation.py [--data FOLDER] [--figure FILE]

FOLDER holds compas-scores-two-years.csv.gz of ProPublica; without it, made-up applicants are used.
A logistic regression is fitted on the records as they are, on records aligned feature by feature
(NB), and on records aligned as a whole (INB). The disparate impact, the ratio of the groups' rates
of positive predictions, is 1 for equal treatment. Needs scikit-learn.
"""

import argparse
import csv
import gzip
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conflux import INB, NB, datasets

FEATURES = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
RACES = ["African-American", "Caucasian"]


def read(folder):
    if folder is None:
        return datasets.make_applicants(4000)
    with gzip.open(Path(folder) / "compas-scores-two-years.csv.gz", "rt") as file:
        rows = [row for row in csv.DictReader(file) if row["race"] in RACES]
    X = np.array([[float(row[name]) for name in FEATURES] for row in rows])
    return X, np.array([row["race"] for row in rows]), np.array(
        [int(row["two_year_recid"]) for row in rows]
    )


def judge(X, groups, y, fitted_on):
    """Return accuracy and rates of positive predictions, on rows that were not fitted on."""
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[fitted_on], y[fitted_on])
    judged = ~fitted_on
    predicted = model.predict(X[judged])
    rates = [predicted[groups[judged] == name].mean() for name in sorted(set(groups))]
    return (predicted == y[judged]).mean(), rates


def main(data=None, figure=None):
    X, groups, y = read(data)
    fitted_on = np.random.default_rng(0).random(len(X)) < 0.7
    results = {}
    for name, aligner in {"as it is": None, "NB": NB(), "INB": INB()}.items():
        rows = X
        if aligner is not None:
            rows = aligner.fit(X[fitted_on], groups[fitted_on]).transform(X, groups)
        results[name] = judge(rows, groups, y, fitted_on)
    names = sorted(set(groups))
    print(f"{(~fitted_on).sum()} rows that were not fitted on")
    print("            accuracy   disparate impact   rates of " + ", ".join(names))
    for name, (accuracy, rates) in results.items():
        impact = max(rates) / min(rates)
        shown = ", ".join(f"{rate:.2f}" for rate in rates)
        print(f"{name:10s} {accuracy:9.3f} {impact:18.2f}   {shown}")
    if figure:
        draw(results, names).savefig(figure, dpi=80)
    return results


def draw(results, names):
    from matplotlib import pyplot

    picture, axes = pyplot.subplots(figsize=(5.5, 3.2), constrained_layout=True)
    places = np.arange(len(results))
    for m, name in enumerate(names):
        rates = [rates[m] for _, rates in results.values()]
        axes.bar(places + 0.36 * (m - 0.5), rates, 0.34, color=f"C{m}", label=name)
    labels = [f"{name}\naccuracy {accuracy:.3f}" for name, (accuracy, _) in results.items()]
    axes.set_xticks(places, labels)
    axes.set_ylabel("share of positive predictions")
    axes.legend(frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    return picture


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--figure")
    main(**vars(parser.parse_args()))
