#!/usr/bin/env python3
"""How well held-out features judge an alignment without labels.

  transfer_study.py [--data ../shared/data] [--command build/release/apps/conflux/conflux]
                    [--seeds 4:8] [--settings inb20,default,kinds] [--sets "NAME;NAME"]
                    [--rows 450] [--keep FOLDER]

Synthetic families whose classes are known, and labeled sets, are aligned by simple corrections, by
a sliced flow in numpy and, with --command, by conflux. Each setting is fitted on all features, where
the hidden task is asked (the class of a row from its nearest rows of the other groups), and without
each block of features, where the left-out features are predicted across groups, by several
predictors. Prints, per set, task and transfer of every setting, and per predictor: the rank
correlation of the two orders, the regret of the setting that transfers best, and that of the simplest
setting within a standard error of it. Seeds 0 to 3 were used to choose the defaults of
FeatureTransferOptions; the others and all labeled sets were not.
"""

import argparse
import pathlib
import pickle
import subprocess

import numpy as np
from scipy.stats import rankdata, spearmanr

from transfer_sets import (FAMILIES, by_group, coral, combat, conflux, family, labeled_sets, means,
                           positions, quantiles, raw, sliced, thinned, within, z_score)

COMMAND_SETTINGS = {"inb20": ["--method", "inb", "--layers", "20"], "default": [],
                    "kinds": ["--gate", "clusters"]}


def settings(arguments):
    """Return the settings from least to most."""
    found = [("raw", raw), ("means", means), ("zscore", z_score), ("combat", combat),
             ("coral", coral), ("nb", quantiles)]
    if not arguments.command:
        return found + [("sliced20", sliced(20)), ("sliced100", sliced(100))]
    return found + [(name, conflux(arguments.command, COMMAND_SETTINGS[name]))
                    for name in arguments.settings.split(",")]


def ranks(rows, group):
    """Return ranks within groups with mean 0 and mean square 1."""
    def standard(own):
        found = rankdata(own, axis=0)
        found = found - found.mean(0)
        return found / np.where(found.std(0) > 0, found.std(0), 1)
    return by_group(np.asarray(rows, dtype=float), group, standard)


