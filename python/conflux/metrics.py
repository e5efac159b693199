"""How alike clouds of points are.

Every function judges rows and knows nothing of models. Distances are squared, as in the engine.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._arrays import as_masses, as_samples, threads_of
from ._distances import (
    energy_distance,
    frechet_distance,
    kernel_distance,
    max_sliced_w2,
    paper_wd,
    sinkhorn_divergence,
    sliced_w2,
    w2_exact,
)

__all__ = [
    "Pairwise",
    "energy_distance",
    "frechet_distance",
    "kernel_distance",
    "lisi",
    "max_sliced_w2",
    "neighbors_kept",
    "pairwise",
    "paper_wd",
    "round_trip_error",
    "scib",
    "sinkhorn_divergence",
    "sliced_w2",
    "transport_cost",
    "w2_exact",
]


class Pairwise(NamedTuple):
    """A metric between every two groups."""

    values: npt.NDArray[np.float64]
    """Entry (m, k) is metric(group m, group k); the diagonal is 0 and was not measured."""
    mean: float
    """Over all ordered pairs of different groups."""
    groups: npt.NDArray[Any]
    """Labels of rows and columns."""


def lisi(
    X: npt.ArrayLike, labels: Any, *, perplexity: int = 30, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return how many labels live around each row: the Local Inverse Simpson Index.

    With groups as labels (iLISI) it says how well they mix, with classes (cLISI) how well they keep
    apart. Groups of unequal sizes mix perfectly below their number: compare with shuffled labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, at least three times as many as the perplexity.
    labels : array-like of shape (n_samples,)
        Their kinds.
    perplexity : int
        Effective number of neighbors.
    n_jobs : int, optional
        Threads; None uses every core.

    Returns
    -------
    ndarray of shape (n_samples,)
        From 1 (one kind only) to the number of kinds.

    Examples
    --------
    >>> from conflux import NB, datasets, metrics
    >>> X, donors, _ = datasets.make_cells(300)
    >>> before = metrics.lisi(X, donors).mean()
    >>> bool(before < metrics.lisi(NB().fit_transform(X, donors), donors).mean())
    True
    """
    rows = as_samples(X)
    _, _, codes = _labels.encode(labels, len(rows))
    return _core.lisi(rows, codes, perplexity, threads_of(n_jobs))


def scib(
    X: npt.ArrayLike,
    batches: Any,
    labels: Any,
    before: npt.ArrayLike | None = None,
    *,
    n_jobs: int | None = None,
) -> dict[str, float | None]:
    """Return the scores by which integrations of single-cell data are compared (scIB).

    Every score is in [0, 1] and 1 is best; ``total`` is 0.4 ``batch_correction`` (mean of
    ilisi_scaled, kbet, batch_silhouette, graph_connectivity, pc_regression) + 0.6
    ``label_conservation`` (mean of label_silhouette, isolated_labels, clisi_scaled, nmi, ari), as in
    Luecken et al., Nature Methods 19, 2022. Scores are not scaled between methods, and kbet is that
    of the nearest cells, without diffusion. None: the table does not have it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The embedding; 91 labeled rows or more. 100,000 rows take about a minute.
    batches, labels : array-like of shape (n_samples,)
        Batch and cell type of each row; rows without label (None, NaN) are left out.
    before : array-like of shape (n_samples, n_features), optional
        The embedding before the integration, for pc_regression.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import NB, datasets, metrics
    >>> X, donors, kinds = datasets.make_cells(300)
    >>> raw = metrics.scib(X, donors, kinds, X)
    >>> aligned = metrics.scib(NB().fit_transform(X, donors), donors, kinds, X)
    >>> aligned["batch_correction"] > raw["batch_correction"]
    True
    """
    found = _scores(X, batches, labels, before, n_jobs)
    return {name: score for name, score in found.items() if name not in ("clusters", "resolution")}


