"""What labels of some rows do for the matching of clusters, judged on rows that no fit has seen.

    /usr/bin/python3 studies/label_study.py CONFLUX [--seeds 11,12,13] [--digits DATA]

CONFLUX is the command. Every family is drawn once for each seed; a fit on one half of the rows knows
the labels of no row, of 5 % of the rows, of all rows of the first group, or of all rows, and the
other half is judged with all labels: the share of rows whose nearest row of another group has the
same label (transfer), iLISI and cLISI, means over the seeds. DATA is a folder that holds
mnist_usps; with it, the digits of one source are predicted from their nearest neighbor in the other,
on 60 principal components, without labels, with those of one source, and with 5 % of both. Seeds 1
and 2 were looked at while the rules were made, 11 to 13 were not. --families and --known choose some.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import pandas as pd

DIM = 12


def frame_of(random, count, apart):
    """Points `apart` from each other."""
    columns, _ = np.linalg.qr(random.normal(size=(DIM, count)))
    return apart / np.sqrt(2) * columns.T


def swapped(random):
    """Types in a row, and a shift that takes each to where another group has the next."""
    step = frame_of(random, 2, 10)[0]
    for group, parts in enumerate([[.4, .3, .2, .1], [.1, .2, .3, .4]]):
        types = random.choice(4, 900, p=parts)
        yield random.normal(size=(900, DIM)) + (types[:, None] + group) * step, types


def moved_by_type(random):
    """Every type has a shift of its own in every group, as far as types are apart."""
    points = frame_of(random, 5, 10)
    for group, parts in enumerate(random.dirichlet(np.ones(5), 3)):
        shifts = 8 * random.normal(size=(5, DIM)) / np.sqrt(DIM)
        types = random.choice(5, 900, p=.5 * parts + .1)
        yield random.normal(size=(900, DIM)) + points[types] + group * shifts[types], types


def touching(random):
    """Types that lie three deviations apart, in opposite shares, and a shift."""
    points = frame_of(random, 6, 3)
    parts = np.array([.35, .3, .15, .1, .05, .05])
    for group, share in enumerate([parts, parts[::-1]]):
        types = random.choice(6, 900, p=share)
        shift = 3 * random.normal(size=DIM) / np.sqrt(DIM)
        yield random.normal(size=(900, DIM)) + points[types] + group * shift, types


def disjoint(random):
    """Groups that share one type of three each, and are shifted towards what they do not share."""
    points = frame_of(random, 5, 10)
    for group, held in enumerate([[0, 1, 2], [2, 3, 4]]):
        types = random.choice(held, 900)
        rows = random.normal(size=(900, DIM)) + points[types]
        yield rows + group * .7 * (points[0] - points[2]), types


def turned(random):
    """Groups are turned and stretched instead of shifted."""
    points = frame_of(random, 5, 10)
    for group, parts in enumerate(random.dirichlet(np.ones(5), 3)):
        turn = group * random.normal(size=(DIM, DIM)) * .15
        turn = np.linalg.qr(np.eye(DIM) + turn - turn.T)[0]
        types = random.choice(5, 900, p=.5 * parts + .1)
        rows = random.normal(size=(900, DIM)) + points[types]
        yield rows @ turn * np.exp(.3 * random.normal(size=DIM)), types


def bent(random):
    """Types are arcs around each other, not balls, and the second group is moved along them."""
    for group, parts in enumerate([[.6, .3, .1], [.1, .3, .6]]):
        types = random.choice(3, 900, p=parts)
        angle = np.pi * random.random(900) + .5 * group
        rows = random.normal(size=(900, DIM))
        rows[:, 0] += (6 + 6 * types) * np.cos(angle)
        rows[:, 1] += (6 + 6 * types) * np.sin(angle)
        rows[:, 2] += 4 * group
        yield rows, types


def many_groups(random):
    """Ten small groups with two or three of six types each, and shifts of half their distance."""
    points = frame_of(random, 6, 8)
    for group in range(10):
        types = random.choice(random.choice(6, 3, replace=False), 240)
        shift = 6 * random.normal(size=DIM) / np.sqrt(DIM)
        yield random.normal(size=(240, DIM)) + points[types] + shift, types


def alike(random):
    """Labels that rows do not show: every label lies everywhere."""
    points = frame_of(random, 3, 10)
    for group, parts in enumerate([[.6, .3, .1], [.2, .3, .5]]):
        clusters = random.choice(3, 900, p=parts)
        shift = 2 * random.normal(size=DIM) / np.sqrt(DIM)
        yield random.normal(size=(900, DIM)) + points[clusters] + group * shift, random.choice(2, 900)


FAMILIES = [swapped, moved_by_type, touching, disjoint, turned, bent, many_groups, alike]
KNOWN = ["none", "5 %", "one group", "all"]


def table_of(family, seed):
    tables = []
    for group, (rows, types) in enumerate(family(np.random.default_rng(seed))):
        table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])
        table["group"], table["truth"] = f"g{group}", [f"t{each}" for each in types]
        tables.append(table)
    return pd.concat(tables).sample(frac=1, random_state=seed)


def labels_known(table, known, seed):
    random = np.random.default_rng([seed, 7])
    if known == "none":
        return pd.Series("", index=table.index)
    if known == "5 %":
        return table.truth.where(random.random(len(table)) < .05, "")
    if known == "one group":
        return table.truth.where(table.group == "g0", "")
    return table.truth


def run(command, folder, *words):
    done = subprocess.run([command, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def fit(command, folder, table, known, *words):
    table.to_csv(folder / "fitted.csv", index=False)
    labels = (["--drop", "truth,known", "--gate", "clusters"] if known == "none" else
              ["--drop", "truth", "--label", "known"])
    run(command, folder, "fit", "fitted.csv", "--group", "group", *labels, *words, "-q", "--force",
        "-o", "m.conflux")


def judged(command, folder, table, seed, known):
    half = len(table) // 2
    fitted, unseen = table[:half].copy(), table[half:]
    fitted["known"] = labels_known(fitted, known, seed)
    fit(command, folder, fitted, known)
    unseen.to_csv(folder / "unseen.csv", index=False)
    found = json.loads(run(command, folder, "evaluate", "m.conflux", "unseen.csv", "--label", "truth",
                           "--metrics", "ilisi,clisi", "--max-rows", "100000", "--json"))
    transfer = found["judgement"]["label_transfer"]
    metrics = found["metrics"]
    return [100 * transfer["before"], 100 * transfer["after"], metrics["ilisi"]["before"],
            metrics["ilisi"]["after"], metrics["clisi"]["before"], metrics["clisi"]["after"]]


def show_families(command, seeds, names, knowns):
    print("| family | labels | transfer | iLISI | cLISI |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for family in FAMILIES:
            if names and family.__name__ not in names:
                continue
            for known in knowns:
                found = [judged(command, pathlib.Path(name), table_of(family, seed), seed, known)
                         for seed in seeds]
                each = " / ".join(f"{values[1]:.1f}" for values in found)
                m = np.mean(found, axis=0)
                print(f"| {family.__name__.replace('_', ' ')} | {known} | {m[0]:.1f} -> {m[1]:.1f} "
                      f"({each}) | {m[2]:.2f} -> {m[3]:.2f} | {m[4]:.3f} -> {m[5]:.3f} |", flush=True)


def nearest_accuracy(source, source_labels, target, target_labels):
    squared = (source ** 2).sum(1) - 2 * target @ source.T
    return 100 * np.mean(source_labels[squared.argmin(1)] == target_labels)


def digits(data):
    with np.load(data / "mnist_usps" / "mnist_usps.npz") as file:
        rows = np.vstack([file["X_mnist"], file["X_usps"]]).astype(float)
        truth = np.concatenate([file["y_mnist"], file["y_usps"]]).astype(int) % 10
        group = np.repeat(["mnist", "usps"], [len(file["X_mnist"]), len(file["X_usps"])])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    left, sizes, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    table = pd.DataFrame(left[:, :60] * sizes[:60], columns=[f"PC{j}" for j in range(60)])
    table["group"], table["truth"] = group, [f"d{each}" for each in truth]
    return table


def both_ways(table):
    features = [name for name in table if name.startswith("PC")]
    rows, truth = table[features].to_numpy(), table.truth.to_numpy()
    a, b = (table.group == "mnist").to_numpy(), (table.group == "usps").to_numpy()
    return (nearest_accuracy(rows[a], truth[a], rows[b], truth[b]),
            nearest_accuracy(rows[b], truth[b], rows[a], truth[a]))


def show_digits(command, data):
    print("\n| labels | MNIST -> USPS | USPS -> MNIST |\n|---|---|---|")
    table = digits(data)
    before = both_ways(table)
    print(f"| rows as they are | {before[0]:.1f} | {before[1]:.1f} |", flush=True)
    random = np.random.default_rng(0)
    few = random.random(len(table)) < .05
    cases = {"none": np.zeros(len(table), bool), "of MNIST": table.group == "mnist",
             "of USPS": table.group == "usps", "5 % of both": few}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, known in cases.items():
            fitted = table.copy()
            fitted["known"] = fitted.truth.where(known, "")
            fit(command, folder, fitted, title, "--scale", "none")
            run(command, folder, "transform", "m.conflux", "fitted.csv", "-o", "moved.csv", "--force",
                "-q")
            after = both_ways(pd.read_csv(folder / "moved.csv"))
            print(f"| {title} | {after[0]:.1f} | {after[1]:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--seeds", default="11,12,13")
    parser.add_argument("--families", default="")
    parser.add_argument("--known", default=",".join(KNOWN))
    parser.add_argument("--digits", type=pathlib.Path)
    given = parser.parse_args()
    command = pathlib.Path(given.command).resolve()
    if given.seeds:
        show_families(command, [int(each) for each in given.seeds.split(",")],
                      [each for each in given.families.split(",") if each], given.known.split(","))
    if given.digits:
        show_digits(command, given.digits)


if __name__ == "__main__":
    main()
