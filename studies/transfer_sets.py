#!/usr/bin/env python3
"""Settings and tables of transfer_study.py: simple corrections, synthetic families, labeled sets."""

import csv
import gzip
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.linalg import expm
from sklearn.covariance import ledoit_wolf
from sklearn.decomposition import PCA

FAMILIES = ("pure", "composition", "both", "rotation", "rotation_composition", "warp", "drift", "ties",
            "independent", "many", "few")


def by_group(rows, group, function):
    """Apply a function to the rows of each group."""
    out = np.empty_like(rows)
    for name in np.unique(group):
        out[group == name] = function(rows[group == name])
    return out


def within(rows, group):
    """Return the standard deviation of each feature within groups."""
    spread = np.sqrt(np.mean([rows[group == name].var(0) for name in np.unique(group)], axis=0))
    return np.where(spread > 0, spread, 1)


def raw(rows, _):
    """Leave rows as they are."""
    return rows.copy()


def means(rows, group):
    """Move the means of groups onto each other."""
    return by_group(rows, group, lambda own: own - own.mean(0))


def z_score(rows, group):
    """Give all groups the same means and standard deviations."""
    spread = within(rows, group)
    return by_group(rows, group,
                    lambda own: (own - own.mean(0)) / np.maximum(own.std(0), 1e-9 * spread) * spread)


def combat(rows, group):
    """Shrink means and variances of groups over features, as ComBat does."""
    names, spread = np.unique(group), within(rows, group)
    center = np.mean([rows[group == name].mean(0) for name in names], axis=0)

    def corrected(own):
        count, shift, scale = len(own), own.mean(0), own.var(0, ddof=1) + 1e-9
        prior, spread_of_shifts = shift.mean(), shift.var(ddof=1) + 1e-9
        mean, variance = scale.mean(), scale.var(ddof=1) + 1e-9
        shape, rate = (mean**2 + 2 * variance) / variance, (mean**3 + mean * variance) / variance
        found = shift
        for _ in range(30):
            found = (count * spread_of_shifts * shift + scale * prior) / (
                count * spread_of_shifts + scale)
            scale = (rate + ((own - found)**2).sum(0) / 2) / (count / 2 + shape - 1)
        return (own - found) / np.sqrt(scale)

    return by_group((rows - center) / spread, group, corrected) * spread + center


