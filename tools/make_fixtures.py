#!/usr/bin/env python3
"""Makes the shipped data again: tests/golden/{moons,circles,pattern,pattern4}_*.csv, examples/digits.csv.

Needs numpy and scikit-learn (made with 1.24 and 1.2). The two-dimensional sets follow the paper on
iterative barycenter flows: 3000 points and a split into 2000 and 1000 from one RandomState(0), then
each group cut to the size of the smallest, in train and test separately.

Only the moons are stated in full there. For circles and pattern this script checks the prediction
against the reported distances along the first two directions (max-K-SW with K = 2 on the training
rows). Of the seeds 0 to 599, pattern seed 0 comes nearest (1.5505, 1.2417; the runner-up is 237
with 1.54, 1.24). For circles the objective is flat: every angle is within 0.1 % of the best; the
reported pair belongs to the angle 0.2560, where seed 0, noise 0.1 and factor 0.5 give both figures.
"""

import pathlib

import numpy as np
from sklearn.datasets import load_digits, make_circles, make_classification, make_moons
from sklearn.model_selection import train_test_split

ROOT = pathlib.Path(__file__).resolve().parent.parent


def moons(rng):
    return make_moons(3000, noise=0.1, random_state=rng)


def circles(rng):
    return make_circles(3000, noise=0.1, factor=0.5, random_state=rng)


def pattern(rng):
    return make_classification(3000, n_features=2, n_redundant=0, random_state=rng)


# Generator, reported distances along the two directions, angle of the frame (None: search for it).
SETS = {
    "moons": (moons, (1.2953, 0.3305), None),
    "circles": (circles, (0.3560, 0.3437), 0.2560),
    "pattern": (pattern, (1.5505, 1.2418), None),
}


def equal_groups(x, y):
    size = np.bincount(y).min()
    return [x[y == m][:size] for m in range(y.max() + 1)]


def squared_distance(a, b, angle):
    """Squared 2-Wasserstein distance of two samples of equal size along one direction."""
    direction = np.array([np.cos(angle), np.sin(angle)])
    return np.mean((np.sort(a @ direction) - np.sort(b @ direction)) ** 2)


def frame_distances(a, b, angle):
    pair = [squared_distance(a, b, angle), squared_distance(a, b, angle + np.pi / 2)]
    return np.sqrt(sorted(pair, reverse=True))


def best_angle(a, b):
    """The frame (angle, angle + 90 degrees) whose squared distances have the largest sum."""
    angles = np.linspace(0, np.pi / 2, 4500, endpoint=False)
    return max(angles, key=lambda angle: np.sum(frame_distances(a, b, angle) ** 2))


def write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    print(f"{path.relative_to(ROOT)}: {len(rows)} rows, {path.stat().st_size} bytes")


def write_points(path, groups):
    write(path, "x,y,group", [f"{x:.10g},{y:.10g},{m}" for m, g in enumerate(groups) for x, y in g])


def make_two_dimensional(name, generate, reported, angle):
    rng = np.random.RandomState(0)
    x_train, x_test, y_train, y_test = train_test_split(
        *generate(rng), train_size=2000, random_state=rng
    )
    train, test = equal_groups(x_train, y_train), equal_groups(x_test, y_test)
    best = best_angle(*train)
    at = best if angle is None else angle
    found = frame_distances(*train, at)
    print(
        f"{name}: {found[0]:.4f}, {found[1]:.4f} at angle {at:.4f} (reported {reported});"
        f" the best angle is {best:.4f} with {frame_distances(*train, best).round(4)}"
    )
    assert np.abs(found - reported).max() < 5e-4, name
    write_points(ROOT / f"tests/golden/{name}_train.csv", train)
    write_points(ROOT / f"tests/golden/{name}_test.csv", test)


def make_pattern4():
    """As stated in full: two patterns of their own seeds, shifted apart."""
    first, second = np.random.RandomState(0), np.random.RandomState(3)
    x0, y0 = make_classification(2000, n_features=2, n_redundant=0, random_state=first)
    x1, y1 = make_classification(2000, n_features=2, n_redundant=0, random_state=second)
    x_train, x_test, y_train, y_test = train_test_split(
        np.concatenate([x0 - 2, x1 + 2]), np.concatenate([y0, y1 + 2]), train_size=2 / 3,
        random_state=second
    )
    write_points(ROOT / "tests/golden/pattern4_train.csv", equal_groups(x_train, y_train))
    write_points(ROOT / "tests/golden/pattern4_test.csv", equal_groups(x_test, y_test))


def make_digits():
    digits = load_digits()
    header = ",".join([f"p{i}{j}" for i in range(8) for j in range(8)] + ["group"])
    rows = [",".join(f"{v:.0f}" for v in (*x, y)) for x, y in zip(digits.data, digits.target)]
    write(ROOT / "examples/digits.csv", header, rows)


if __name__ == "__main__":
    for name, settings in SETS.items():
        make_two_dimensional(name, *settings)
    make_pattern4()
    make_digits()
