"""Distances between two clouds of points; conflux.metrics has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import as_masses, as_samples, seed_of, threads_of

__all__ = [
    "energy_distance",
    "frechet_distance",
    "kernel_distance",
    "max_sliced_w2",
    "paper_wd",
    "sinkhorn_divergence",
    "sliced_w2",
    "w2_exact",
]


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


def kernel_distance(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return the squared maximum mean discrepancy by the kernel (a . b / d + 1)^3, without bias.

    On features of a network it is known as the kernel inception distance.

    Parameters
    ----------
    x, y : array-like of shape (n_samples, n_features)
        The clouds.

    Examples
    --------
    >>> from conflux import metrics
    >>> round(metrics.kernel_distance([[0.0], [0.0]], [[1.0], [1.0]]), 9)
    7.0
    """
    return _core.kernel_distance(as_samples(x, "x"), as_samples(y, "y"))
