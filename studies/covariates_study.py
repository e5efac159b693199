"""Makes docs/results/covariates.md: what --keep keeps, beside ComBat with a model.

    /usr/bin/python3 studies/covariates_study.py build/release/apps/conflux/conflux DATA docs/results/covariates.md [SECTION ...]

Sections are arrays, climate, scans, amounts and synthetic, which takes longest; all without names. DATA is the folder with bladderbatch, cccma_climate and adult. Needs numpy, pandas, scipy, scikit-learn, and R with
r-bioc-sva. Synthetic groups are fitted on one half of the rows and judged on the other; ComBat cannot move rows
that it has not seen, and is scored on the rows of its fit, which is optimistic.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Several threads on few busy cores wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import RidgeCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, LeaveOneGroupOut, cross_val_predict

FAMILIES = ("linear", "smooth", "interaction", "confounded")
# Groups, rows of each (half of them fitted), features.
SIZES = ((3, 800, 6), (8, 200, 20), (2, 60, 100))
SEEDS = (1,)
METHODS = {
    "auto": ("--method", "auto"),
    "location-scale": ("--method", "location-scale"),
    "location-scale --interaction on": ("--method", "location-scale", "--interaction", "on"),
    "inb": ("--method", "inb"),
}

COMBAT = """
suppressMessages(library(sva))
suppressMessages(library(splines))
words <- commandArgs(trailingOnly = TRUE)
x <- read.csv(words[1], check.names = FALSE)
kept <- x[[words[3]]]
features <- setdiff(names(x), c("group", words[3]))
mod <- if (words[4] == "spline") model.matrix(~ ns(kept, 4)) else model.matrix(~ kept)
out <- suppressMessages(ComBat(t(as.matrix(x[features])), x$group, mod = mod))
x[features] <- t(out)
write.csv(x, words[2], row.names = FALSE)
"""


class Study:
    def __init__(self, command, folder):
        self.command, self.folder = command, pathlib.Path(folder)
        (self.folder / "combat.R").write_text(COMBAT)

    def conflux(self, fit, new, kept, *options, verb=("transform",)):
        """Rows of `new`, moved by a fit of `fit`."""
        fit.to_csv(self.folder / "fit.csv", index=False)
        new.to_csv(self.folder / "new.csv", index=False)
        keep = ["--keep", kept] if kept else []
        self.run("fit", "fit.csv", "--group", "group", *keep, *options, "--no-judge", "-o", "m.conflux")
        self.run(verb[0], "m.conflux", "new.csv", *verb[1:], "-o", "moved.csv")
        return pd.read_csv(self.folder / "moved.csv")

    def run(self, *words):
        done = subprocess.run([self.command, *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)

    def combat(self, rows, kept, how):
        """The rows after ComBat; None where it refuses."""
        rows.to_csv(self.folder / "raw.csv", index=False)
        done = subprocess.run(["Rscript", "combat.R", "raw.csv", "combat.csv", kept, how], cwd=self.folder,
                              capture_output=True, text=True)
        return None if done.returncode else pd.read_csv(self.folder / "combat.csv")


def effect(family, age, slopes, phases, bends):
    if family == "smooth":
        return 2 * np.sin(1.5 * age[:, None] + phases) * np.abs(slopes)
    return age[:, None] * slopes + (np.tanh(age)[:, None] * bends if family == "interaction" else 0)


def make(family, groups, rows, features, seed):
    """Groups, and the mean effect of age over the groups at every row."""
    draw = np.random.default_rng(seed)
    slopes, phases = draw.normal(size=features), draw.uniform(0, 2 * np.pi, features)
    bends = draw.normal(size=(groups, features))
    tables, truths = [], []
    for g in range(groups):
        shift = (g - (groups - 1) / 2) / max(1, (groups - 1) / 2) if family == "confounded" else 0
        age = draw.normal(0.8 * shift, 1, rows)
        noise = np.exp(draw.normal(0, 0.3, features)) * draw.normal(size=(rows, features))
        x = effect(family, age, slopes, phases, bends[g]) + draw.normal(size=features) + noise
        table = pd.DataFrame(x, columns=[f"x{j}" for j in range(features)])
        table["age"], table["group"] = age, f"g{g}"
        table["fitted"] = np.arange(rows) < rows // 2
        tables.append(table)
        truths.append(effect(family, age, slopes, phases, bends.mean(0)))
    return pd.concat(tables, ignore_index=True), np.concatenate(truths)


def basis(age):
    knots = np.quantile(age, [0.05, 0.275, 0.5, 0.725, 0.95])
    cubes = np.clip(age[:, None] - knots, 0, None) ** 3
    return np.column_stack([age, cubes])


def effect_error(table, truth, features):
    """How far the effect of age in moved rows is from the truth, as a part of its size (in the mean square)."""
    groups = pd.get_dummies(table["group"]).to_numpy(float)
    design = np.column_stack([basis(table["age"].to_numpy()), groups])
    found = basis(table["age"].to_numpy()) @ np.linalg.lstsq(design, table[features].to_numpy(), rcond=None)[0][:6]
    best = basis(table["age"].to_numpy()) @ np.linalg.lstsq(design, truth, rcond=None)[0][:6]
    found, best = found - found.mean(0), best - best.mean(0)
    # Slopes of the effects over the features: noise of single features averages out.
    return abs((found * best).sum() / (best * best).sum() - 1)


def auc(table, columns):
    """How well the group is predicted from these columns, the mean over groups against the others."""
    out = []
    for group in sorted(table["group"].unique())[:2]:
        y = (table["group"] == group).to_numpy()
        prediction = cross_val_predict(HistGradientBoostingClassifier(max_iter=40), table[columns], y, cv=2,
                                       method="predict_proba")[:, 1]
        out.append(roc_auc_score(y, prediction))
    return float(np.mean(out))


def synthetic(study):
    lines = ["| family | groups x rows x features | rows | effect of age off by | group AUC, age alone | with features |",
             "|---|---|---|---|---|---|"]
    for family in FAMILIES:
        for size in SIZES:
            found = {}
            for seed in SEEDS:
                table, truth = make(family, *size, seed)
                features = [name for name in table if name.startswith("x")]
                plain = table.drop(columns="fitted")
                fit, new = plain[table["fitted"]], plain[~table["fitted"]].reset_index(drop=True)
                moved = {"as they are": (new, truth[~table["fitted"]])}
                for method, options in METHODS.items():
                    moved[f"conflux {method}"] = (study.conflux(fit, new, "age", *options), truth[~table["fitted"]])
                for how in ("linear", "spline"):
                    after = study.combat(fit, "age", how)
                    if after is not None:
                        moved[f"ComBat, {how} (fitted rows)"] = (after, truth[table["fitted"]])
                alone = auc(plain, ["age"])
                for name, (rows, real) in moved.items():
                    found.setdefault(name, []).append(
                        (effect_error(rows, real, features), alone, auc(rows, [*features, "age"])))
            for name, figures in found.items():
                error, alone, both = np.mean(figures, axis=0)
                lines.append(f"| {family} | {size[0]} x {size[1] // 2} x {size[2]} | {name} | {100 * error:.1f} % | "
                             f"{alone:.3f} | {both:.3f} |")
            print(family, size, flush=True)
    return lines


def between(x, labels):
    """The part of the variance that lies between labels, the mean over columns."""
    total = ((x - x.mean(0)) ** 2).sum(0)
    within = sum(((x[labels == k] - x[labels == k].mean(0)) ** 2).sum(0) for k in np.unique(labels))
    return float(np.mean(1 - within / total))


def batches_within_types(x, types, batches):
    parts, weights = [], []
    for kind in np.unique(types):
        mine = types == kind
        if len(np.unique(batches[mine])) > 1:
            parts.append(between(x[mine], batches[mine]))
            weights.append(mine.sum())
    return float(np.average(parts, weights=weights))


def leave_one_batch_out(x, types, batches):
    """Fraction of arrays whose nearest class mean among other batches is that of their type."""
    right = count = 0
    for batch in np.unique(batches):
        inside = batches == batch
        known = [k for k in np.unique(types[~inside])]
        means = np.stack([x[~inside & (types == k)].mean(0) for k in known])
        for i in np.flatnonzero(inside & np.isin(types, known)):
            right += known[int(((means - x[i]) ** 2).sum(1).argmin())] == types[i]
            count += 1
    return right / count


def arrays(study, data):
    stored = np.load(data / "bladderbatch/bladder_top5000.npz", allow_pickle=True)
    about = pd.read_csv(data / "bladderbatch/pheno.csv")
    x = pd.DataFrame(np.asarray(stored["X"], float), columns=[f"p{j}" for j in range(5000)])
    features = list(x)
    types, batches = about["cancer"].to_numpy(), about["batch"].astype(int).astype(str).to_numpy()
    table = x.assign(cancer=types, group=["b" + b for b in batches])
    moved = {"as they are": table}
    moved["conflux --keep cancer"] = study.conflux(table, table, "cancer")
    moved["conflux --keep cancer --weights size"] = study.conflux(table, table, "cancer", "--weights", "size")
    moved["conflux --keep cancer --method means"] = study.conflux(table, table, "cancer", "--method", "means")
    moved["conflux --drop cancer --method location-scale"] = study.conflux(
        table, table, "", "--drop", "cancer", "--method", "location-scale")
    moved["ComBat with a model"] = study.combat(table, "cancer", "linear")
    lines = ["| rows | between types | between batches within types | types, one batch left out |", "|---|---|---|---|"]
    for name, rows in moved.items():
        values = rows[features].to_numpy()
        lines.append(f"| {name} | {between(values, types):.3f} | {batches_within_types(values, types, batches):.3f} | "
                     f"{leave_one_batch_out(values, types, batches):.3f} |")
    return lines


def energy(a, b):
    draw = np.random.default_rng(0)
    a, b = (rows[draw.permutation(len(rows))[:3000]] for rows in (a, b))
    n, m = len(a), len(b)
    return 2 * cdist(a, b).mean() - cdist(a, a).sum() / n / (n - 1) - cdist(b, b).sum() / m / (m - 1)


def climate(study, data):
    lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    def load(name):
        rows = pd.read_csv(data / "cccma_climate" / f"{name}.csv.gz")
        rows["month"] = np.repeat(np.arange(1, 13), lengths)[np.arange(len(rows)) % 365]
        return rows.assign(group=name[:3])

    fit = pd.concat([load("gcm_c"), load("rcm_c")], ignore_index=True)
    new = pd.concat([load("gcm_p"), load("rcm_p")], ignore_index=True)
    features = list(fit.columns[:8])
    real = fit[fit["group"] == "rcm"][features]
    to = ("translate", "--to", "rcm")
    moved = {"as they are": new}
    moved["--drop month"] = study.conflux(fit, new, "", "--drop", "month", "--target", "rcm", verb=to)
    moved["--drop month --method inb"] = study.conflux(fit, new, "", "--drop", "month", "--target", "rcm", "--method",
                                                       "inb", verb=to)
    for method, options in METHODS.items():
        moved[f"--keep month:cyclic, {method}"] = study.conflux(
            fit, new, "month:cyclic", "--target", "rcm", *options, verb=to)
    # The limit of corrections that know the calibration period only: the models drift apart.
    exact = new.copy()
    for k in range(1, 13):
        means = [fit[(fit["group"] == g) & (fit["month"] == k)][features].mean() for g in ("gcm", "rcm")]
        exact.loc[(new["group"] == "gcm") & (new["month"] == k), features] += means[1] - means[0]
    moved["exact monthly means of the calibration period"] = exact
    lines = ["| rows | energy distance | by month, mean | largest gap of a month's mean | mean gap |", "|---|---|---|---|---|"]
    for name, rows in moved.items():
        scaled = (rows[features] - real.mean()) / real.std()
        a, b = (scaled[rows["group"] == g] for g in ("gcm", "rcm"))
        month_a, month_b = (rows["month"][rows["group"] == g] for g in ("gcm", "rcm"))
        gaps = np.array([np.abs(a[month_a == k].mean() - b[month_b == k].mean()) for k in range(1, 13)])
        by_month = np.mean([energy(a[month_a == k].to_numpy(), b[month_b == k].to_numpy()) for k in range(1, 13)])
        lines.append(f"| {name} | {energy(a.to_numpy(), b.to_numpy()):.4f} | {by_month:.4f} | {gaps.max():.3f} | "
                     f"{gaps.mean():.3f} |")
    return lines


def scans(study):
    """20 sites of different ages, 915 scans, 419 features: how well age is predicted from what is left."""
    draw = np.random.default_rng(1)
    sites, features = 20, 419
    sizes = draw.multinomial(915 - 15 * sites, draw.dirichlet(np.full(sites, 3))) + 15
    ages = np.linspace(12, 55, sites)[draw.permutation(sites)]
    factors, slopes, bends = draw.normal(size=(8, features)), draw.normal(0, 0.05, features), draw.normal(0, 7e-4, features)
    tables = []
    for s in range(sites):
        age = ages[s] + draw.normal(0, 7, sizes[s]) - 30
        x = np.outer(age, slopes) + np.outer(age**2, bends) + 0.4 * draw.normal(size=(len(age), 8)) @ factors
        x = (x + draw.normal(size=x.shape)) * np.exp(draw.normal(0, 0.2, features)) + draw.normal(0, 0.8, features)
        tables.append(pd.DataFrame(x, columns=[f"x{j}" for j in range(features)]).assign(age=age + 30, group=f"s{s}"))
    table = pd.concat(tables, ignore_index=True)
    names = list(table.columns[:features])
    moved = {"as they are": table}
    moved["conflux --keep age"] = study.conflux(table, table, "age")
    moved["conflux --keep age --interaction on"] = study.conflux(table, table, "age", "--method", "location-scale",
                                                                 "--interaction", "on")
    moved["conflux --drop age --method location-scale"] = study.conflux(table, table, "", "--drop", "age", "--method",
                                                                        "location-scale")
    moved["ComBat with a model"] = study.combat(table, "age", "linear")
    moved["ComBat with a spline"] = study.combat(table, "age", "spline")
    lines = ["| rows | error of age (years) | the same for a new site | site predicted given age |", "|---|---|---|---|"]
    for name, rows in moved.items():
        x, age = rows[names].to_numpy(), rows["age"].to_numpy()
        x = (x - x.mean(0)) / x.std(0)
        ridge = RidgeCV(np.logspace(0, 5, 8))
        errors = [np.abs(cross_val_predict(ridge, x, age, cv=cv, groups=rows["group"]) - age).mean()
                  for cv in (KFold(5, shuffle=True, random_state=0), LeaveOneGroupOut())]
        design = np.column_stack([basis(age), np.ones(len(age))])
        rest = PCA(50, random_state=0).fit_transform(x - design @ np.linalg.lstsq(design, x, rcond=None)[0])
        site = cross_val_predict(LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), rest, rows["group"],
                                 cv=KFold(5, shuffle=True, random_state=0))
        lines.append(f"| {name} | {errors[0]:.2f} | {errors[1]:.2f} | {(site == rows['group']).mean():.2f} |")
    return lines


def amounts(study, data):
    table = pd.read_csv(data / "adult/adult.csv.gz", nrows=6000)
    table.iloc[::2].to_csv(study.folder / "adult.csv", index=False)
    table.iloc[1::2].to_csv(study.folder / "more.csv", index=False)
    study.run("fit", "adult.csv", "--group", "sex", "--drop", "income-per-year,relationship,fnlwgt", "--method", "inb",
              "--no-judge", "-o", "a.conflux")
    found = subprocess.run([study.command, "evaluate", "a.conflux", "more.csv", "--label", "income-per-year", "--curve",
                            "--metrics", "transport_cost", "--json"], cwd=study.folder, capture_output=True, text=True,
                           check=True)
    lines = ["| amount | group AUC | within incomes | income AUC | moved |", "|---|---|---|---|---|"]
    for each in json.loads(found.stdout)["curve"]:
        lines.append(f"| {each['amount']:.1f} | {each['group_auc']:.3f} | {each['group_auc_within_labels']:.3f} | "
                     f"{each['label_auc']:.3f} | {each['moved']:.3f} |")
    return lines


TITLE = """# What stays: columns that are kept

