"""Features, groups and names of what a caller passes as X."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Samples, as_samples, feature_names_of

__all__ = ["check_names", "read"]


def read(X: Any, groups: Any, group_column: Any, reader: str) -> tuple[Samples, Any, list[str]]:
    """Return features, labels and names of the features; `reader` is named in messages."""
    if group_column is None:
        if groups is None:
            raise ValueError(
                f"{reader} needs groups, but they are None; give one label per row, or set "
                "group_column."
            )
        return as_samples(X), groups, feature_names_of(X)
    if groups is not None:
        raise ValueError(
            f"the groups are given, and group_column is {group_column!r} too; choose one."
        )
    return _without_column(X, group_column)


def _without_column(X: Any, column: Any) -> tuple[Samples, Any, list[str]]:
    if isinstance(column, str):
        if not hasattr(X, "columns") or column not in X.columns:
            raise ValueError(f"X has no column {column!r}, which tells the groups; add it.")
        features = X.drop(columns=[column])
        return as_samples(features), X[column], feature_names_of(features)
    if isinstance(column, bool) or not isinstance(column, (int, np.integer)):
        raise TypeError(f"group_column is {column!r}; give a name, a position, or None.")
    names = feature_names_of(X)
    array = np.asarray(X)
    if array.ndim != 2 or not -array.shape[1] <= column < array.shape[1]:
        raise ValueError(f"X has no column {column}, which tells the groups; add it.")
    place = int(column) % array.shape[1]
    if place == 0:
        features = array[:, 1:]
    elif place == array.shape[1] - 1:
        features = array[:, :-1]
    else:
        features = np.delete(array, place, axis=1)
    return as_samples(features), array[:, place], names[:place] + names[place + 1:]


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
            + "."
        )
