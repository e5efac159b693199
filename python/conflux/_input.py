"""Features, groups and labels in what a caller passes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import as_samples
from ._tables import as_frame, is_frame

__all__ = ["check_names", "split", "take_column"]


def split(X: Any, groups: Any, group_column: Any, reader: str) -> tuple[Any, Any]:
    """Return features and labels of the groups; `reader` is named in messages."""
    X = as_frame(X)
    if group_column is None:
        if groups is None:
            if not is_frame(X):
                as_samples(X)  # what is no table is reported first
            raise ValueError(
                f"{reader} needs groups, but they are None; give one label per row, or set "
                f"group_column. (In the words of scikit-learn: {reader} requires y to be passed, "
                "but the target y is None.)"
            )
        return X, groups
    if groups is not None:
        raise ValueError(
            f"the groups are given, and group_column is {group_column!r} too; choose one."
        )
    return take_column(X, group_column, "tells the groups", "group_column")


def take_column(X: Any, column: Any, purpose: str, parameter: str) -> tuple[Any, Any]:
    """Return X without a column, and that column."""
    if isinstance(column, str):
        if not is_frame(X) or column not in X.columns:
            known = f" The columns are {list(map(str, X.columns[:10]))}." if is_frame(X) else ""
            raise ValueError(f"X has no column {column!r}, which {purpose}; add it.{known}")
        return X.drop(columns=[column]), X[column]
    if isinstance(column, bool) or not isinstance(column, (int, np.integer)):
        raise TypeError(f"{parameter} is {column!r}; give a name, a position, or None.")
    array = X if is_frame(X) else np.asarray(X)
    if array.ndim != 2 or not -array.shape[1] <= column < array.shape[1]:
        raise ValueError(f"X has no column {column}, which {purpose}; add it.")
    place = int(column) % array.shape[1]
    if is_frame(X):
        others = [j for j in range(X.shape[1]) if j != place]
        return X.iloc[:, others], X.iloc[:, place]
    if place == 0:
        features = array[:, 1:]
    elif place == array.shape[1] - 1:
        features = array[:, :-1]
    else:
        features = np.delete(array, place, axis=1)
    return features, array[:, place]


def check_names(names: list[str], fitted: list[str]) -> None:
    """Raise ValueError unless the features have the names, and the order, of the fit."""
    if names and fitted and names != fitted:
        unknown = [name for name in names if name not in fitted]
        lost = [name for name in fitted if name not in names]
        raise ValueError(
            "The feature names should match those that were passed during fit"
            + (f"; unknown: {unknown}" if unknown else "")
            + (f"; missing: {lost}" if lost else "")
            + ("; they are in another order" if not unknown and not lost else "")
            + ("; add what is missing." if lost else "; pass X[aligner.feature_names_in_].")
        )
