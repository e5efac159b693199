"""Where the matching of MNIST and USPS loses: nearest neighbors in the moved copy, before any layer.

    /usr/bin/python3 studies/match_study.py DATA

DATA is a folder that holds mnist_usps. The matching of docs/math.md, section 7, once more in numpy
(k-means of scikit-learn, transport of POT), so that its settings can be tried without the program.
Both groups are moved to where matching takes them, and the digit of a row is predicted from its nearest
row in the other group. Labels are looked at for these figures only.
"""

import pathlib
import sys

import numpy as np
import ot
from sklearn.cluster import KMeans

from label_study import digits, nearest_accuracy


def partial_plan(costs, masses, price):
    """Transport between clusters of two groups that pays `price` for what both leave behind."""
    wide = np.pad(costs, ((0, 1), (0, 1)), constant_values=price / 2)
    wide[-1, -1] = 0
    return ot.emd(np.r_[masses[0], 1], np.r_[masses[1], 1], wide)[:-1, :-1]


def price_of(costs, masses, fraction):
    low, high = 0, 2 * costs.max() + 1e-9
    for _ in range(40):
        middle = (low + high) / 2
        if partial_plan(costs, masses, middle).sum() >= fraction:
            high = middle
        else:
            low = middle
    return high


def squared(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(2)


def moves_of(centers, at, masses, plan, partners):
    """Matched clusters go half of the way to their partners, others follow their own group."""
    mass = plan.sum(1)
    part = np.minimum(mass / masses, 1)[:, None]
    moves = np.where(mass[:, None] > 1e-12, plan @ partners / np.maximum(mass, 1e-12)[:, None] - at, 0)
    apart = squared(centers, centers)
    near = np.exp(-4 * apart * len(apart) * (len(apart) - 1) / apart.sum()) * mass
    smooth = near @ moves / np.maximum(near.sum(1), 1e-300)[:, None]
    return .5 * (part * moves + (1 - part) * smooth)


def moved_copy(groups, seed, clusters, fraction, slack, rounds):
    cut = [KMeans(min(clusters, max(2, len(rows) // 40)), n_init=1, random_state=seed).fit(rows)
           for rows in groups]
    centers = [each.cluster_centers_ for each in cut]
    masses = [np.bincount(each.labels_) / len(each.labels_) for each in cut]
    at = [each.copy() for each in centers]
    for _ in range(rounds):
        costs = squared(*at)
        plan = partial_plan(costs, masses, slack * price_of(costs, masses, fraction))
        moves = [moves_of(centers[0], at[0], masses[0], plan, at[1]),
                 moves_of(centers[1], at[1], masses[1], plan.T, at[0])]
        at = [a + move for a, move in zip(at, moves)]
    return [rows + (a - c)[each.labels_] for rows, a, c, each in zip(groups, at, centers, cut)]


def accuracies(rows, truth):
    return (nearest_accuracy(rows[0], truth[0], rows[1], truth[1]),
            nearest_accuracy(rows[1], truth[1], rows[0], truth[0]))


def coordinates(table):
    """Rows of both groups along the axes in which rows vary most within groups."""
    features = [name for name in table if name.startswith("PC")]
    parts = [table.group == "mnist", table.group == "usps"]
    rows = [table.loc[part, features].to_numpy() for part in parts]
    within = sum(np.cov(each.T) for each in rows)
    axes = np.linalg.eigh(within)[1][:, ::-1]
    return [each @ axes for each in rows], [table.truth[part].to_numpy() for part in parts]


def main(data):
    rows, truth = coordinates(digits(data))
    print("| moved copy | MNIST -> USPS | USPS -> MNIST |\n|---|---|---|")
    print("| rows as they are | {:.1f} | {:.1f} |".format(*accuracies(rows, truth)))
    usual = {"clusters": 15, "fraction": .15, "slack": 1.75, "rounds": 10}
    for title, axes, repeats, change in [
            ("as the program does it", 20, 10, {}), ("one repeat", 20, 1, {}), ("40 axes", 40, 10, {}),
            ("30 clusters", 20, 10, {"clusters": 30}), ("45 clusters", 20, 10, {"clusters": 45}),
            ("fraction 0.1, slack 1.5", 20, 10, {"fraction": .1, "slack": 1.5}),
            ("fraction 0.2, slack 2", 20, 10, {"fraction": .2, "slack": 2})]:
        groups = [each[:, :axes] for each in rows]
        copies = [moved_copy(groups, 100 * repeat, **usual | change) for repeat in range(repeats)]
        moved = [np.hstack([np.mean([copy[m] for copy in copies], axis=0), rows[m][:, axes:]])
                 for m in range(2)]
        print("| {} | {:.1f} | {:.1f} |".format(title, *accuracies(moved, truth)), flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
