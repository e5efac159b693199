"""How alike clouds of points are.

Every function judges rows and knows nothing of models. Distances are squared, as in the engine.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._arrays import as_masses, as_samples, seed_of, threads_of

__all__ = [
    "Pairwise",
    "energy_distance",
    "frechet_distance",
    "lisi",
    "max_sliced_w2",
    "neighbors_kept",
    "pairwise",
    "paper_wd",
    "round_trip_error",
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


def w2_exact(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    x_weights: npt.ArrayLike | None = None,
    y_weights: npt.ArrayLike | None = None,
    *,
    block: int | None = None,
    n_jobs: int | None = None,
) -> float:
    """Return the squared 2-Wasserstein distance, solved exactly.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds; their numbers of rows may differ.
    x_weights, y_weights : array-like of shape (n_samples,), optional
        Masses of the rows, of both clouds or of none. Weighted clouds are never cut.
    block : int, optional
        Rows per block; larger clouds are cut in their order and the values of the blocks averaged,
        which is an upper estimate. None: no cut up to 2000 rows, blocks of 500 beyond.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.w2_exact([[0.0], [1.0]], [[3.0], [2.0]])
    4.0
    """
    a, b = as_samples(x, "x"), as_samples(y, "y")
    return _core.w2_exact(
        a, b, as_masses(x_weights, len(a)), as_masses(y_weights, len(b)), block, threads_of(n_jobs)
    )


def paper_wd(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    block: int | None = None,
    scalar: str = "float",
    epsilon: float = 1e-4,
    max_iterations: int = 100,
    threshold: float = 0.1,
    n_jobs: int | None = None,
) -> float:
    """Return the "WD" of the papers, to compare with their tables.

    It is an unconverged Sinkhorn value that depends on the order of its arguments; rank methods by
    :func:`w2_exact` instead.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.
    block : int, optional
        Rows per block (500 for images in the papers); None compares the clouds whole.
    scalar : {"float", "double"}
        Precision; the papers' is single.
    epsilon : float
        Blur of the plan.
    max_iterations : int
        Sweeps at most.
    threshold : float
        Stops when the changes of the first potential sum to less.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import datasets, metrics
    >>> X, groups = datasets.make_moons(100)
    >>> bool(metrics.paper_wd(X[groups == 0], X[groups == 1]) > 0)
    True
    """
    if scalar not in ("float", "double"):
        raise ValueError(f'scalar is {scalar!r}; choose "float" or "double".')
    return _core.paper_wd(
        as_samples(x, "x"), as_samples(y, "y"), block, scalar == "float", epsilon, max_iterations,
        threshold, threads_of(n_jobs),
    )


def sinkhorn_divergence(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    relative_epsilon: float = 0.05,
    epsilon: float | None = None,
    tolerance: float = 1e-6,
    max_iterations: int = 2000,
    n_jobs: int | None = None,
) -> float:
    """Return the debiased Sinkhorn divergence: 0 between equal clouds, never negative.

    Warns when it has not converged.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.
    relative_epsilon : float
        Blur as a fraction of the mean squared distance between the clouds.
    epsilon : float, optional
        Blur in units of squared distance, instead.
    tolerance : float
        Largest L1 error of the marginals of a plan.
    max_iterations : int
        For each of the three problems.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> round(metrics.sinkhorn_divergence([[0.0], [1.0]], [[3.0], [4.0]]), 6)
    9.0
    """
    found = _core.sinkhorn_divergence(
        as_samples(x, "x"), as_samples(y, "y"), relative_epsilon, epsilon, tolerance,
        max_iterations, threads_of(n_jobs),
    )
    if not found["converged"]:
        import warnings

        warnings.warn(
            f"the Sinkhorn iteration has not converged after {found['iterations']} steps; raise "
            "max_iterations, epsilon or tolerance.",
            stacklevel=2,
        )
    return float(found["value"])


def sliced_w2(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    directions: int = 256,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> float:
    """Return the mean squared 2-Wasserstein distance of the clouds' shadows on random lines.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.
    directions : int
        Number of lines.
    random_state : int, generator or None
        Names the lines.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> round(metrics.sliced_w2([[0.0], [1.0]], [[3.0], [2.0]]), 9)
    4.0
    """
    return _core.sliced_w2(
        as_samples(x, "x"), as_samples(y, "y"), directions, seed_of(random_state),
        threads_of(n_jobs),
    )


def max_sliced_w2(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    starts: int = 8,
    max_steps: int = 200,
    min_relative_gain: float = 1e-9,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> tuple[float, npt.NDArray[np.float64]]:
    """Return the largest squared distance of shadows that a search finds, and its direction.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.
    starts : int
        Random directions from which the search begins.
    max_steps : int
        Steps from each start.
    min_relative_gain : float
        A search ends when a step gains less than this fraction.
    random_state : int, generator or None
        Names the starts.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> value, direction = metrics.max_sliced_w2([[0, 0], [0, 1]], [[2, 0], [2, 1]])
    >>> round(value, 6), abs(direction.round(3)).tolist()
    (4.0, [1.0, 0.0])
    """
    return _core.max_sliced_w2(
        as_samples(x, "x"), as_samples(y, "y"), starts, max_steps, min_relative_gain,
        seed_of(random_state), threads_of(n_jobs),
    )


def energy_distance(
    x: npt.ArrayLike, y: npt.ArrayLike, *, n_jobs: int | None = None
) -> float:
    """Return 2 E|X - Y| - E|X - X'| - E|Y - Y'|, over all pairs, without a root.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> from conflux import metrics
    >>> metrics.energy_distance([[0.0]], [[3.0]])
    6.0
    """
    return _core.energy_distance(as_samples(x, "x"), as_samples(y, "y"), threads_of(n_jobs))


def frechet_distance(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return the squared 2-Wasserstein distance of normal laws with the moments of the clouds.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.

    Examples
    --------
    >>> from conflux import metrics
    >>> round(metrics.frechet_distance([[0.0], [2.0]], [[3.0], [5.0]]), 9)
    9.0
    """
    return _core.frechet_distance(as_samples(x, "x"), as_samples(y, "y"))


def lisi(
    X: npt.ArrayLike, labels: Any, *, perplexity: int = 30, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return how many kinds of rows live around each row: the Local Inverse Simpson Index.

    With groups as labels (iLISI) it says how well they mix, with classes (cLISI) how well they keep
    apart. Groups of unequal sizes mix perfectly below their number: compare with shuffled labels.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows, at least three times as many as the perplexity.
    labels : array-like of shape (n_samples,)
        Their kinds.
    perplexity : int
        Effective number of neighbours.
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
        Neighbours of a row; of few rows, half of them.
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
    """Return the largest distance between a row and what came back of it.

    Relative to the root mean square length of the rows.

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
