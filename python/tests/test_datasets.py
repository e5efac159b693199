"""Data sets have the shapes and laws that they promise."""

import numpy as np
import pytest

import conflux
from conflux import datasets
from conftest import ROOT


@pytest.mark.parametrize(
    "make, groups",
    [
        (datasets.make_moons, 2),
        (datasets.make_circles, 2),
        (datasets.make_random_pattern, 2),
        (datasets.make_gaussians, 3),
        (lambda n, **k: datasets.make_gaussian_groups(4, 2, n, **k), 4),
        (datasets.make_weather, 2),
    ],
)
def test_sets_depend_on_their_seed_alone(make, groups):
    X, labels = make(30)
    assert len(X) == len(labels) == 30 * groups
    assert np.unique(labels, return_counts=True)[1].tolist() == [30] * groups
    np.testing.assert_array_equal(X, make(30)[0])
    assert (X != make(30, random_state=1)[0]).any()


# The command's moons are these moons, bit by bit.
def test_moons_of_python_are_those_of_the_library():
    X, groups = datasets.make_moons(200, noise=0.0)
    np.testing.assert_allclose((X[groups == 0] ** 2).sum(axis=1), 1)
    np.testing.assert_allclose(((X[groups == 1] - [1, 0.5]) ** 2).sum(axis=1), 1)


def test_options_out_of_range_are_refused_by_the_engine():
    with pytest.raises(ValueError, match="samples"):
        datasets.make_moons(0)
    with pytest.raises(ValueError, match="factor"):
        datasets.make_circles(10, factor=2)
    with pytest.raises(ValueError, match="groups"):
        datasets.make_random_pattern(10, n_groups=3)


def test_digits_are_those_of_the_repository():
    X, groups = datasets.load_digits()
    first = (ROOT / "examples" / "digits.csv").read_text().splitlines()[1].split(",")
    assert X[0].tolist() == [float(cell) for cell in first[:-1]] and groups[0] == int(first[-1])
    assert X.min() == 0 and X.max() == 16


# Made to be separable by more than one feature at a time: marginals are not the whole story.
def test_weather_needs_more_than_one_map_per_variable():
    X, model = datasets.make_weather(800)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    distance = conflux.metrics.energy_distance
    left = {}
    for name, aligner in {"nb": conflux.NB(target=1), "inb": conflux.INB(target=1)}.items():
        Z = aligner.fit_transform(scaled, model)
        left[name] = distance(Z[model == 0], Z[model == 1])
    assert left["inb"] < 0.5 * left["nb"]
