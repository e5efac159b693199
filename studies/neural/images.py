"""Digits 0 and 1 as `conflux reproduce mnist2` splits them, and the paper's distance."""

import pathlib

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

TEST_IMAGES = 5000
BLOCK = 500


def read_idx(path):
    raw = path.read_bytes()
    shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(raw[3])]
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def permutation(folder, classes=(0, 1)):
    """Images in [0, 1) of each class, to fit and to test: the paper's noise and split."""
    folder = pathlib.Path(folder)
    images, labels = [], []
    for part in ("train", "t10k"):
        each = read_idx(folder / f"{part}-labels-idx1-ubyte")
        order = np.argsort(each, kind="stable")
        images.append(read_idx(folder / f"{part}-images-idx3-ubyte")[order])
        labels.append(each[order])
    images, labels = np.concatenate(images), np.concatenate(labels)
    random = np.random.RandomState(0)
    values = (images + random.random_sample(images.shape)) / 256
    chosen = np.flatnonzero(np.isin(labels, classes))
    chosen = chosen[random.permutation(len(chosen))]
    sets = []
    for part in (chosen[TEST_IMAGES:], chosen[:TEST_IMAGES]):
        groups = [values[part[labels[part] == c]] for c in classes]
        rows = min(map(len, groups))
        sets.append([group[:rows, None].astype(np.float32) for group in groups])
    return sets


def squared_distances(x, y):
    return np.maximum((x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * x @ y.T, 0)


def paper_wd(cost, epsilon=1e-4):
    """The paper's figure: Sinkhorn's iteration, ended after about two sweeps."""
    rows, columns = cost.shape
    u, v = np.zeros(rows), np.zeros(columns)
    for _ in range(100):
        before = u
        u = u + epsilon * (np.log(1 / rows + 1e-8) - logsumexp((u[:, None] + v - cost) / epsilon, axis=1))
        v = v + epsilon * (np.log(1 / columns + 1e-8) - logsumexp((u[:, None] + v - cost) / epsilon, axis=0))
        if np.abs(u - before).sum() < 0.1:
            break
    return float((np.exp((u[:, None] + v - cost) / epsilon) * cost).sum())


def exact_w2(cost):
    return float(cost[linear_sum_assignment(cost)].mean())


def distances(real, moved):
    """paper_wd and exact W2 squared, means over blocks of 500 images."""
    out = np.zeros(2)
    for begin in range(0, len(real), BLOCK):
        x = real[begin:begin + BLOCK].reshape(-1, real[0].size).astype(np.float64)
        y = moved[begin:begin + BLOCK].reshape(-1, real[0].size).astype(np.float64)
        cost = squared_distances(x, y)
        out += np.array([paper_wd(cost), exact_w2(cost)]) * len(x) / len(real)
    return out
