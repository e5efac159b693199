"""Metrics against other ways to compute them."""

import itertools

import numpy as np
import pytest

from conflux import INB, datasets, metrics

random = np.random.default_rng(0)
A = random.normal(size=(7, 3))
B = random.normal(size=(7, 3)) * 2 + 1


def costs(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(axis=2)


def test_exact_distance_is_that_of_the_best_assignment():
    cost = costs(A, B)
    best = min(
        cost[np.arange(7), list(order)].mean() for order in itertools.permutations(range(7))
    )
    assert metrics.w2_exact(A, B) == pytest.approx(best, rel=1e-12)


def test_weights_of_the_exact_distance_are_copies_of_points():
    masses = np.array([2.0, 1, 1, 1, 1, 1, 1])
    weighted = metrics.w2_exact(A, B, masses, masses)
    twice = [0, 0, 1, 2, 3, 4, 5, 6]
    assert weighted == pytest.approx(metrics.w2_exact(A[twice], B[twice]), rel=1e-9)
    with pytest.raises(ValueError, match="weights of both"):
        metrics.w2_exact(A, B, masses)


def test_energy_distance_is_the_mean_over_all_pairs():
    def mean(a, b):
        return np.sqrt(costs(a, b)).mean()

    expected = 2 * mean(A, B) - mean(A, A) - mean(B, B)
    assert metrics.energy_distance(A, B) == pytest.approx(expected, rel=1e-12)


# On one axis sorting is optimal.
def test_sliced_distances_of_one_feature_are_those_of_sorted_values():
    a, b = A[:, :1], B[:, :1]
    expected = ((np.sort(a, axis=0) - np.sort(b, axis=0)) ** 2).mean()
    assert metrics.sliced_w2(a, b) == pytest.approx(expected)
    assert metrics.w2_exact(a, b) == pytest.approx(expected)
    assert metrics.max_sliced_w2(a, b)[0] == pytest.approx(expected)


def test_the_largest_shadow_is_larger_than_the_mean_one():
    value, direction = metrics.max_sliced_w2(A, B)
    assert np.linalg.norm(direction) == pytest.approx(1)
    assert metrics.sliced_w2(A, B) < value < metrics.w2_exact(A, B)
    along = metrics.sliced_w2((A @ direction)[:, None], (B @ direction)[:, None])
    assert along == pytest.approx(value, rel=1e-6)


def test_sinkhorn_lies_between_the_means_and_the_exact_distance():
    exact = metrics.w2_exact(A, B)
    means = ((A.mean(axis=0) - B.mean(axis=0)) ** 2).sum()
    same = metrics.sinkhorn_divergence(A, A, max_iterations=100000)
    assert same == pytest.approx(0, abs=1e-5)
    assert metrics.sinkhorn_divergence(A, B, epsilon=1e4) == pytest.approx(means, rel=1e-2)
    sharp = metrics.sinkhorn_divergence(A, B, epsilon=0.05, max_iterations=100000)
    assert sharp == pytest.approx(exact, rel=0.02)
    with pytest.warns(UserWarning, match="not converged"):
        metrics.sinkhorn_divergence(A, B, epsilon=1e-3, max_iterations=3)


def test_paper_wd_has_its_options():
    whole = metrics.paper_wd(A, B)
    assert whole == pytest.approx(metrics.paper_wd(A, B, scalar="double"), rel=1e-2)
    assert metrics.paper_wd(A, B, block=3) != whole
    with pytest.raises(ValueError, match="scalar"):
        metrics.paper_wd(A, B, scalar="half")


def test_frechet_distance_of_two_normal_laws():
    expected = (A.mean(axis=0) - (A + 2).mean(axis=0)) ** 2
    assert metrics.frechet_distance(A, A + 2) == pytest.approx(expected.sum())
    a, b = A[:, :1], B[:, :1]
    expected = (a.mean() - b.mean()) ** 2 + (a.std(ddof=1) - b.std(ddof=1)) ** 2
    assert metrics.frechet_distance(a, b) == pytest.approx(expected)


def test_kernel_distance_is_the_mean_over_pairs_of_different_rows():
    def mean(a, b, same):
        values = (a @ b.T / a.shape[1] + 1) ** 3
        if same:
            return (values.sum() - np.trace(values)) / (len(a) * (len(a) - 1))
        return values.mean()

    expected = mean(A, A, True) + mean(B, B, True) - 2 * mean(A, B, False)
    assert metrics.kernel_distance(A, B) == pytest.approx(expected)


def test_lisi_counts_the_labels_around_a_row():
    X = random.normal(size=(300, 2))
    apart = np.repeat([0.0, 100.0, 200.0], 100)
    kinds = np.repeat(["x", "y", "z"], 100)
    np.testing.assert_allclose(metrics.lisi(X + apart[:, None], kinds), 1)
    mixed = metrics.lisi(X, kinds)
    assert 2.3 < mixed.mean() < 3 and mixed.shape == (300,)
    with pytest.raises(ValueError, match="perplexity"):
        metrics.lisi(X[:20], kinds[:20])


def test_neighbors_kept_is_what_a_slow_loop_counts():
    X, Z = random.normal(size=(120, 4)), random.normal(size=(120, 4))
    moved = X + 0.5 * Z

    def nearest(rows):
        distances = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        return [set(row) for row in np.argsort(distances, axis=1)[:, :15]]

    expected = np.mean([len(a & b) / 15 for a, b in zip(nearest(X), nearest(moved))])
    assert metrics.neighbors_kept(X, moved) == pytest.approx(expected)
    assert metrics.neighbors_kept(X, 3 * X + 1) == 1
    assert metrics.neighbors_kept(X, Z, count=5) < 0.2
    with pytest.raises(ValueError, match="count"):
        metrics.neighbors_kept(X, moved, count=0)
    with pytest.raises(ValueError, match="rows"):
        metrics.neighbors_kept(X, moved[:50])


# The fixture of the metric's authors.
def test_lisi_is_that_of_its_authors(shared_data):
    folder = shared_data / "pbmc3500"
    X = np.loadtxt(folder / "lisi_x.tsv.gz", skiprows=1)
    labels = np.loadtxt(folder / "lisi_metadata.tsv.gz", skiprows=1, dtype=str)
    expected = np.loadtxt(folder / "lisi_lisi.tsv.gz", skiprows=1)[:, -2:]  # after row numbers
    for column in (0, 1):
        found = metrics.lisi(X, labels[:, labels.shape[1] - 2 + column])
        np.testing.assert_allclose(found, expected[:, column], rtol=1e-10)


def test_transport_cost_is_the_mean_squared_move():
    moves = ((A - B) ** 2).sum(axis=1)
    assert metrics.transport_cost(A, B) == pytest.approx(moves.mean())
    masses = np.arange(7.0)
    assert metrics.transport_cost(A, B, masses) == pytest.approx((masses * moves).sum() / 21)
    with pytest.raises(ValueError):
        metrics.transport_cost(A, B[:5])


def test_round_trip_error_is_in_standard_deviations_of_the_feature():
    returned = A.copy()
    returned[3, 0] += 0.5
    assert metrics.round_trip_error(A, returned) == pytest.approx(0.5 / A[:, 0].std())


def test_pairs_are_averaged_over_both_orders():
    X = np.vstack([A, B, A + 3])
    groups = np.repeat(["a", "b", "c"], 7)
    found = metrics.pairwise(metrics.w2_exact, X, groups)
    assert found.groups.tolist() == ["a", "b", "c"]
    assert found.values[0, 2] == pytest.approx(27)
    np.testing.assert_allclose(found.values, found.values.T)
    off = ~np.eye(3, dtype=bool)
    assert found.mean == pytest.approx(found.values[off].mean())
    longest = metrics.pairwise(metrics.max_sliced_w2, X, groups)
    assert longest.values[0, 1] == metrics.max_sliced_w2(A, B)[0]
    with pytest.raises(ValueError, match="at least two"):
        metrics.pairwise(metrics.w2_exact, A, ["a"] * 7)


@pytest.mark.parametrize(
    "metric",
    [metrics.w2_exact, metrics.paper_wd, metrics.sinkhorn_divergence, metrics.sliced_w2,
     metrics.max_sliced_w2, metrics.energy_distance, metrics.transport_cost],
)
def test_clouds_that_cannot_be_compared_are_refused(metric):
    with pytest.raises(ValueError):
        metric(A, B[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        metric(A, np.where(np.eye(7, 3), np.nan, B))
    with pytest.raises(ValueError, match="0 sample"):
        metric(A[:0], B)


# Clouds in other memory are the same clouds.
@pytest.mark.parametrize("metric", [metrics.w2_exact, metrics.sliced_w2, metrics.energy_distance])
def test_the_layout_of_a_cloud_does_not_matter(metric):
    single = B.astype(np.float32)
    expected = metric(A, single.astype(np.float64))
    assert metric(np.asfortranarray(A), single) == expected
    assert metric(np.repeat(A, 2, axis=0)[::2], np.asfortranarray(single)) == expected


# From X by Z to the other Z and back to X is no shorter than straight.
def test_an_alignment_gains_no_more_than_it_costs():
    X, groups = datasets.make_moons(200)
    Z = INB(layers=10, strength=0.5).fit_transform(X, groups)
    before, after = (
        np.sqrt(metrics.pairwise(metrics.w2_exact, rows, groups).mean) for rows in (X, Z)
    )
    assert after < 0.3 * before
    moves = [metrics.transport_cost(X[groups == m], Z[groups == m]) for m in (0, 1)]
    assert np.sqrt(moves).sum() >= before - after
    assert metrics.transport_cost(X, Z) == pytest.approx(np.mean(moves))
