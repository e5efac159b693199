#!/usr/bin/env python3
"""Real tables through the defaults of the command, judged on rows that no fit has seen.

    /usr/bin/python3 studies/real_data.py build/release/apps/conflux/conflux ../shared/data [WORD...]

writes docs/results/real_data.md; with words, only the sections that have one of them in their title.
What stands under other headings is kept. Every fit is `conflux fit` without an option that chooses
anything, but for `--gate none` with tables of people: nobody is to tell whole groups apart, whatever
the label. Tables are cut into two halves, one to fit and one to judge; tables of people in three ways,
because one cut is worth a hundredth or two. Who predicts the group is scikit-learn's
HistGradientBoosting, 3 folds. Seconds are those of all threads.
"""

import itertools
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.metrics import roc_auc_score

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/results/real_data.md"
HEAD = """# Real tables, defaults

Made by `/usr/bin/python3 studies/real_data.py build/release/apps/conflux/conflux ../shared/data`.

"""
# Channels that CytoNorm's authors normalize, counted from 1.
MARKERS = [48, 46, 43, 45, 20, 16, 21, 19, 22, 50, 47, 40, 44, 33, 17, 11, 18, 51, 14, 23, 32, 10, 49, 27, 24, 31, 42,
           37, 39, 34, 41, 26, 30, 28, 29, 25, 35]
