"""Scores of integration, against slow computations by their definitions with numpy and sklearn."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import conflux
from conflux import metrics

pytest.importorskip("sklearn")
from scipy.sparse import csr_matrix  # noqa: E402
from scipy.sparse.csgraph import connected_components  # noqa: E402
from scipy.stats import chisquare  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.linear_model import LinearRegression  # noqa: E402
from sklearn.metrics import (  # noqa: E402
    adjusted_rand_score,
    normalized_mutual_info_score,
    silhouette_samples,
)
from sklearn.neighbors import NearestNeighbors  # noqa: E402

DATA = Path(os.environ.get("CONFLUX_DATA", Path(__file__).parents[3] / "shared/data"))


def made():
    """Return rows, batches and labels: unequal sizes, a label in one batch only, a tiny label."""
    random = np.random.default_rng(5)
    X, batches, labels = [], [], []
    for label, (place, counts) in enumerate(
        [(0.0, (90, 60, 40)), (4.0, (50, 70, 0)), (8.0, (80, 0, 0)), (1.5, (30, 25, 60)),
         (12.0, (3, 2, 1))]
    ):
        for batch, count in enumerate(counts):
            rows = random.normal(size=(count, 6))
            rows[:, 0] += place
            rows[:, 1] += 0.7 * batch
            X.append(rows)
            batches += [f"b{batch}"] * count
            labels += [f"type{label}"] * count
    return np.vstack(X), np.array(batches), np.array(labels)


def pbmcs():
    folder = DATA / "pbmcs_sparse"
    if not folder.exists():
        pytest.skip("the data are not here")
    pandas = pytest.importorskip("pandas")
    from scipy.io import mmread

    with gzip.open(folder / "matrix.mtx.gz") as file:
        genes = np.asarray(mmread(file).todense()).T
    meta = pandas.read_csv(folder / "meta.csv.gz")
    X = PCA(20, random_state=0).fit_transform(genes)
    return X, meta["donor"].to_numpy(), meta["cell_type"].to_numpy()


@pytest.fixture(params=[made, pbmcs], ids=["made", "pbmcs_sparse"], scope="module")
def table(request):
    X, batches, labels = request.param()
    after = conflux.NB().fit_transform(X, batches)
    return after, batches, labels, X, metrics.scib(after, batches, labels, X)


def nearest(X, count):
    """Return the nearest other rows of each row."""
    found = NearestNeighbors(n_neighbors=count + 1, algorithm="brute").fit(X)
    places = found.kneighbors(X, return_distance=False)
    return np.array([row[row != i][:count] for i, row in enumerate(places)])


def test_silhouettes_are_those_of_sklearn(table):
    X, batches, labels, _, found = table
    widths = silhouette_samples(X, labels)
    assert found["label_silhouette"] == pytest.approx((widths.mean() + 1) / 2, abs=1e-6)
    counts = {label: len(set(batches[labels == label])) for label in set(labels)}
    isolated = [label for label, count in counts.items() if count == min(counts.values())]
    expected = np.mean([(widths[labels == label].mean() + 1) / 2 for label in isolated])
    assert found["isolated_labels"] == pytest.approx(expected, abs=1e-6)
    means = []
    for label in set(labels):
        own = batches[labels == label]
        if 1 < len(set(own)) < len(own):
            means.append(np.mean(1 - np.abs(silhouette_samples(X[labels == label], own))))
    assert found["batch_silhouette"] == pytest.approx(np.mean(means), abs=1e-6)


def test_kbet_is_a_chi_square_test_of_neighbors(table):
    X, batches, labels, _, found = table
    scores = []
    for label in set(labels):
        rows, own = X[labels == label], batches[labels == label]
        names, sizes = np.unique(own, return_counts=True)
        if len(own) < 10 or len(names) < 2:
            continue
        count = min(70, max(10, int(sizes.mean() / 4)))
        near = np.column_stack([np.arange(len(rows)), nearest(rows, min(count, len(rows)) - 1)])
        accepted = [
            chisquare([(own[row] == name).sum() for name in names],
                      sizes / len(own) * near.shape[1]).pvalue >= 0.05
            for row in near
        ]
        scores.append(np.mean(accepted))
    assert found["kbet"] == pytest.approx(np.mean(scores), abs=5e-4)


def test_lisi_is_scaled(table):
    X, batches, labels, _, found = table
    kinds = len(set(batches))
    mixing = np.median(metrics.lisi(X, batches))
    assert found["ilisi_scaled"] == pytest.approx((mixing - 1) / (kinds - 1), abs=1e-9)
    kinds = len(set(labels))
    purity = np.median(metrics.lisi(X, labels))
    assert found["clisi_scaled"] == pytest.approx((kinds - purity) / (kinds - 1), abs=1e-9)


def test_connectivity_and_regression_are_those_of_scipy_and_sklearn(table):
    X, batches, labels, raw, found = table
    near = nearest(X, 14)
    ends = (np.repeat(np.arange(len(X)), 14), near.ravel())
    graph = csr_matrix((np.ones(near.size), ends), shape=(len(X), len(X)))
    parts = []
    for label in set(labels):
        rows = np.flatnonzero(labels == label)
        _, component = connected_components(graph[rows][:, rows], directed=False)
        parts.append(np.bincount(component).max() / len(rows))
    assert found["graph_connectivity"] == pytest.approx(np.mean(parts), abs=1e-9)

    def explained(rows):
        pca = PCA().fit(rows)
        scores = pca.transform(rows)
        one_hot = (batches[:, None] == np.unique(batches)[1:]).astype(float)
        r2 = [LinearRegression().fit(one_hot, s).score(one_hot, s) for s in scores.T]
        return np.average(r2, weights=pca.explained_variance_)

    expected = max(0, (explained(raw) - explained(X)) / explained(raw))
    assert found["pc_regression"] == pytest.approx(expected, abs=1e-6)


# Louvain has no single answer: the clusters must have the modularity of another program's, and the
# figures must be those of sklearn for them.
def test_clusters_agree_with_labels_as_sklearn_says(table):
    X, batches, labels, raw, found = table
    all_ = metrics._scores(X, batches, labels, raw, None)
    clusters, resolution = all_["clusters"], all_["resolution"]
    assert found["nmi"] == pytest.approx(normalized_mutual_info_score(labels, clusters), abs=1e-9)
    assert found["ari"] == pytest.approx(adjusted_rand_score(labels, clusters), abs=1e-9)
    igraph = pytest.importorskip("igraph")
    weights = np.zeros((len(X), len(X)))
    weights[np.repeat(np.arange(len(X)), 14), nearest(X, 14).ravel()] = 1
    weights += weights.T

    def modularity(parts):
        same = np.equal.outer(parts, parts)
        degrees = weights.sum(axis=0)
        expected = resolution * np.outer(degrees, degrees) / weights.sum()
        return (weights - expected)[same].sum() / weights.sum()

    starts, ends = np.nonzero(np.triu(weights))
    graph = igraph.Graph(len(X), np.column_stack([starts, ends]).tolist())
    theirs = graph.community_multilevel(weights[starts, ends].tolist(), resolution=resolution)
    assert modularity(clusters) > modularity(np.array(theirs.membership)) - 0.01


def test_means_are_those_of_luecken_et_al(table):
    found = table[-1]
    batch = ["ilisi_scaled", "kbet", "batch_silhouette", "graph_connectivity", "pc_regression"]
    label = ["label_silhouette", "isolated_labels", "clisi_scaled", "nmi", "ari"]
    correction = np.mean([found[name] for name in batch])
    conservation = np.mean([found[name] for name in label])
    assert found["total"] == pytest.approx(0.4 * correction + 0.6 * conservation, abs=1e-12)


def test_rows_without_labels_are_left_out_and_absent_scores_are_none():
    X, batches, labels = made()
    some = labels.astype(object)
    some[::3] = None
    kept = np.array([label is not None for label in some])
    assert metrics.scib(X, batches, some) == metrics.scib(X[kept], batches[kept], labels[kept])
    single = metrics.scib(X, batches, np.repeat("all", len(X)))
    assert single["pc_regression"] is None and single["nmi"] is None
    assert single["total"] is None and single["kbet"] is not None
    with pytest.raises(ValueError, match="at least 91"):
        metrics.scib(X[:50], batches[:50], labels[:50])
    with pytest.raises(ValueError, match="one batch"):
        metrics.scib(X, np.repeat("b", len(X)), labels)
    assert metrics.scib(X, batches, labels, n_jobs=1) == metrics.scib(X, batches, labels, n_jobs=2)