def power(matrix, exponent):
    """Return a power of a symmetric positive matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(values, 1e-8 * values.max())**exponent) @ vectors.T


def coral(rows, group):
    """Give all groups the same mean and (Ledoit-Wolf) covariance."""
    spread = within(rows, group)
    scaled = rows / spread
    target = power(np.mean([ledoit_wolf(scaled[group == name])[0] for name in np.unique(group)],
                           axis=0), 0.5)
    return spread * by_group(scaled, group, lambda own: (own - own.mean(0)) @ power(
        ledoit_wolf(own)[0], -0.5) @ target)


def quantiles(rows, group):
    """Give every feature the barycenter of its distributions in the groups."""
    names = np.unique(group)
    count = int(np.clip(min(np.sum(group == name) for name in names) // 4, 4, 30))
    levels = (np.arange(count) + 0.5) / count
    knots = [np.quantile(rows[group == name], levels, axis=0) for name in names]
    target, out = np.mean(knots, axis=0), np.empty_like(rows)
    for name, own in zip(names, knots):
        own = own + 1e-9 * np.arange(count)[:, None]
        for j in range(rows.shape[1]):
            x = rows[group == name, j]
            out[group == name, j] = (np.interp(x, own[:, j], target[:, j]) +
                                     np.minimum(x - own[0, j], 0) + np.maximum(x - own[-1, j], 0))
    return out


def sliced(layers):
    """Return a sliced flow with random directions and full strength."""
    def align(rows, group):
        generator, spread = np.random.default_rng(5), within(rows, group)
        moved = quantiles(rows / spread, group)
        for _ in range(layers):
            size = (rows.shape[1], min(rows.shape[1], 10))
            directions = np.linalg.qr(generator.normal(size=size))[0]
            lines = moved @ directions
            moved = moved + (quantiles(lines, group) - lines) @ directions.T
        return moved * spread
    return align


def conflux(command, options):
    """Return an aligner that calls the command."""
    def align(rows, group):
        with tempfile.TemporaryDirectory() as folder:
            table, model, out = (str(pathlib.Path(folder) / name)
                                 for name in ("in.csv", "model", "out.csv"))
            names = [f"x{j}" for j in range(rows.shape[1])]
            with open(table, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["g"] + names)
                writer.writerows([f"g{m}"] + [repr(float(v)) for v in row]
                                 for m, row in zip(group, rows))
            subprocess.run([command, "fit", table, "--group", "g", "-o", model, "-q", "-j", "1"]
                           + options, check=True, capture_output=True)
            subprocess.run([command, "transform", model, table, "-o", out, "-q", "-j", "1"],
                           check=True, capture_output=True)
            with open(out, encoding="utf-8") as file:
                lines = list(csv.DictReader(file))
            return np.array([[float(line[name]) for name in names if name in line] for line in lines])
    return align


def family(name, seed):
    """Return rows, groups and classes: mixtures of hidden classes, moved group by group."""
    generator = np.random.default_rng([seed, sum(map(ord, name))])
    groups = 40 if name == "many" else int(generator.choice([2, 3, 5]))
    count = {"few": 30, "many": 40}.get(name, int(generator.choice([100, 250, 500])))
    features, hidden, classes = int(generator.choice([12, 30, 60])), 6, 5
    centers = generator.normal(size=(classes, hidden)) * generator.choice([1.0, 1.5, 2.5])
    mixing, bending = generator.normal(size=(2, hidden, features)) / np.sqrt(hidden)
    noise = generator.choice([0.3, 0.6, 1.0])
    parts = []
    for m in range(groups):
        share = np.full(classes, 1 / classes)
        if name in ("composition", "both", "drift", "rotation_composition", "few", "ties"):
            share = generator.dirichlet(np.full(classes, 0.5))
        if name == "drift":  # classes appear one by one
            share = np.where(np.arange(classes) <= m + 1, share + 0.05, 0)
        label = generator.choice(classes, count, p=share / share.sum())
        latent = centers[label] + 0.7 * generator.normal(size=(count, hidden))
        rows = latent @ mixing + 0.5 * np.tanh(latent @ bending)
        rows = rows + noise * generator.normal(size=rows.shape)
        if name == "independent":
            rows = generator.normal(size=rows.shape)
        parts.append((distorted(rows, name, m, generator), np.full(count, m), label))
    return tuple(np.concatenate(column) for column in zip(*parts))


def distorted(rows, name, m, generator):
    """Move the rows of group m as the family says."""
    features = rows.shape[1]
    shift = generator.normal(size=features)
    if name in ("pure", "both", "many", "few", "independent", "ties"):
        rows = (rows * np.exp(0.3 * generator.normal(size=features)) +
                0.7 * generator.choice([0.5, 1.5, 3]) * shift)
    if name.startswith("rotation"):
        turn = generator.normal(size=(features, features))
        rows = rows @ expm((turn - turn.T) * 0.5 / np.sqrt(features)) + 0.7 * shift
    if name == "warp":
        bend = generator.uniform(-1, 1, features)
        rows = np.where(bend > 0, rows + 0.5 * bend * rows * np.abs(rows),
                        np.sign(rows) * np.abs(rows)**(1 + 0.5 * bend)) + 0.5 * shift
    if name == "drift":
        rows = rows + 0.6 * m * shift
    return np.clip(np.round(rows), -2, 3) if name == "ties" else rows


def positions(values):
    """Return the position of each value among the sorted distinct values."""
    return np.unique(values, return_inverse=True)[1]


def table(path, group, label, first):
    """Return features, groups and labels of a table with a header."""
    with gzip.open(path, "rt") as file:
        header, *lines = list(csv.reader(file))
    columns = np.array(lines, dtype=object)
    rows = np.array([[float(v) if v not in ("", "NA") else np.nan for v in line[first:]]
                     for line in lines])
    rows = rows[:, np.isfinite(rows).mean(0) > 0.8]
    rows = np.where(np.isfinite(rows), rows, np.nanmean(rows, axis=0))
    return (rows, positions(columns[:, header.index(group)].astype(str)),
            positions(columns[:, header.index(label)].astype(str)))


def thinned(rows, group, label, most):
    """Return at most so many rows."""
    chosen = np.sort(np.random.default_rng(0).permutation(len(rows))[:most])
    return rows[chosen], group[chosen], label[chosen]


def sparse_cells(folder):
    """Return log expression of the most variable genes, donors and cell types."""
    with gzip.open(folder / "matrix.mtx.gz", "rt") as file:
        entries = np.loadtxt((line for line in file if not line.startswith("%")))
    genes, cells = entries[0, :2].astype(int)
    dense = np.zeros((cells, genes))
    dense[entries[1:, 1].astype(int) - 1, entries[1:, 0].astype(int) - 1] = entries[1:, 2]
    with gzip.open(folder / "meta.csv.gz", "rt") as file:
        meta = list(csv.DictReader(file))
    return (dense[:, np.argsort(-dense.var(0), kind="stable")[:120]],
            positions([cell["donor"] for cell in meta]),
            positions([cell["cell_type_broad"] for cell in meta]))


def labeled_sets(folder):
    """Yield the name of each labeled set, and a function that reads it."""
    tasks = folder / "tasks"
    yield "pancreas", lambda: table(tasks / "pancreas2.csv.gz", "study", "cell_type", 2)
    yield "proteome", lambda: table(tasks / "proteome.csv.gz", "MS_batch", "Diet", 6)
    yield "pbmcs_sparse", lambda: sparse_cells(folder / "pbmcs_sparse")

    def components(read, count):
        rows, group, label = read()
        return PCA(count, random_state=0).fit_transform(rows), group, label

    yield "pancreas, 30 components", lambda: components(
        lambda: table(tasks / "pancreas2.csv.gz", "study", "cell_type", 2), 30)
    yield "pbmcs_sparse, 20 components", lambda: components(
        lambda: sparse_cells(folder / "pbmcs_sparse"), 20)

    def reviews():
        held = np.load(tasks / "reviews.npz", allow_pickle=True)
        return thinned(held["X"].astype(float), positions(held["domain"]),
                       positions(held["sentiment"]), 1500)

    def digits():
        held = np.load(folder / "mnist_usps" / "mnist_usps.npz")
        rows = np.concatenate([held["X_mnist"], held["X_usps"]]).astype(float)
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        group = np.repeat([0, 1], [len(held["X_mnist"]), len(held["X_usps"])])
        return thinned(rows[:, rows.std(0) > 1e-3], group,
                       positions(np.concatenate([held["y_mnist"], held["y_usps"]])), 1200)

    def arrays():
        rows = np.load(folder / "bladderbatch" / "bladder_top5000.npz", allow_pickle=True)
        with open(folder / "bladderbatch" / "pheno.csv", encoding="utf-8") as file:
            meta = list(csv.DictReader(file))
        return (rows["X"][:, :600].astype(float), positions([one["batch"] for one in meta]),
                positions([one["cancer"] for one in meta]))

    yield "reviews", reviews
    yield "mnist_usps", digits
    yield "bladderbatch", arrays
    yield "signatures", lambda: table(tasks / "signatures.csv.gz", "batch", "condition", 2)