SPLITS = 3
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

    def fit(self, *words):
        """CPU seconds of `conflux fit`."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self("fit", *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def write(self, name, table):
        table.to_csv(self.folder / name, index=False)

    def read(self, name):
        return pd.read_csv(self.folder / name, na_values="?")


def group_auc(rows, truth):
    """Area under the curve of a prediction of `truth` from `rows`, mean over classes."""
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


def halves(table, split=0):
    order = np.random.RandomState(split).permutation(len(table))
    half = len(table) // 2
    return table.iloc[order[:half]], table.iloc[order[half:]]


def climate(run, data):
    """gcm looks like rcm, in years after those of the fit."""
    for name in ("gcm_c", "rcm_c", "gcm_p"):
        run.write(f"{name}.csv", pd.read_csv(data / f"cccma_climate/{name}.csv.gz"))
    truth = pd.read_csv(data / "cccma_climate/rcm_p.csv.gz")
    fitted = pd.read_csv(data / "cccma_climate/rcm_c.csv.gz")
    seconds = run.fit("gcm_c.csv", "rcm_c.csv", "-o", "climate.conflux")
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


def returned(back, new):
    """Whether all cells came back: numbers that hardly repeat to 1e-9 of their spread, others equal."""
    away = (back != new) & ~(back.isna() & new.isna())
    if new.nunique() < 0.9 * len(new) or not pd.api.types.is_numeric_dtype(new):
        return not away.any()
    return bool((back - new).abs().max() <= 1e-9 * new.std())


def predictions(run, table, group, label, name, split):
    """The group and the label predicted before and after, the way back, and CPU seconds, of one split."""
    fit, new = halves(table, split)
    run.write(f"{name}_fit.csv", fit)
    run.write(f"{name}_new.csv", new)
    seconds = run.fit(f"{name}_fit.csv", "--group", group, "--label", label, "--gate", "none", "-o",
                      f"{name}.conflux", "--force")
    run("transform", f"{name}.conflux", f"{name}_new.csv", "-o", f"{name}_shared.csv", "--force")
    run("inverse", f"{name}.conflux", f"{name}_shared.csv", "-o", f"{name}_back.csv", "--force")
    shared, back, new = (run.read(f"{name}_{k}.csv") for k in ("shared", "back", "new"))
    features = [c for c in new.columns if c not in (group, label)]
    codes = new[group].astype("category").cat.codes
    # A category that is new stays a text among the numbers of the shared space.
    moved = shared[features].apply(pd.to_numeric, errors="coerce")
    aucs = [group_auc(rows, truth) for truth in (codes, new[label]) for rows in (new[features], moved)]
    same = all(returned(back[each], new[each]) for each in features)
    gaps = new[features].isna()
    kept = (shared[features].isna() == gaps).all(axis=None) if gaps.any(axis=None) else None
    return aucs, same, kept, seconds


def spread(values):
    """Mean over the splits, and from where to where."""
    return f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def people(run, table, group, label, name, limits):
    """AUCs of predicting the group and the label, before and after, and the way back, over the splits."""
    aucs, same, kept, seconds = zip(*(predictions(run, table, group, label, name, k) for k in range(SPLITS)))
    columns = [spread(column) for column in zip(*aucs)]
    results = [
        ("predicting the group", *columns[:2], limits[0]),
        ("the label", *columns[2:], limits[1]),
        ("there and back", "", "yes" if all(same) else "no", "yes"),
    ]
    if kept[0] is not None:
        results.append(("missing where it was, only there", "", "yes" if all(kept) else "no", "yes"))
    return results, np.mean(seconds)


def interactions():
    """Eight features whose means agree; how some depend on others tells the groups apart."""
    random = np.random.RandomState(7)
    rows = 10000
    sign = np.where(random.rand(rows) < 0.45, 1, -1)
    z = random.randn(rows, 8)
    x = z.copy()
    x[:, 1] += 0.9 * sign * np.tanh(z[:, 0])
    x[:, 2] = np.abs(z[:, 2]) * np.sign(np.where(random.rand(rows) < 0.8, sign * z[:, 0] * z[:, 3], random.randn(rows)))
    x[:, 4] = np.where(z[:, 5] > 0, sign * np.abs(z[:, 4]), z[:, 4])
    x[:, 6] *= 1 + 0.5 * sign * (z[:, 7] > 0.3) * (z[:, 3] < 0.5)
    label = x[:, 0] + x[:, 1] + 0.5 * x[:, 5] + x[:, 7] * x[:, 6] + random.logistic(size=rows) > 0
    table = pd.DataFrame(x, columns=[f"x{j}" for j in range(8)])
    return table.assign(group=np.where(sign > 0, "a", "b"), label=label.astype(int))


def read_fcs(path):
    """Markers of a file of 32-bit floats, by channel, on the usual scale."""
    raw = path.read_bytes()
    places = [int(raw[k:k + 8]) for k in range(10, 58, 8)]
    text = raw[places[0]:places[1] + 1].decode("latin-1")
    words = text[1:].split(text[0])
    keys = dict(zip((word.upper() for word in words[::2]), words[1::2]))
    begin = places[2] or int(keys["$BEGINDATA"])
    shape = (int(keys["$TOT"]), int(keys["$PAR"]))
    kind = ">f4" if keys["$BYTEORD"].startswith("4") else "<f4"
    events = np.frombuffer(raw, kind, shape[0] * shape[1], begin).reshape(shape)
    chosen = np.arcsinh(events[:, [c - 1 for c in MARKERS]].astype(float) / 5)
    return pd.DataFrame(chosen, columns=[f"c{c}" for c in MARKERS])


def cytometry(run, data):
    """Fitted on the batches of one volunteer, judged on those of another."""
    for part, volunteer in (("fit", 1), ("new", 2)):
        files = sorted((data / "cytonorm_fcs").glob(f"*_Control_{volunteer}.fcs"))
        tables = [read_fcs(each).assign(batch=re.search("PTLG[0-9]+", each.name)[0]) for each in files]
        run.write(f"cells_{part}.csv", pd.concat(tables))
    seconds = run.fit("cells_fit.csv", "--group", "batch", "-o", "cells.conflux")
    run("transform", "cells.conflux", "cells_new.csv", "-o", "cells_shared.csv")
    before, after = run.read("cells_new.csv"), run.read("cells_shared.csv")
    features = [c for c in before.columns if c != "batch"]
    codes = before.batch.astype("category").cat.codes

    def distance(table):
        pairs = itertools.combinations([table[codes == k][features].to_numpy() for k in range(3)], 2)
        return np.mean([[wasserstein_distance(a[:, j], b[:, j]) for j in range(len(features))] for a, b in pairs])

    return [
        ("mean W1 of a marker in two batches", distance(before), distance(after), "<= 0.09"),
        ("predicting the batch", group_auc(before[features], codes), group_auc(after[features], codes), "falls"),
    ], seconds


def auc_of_shares(fitted, new, features, group):
    """The group of new rows predicted by the share that it has of their kind, and by nothing else.

    Kinds are found among the aligned rows of the fit. Who keeps kinds apart cannot do better.
    """
    kinds = KMeans(8, n_init=10, random_state=0).fit(fitted[features].to_numpy())
    counts = pd.crosstab(kinds.labels_, fitted[group].to_numpy()) + 0.5
    shares = (counts / counts.sum()).to_numpy()[kinds.predict(new[features].to_numpy())]
    chances = shares / shares.sum(axis=1, keepdims=True)
    return np.mean([roc_auc_score(new[group] == name, chances[:, k]) for k, name in enumerate(counts.columns)])


def cells(run, data):
    """Donors of single cells, by principal components."""
    table = pd.read_csv(data / "pbmc3500/pbmc_3500_pcs.tsv.gz", sep="\t").select_dtypes("number")
    table = table.assign(donor=pd.read_csv(data / "pbmc3500/pbmc_3500_meta.tsv.gz", sep="\t").donor)
    fit, new = halves(table)
    run.write("pbmc_fit.csv", fit)
    run.write("pbmc_new.csv", new)
    seconds = run.fit("pbmc_fit.csv", "--group", "donor", "-o", "pbmc.conflux")
    run("transform", "pbmc.conflux", "pbmc_fit.csv", "-o", "pbmc_fitted.csv")
    run("transform", "pbmc.conflux", "pbmc_new.csv", "-o", "pbmc_shared.csv")
    fitted, shared, new = (run.read(f"pbmc_{name}.csv") for name in ("fitted", "shared", "new"))
    features = [c for c in new.columns if c != "donor"]
    codes = new.donor.astype("category").cat.codes
    text = run("evaluate", "pbmc.conflux", "pbmc_new.csv", "--metrics", "neighbors_kept", "--json", "-q")
    kept = json.loads(text)["metrics"]["neighbors_kept"]["mean"]
    return [
        ("predicting the donor", group_auc(new[features], codes), group_auc(shared[features], codes), "<= 0.55"),
        ("by the shares that donors have of eight kinds, alone", "",
         auc_of_shares(fitted, shared, features, "donor"), ""),
        ("neighbors kept", "", kept, ">= 0.7"),
    ], seconds


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
    lines = [f"{title}", "", "| | before | after | wanted |", "|---|---|---|---|"]
    for what, before, after, wanted in results:
        lines.append(f"| {what} | {number(before)} | {number(after)} | {wanted} |")
    return "\n".join([*lines, "", f"Fitted in {seconds:.0f} CPU s.", ""])


def put_section(text, order):
    """Replaces a section of the page; those of the study come first, in their order."""
    print(text, flush=True)
    parts = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    found = {part.split("\n")[0]: part for part in [*parts, text]}
    titles = [*(title for title in order if title in found), *(title for title in found if title not in order)]
    PAGE.write_text(HEAD + "\n".join(f"## {found[title].rstrip()}\n" for title in titles))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[2])
    numbers = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    juvenile = ["juv_fel_count", "juv_misd_count", "juv_other_count"]
    few = ["age", *juvenile, "priors_count"]
    jobs = [
        ("compas by race, numeric columns", compas(data)[[*few, "race", "two_year_recid"]],
         "race", "two_year_recid", ("<= 0.53", ">= 0.68")),
        ("compas by race, with sex and charge",
         compas(data)[[*few, "sex", "c_charge_degree", "race", "two_year_recid"]],
         "race", "two_year_recid", ("", "")),
        ("heart4 by hospital, missing values kept", heart(data), "hospital", "num", ("falls", "")),
        ("interactions of our own making, 8 features", interactions(), "group", "label", ("<= 0.56", "")),
        ("adult by sex, numeric columns", adult(data)[[*numbers, "sex", "income-per-year"]],
         "sex", "income-per-year", ("<= 0.55", ">= 0.83")),
        ("adult by sex, all columns", adult(data), "sex", "income-per-year", ("<= 0.60", ">= 0.85")),
    ]
    with tempfile.TemporaryDirectory() as folder:
        run = Command(sys.argv[1], pathlib.Path(folder))
        steps = [
            ("cytonorm: fitted on one volunteer's batches, judged on the other's", lambda: cytometry(run, data)),
            ("pbmc3500 by donor, 30 principal components", lambda: cells(run, data)),
            ("climate: gcm as rcm, eight variables", lambda: climate(run, data)),
        ]
        for k, (title, *job) in enumerate(jobs):
            steps.append((title, lambda k=k, job=job: people(run, *job[:3], f"set{k}", job[3])))
        order = [title for title, _ in steps]
        for title, step in steps:
            if not sys.argv[3:] or any(word in title for word in sys.argv[3:]):
                put_section(section(title, *step()), order)


if __name__ == "__main__":
    main()
