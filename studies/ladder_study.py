#!/usr/bin/env python3
"""Does the default correction serve a task that it has not seen, and how does it compare with simple ones?

    studies/ladder_study.py CONFLUX DATA [--seeds 0 1] [--parts seen new fields] [--rows N] [--tasks PATTERN]
                            [--settings default nb ...] [--former COMMAND] [--json FILE] [--page FILE]

CONFLUX is the command, DATA the folder of shared data sets. Of every group one half of the rows is fitted;
labels are kept away from the fit. The task is learned on fitted rows of all other groups, after correction,
and asked of the unseen rows of the group: mean of 5 nearest neighbors and logistic regression, balanced
accuracy (rank correlation with kernel regression where the label is a number). Prints one line per task: the
task by each setting, the rung that the default chose, and its regret to the best setting in hindsight.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import pandas as pd

import ladder_tasks

#: Options of `conflux fit` for every rung.
RUNGS = {
    "default": [],
    "former": [],
    "means": ["--method", "means"],
    "location-scale": ["--method", "location-scale"],
    "gb": ["--method", "gb"],
    "nb": ["--method", "nb"],
    "inb 20": ["--method", "inb", "--layers", "20", "--gate", "none"],
    "inb": ["--method", "inb", "--gate", "none"],
    "cascade": ["--method", "cascade"],
    "clusters": ["--method", "inb", "--gate", "clusters"],
}


def standardized(reference, *others):
    mean, scale = reference.mean(axis=0), reference.std(axis=0)
    # A feature that is constant but for rounding tells nothing.
    scale[scale <= 1e-9 * np.maximum(np.abs(mean), 1)] = 1
    return [(values - mean) / scale for values in (reference, *others)]


def score(task, values, fitted, group_names):
    """The task across groups on rows that no fit has seen; with the number of rows asked."""
    from scipy.stats import spearmanr
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.neighbors import KNeighborsClassifier

    if task.score is not None:
        return task.score(values, task.group, task.label, fitted)
    results, weights = [], []
    for name in group_names:
        train = fitted & (task.group != name)
        test = ~fitted & (task.group == name)
        known = np.isin(task.label, task.label[train])
        test &= known | task.regression
        if test.sum() < 5 or (not task.regression and len(set(task.label[train])) < 2):
            continue
        x, y = standardized(values[train], values[test])
        if task.regression:
            model = KernelRidge(alpha=1.0, kernel="rbf").fit(x, task.label[train].astype(float))
            results.append(spearmanr(model.predict(y), task.label[test].astype(float)).statistic)
        else:
            if len(set(task.label[test])) < 2:
                continue
            near = KNeighborsClassifier(min(5, len(x))).fit(x, task.label[train])
            linear = LogisticRegression(C=1.0, max_iter=300).fit(x, task.label[train])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(np.mean([balanced_accuracy_score(task.label[test], m.predict(y))
                                        for m in (near, linear)]))
        weights.append(test.sum())
    return float(np.average(results, weights=weights)) if results else None


def halves(task, seed):
    """Whether each row is fitted: one half of every group, at random."""
    if task.whole:
        return np.ones(len(task.group), dtype=bool)
    rng = np.random.default_rng([seed, 77])
    fitted = np.zeros(len(task.group), dtype=bool)
    for name in np.unique(task.group):
        mine = rng.permutation(np.flatnonzero(task.group == name))
        fitted[mine[: (len(mine) + 1) // 2]] = True
    return fitted


def by_command(conflux, task, fitted, options, folder, seed):
    """All rows in the shared space, and what the fit says of its choice."""
    table = task.rows.copy()
    table.insert(0, "group__", task.group)
    paths = {name: os.path.join(folder, name) for name in ("fit.csv", "all.csv", "model", "out.csv")}
    table[fitted].to_csv(paths["fit.csv"], index=False)
    table.to_csv(paths["all.csv"], index=False)

    def run(*words):
        return subprocess.run([conflux, *words], capture_output=True, text=True, check=False)
    done = run("fit", paths["fit.csv"], "--group", "group__", "-o", paths["model"], "--seed", str(seed),
               "--json", "--force", *options)
    if done.returncode != 0:
        return None, {"error": done.stderr.strip().splitlines()[-1:]}
    told = json.loads(done.stdout) if done.stdout.strip() else {}
    moved = run("transform", paths["model"], paths["all.csv"], "-o", paths["out.csv"], "--force", "-q")
    if moved.returncode != 0:
        return None, {"error": moved.stderr.strip().splitlines()[-1:]}
    out = pd.read_csv(paths["out.csv"])
    return out[[c for c in table.columns if c != "group__" and c in out]].to_numpy(float), told


def by_formula(name, task, fitted):
    """Simple corrections of other people, fitted on the fitted rows."""
    values = task.rows.to_numpy(float)
    out = values.copy()
    grand_mean = values[fitted].mean(axis=0)
    within = np.zeros(values.shape[1])
    for g in np.unique(task.group):
        mine = fitted & (task.group == g)
        within += ((values[mine] - values[mine].mean(axis=0)) ** 2).sum(axis=0)
    pooled = np.sqrt(within / max(fitted.sum() - len(np.unique(task.group)), 1))
    pooled[pooled == 0] = 1
    centered = np.vstack([values[fitted & (task.group == g)] - values[fitted & (task.group == g)].mean(axis=0)
                          for g in np.unique(task.group)])
    for g in np.unique(task.group):
        mine, learn = task.group == g, fitted & (task.group == g)
        part, seen = values[mine], values[learn]
        mean, scale = seen.mean(axis=0), seen.std(axis=0)
        scale[scale == 0] = 1
        if name == "z-score":
            out[mine] = (part - mean) / scale
        elif name == "mean":
            out[mine] = part - mean + grand_mean
        elif name == "CORAL":
            def root(x, power):
                cov = np.cov(x, rowvar=False) + np.eye(x.shape[1]) * 1e-6
                shrink = min(1.0, x.shape[1] / (x.shape[1] + len(x)))
                cov = (1 - shrink) * cov + shrink * np.diag(np.diag(cov))
                w, v = np.linalg.eigh(cov)
                return (v * np.maximum(w, 1e-9) ** power) @ v.T
            out[mine] = (part - mean) @ root(seen, -0.5) @ root(centered, 0.5)
        elif name == "quantile":
            pool = values[fitted]
            for j in range(values.shape[1]):
                at = np.linspace(0, 1, 101)
                out[mine, j] = np.interp(part[:, j], *_increasing(np.quantile(seen[:, j], at),
                                                                 np.quantile(pool[:, j], at)))
    return out


def _increasing(x, y):
    keep = np.concatenate([[True], np.diff(x) > 0])
    return x[keep], y[keep]


FORMULAS = ["z-score", "mean", "CORAL", "quantile"]


def study(args):
    records = []
    for seed in args.seeds:
        for task in ladder_tasks.all_tasks(args.data, seed, args.rows, args.parts):
            if args.tasks and not any(p in task.name for p in args.tasks):
                continue
            fitted = halves(task, seed)
            names = np.unique(task.group)
            found = {"raw": score(task, task.rows.to_numpy(float), fitted, names)}
            if found["raw"] is None:
                continue
            told = {}
            with tempfile.TemporaryDirectory() as folder:
                for setting in args.settings:
                    if setting in FORMULAS:
                        values = by_formula(setting, task, fitted)
                    else:
                        command = args.former if setting == "former" else args.conflux
                        values, said = by_command(command, task, fitted, RUNGS[setting], folder, seed)
                        told[setting] = said
                    usable = values is not None and np.isfinite(values).all()
                    found[setting] = score(task, values, fitted, names) if usable else None
            ladder = told.get("default", {}).get("ladder") or {}
            record = {"task": task.name, "seed": seed, "chose": task.chose, "rows": len(task.rows),
                      "features": task.rows.shape[1], "groups": len(names),
                      "unseen": int((~fitted).sum()) or len(task.group), "scores": found, "ladder": ladder}
            records.append(record)
            print(f"{task.name} (seed {seed}): " +
                  "  ".join(f"{k} {v:.3f}" if v is not None else f"{k} -" for k, v in found.items()) +
                  (f"  [{ladder.get('chosen')}]" if ladder else ""), flush=True)
            if args.json:
                with open(args.json, "w", encoding="utf-8") as out:
                    json.dump(records, out)
    return records


#: Corrections of which the best is what a careful user would find by hand.
SIMPLE = ["raw", "mean", "z-score", "CORAL", "quantile", "means", "location-scale"]
#: Settings on the page, with their names there.
SHOWN = {"raw": "raw", "mean": "means", "z-score": "z-score", "location-scale": "ComBat", "CORAL": "CORAL",
         "quantile": "quantile", "gb": "gb", "nb": "nb", "inb 20": "inb, 20", "former": "former",
         "default": "default"}


def best_of(record, settings=None):
    return max(v for s, v in record["scores"].items() if v is not None and (settings is None or s in settings))


def standard_error(record):
    raw = min(max(record["scores"]["raw"], 0.05), 0.95)
    return np.sqrt(raw * (1 - raw) / record["unseen"])


def mean_regret(records, setting):
    return np.mean([best_of(r) - r["scores"][setting] for r in records if r["scores"].get(setting) is not None])


def findings(records):
    """Sentences: how often the default is as good as raw and as the best simple correction, and its regret."""
    errors = np.array([standard_error(r) for r in records])
    default = np.array([r["scores"]["default"] for r in records])
    raw = np.array([r["scores"]["raw"] for r in records])
    simple = np.array([best_of(r, SIMPLE) for r in records])
    out = [f"The default is at least as good as no correction, less one standard error, in "
           f"{100 * np.mean(default >= raw - errors):.0f} % of {len(records)} cases.",
           f"It is at least as good as the best of no correction, means, z-score, ComBat, CORAL and quantile, "
           f"less one standard error, in {100 * np.mean(default >= simple - errors):.0f} %.",
           f"Its mean regret to the best setting in hindsight is {mean_regret(records, 'default'):.4f}."]
    settings = [s for s in SHOWN if s != "default" and any(r["scores"].get(s) is not None for r in records)]
    out.append("Mean regret of one setting for all cases: " +
               ", ".join(f"{SHOWN[s]} {mean_regret(records, s):.4f}" for s in settings) + ".")
    return out


def judging(records):
    return [r for r in records if not r["chose"] and r["scores"].get("default") is not None]


def row_of(record):
    cells = [record["task"], str(record["seed"]), f"{record['rows']} x {record['features']}, {record['groups']}",
             record["ladder"].get("chosen", "") if record["ladder"] else ""]
    for setting in SHOWN:
        value = record["scores"].get(setting)
        cells.append("-" if value is None else f"{value:.3f}")
    cells.append(f"{best_of(record) - record['scores']['default']:.3f}")
    return "| " + " | ".join(cells) + " |"


def table_of(records):
    head = ["task", "seed", "rows x features, groups", "rung", *SHOWN.values(), "regret"]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + [row_of(r) for r in records]


def by_effect(records):
    """What was chosen and lost where the difference between the groups is known, because it was made."""
    cases = {}
    for r in records:
        parts = r["task"].split(", ")
        if len(parts) == 4:
            cases.setdefault((parts[1], parts[3]), []).append(r)
    out = ["| made difference | classes | cases | rungs chosen | raw | default | regret | regret, former |",
           "|---|---|---|---|---|---|---|---|"]
    for (effect, shares), of_case in sorted(cases.items()):
        rungs = [r["ladder"].get("chosen", "?") if r["ladder"] else "?" for r in of_case]
        told = ", ".join(f"{name} {rungs.count(name)}" for name in sorted(set(rungs), key=rungs.index))
        former = (f"{mean_regret(of_case, 'former'):.3f}"
                  if any(r["scores"].get("former") is not None for r in of_case) else "-")
        out.append(f"| {effect} | {shares} | {len(of_case)} | {told} | "
                   f"{np.mean([r['scores']['raw'] for r in of_case]):.3f} | "
                   f"{np.mean([r['scores']['default'] for r in of_case]):.3f} | "
                   f"{mean_regret(of_case, 'default'):.3f} | {former} |")
    return out


def write_page(records, path, command, note):
    kept_back = judging(records)
    seen = [r for r in records if r["chose"] and r["scores"].get("default") is not None]
    lines = ["# How far the default corrects, and what it gains for a task", "",
             "Made by `" + command + "`." + note, "",
             "One half of every group is fitted by plain `conflux fit`; the labels are kept away from it. A classifier "
             "(the mean of 5 nearest neighbors and logistic regression) learns the label on fitted rows of all other "
             "groups and is asked about the unseen rows of the group: balanced accuracy, or rank correlation where the "
             "label is a number. *Rung* is the correction that conflux chose without labels. ComBat is the method `location-scale`, which is ComBat's model. The best in "
             "hindsight is the best of all columns, which differ by chance too: a correction chosen at random among "
             "equal ones has a regret above zero.", "",
             "## Cases that chose nothing", ""]
    lines += [f"- {sentence}" for sentence in findings(kept_back)] + [""]
    lines += table_of(kept_back) + ["", "## By the difference that was made", "",
                                    "Sets that were cut into groups with a known difference, with the same or "
                                    "other shares of the classes.", ""] + by_effect(kept_back)
    if seen:
        lines += ["", "## Cases in view when the rule was chosen", ""] + table_of(seen)
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def summarize(records):
    kept_back = judging(records)
    if kept_back:
        print("\n".join(findings(kept_back)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conflux")
    parser.add_argument("data")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--parts", nargs="+", default=["seen", "new", "fields"])
    parser.add_argument("--tasks", nargs="*")
    parser.add_argument("--settings", nargs="+", default=["z-score", "mean", "CORAL", "quantile", "default"])
    parser.add_argument("--former", help="an earlier conflux command, whose defaults are the setting «former»")
    parser.add_argument("--json")
    parser.add_argument("--page", help="write what was found as a page")
    parser.add_argument("--note", default="", help="a sentence for the page")
    parser.add_argument("--from-json", action="store_true", help="measure nothing; use what --json holds")
    args = parser.parse_args()
    if args.former:
        args.settings.append("former")
    warnings.filterwarnings("ignore")
    if args.from_json:
        with open(args.json, encoding="utf-8") as file:
            records = json.load(file)
    else:
        records = study(args)
    summarize(records)
    if args.page:
        command = " ".join(["studies/ladder_study.py CONFLUX DATA --seeds", *map(str, args.seeds), "--parts", *args.parts,
                            "--rows", str(args.rows), "--settings", *(repr(s) if " " in s else s for s in args.settings),
                            "--page", args.page])
        write_page(records, args.page, command, args.note)


if __name__ == "__main__":
    sys.exit(main())