Made by `/usr/bin/python3 studies/covariates_study.py build/release/apps/conflux/conflux DATA docs/results/covariates.md{names}`;
figures are what it printed. What the flags mean: [What should stay?](../what_should_stay.md).
"""

SECTIONS = {
    "arrays": """## Expression arrays: bladderbatch with `--keep cancer`

57 arrays, 5,000 probes, five batches; three batches hold one type only. Parts of the variance, means over the probes. The last column: nearest class mean of the arrays of the other batches.
""",
    "climate": """## Climate: cccma with `--keep month:cyclic`

Fitted on the calibration period, judged on the validation period, 8 variables in standard deviations of the regional model. A gap is the difference of a month's mean between the translated global model and the
regional model; part of it is that the two models warm differently: the last row adds to every month the exact difference of the calibration period.
""",
    "scans": """## Scans of 20 sites whose ages differ, with `--keep age`

Made up: 915 rows, 419 features, a smooth effect of age, sites of mean ages from 12 to 55 with locations and scales of their own. Ridge regression predicts age from the moved features, over five
random folds and for a site that it has not seen; a linear discriminant predicts the site from what age does not explain (1 of 20 by chance is 0.05).
""",
    "amounts": """## How much: census incomes by sex with `--amount`

3,000 rows fitted by `inb`, 3,000 others judged (`evaluate --curve`).
""",
    "synthetic": """## Synthetic groups

One covariate, age, and groups with a location and a scale of their own per feature. Its effect is a straight line (linear), a sine (smooth), a line and a bend of its own in every group (interaction),
or a line while groups have different ages (confounded). conflux is fitted on one half of the rows and judged on the other; ComBat is judged on the rows of its fit, which is optimistic. The effect of age in
the moved rows is compared with the truth (for the interaction: its mean over the groups). The group AUC is that of boosted trees, from age alone, and from age and features: they are equal where
features say nothing more about the group given age.
""",
}


def main(command, data, page, *names):
    data = pathlib.Path(data)
    with tempfile.TemporaryDirectory() as folder:
        study = Study(str(pathlib.Path(command).resolve()), folder)
        work = {"arrays": lambda: arrays(study, data), "climate": lambda: climate(study, data),
                "scans": lambda: scans(study), "amounts": lambda: amounts(study, data),
                "synthetic": lambda: synthetic(study)}
        text = TITLE.format(names="".join(f" {name}" for name in names))
        for name in names or SECTIONS:
            table = "\n".join(work[name]())
            print(table, flush=True)
            text += f"\n{SECTIONS[name]}\n{table}\n"
    pathlib.Path(page).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