def _scores(
    X: npt.ArrayLike, batches: Any, labels: Any, before: npt.ArrayLike | None, n_jobs: int | None
) -> dict[str, Any]:
    """Return the scores, the clusters of the labeled rows and their resolution."""
    rows = as_samples(X)
    old = None if before is None else as_samples(before, "before")
    _, batch_codes = _labels.encode_labels(batches, len(rows))
    _, label_codes = _labels.encode_labels(labels, len(rows))
    known = (batch_codes >= 0) & (label_codes >= 0)
    if not known.all():
        rows, batch_codes, label_codes = rows[known], batch_codes[known], label_codes[known]
        old = None if old is None else old[known]
    return _core.integration_scores(rows, batch_codes, label_codes, old, threads_of(n_jobs))


def neighbors_kept(
    before: npt.ArrayLike, after: npt.ArrayLike, *, count: int = 15, n_jobs: int | None = None
) -> float:
    """Return how many of a row's nearest rows are still its nearest after a move.

    Look at each group by itself: an alignment that tears a group apart to make it look like the
    others lowers it.

    Parameters
    ----------
    before, after : array-like of shape (n_samples, n_features)
        Rows of one group, and where they went.
    count : int
        Neighbors of a row; of few rows, half of them.
    n_jobs : int, optional
        Threads; None uses every core.

    Returns
    -------
    float
        Mean over rows of the fraction that is kept: 1 if all are, count / (n_samples - 1) if rows
        were shuffled.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.neighbors_kept([[0.0], [1.0], [5.0], [7.0]], [[0.0], [10.0], [50.0], [70.0]])
    1.0
    """
    return _core.neighbors_kept(
        as_samples(before, "before"), as_samples(after, "after"), count, threads_of(n_jobs)
    )


def transport_cost(
    from_: npt.ArrayLike,
    to: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    *,
    n_jobs: int | None = None,
) -> float:
    """Return the mean squared length of the moves from row i of one cloud to row i of the other.

    Parameters
    ----------
    from_, to : array-like of shape (n_samples, n_features)
        Rows before and after.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.transport_cost([[0.0], [1.0]], [[2.0], [1.0]])
    2.0
    """
    a = as_samples(from_, "from_")
    return _core.transport_cost(
        a, as_samples(to, "to"), as_masses(sample_weight, len(a)), threads_of(n_jobs)
    )


def round_trip_error(original: npt.ArrayLike, returned: npt.ArrayLike) -> float:
    """Return the largest difference between a value and what came back of it.

    In standard deviations of its feature over the rows; of a constant feature, relative to it.

    Parameters
    ----------
    original, returned : array-like of shape (n_samples, n_features)
        Rows before they went through a map, and after they came back.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.round_trip_error([[2.0], [2.0]], [[2.0], [1.0]])
    0.5
    """
    return _core.round_trip_error(
        as_samples(original, "original"), as_samples(returned, "returned")
    )[0]


def pairwise(metric: Callable[[Any, Any], Any], X: npt.ArrayLike, groups: Any) -> Pairwise:
    """Return a metric between every two groups of rows, and its mean.

    Parameters
    ----------
    metric : callable
        Takes two clouds and returns a number, or a tuple that begins with one.
    X : array-like of shape (n_samples, n_features)
        Rows of all groups.
    groups : array-like of shape (n_samples,)
        Their labels.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.pairwise(metrics.w2_exact, [[0.0], [1.0], [3.0]], ["a", "b", "c"]).mean
    4.666666666666667
    """
    rows = as_samples(X)
    labels, _, codes = _labels.encode(groups, len(rows))
    count = len(labels)
    if count < 2:
        raise ValueError(f"there are {count} groups; give at least two.")
    clouds = [rows[codes == m] for m in range(count)]
    values = np.zeros((count, count))
    for m in range(count):
        for k in range(count):
            if m != k:
                found = metric(clouds[m], clouds[k])
                values[m, k] = found[0] if isinstance(found, tuple) else found
    return Pairwise(values, float(values.sum() / (count * (count - 1))), labels)
