"""Samples and labels of callers as arrays that the engine reads."""

from __future__ import annotations

from typing import Any, Union

import numpy as np
import numpy.typing as npt

__all__ = ["Samples", "as_masses", "as_samples", "feature_names_of", "seed_of", "threads_of"]

Samples = Union["npt.NDArray[np.float64]", "npt.NDArray[np.float32]"]

_LARGEST_SEED = 2**32


def as_samples(X: Any, what: str = "X") -> Samples:
    """Return a two-dimensional array of float32 or float64, without a copy if X is one already.

    The order of the axes and the strides do not matter; read-only arrays are welcome.
    """
    if type(X).__module__.startswith("scipy.sparse"):
        raise TypeError(f"{what} is sparse, but dense rows are needed; pass {what}.toarray().")
    if type(X).__module__.startswith("numpy.ma"):
        X = X.astype(np.float64).filled(np.nan)  # what is masked is missing
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} is {array.dtype}; pass real numbers.")
    if array.dtype.kind not in "fiub":
        array = _numbers(X, array, what)
    if array.ndim > 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Images and the like are rows of "
            f"all their values: {what}.reshape(len({what}), -1)."
        )
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: one row per "
            f"sample, {what}.reshape(-1, 1) for a single feature, {what}.reshape(1, -1) for a "
            "single row."
        )
    rows, columns = array.shape
    if rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=({rows}, {columns})) while a minimum of 1 is "
            "required."
        )
    if columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({rows}, {columns})) while a minimum of 1 is "
            "required."
        )
    if array.dtype != np.float32 and array.dtype != np.float64:
        array = array.astype(np.float64)
    if not array.dtype.isnative or not array.flags.aligned:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _numbers(X: Any, array: npt.NDArray[Any], what: str) -> npt.NDArray[np.float64]:
    try:
        if array.dtype.kind in "mM":
            raise TypeError(f"they are {array.dtype}")
        if hasattr(X, "to_numpy"):  # pandas has missing numbers of its own
            return np.asarray(X.to_numpy(np.float64, na_value=np.nan))
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        # TypeError says that a cell can be no number at all, ValueError that its text is none.
        raise type(error)(f"{what} has cells that are no numbers ({error}); pass a "
                          "data frame, in which texts are categories.") from None


def as_masses(sample_weight: Any, rows: int) -> npt.NDArray[np.float64] | None:
    """Return one mass per row, or None."""
    if sample_weight is None:
        return None
    masses = np.asarray(sample_weight, dtype=np.float64)
    if masses.shape != (rows,):
        raise ValueError(
            f"sample_weight.shape == {masses.shape}, expected {(rows,)}; give one weight per row."
        )
    return np.ascontiguousarray(masses)


def feature_names_of(X: Any) -> list[str]:
    """Return the names of a data frame's columns; none unless all of them are texts."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return []
    names = list(columns)
    texts = [isinstance(name, str) for name in names]
    if any(texts) and not all(texts):
        raise TypeError(
            "Feature names are only supported if all input features have string names; "
            "rename the columns, or pass an array."
        )
    return names if names and all(texts) else []


def seed_of(random_state: Any) -> int:
    """Return the engine's seed: a number as it is, otherwise one drawn from the generator."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LARGEST_SEED))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, bool) or not isinstance(random_state, (int, np.integer)):
        raise TypeError(f"random_state is {random_state!r}; give a number, a generator, or None.")
    if random_state < 0:
        raise ValueError(f"random_state is {random_state}; choose at least 0.")
    return int(random_state)


def threads_of(n_jobs: int | None) -> int:
    """Return the engine's number of threads, in which 0 stands for every core."""
    if n_jobs is None:
        return 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)):
        raise TypeError(f"n_jobs is {n_jobs!r}; give a whole number, or None for every core.")
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; choose at least 1, or None for every core.")
    if n_jobs > 0:
        return int(n_jobs)
    if n_jobs == -1:
        return 0
    import os

    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
