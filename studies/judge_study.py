"""Is the judge as strong as the best of four classifiers of scikit-learn, and calibrated?

    /usr/bin/python3 studies/judge_study.py CONFLUX [DATA] [SECTION...]

CONFLUX is the command, DATA a folder that holds adult, compas, heart4, cccma_climate and pbmc3500.
SECTION: strength (the AUC of `conflux check` beside that of histogram gradient boosting, a random
forest, logistic regression on normal scores and a support vector machine with a Gaussian kernel, in
three folds of the same rows; small tables are drawn ten times), null (200 tables whose groups mean
nothing: in how many is a difference claimed), permuted (the stated chance band beside the AUCs of
the same table with permuted groups), importance (a shifted feature beside noise) and time.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

# Kernel machines and forests of more rows take too long here.
MOST_ROWS_OF_KERNELS = 6_000
MOST_ROWS_OF_FORESTS = 40_000


def made(groups, rows):
    """A table of numbers from the rows of each group."""
    table = pd.DataFrame(np.vstack(rows))
    table.columns = [f"x{j + 1}" for j in table.columns]
    return table.assign(group=np.repeat(groups, [len(each) for each in rows]))


def shift(rng, rows):
    a, b = rng.standard_normal((2, rows // 2, 2))
    b[:, 0] += 0.8
    for each in (a, b):
        each[:, 1] = rng.standard_t(2, len(each)) * 100
    return made(["a", "b"], [a, b])


def five_of_twenty(rng, rows):
    a, b = rng.standard_normal((2, rows // 2, 20))
    b[:, :5] += 0.3
    return made(["a", "b"], [a, b])


def covariances(rng, rows):
    a, b = rng.standard_normal((2, rows // 2, 50))
    b[:, 1:] = 0.9 * b[:, 1:] + 0.45 * b[:, :-1]
    return made(["a", "b"], [a, b])


def ring(rng, rows):
    a = rng.standard_normal((rows // 2, 2))
    angle = rng.uniform(0, 2 * np.pi, rows // 2)
    b = np.c_[np.cos(angle), np.sin(angle)] * rng.normal(1.5, 0.3, (rows // 2, 1))
    return made(["a", "b"], [a, b])


def checkerboard(rng, rows):
    a, b = rng.uniform(-1, 1, (2, rows // 2, 3))
    for each, sign in ((a, 1), (b, -1)):
        wrong = (each[:, 0] * each[:, 1] * sign < 0) & (rng.uniform(size=len(each)) < 0.6)
        each[wrong, 0] *= -1
    return made(["a", "b"], [a, b])


def three_steps(rng, rows):
    return made(["a", "b", "c"], [rng.standard_normal((rows // 3, 4)) + 0.6 * m * np.eye(4)[0]
                                  for m in range(3)])


def many_rows(rng, rows):
    a, b = rng.standard_normal((2, rows // 2, 50))
    b[:, 0] += 0.3
    b[:, 1] *= 1.3
    b[:, 2] = np.where(a[:, 3] > 0, b[:, 2] + 0.5, b[:, 2])
    b[:, 5] = 0.8 * b[:, 5] + 0.6 * b[:, 4]
    return made(["a", "b"], [a, b])


def adult(data):
    table = pd.read_csv(data / "adult" / "adult.csv.gz")
    features = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return table[features].assign(group=table["sex"].str.strip())


def compas(data):
    table = pd.read_csv(data / "compas" / "compas-scores-two-years.csv.gz")
    table = table[table.race.isin(["African-American", "Caucasian"])].reset_index(drop=True)
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    return table[features].assign(group=table.race)


def heart(data):
    parts = []
    for name in ("cleveland", "hungarian", "switzerland", "va"):
        rows = pd.read_csv(data / "heart4" / f"processed.{name}.data", header=None, na_values="?")
        parts.append(rows[[0, 1, 2, 3, 7]].assign(group=name))
    table = pd.concat(parts, ignore_index=True).dropna()
    return table.rename(columns={j: f"x{j}" for j in range(14)}).reset_index(drop=True)


def climate(data):
    parts = [pd.read_csv(data / "cccma_climate" / f"{name}_c.csv.gz").assign(group=name)
             for name in ("gcm", "rcm")]
    return pd.concat(parts, ignore_index=True)[["tas", "dtr", "rsds", "group"]]


def pbmc(data):
    table = pd.read_csv(data / "pbmc3500" / "pbmc_3500_pcs.tsv.gz", sep="\t")
    meta = pd.read_csv(data / "pbmc3500" / "pbmc_3500_meta.tsv.gz", sep="\t")
    table = table.select_dtypes("number").assign(group=meta["donor"])
    return table.dropna(subset=["group"]).reset_index(drop=True)


MADE = {"shift beside heavy tails": (shift, (200, 600, 2000)),
        "five of 20 features shifted": (five_of_twenty, (200, 600, 2000)),
        "covariances of 50 features": (covariances, (200, 600, 2000)),
        "ring around a normal law": (ring, (200, 600)),
        "sign of a product": (checkerboard, (600, 2000)),
        "three groups in steps": (three_steps, (300, 1500)),
        "everything a little, 50 features": (many_rows, (10_000, 100_000))}
REAL = {"adult by sex": (adult, (300, 3000, None)), "compas by race": (compas, (300, None)),
        "heart4 by hospital": (heart, (None,)), "climate, two models": (climate, (300, None)),
        "pbmc3500 by donor": (pbmc, (300, None))}


def scores_of(rows):
    return np.column_stack([ndtri((rankdata(column) - 0.5) / len(column)) for column in rows.T])


def references(table):
    """The AUC of each classifier in three folds, mean over groups against the rest."""
    rows = table.drop(columns="group").to_numpy(float)
    groups = pd.factorize(table.group)[0]
    scored = scores_of(rows)
    models = {"boosting": (HistGradientBoostingClassifier(random_state=0), rows),
              "logistic": (LogisticRegression(max_iter=1000), scored)}
    if len(rows) <= MOST_ROWS_OF_FORESTS:
        models["forest"] = (RandomForestClassifier(200, random_state=0, n_jobs=1), rows)
    if len(rows) <= MOST_ROWS_OF_KERNELS:
        models["kernel"] = (make_pipeline(StandardScaler(), SVC()), scored)
    found = {}
    for name, (model, values) in models.items():
        aucs = []
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(rows, groups):
            model.fit(values[train], groups[train])
            prediction = (model.decision_function(values[test]) if name == "kernel" else
                     model.predict_proba(values[test]))
            if groups.max() == 1:
                aucs.append(roc_auc_score(groups[test], prediction if prediction.ndim == 1 else prediction[:, 1]))
            else:
                aucs.append(np.mean([roc_auc_score(groups[test] == m, prediction[:, m])
                                     for m in range(groups.max() + 1)]))
        found[name] = np.mean(aucs)
    return found


class Command:
    def __init__(self, path, folder):
        self.path, self.rows = path, pathlib.Path(folder) / "rows.csv"

    def check(self, table, seed=0, threads=0):
        table.to_csv(self.rows, index=False)
        start = time.time()
        done = subprocess.run([self.path, "check", self.rows, "--group", "group", "--seed", str(seed),
                               "--max-rows", "100000", "--threads", str(threads), "--json", "-q"],
                              check=True, capture_output=True, text=True)
        return json.loads(done.stdout), time.time() - start


def draws(data):
    """Name, and tables to average over: ten of few rows, three of some, else one."""
    for name, (make, sizes) in MADE.items():
        for rows in sizes:
            count = 10 if rows <= 1000 else 3 if rows <= 3000 else 1
            yield f"{name}, {rows:,} rows", [make(np.random.default_rng(k), rows)
                                            for k in range(count)]
    for name, (read, sizes) in REAL.items() if data else ():
        whole = read(data)
        for rows in sizes:
            if rows is None:
                yield f"{name}, {len(whole):,} rows", [whole]
            else:
                yield f"{name}, {rows:,} rows", [whole.sample(rows, random_state=k)
                                                for k in range(10 if rows <= 1000 else 3)]


def strength(command, data):
    print("| rows | conflux | boosting | logistic | forest | kernel | conflux - best | s |\n"
          "|---|---|---|---|---|---|---|---|")
    for name, tables in draws(data):
        ours, theirs, seconds = [], [], []
        for k, table in enumerate(tables):
            table = table.reset_index(drop=True)
            found, took = command.check(table, k)
            ours.append(found["prediction"]["auc"])
            seconds.append(took)
            theirs.append(references(table))
        mean = {key: np.mean([each[key] for each in theirs]) for key in theirs[0]}
        cells = [f"{mean[key]:.3f}" if key in mean else "" for key in
                 ("boosting", "logistic", "forest", "kernel")]
        print(f"| {name} | {np.mean(ours):.3f} | {' | '.join(cells)} | "
              f"{np.mean(ours) - max(mean.values()):+.3f} | {np.mean(seconds):.1f} |", flush=True)


def null_table(k):
    """Groups mean nothing: small, many groups, ties, heavy tails, many features."""
    rng = np.random.default_rng(1000 + k)
    rows, dim, groups = [(80, 5, 2), (200, 3, 2), (240, 30, 3), (600, 8, 6), (150, 60, 2)][k % 5]
    values = rng.standard_normal((rows, dim))
    if k % 3 == 1:
        values = np.round(values)
    if k % 3 == 2:
        values = values @ rng.standard_normal((dim, dim)) * rng.chisquare(3, (rows, 1))
    table = pd.DataFrame(values, columns=[f"x{j + 1}" for j in range(dim)])
    return table.assign(group=[f"g{m}" for m in rng.permutation(np.arange(rows) % groups)])


def null(command, _, tables=200):
    claimed, beyond, z = 0, 0, []
    for k in range(tables):
        found, _ = command.check(null_table(k), k)
        claimed += found["differ"]
        prediction = found["prediction"]
        beyond += prediction["auc"] > prediction["by_chance"]
        z.append((prediction["auc"] - 0.5) / (prediction["by_chance"] - 0.5) * 1.6449)
    print(f"Of {tables} tables whose groups mean nothing, `check` claims a difference in {claimed}; "
          f"the AUC is beyond its 95 % band in {beyond}. In stated deviations the AUC has mean "
          f"{np.mean(z):.2f} and deviation {np.std(z):.2f}.")


def permuted(command, data, permutations=100):
    """The band of one table beside the AUCs under permutations of its groups."""
    print("| rows | stated deviation | of permuted groups | beyond the band |\n|---|---|---|---|")
    tables = {"shift beside heavy tails, 200 rows": shift(np.random.default_rng(0), 200),
              "covariances of 50 features, 300 rows": covariances(np.random.default_rng(0), 300),
              "three groups in steps, 300 rows": three_steps(np.random.default_rng(0), 300)}
    if data:
        tables["compas, 500 rows"] = compas(data).sample(500, random_state=0)
    for name, table in tables.items():
        aucs, stated, beyond = [], [], 0
        for k in range(permutations):
            groups = np.random.default_rng(k).permutation(table.group.to_numpy())
            prediction = command.check(table.assign(group=groups), k)[0]["prediction"]
            aucs.append(prediction["auc"])
            stated.append((prediction["by_chance"] - 0.5) / 1.6449)
            beyond += prediction["auc"] > prediction["by_chance"]
        print(f"| {name} | {np.mean(stated):.4f} | {np.std(aucs):.4f} | {beyond} of {permutations} |",
              flush=True)


def importance(command, _):
    print("| rows | importance of the shifted feature | of the largest noise feature |\n|---|---|---|")
    for rows in (200, 2000):
        shares = [command.check(shift(np.random.default_rng(k), rows), k)[0]["features"]
                  for k in range(10)]
        means = {name: np.mean([each[name]["importance"] for each in shares]) for name in shares[0]}
        print(f"| {rows} | {100 * means['x1']:.0f} % | {100 * means['x2']:.0f} % |")


def times(command, _):
    print("| rows | s on two threads |\n|---|---|")
    for rows in (200, 2000, 10_000, 100_000):
        table = many_rows(np.random.default_rng(0), rows)
        print(f"| {rows:,} x 50 | {command.check(table, 0, 2)[1]:.1f} |", flush=True)


SECTIONS = {"strength": strength, "null": null, "permuted": permuted, "importance": importance,
            "time": times}


def main():
    rest = sys.argv[2:]
    data = pathlib.Path(rest.pop(0)) if rest and rest[0] not in SECTIONS else None
    with tempfile.TemporaryDirectory() as folder:
        command = Command(pathlib.Path(sys.argv[1]).resolve(), folder)
        for section in rest or SECTIONS:
            print(f"\n### {section.capitalize()}\n")
            SECTIONS[section](command, data)


if __name__ == "__main__":
    main()
