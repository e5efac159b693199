"""Tables with groups and a task that no fit sees: what studies/ladder_study.py judges corrections by.

A task is a table of numbers, the group of each row, and a label that is predicted across groups. Four
sources: the sets of ../shared/data, sets of R packages (exported by Rscript), sets of scikit-learn
and R that are cut into groups by a known effect (shift, scale, warp, mixture of features) with equal or
different shares of the classes, and made tables of seven fields (ladder_fields.py). Sets that were in view
when rules were chosen are marked; the others were added afterwards. Sources that are not installed are
skipped, with a line that names them.
"""

import dataclasses
import gzip
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

import ladder_fields


@dataclasses.dataclass
class Task:
    name: str
    rows: pd.DataFrame
    group: np.ndarray
    label: np.ndarray
    #: Whether the set took part in choosing rules and constants.
    chose: bool = False
    regression: bool = False
    #: (values, group, label, fitted) -> figure, in place of the classifiers of ladder_study.py.
    score: object = None
    #: The field has no unseen rows: all are fitted.
    whole: bool = False


def thinned(task, most, seed=0):
    """At most so many rows, drawn at random."""
    count = len(task.rows)
    if count <= most:
        return task
    kept = np.sort(np.random.default_rng(seed).permutation(count)[:most])
    return dataclasses.replace(task, rows=task.rows.iloc[kept].reset_index(drop=True),
                               group=task.group[kept], label=task.label[kept])


