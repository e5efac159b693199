"""Small sets of samples in groups: toys that are made, digits that are shipped.

Toys have the same bits as those of the engine and of the command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import seed_of

__all__ = [
    "load_digits",
    "make_cells",
    "make_circles",
    "make_gaussian_groups",
    "make_gaussians",
    "make_moons",
    "make_random_pattern",
    "make_weather",
    "make_applicants",
]

_Rows = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]
_Data = tuple[_Rows, _Codes]


def make_moons(n_samples: int = 1000, *, noise: float = 0.1, random_state: Any = 0) -> _Data:
    """Return two interleaved half circles.

    Parameters
    ----------
    n_samples : int
        Rows of each group.
    noise : float
        Standard deviation of the noise on each coordinate.
    random_state : int, generator or None
        Seed.

    Returns
    -------
    X : ndarray of shape (2 * n_samples, 2)
    groups : ndarray of shape (2 * n_samples,)

    Examples
    --------
    >>> from conflux import datasets
    >>> X, groups = datasets.make_moons(50)
    >>> X.shape, groups[:3].tolist()
    ((100, 2), [0, 0, 0])
    """
    return _core.make_moons(n_samples, noise, seed_of(random_state))


def make_circles(
    n_samples: int = 1000, *, noise: float = 0.1, factor: float = 0.5, random_state: Any = 0
) -> _Data:
    """Return two circles around the origin.

    Parameters
    ----------
    n_samples : int
        Rows of each group.
    noise : float
        Standard deviation of the noise on each coordinate.
    factor : float
        Radius of the inner circle, from 0 to 1.
    random_state : int, generator or None
        Seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> X, groups = datasets.make_circles(50, noise=0)
    >>> bool(abs((X[groups == 1] ** 2).sum(axis=1) - 0.25).max() < 1e-12)
    True
    """
    return _core.make_circles(n_samples, noise, factor, seed_of(random_state))


def make_random_pattern(
    n_samples: int = 1000,
    *,
    n_groups: int = 2,
    class_sep: float = 1.0,
    flip: float = 0.01,
    random_state: Any = 0,
) -> _Data:
    """Return groups of two clusters each, as scikit-learn's make_classification does.

    Parameters
    ----------
    n_samples : int
        Rows of each group.
    n_groups : {2, 4}
        Four are two patterns apart from each other.
    class_sep : float
        Half the side of the square whose corners are the centers.
    flip : float
        Share of rows that get a random label.
    random_state : int, generator or None
        Seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> datasets.make_random_pattern(50, n_groups=4)[0].shape
    (200, 2)
    """
    return _core.make_random_pattern(n_samples, n_groups, class_sep, flip, seed_of(random_state))


def make_gaussians(n_samples: int = 1000, *, random_state: Any = 0) -> _Data:
    """Return three Gaussians in the plane.

    Parameters
    ----------
    n_samples : int
        Rows of each group.
    random_state : int, generator or None
        Seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> sorted(set(datasets.make_gaussians(50)[1].tolist()))
    [0, 1, 2]
    """
    return _core.make_gaussians(n_samples, seed_of(random_state))


def make_gaussian_groups(
    n_groups: int, n_features: int, n_samples: int, *, random_state: Any = 0
) -> _Data:
    """Return Gaussian groups in any dimension with random means and covariances.

    Parameters
    ----------
    n_groups, n_features : int
        Numbers of groups and features.
    n_samples : int
        Rows of each group.
    random_state : int, generator or None
        Seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> datasets.make_gaussian_groups(3, 7, 10)[0].shape
    (30, 7)
    """
    return _core.make_gaussian_groups(n_groups, n_features, n_samples, seed_of(random_state))


def load_digits() -> _Data:
    """Return 1797 handwritten digits of 8 x 8 pixels; the groups are the digits.

    Ink runs from 0 to 16. From the UCI repository (E. Alpaydin, C. Kaynak), CC BY 4.0.

    Examples
    --------
    >>> from conflux import datasets
    >>> X, groups = datasets.load_digits()
    >>> X.shape, groups[0]
    ((1797, 64), 0)
    """
    path = Path(__file__).parent / "data" / "digits.csv"
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return np.ascontiguousarray(table[:, :-1]), table[:, -1].astype(np.int64)


def _stream(seed: int, purpose: int) -> np.random.Generator:
    """Return numbers of their own, which a caller with the same seed does not meet."""
    return np.random.default_rng([purpose, seed_of(seed)])


def make_cells(n_samples: int = 1500, *, random_state: int = 0) -> tuple[_Rows, Any, Any]:
    """Return cells of three donors, as principal components of their expression would look.

    Five kinds of cells are clusters in 20 dimensions; every donor shifts and stretches them a
    little, and gives one third, one half or one sixth of the cells.

    Parameters
    ----------
    n_samples, random_state : int
        Cells of all donors, and the seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> X, donors, kinds = datasets.make_cells(600)
    >>> [(donors == name).sum() for name in "ABC"]
    [200, 300, 100]
    """
    random = _stream(random_state, 1)
    scales = 4 / np.sqrt(1 + np.arange(20))
    centers = 2 * random.standard_normal((5, 20)) * scales
    sizes = [n_samples // 3, n_samples // 2, n_samples - n_samples // 3 - n_samples // 2]
    donors = np.repeat(np.array(["A", "B", "C"]), sizes)
    kinds = random.integers(5, size=n_samples)
    X = centers[kinds] + 0.6 * scales * random.standard_normal((n_samples, 20))
    for name in "ABC":
        rows = donors == name
        X[rows] *= random.uniform(0.85, 1.2, 20)
        X[rows] += 0.7 * scales * random.standard_normal(20)
    order = random.permutation(n_samples)
    names = np.array(["T", "B", "NK", "monocyte", "dendritic"])
    return X[order], donors[order], names[kinds][order]


def make_applicants(n_samples: int = 2000, *, random_state: int = 0) -> tuple[_Rows, Any, _Codes]:
    """Return applicants of two groups with unlike records and an outcome to be predicted.

    Features are age, number of priors and months on the job. The outcome depends on them, and the
    groups differ in priors and age, so a plain model favors one group.

    Parameters
    ----------
    n_samples, random_state : int
        Rows of both groups, and the seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> X, groups, outcome = datasets.make_applicants(500)
    >>> X.shape, sorted(set(groups.tolist())), sorted(set(outcome.tolist()))
    ((500, 3), ['blue', 'green'], [0, 1])
    """
    random = _stream(random_state, 2)
    green = random.random(n_samples) < 0.45
    age = 20 + random.gamma(np.where(green, 2.0, 3.0), 7.0)
    priors = random.negative_binomial(1, np.where(green, 0.2, 0.4), n_samples)
    months = np.round(random.gamma(1.5, np.where(green, 10.0, 16.0)))
    risk = 0.25 * priors - 0.05 * (age - 35) - 0.02 * months - 0.2
    outcome = (random.random(n_samples) < 1 / (1 + np.exp(-risk))).astype(np.int64)
    return np.column_stack([age, priors, months]), np.where(green, "green", "blue"), outcome


def make_weather(n_samples: int = 1500, *, random_state: int = 0) -> _Data:
    """Return days as a coarse model (group 0) and a fine one (group 1) see them.

    Features are temperature, wind and humidity. The coarse model is too cold and too calm, and
    misses part of the dependence between the variables, which quantile mapping of each variable
    alone cannot give back.

    Parameters
    ----------
    n_samples, random_state : int
        Days of each model, and the seed.

    Examples
    --------
    >>> from conflux import datasets
    >>> X, model = datasets.make_weather(100)
    >>> X.shape
    (200, 3)
    """
    random = _stream(random_state, 3)

    def days(mean: float, spread: float, calm: float, link: float) -> _Rows:
        season = np.sin(2 * np.pi * np.arange(n_samples) / 365)
        shared = random.standard_normal(n_samples)
        own = random.standard_normal((2, n_samples))
        temperature = mean + 9 * season + spread * shared
        wind = np.exp(0.5 * (-link * shared + np.sqrt(1 - link**2) * own[0])) * calm
        humidity = 8 + 4 * season + 2 * (link * shared + np.sqrt(1 - link**2) * own[1])
        return np.column_stack([temperature, wind, humidity])

    X = np.vstack([days(6, 3, 3, 0.3), days(9, 4, 5, 0.8)])
    return X, np.repeat(np.array([0, 1]), n_samples)