def feature_blocks(scores, count=3, together=0.8):
    """Return blocks of features to leave out, and the cluster of each feature."""
    features = scores.shape[1]
    largest, cluster = -(-features // (2 * count)), np.arange(features)
    close = np.abs(scores.T @ scores) / len(scores)
    first, second = np.nonzero(np.triu(close >= together, 1))
    for pair in np.argsort(-close[first, second], kind="stable"):
        a, b = cluster[first[pair]], cluster[second[pair]]
        if a != b and np.sum((cluster == a) | (cluster == b)) <= largest:
            cluster[cluster == max(a, b)] = min(a, b)
    blocks = [[] for _ in range(count)]
    for one in sorted(np.unique(cluster), key=lambda c: -np.sum(cluster == c)):
        min(blocks, key=len).extend(np.flatnonzero(cluster == one))
    return [np.array(sorted(block)) for block in blocks if block], positions(cluster)


def neighbors(moved, group, most=15, scaled=True):
    """Return the nearest rows of other groups, and squared distances between all rows."""
    if scaled:
        moved = moved / within(moved, group)
    moved = moved - moved.mean(0)
    squares = (moved**2).sum(1)
    distances = squares[:, None] + squares - 2 * moved @ moved.T
    distances[group[:, None] == group] = np.inf
    most = min(most, int(np.isfinite(distances).sum(1).min()))
    near = np.argpartition(distances, most - 1, axis=1)[:, :most]
    return np.take_along_axis(near, np.argsort(np.take_along_axis(distances, near, 1), axis=1), 1)


def ridge(moved, group, scores):
    """Predict linearly from all rows of the other groups."""
    moved, out = moved / within(moved, group), np.empty_like(scores)
    for name in np.unique(group):
        own = group == name
        others = moved[~own] - moved[~own].mean(0)
        gram = others.T @ others
        gram += 0.1 * np.trace(gram) / len(gram) * np.eye(len(gram))
        out[own] = (moved[own] - moved[~own].mean(0)) @ np.linalg.solve(
            gram, others.T @ scores[~own])
    return out


def predictions(moved, group, scores):
    """Yield the name of each predictor and what it predicts."""
    near = neighbors(moved, group, 30)
    for count in (5, 9, 15, 30):
        yield f"{count} neighbors", scores[near[:, :count]].mean(1)
    kept = neighbors(moved, group, 15, scaled=False)
    for count in (9, 15):
        yield f"{count} neighbors, units kept", scores[kept[:, :count]].mean(1)
    linear = ridge(moved, group, scores)
    yield "ridge", linear
    nearest = ranks(scores[near[:, :15]].mean(1), group)
    yield "15 neighbors + ridge", nearest + ranks(linear, group)


def scored(predicted, scores, group, cluster):
    """Return cells (features by groups), and influences of rows as in the library."""
    cells, influence = [], np.zeros(len(scores))
    predicted = ranks(np.round(predicted * 2**32), group)
    for name in np.unique(group):
        u, v = predicted[group == name], scores[group == name]
        r = (u * v).mean(0)
        cells.append(r)
        influence[group == name] = (u * v - r * (u * u + v * v) / 2).sum(1) / len(u)
    return np.array(cells).T, influence, cluster


class Transfer:
    """Score of one setting by one predictor, with what a comparison needs."""

    def __init__(self):
        self.cells, self.influence, self.cluster = [], 0, []

    def add(self, cells, influence, cluster):
        """Add the cells of a block."""
        self.cells.append(cells)
        self.influence = self.influence + influence
        self.cluster.append(cluster)

    def score(self):
        """Return the mean over all cells."""
        return float(np.mean(np.concatenate(self.cells)))

    def error_of_difference(self, other, group):
        """Return the variances of score differences that rows and features are due to."""
        cells = np.concatenate(self.cells) - np.concatenate(other.cells)
        cluster, influence = np.concatenate(self.cluster), self.influence - other.influence
        of_rows = sum(influence[group == name].var(ddof=1) * np.sum(group == name)
                      for name in np.unique(group)) / cells.size**2
        sums = np.array([np.sum(cells[cluster == one] - cells.mean()) for one in np.unique(cluster)])
        return of_rows, np.sum(sums**2) / cells.size**2 * len(sums) / max(len(sums) - 1, 1)


def task(moved, group, label):
    """Return the accuracy of the class told by the five nearest rows of other groups."""
    near = neighbors(moved, group, 5)
    told = np.array([np.bincount(label[row]).argmax() for row in near])
    return float(np.mean([np.mean(told[group == name] == label[group == name])
                          for name in np.unique(group)]))


def judged(rows, group, label, rungs, keep=None):
    """Return, by setting, its task and its transfers by predictor."""
    scores = ranks(rows, group)
    blocks, cluster = feature_blocks(scores)
    out, moved_rows = {}, {}
    for name, align in rungs:
        try:
            moved_rows[name] = [align(rows, group)] + [
                align(np.delete(rows, block, 1), group) for block in blocks]
        except subprocess.CalledProcessError as error:
            print(f"  {name}: {error.stderr.decode().strip().splitlines()[-1][:150]}", flush=True)
            continue
        transfers = {}
        for block, moved in zip(blocks, moved_rows[name][1:]):
            for predictor, predicted in predictions(moved, group, scores[:, block]):
                transfers.setdefault(predictor, Transfer()).add(
                    *scored(predicted, scores[:, block], group, cluster[block]))
        out[name] = (task(moved_rows[name][0], group, label), transfers)
    if keep:
        with open(keep, "wb") as file:
            pickle.dump((rows, group, label, blocks, cluster, moved_rows), file)
    return out


def chosen(found, predictor, group, errors):
    """Return the simplest setting within so many standard errors of the one that transfers best."""
    names = list(found)
    best = max(names, key=lambda name: found[name][1][predictor].score())
    for name in names:
        one, other = found[name][1][predictor], found[best][1][predictor]
        error = np.sqrt(sum(one.error_of_difference(other, group)))
        if name == best or other.score() - one.score() <= errors * error:
            return name
    return best


def print_set(name, found, group, rows):
    """Print task and transfer of every setting of one set."""
    taken = chosen(found, "15 neighbors", group, 1)
    print(f"| {name} ({rows.shape[0]} x {rows.shape[1]}, {len(np.unique(group))} groups) | " + " | ".join(
        f"{setting} {found[setting][0]:.3f} / {found[setting][1]['15 neighbors'].score():.3f}"
        for setting in found) + f" | {taken} |", flush=True)


def summarize(results):
    """Print how well each predictor orders the settings."""
    print("\n| predictor | rank correlation with the task, mean (median) | regret of the best "
          "| of the simplest within 1 standard error (largest) | within 2 (largest) |")
    print("|---|---|---|---|---|")
    for predictor in next(iter(results[0][1].values()))[1]:
        orders, regrets = [], [[], [], []]
        for _, found, group in results:
            tasks = np.array([one[0] for one in found.values()])
            transfer = [one[1][predictor].score() for one in found.values()]
            if tasks.std() > 0.004:
                orders.append(spearmanr(tasks, transfer)[0])
            for errors in range(3):
                regrets[errors].append(
                    tasks.max() - found[chosen(found, predictor, group, errors)][0])
        print(f"| {predictor} | {np.mean(orders):.2f} ({np.median(orders):.2f}) | "
              + " | ".join(f"{np.mean(one):.3f} ({np.max(one):.3f})" for one in regrets) + " |")
    for setting in results[0][1]:
        regret = [max(one[0] for one in found.values()) - found[setting][0]
                  for _, found, _ in results if setting in found]
        print(f"| always {setting} | | {np.mean(regret):.3f} ({np.max(regret):.3f}) | | |")


def main():
    """Run the study."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--command")
    parser.add_argument("--sets")
    parser.add_argument("--settings", default="inb20,default,kinds")
    parser.add_argument("--seeds", default="4:8")
    parser.add_argument("--rows", type=int, default=450)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    sets = [(f"{name} {seed}", lambda name=name, seed=seed: family(name, seed))
            for seed in range(*map(int, arguments.seeds.split(":"))) for name in FAMILIES]
    if arguments.data:
        sets = [one for one in labeled_sets(arguments.data)
                if not arguments.sets or one[0] in arguments.sets.split(";")]
    results = []
    for name, read in sets:
        rows, group, label = thinned(*read(), arguments.rows)
        keep = arguments.keep and arguments.keep / f"{name.replace(' ', '_')}.pkl"
        found = judged(rows, group, label, settings(arguments), keep)
        print_set(name, found, group, rows)
        results.append((name, found, group))
    summarize(results)


if __name__ == "__main__":
    main()
