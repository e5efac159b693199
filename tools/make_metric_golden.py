#!/usr/bin/env python3
"""Writes tests/golden/metrics.txt: small clouds and what NumPy, SciPy and POT say about them.

The tests of the metrics layer read the file; it is written again only when a case is added.
Each case is a line `case NAME`, clouds as `x ROWS COLS` and `y ROWS COLS` followed by their
numbers, then lines `METRIC VALUE`, then `end`.
"""

import pathlib

import numpy as np
import ot
import scipy
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from scipy.stats import energy_distance

TARGET = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/metrics.txt"
SINKHORN_EPSILON = 0.5


def entropic_cost(x, y):
    """min <P, C> + eps KL(P | a x b), from POT's plan."""
    cost = ot.dist(x, y)
    a, b = ot.unif(len(x)), ot.unif(len(y))
    plan = ot.sinkhorn(a, b, cost, SINKHORN_EPSILON, method="sinkhorn_log", stopThr=1e-14,
                       numItermax=100000)
    entropy = np.sum(plan * np.log(plan / np.outer(a, b)))
    return np.sum(plan * cost) + SINKHORN_EPSILON * entropy


def max_sliced(x, y):
    """Densely scanned over the half circle; planar clouds only."""
    angles = np.linspace(0, np.pi, 20001)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    return ot.wasserstein_1d(x @ directions, y @ directions, p=2).max()


def paper_wd(x, y, epsilon=np.float32(1e-4)):
    """The papers' iteration in single precision, spelled out."""
    x, y = x.astype(np.float32), y.astype(np.float32)
    cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    a = np.log(np.float32(1 / len(x) + 1e-8))
    b = np.log(np.float32(1 / len(y) + 1e-8))
    u, v = np.zeros(len(x), np.float32), np.zeros(len(y), np.float32)
    for _ in range(100):
        old = u
        u = epsilon * (a - logsumexp((-cost + u[:, None] + v) / epsilon, axis=1)) + u
        v = epsilon * (b - logsumexp((-cost + u[:, None] + v) / epsilon, axis=0)) + v
        if np.abs(u - old).sum() < 0.1:
            break
    return np.sum(np.exp((-cost + u[:, None] + v) / epsilon) * cost)


def energy(x, y):
    return 2 * cdist(x, y).mean() - cdist(x, x).mean() - cdist(y, y).mean()


def metrics_of(x, y):
    yield "emd2", ot.emd2([], [], ot.dist(x, y))
    yield "sinkhorn", entropic_cost(x, y) - (entropic_cost(x, x) + entropic_cost(y, y)) / 2
    yield "energy", energy(x, y)
    yield "paper_wd", paper_wd(x, y)
    if x.shape[1] == 1:
        yield "scipy_energy", energy_distance(x[:, 0], y[:, 0]) ** 2
        yield "wasserstein_1d", ot.wasserstein_1d(x[:, 0], y[:, 0], p=2)
    if x.shape[1] == 2:
        yield "max_sliced", max_sliced(x, y)


def cases(rng):
    yield "line", rng.normal(size=(9, 1)), 1 + 2 * rng.normal(size=(6, 1))
    yield "plane", rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) @ [[1, 0.8], [0, 0.5]]
    yield "unequal", rng.normal(size=(15, 3)), rng.normal(size=(10, 3)) + [1, 0, -1]
    yield "ties", rng.integers(0, 3, (12, 2)).astype(float), rng.integers(0, 3, (8, 2)).astype(float)


def write_cloud(out, name, cloud):
    out.write(f"{name} {cloud.shape[0]} {cloud.shape[1]}\n")
    for row in cloud:
        out.write(" ".join(repr(float(value)) for value in row) + "\n")


def main():
    with TARGET.open("w") as out:
        out.write("# Written by tools/make_metric_golden.py with "
                  f"NumPy {np.__version__}, SciPy {scipy.__version__}, POT {ot.__version__}\n")
        for name, x, y in cases(np.random.default_rng(7)):
            x, y = x.round(6), y.round(6)
            out.write(f"case {name}\n")
            write_cloud(out, "x", x)
            write_cloud(out, "y", y)
            for metric, value in metrics_of(x, y):
                out.write(f"{metric} {float(value)!r}\n")
            out.write("end\n")


if __name__ == "__main__":
    main()