def r_frame(expression, package):
    """A data frame of an R package, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.csv")
        code = (f'suppressWarnings(suppressMessages({{library({package}); frame <- {expression}; '
                f'write.csv(frame, "{path}", row.names = FALSE)}}))')
        try:
            done = subprocess.run(["Rscript", "-e", code], capture_output=True, check=False)
        except FileNotFoundError:
            done = None
        if done is None or done.returncode != 0:
            print(f"skipped: {expression} of the R package {package} is not installed", file=sys.stderr)
            return None
        return pd.read_csv(path)


def numeric(frame, without=()):
    out = frame.drop(columns=list(without)).select_dtypes("number").astype(float)
    keep = out.notna().all(axis=1)
    return out[keep].reset_index(drop=True), keep.to_numpy()


def from_frame(name, frame, group, label, drop=(), chose=False, regression=False):
    if frame is None:
        return []
    if group not in frame or label not in frame:
        raise KeyError(f"{name}: no {group} or {label} among {list(frame)[-5:]}")
    rows, keep = numeric(frame, [c for c in {group, label, *drop} if c in frame])
    frame = frame[keep]
    task = Task(name, rows, frame[group].astype(str).to_numpy(), frame[label].to_numpy(), chose, regression)
    if not regression:
        task.label = task.label.astype(str)
    return [task]


def shared_tasks(data):
    out = []
    folder = os.path.join(data, "tasks")
    pancreas = pd.read_csv(gzip.open(os.path.join(folder, "pancreas2.csv.gz")))
    out += from_frame("pancreas", pancreas, "study", "cell_type", chose=True)
    proteome = pd.read_csv(gzip.open(os.path.join(folder, "proteome.csv.gz")))
    filled = proteome.fillna(proteome.median(numeric_only=True))
    out += from_frame("proteome", filled, "MS_batch", "Diet", ["EarTag", "Strain", "Sex"], chose=True)
    signatures = pd.read_csv(gzip.open(os.path.join(folder, "signatures.csv.gz")))
    out += from_frame("signatures", signatures, "batch", "condition", chose=True)
    reviews = np.load(os.path.join(folder, "reviews.npz"), allow_pickle=False)
    arrays = {key: reviews[key] for key in reviews.files}
    rows = next(a for a in arrays.values() if a.ndim == 2)
    flat = {k: a for k, a in arrays.items() if a.ndim == 1 and len(a) == len(rows)}
    domain = next(a for k, a in flat.items() if k in ("domain", "group", "domains"))
    label = next(a for k, a in flat.items() if k in ("sentiment", "label", "y", "labels"))
    out.append(Task("reviews", pd.DataFrame(rows.astype(float)).add_prefix("c"),
                    domain.astype(str), label.astype(str), chose=True))
    return out


def more_grouped_sets():
    """Sets whose groups are real, which chose nothing."""
    out = []
    out += from_frame("staff by department", r_frame("{ data(attrition); attrition }", "modeldata"),
                      "Department", "Attrition")
    out += from_frame("salaries by country", r_frame("{ data(stackoverflow); stackoverflow }", "modeldata"),
                      "Country", "Salary", regression=True)
    out += from_frame("speech by gender", r_frame("{ data(pd_speech); pd_speech }", "modeldata"), "gender", "class")
    out += from_frame("jobs by weekday", r_frame("{ data(hpc_data); hpc_data }", "modeldata"), "day", "class")
    homes = r_frame("{ data(ames); ames }", "modeldata")
    if homes is not None:
        homes["Sale_Price"] = np.log(homes["Sale_Price"])
        out += from_frame("homes by district", homes, "Neighborhood", "Sale_Price", ["Longitude", "Latitude"],
                          regression=True)
    concrete = r_frame("{ data(concrete); concrete }", "modeldata")
    if concrete is not None:
        concrete["cured"] = np.where(concrete["age"] < 20, "young", np.where(concrete["age"] < 40, "month", "old"))
        out += from_frame("concrete by age", concrete, "cured", "compressive_strength", ["age"], regression=True)
    rides = r_frame("{ data(Chicago); Chicago$year <- substr(Chicago$date, 1, 4); Chicago }", "modeldata")
    if rides is not None:
        rides = rides[[c for c in rides if rides[c].dtype != object or c in ("year",)]]
        out += from_frame("rides by year", rides, "year", "ridership", regression=True)
    out += from_frame("skulls by epoch", r_frame("skulls", "HSAUR3"), "epoch", "nh", regression=True)
    out += from_frame("pupils by minority", r_frame("MathAchieve", "nlme"), "Minority", "MathAch", regression=True)
    return out


def grouped_sets():
    """Sets whose groups are real: speakers, species, sites. Rules were chosen with them in view."""
    out = []
    vowel = r_frame("{ data(Vowel); Vowel }", "mlbench")
    if vowel is not None:
        out += from_frame("vowels by speaker", vowel, "V1", "Class")
    out += from_frame("crabs by species", r_frame("crabs", "MASS"), "sp", "sex", ["index"])
    penguins = r_frame("penguins", "palmerpenguins")
    if penguins is not None:
        out += from_frame("penguins by sex", penguins.dropna(), "sex", "species", ["year"])
        out += from_frame("penguins by year", penguins.dropna(), "year", "species", ["year"])
    cells = r_frame("{ data(cells); cells }", "modeldata")
    out += from_frame("cell segmentation", cells, "case", "class")
    scat = r_frame("{ data(scat); scat[complete.cases(scat), ] }", "modeldata")
    out += from_frame("droppings by season", scat, "Month", "Species", ["Year"]) if scat is not None else []
    anorexia = r_frame("{ data(Sacramento); Sacramento }", "modeldata")
    if anorexia is not None:
        anorexia["price"] = np.log(anorexia["price"])
        out += from_frame("homes by type", anorexia, "type", "price", regression=True)
    return [dataclasses.replace(task, chose=True) for task in out]


def more_classified_sets():
    """Sets of one group each, with classes, which chose nothing."""
    out = []

    def add(name, frame, label):
        if frame is None:
            return
        rows, keep = numeric(frame, [label])
        rows = rows.loc[:, rows.std() > 0]
        out.append((name, rows, frame[label].astype(str).to_numpy()[keep]))

    thirds = "as.character(cut(rank({0}), 3, labels = c(\"low\", \"middle\", \"high\")))"
    add("fruit spectra", r_frame("{ data(fruit); fruit }", "rrcov"), "cultivar")
    add("olive oils", r_frame("subset(dslabs::olive, select = -region)", "dslabs"), "area")
    add("tissues", r_frame("data.frame(tissue_gene_expression$x, y = tissue_gene_expression$y)", "dslabs"), "y")
    add("molecules dhfr", r_frame("{ data(dhfr); dhfr }", "caret"), "Y")
    add("molecules mdrr", r_frame("{ data(mdrr); data.frame(mdrrDescr, y = mdrrClass) }", "caret"), "y")
    add("molecules cox2", r_frame("{ data(cox2); data.frame(cox2Descr, y = cox2Class) }", "caret"), "y")
    add("meat spectra", r_frame("{ data(meats); data.frame(meats[, 1:100], y = " + thirds.format("meats$fat") +
                                ") }", "modeldata"), "y")
    add("concrete", r_frame("{ data(concrete); data.frame(concrete[, 1:8], y = " +
                            thirds.format("concrete$compressive_strength") + ") }", "modeldata"), "y")
    add("octane spectra", r_frame("{ data(gasoline); data.frame(unclass(gasoline$NIR), y = " +
                                  thirds.format("gasoline$octane") + ") }", "pls"), "y")
    add("biopsies", r_frame("subset(biopsy, select = -ID)", "MASS"), "class")
    add("shuttle", r_frame("{ data(Shuttle); Shuttle[Shuttle$Class %in% c(\"Rad.Flow\", \"High\", \"Bypass\"), ] }",
                           "mlbench"), "Class")
    add("diabetes", r_frame("{ data(PimaIndiansDiabetes); PimaIndiansDiabetes }", "mlbench"), "diabetes")
    add("blood proteins", r_frame("{ data(ad_data); ad_data }", "modeldata"), "Class")
    return out


def classified_sets():
    """Sets of one group each, with classes."""
    from sklearn import datasets

    out = []
    for name, load in [("wine", datasets.load_wine), ("breast cancer", datasets.load_breast_cancer),
                       ("digits", datasets.load_digits)]:
        found = load()
        rows = pd.DataFrame(found.data).add_prefix("c")
        out.append((name, rows.loc[:, rows.std() > 0], found.target.astype(str)))
    for name, package, label in [("Satellite", "mlbench", "classes"), ("Vehicle", "mlbench", "Class"),
                                 ("LetterRecognition", "mlbench", "lettr"), ("Sonar", "mlbench", "Class"),
                                 ("Glass", "mlbench", "Type"), ("spam", "kernlab", "type"),
                                 ("Ionosphere", "mlbench", "Class"), ("musk", "kernlab", "Class")]:
        frame = r_frame(f"{{ data({name}); {name} }}", package)
        if frame is None:
            continue
        rows, keep = numeric(frame, [label])
        rows = rows.loc[:, rows.std() > 0]
        out.append((name, rows, frame[label].astype(str).to_numpy()[keep]))
    return out


def skewed_groups(label, count, skew, rng):
    """Groups in which the classes have other shares; skew 0: the same shares."""
    group = np.zeros(len(label), dtype=int)
    for value in np.unique(label):
        rows = rng.permutation(np.flatnonzero(label == value))
        shares = rng.dirichlet(np.full(count, 1.0 / skew)) if skew > 0 else np.full(count, 1.0 / count)
        cuts = np.floor(np.cumsum(shares)[:-1] * len(rows)).astype(int)
        for m, part in enumerate(np.split(rows, cuts)):
            group[part] = m
    return group


def with_effect(rows, group, effect, size, rng):
    """The rows as instruments that differ would have measured them."""
    values = (rows - rows.mean()) / rows.std()
    out = values.to_numpy().copy()
    dim = out.shape[1]
    for m in np.unique(group):
        mine = group == m
        part = out[mine]
        if effect in ("shift", "scale", "warp", "mix"):
            part = part + size * rng.normal(size=dim)
        if effect in ("scale", "warp"):
            part = part * np.exp(0.5 * size * rng.normal(size=dim))
        if effect == "warp":
            bend = size * rng.uniform(-0.5, 0.5, size=dim)
            part = part + bend * np.tanh(part) ** 2
        if effect == "mix":
            part = part @ (np.eye(dim) + 0.5 * size * rng.normal(size=(dim, dim)) / np.sqrt(dim))
        out[mine] = part
    return pd.DataFrame(out, columns=[str(c) for c in rows.columns])


def made_tasks(sets, chose, seed=0, most=3000):
    """Sets that are cut into groups with a known effect."""
    out = []
    effects = ["none", "shift", "scale", "warp", "mix"]
    for i, (name, rows, label) in enumerate(sets):
        rng = np.random.default_rng([seed, i])
        drawn = np.sort(rng.permutation(len(rows))[:most])
        rows, label = rows.iloc[drawn].reset_index(drop=True), label[drawn]
        rows = rows.loc[:, rows.std() > 0]
        for j in range(2):
            effect = effects[(i + 2 * j + seed) % len(effects)]
            skew = [0.0, 1.0][(i + j) % 2]
            count = [2, 3, 5][(i + 2 * j) % 3]
            group = skewed_groups(label, count, skew, rng)
            values = with_effect(rows, group, effect, 0.7, rng)
            shares = "other shares" if skew > 0 else "same shares"
            out.append(Task(f"{name}, {effect}, {count} groups, {shares}", values,
                            np.array([f"g{m}" for m in group]), label, chose))
    return out


def field_tasks(seed=0):
    """Made tables of seven fields; the first two seeds were in view when rules were chosen."""
    out = []
    for name, make, score, whole, regression in ladder_fields.FIELDS:
        rows, group, label = make(seed)
        out.append(Task(f"field: {name}", rows, group, label, seed < 2, regression, score, whole))
    return out


def all_tasks(data, seed=0, most=3000, parts=("seen", "new", "fields")):
    """The tasks of `parts`: those that were in view when rules were chosen, those that were not, and made fields."""
    out = []
    if "seen" in parts:
        out += shared_tasks(data) + grouped_sets() + made_tasks(classified_sets(), True, seed, most)
    if "new" in parts:
        out += more_grouped_sets() + made_tasks(more_classified_sets(), False, seed, most)
    kept = []
    for task in out:
        task = thinned(task, most)
        sizes = pd.Series(task.group).value_counts()
        if (sizes >= 6).sum() < 2:
            continue
        rows = np.isin(task.group, sizes.index[sizes >= 6])
        kept.append(dataclasses.replace(task, rows=task.rows[rows].reset_index(drop=True),
                                        group=task.group[rows], label=task.label[rows]))
    return kept + (field_tasks(seed) if "fields" in parts else [])
