"""Tasks of conflux.dask on parts of the rows; nothing here depends on Dask's graphs.

A row is known by its group and by how many rows of that group come before it in all parts. So a
part has to know how many rows of each group the parts before it have, and no more, to tell which of
its rows a fit of all rows would draw.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._arrays import as_masses
from ._columns import in_words_of_python
from ._tables import Rows, is_frame

__all__ = [
    "Fitted", "Piece", "Plan", "Survey", "fit", "joined_surveys", "move", "survey", "take",
]

Codes = npt.NDArray[np.int64]


@dataclasses.dataclass
class Survey:
    """Facts about one part, or all, that are needed before rows are sampled."""

    labels: dict[str, Any]
    """Labels of the groups by name, in the order of their first rows."""
    sizes: dict[str, int]
    """Rows of each group."""
    able: dict[str, int]
    """Rows of each group that have mass: others are not drawn."""
    shown: dict[str, Any]
    """Labels of the rows with positive weight, by group, as texts; None without labels."""


@dataclasses.dataclass
class Piece:
    """Rows of a part that were drawn."""

    features: Any
    groups: list[str]
    masses: npt.NDArray[np.float64] | None
    shown: npt.NDArray[Any] | None


@dataclasses.dataclass
class Plan:
    """Options of the fit of the sampled rows."""

    group_names: list[str]
    label_names: list[str]
    drawn_from: list[int]
    """Sizes of the groups that rows were drawn from; empty if all were taken."""
    options: dict[str, Any]


@dataclasses.dataclass
class Fitted:
    """Result of a fit on a worker."""

    model: _core.Model
    rows: Rows
    warnings: list[Any]


def _column(values: Any) -> Any:
    """Return one value per row from a series, an array, or a frame or array of one column."""
    if is_frame(values):
        return values.iloc[:, 0]
    array = values if hasattr(values, "factorize") else np.asarray(values)
    return array[:, 0] if getattr(array, "ndim", 1) == 2 else array


def _names(groups: Any, rows: int) -> tuple[list[str], dict[str, Any], Codes]:
    if rows == 0:
        return [], {}, np.empty(0, dtype=np.int64)
    labels, names, codes = _labels.encode(_column(groups), rows)
    return names, dict(zip(names, labels)), codes


def _shown(y: Any) -> npt.NDArray[Any]:
    texts = [
        None if _labels.missing(label) else _labels.name_of(label)
        for label in np.asarray(_column(y), dtype=object)
    ]
    out = np.empty(len(texts), dtype=object)
    out[:] = texts
    return out


def label_numbers(texts: Any, names: list[str]) -> Codes:
    """Return where each text stands among the names, -1 for none."""
    number: dict[Any, int] = {name: k for k, name in enumerate(names)}
    number[None] = -1
    return np.array([number[text] for text in texts], dtype=np.int64)


def _able(sample_weight: Any, rows: int) -> npt.NDArray[np.bool_]:
    if sample_weight is None:
        return np.ones(rows, dtype=bool)
    masses = as_masses(np.asarray(_column(sample_weight), dtype=np.float64), rows)
    assert masses is not None
    return masses > 0


def survey(place: int, groups: Any, sample_weight: Any, y: Any) -> Survey:
    """Look at the groups of part number `place`."""
    rows = len(groups)
    try:
        names, labels, codes = _names(groups, rows)
        able = _able(sample_weight, rows)
    except ValueError as error:
        raise ValueError(f"partition {place}: {error}") from None
    shown = None if y is None else _shown(y)
    if shown is not None and len(shown) != rows:
        raise ValueError(
            f"partition {place}: there are {rows} groups but {len(shown)} labels in y; give y the "
            "partitions of X."
        )
    of_group = [codes == m for m in range(len(names))]
    return Survey(
        labels,
        {name: int(own.sum()) for name, own in zip(names, of_group)},
        {name: int((own & able).sum()) for name, own in zip(names, of_group)},
        {} if shown is None else {n: shown[own & able] for n, own in zip(names, of_group)},
    )


def joined_surveys(parts: list[Survey]) -> Survey:
    """Return what is known of all parts, one after the other."""
    out = Survey({}, {}, {}, {})
    for part in parts:
        for name, label in part.labels.items():
            out.labels.setdefault(name, label)
            out.sizes[name] = out.sizes.get(name, 0) + part.sizes[name]
            out.able[name] = out.able.get(name, 0) + part.able[name]
            if name in part.shown:
                before = out.shown.get(name, part.shown[name][:0])
                out.shown[name] = np.concatenate([before, part.shown[name]])
    return out


def take(
    place: int,
    X: Any,
    groups: Any,
    sample_weight: Any,
    y: Any,
    group_column: Any,
    wanted: dict[str, Codes | None],
) -> Piece:
    """Return rows of part number `place`: of each group those of these numbers, counted among its
    rows with mass, or all for None."""
    from ._input import take_column

    features = X
    if group_column is not None:
        features, groups = take_column(X, group_column, "tells the groups", "group_column")
    if len(features) != len(groups):
        raise ValueError(
            f"partition {place}: X has {len(features)} rows but there are {len(groups)} group "
            "labels; give groups the partitions of X."
        )
    names, _, codes = _names(groups, len(groups))
    able = _able(sample_weight, len(groups))
    chosen = np.zeros(len(groups), dtype=bool)
    for m, name in enumerate(names):
        numbers = wanted[name]
        if numbers is None:
            chosen |= codes == m
        else:
            chosen[np.flatnonzero((codes == m) & able)[numbers]] = True
    rows = np.flatnonzero(chosen)
    return Piece(
        features.iloc[rows] if is_frame(features) else np.asarray(features)[rows],
        [names[m] for m in codes[rows]],
        None if sample_weight is None
        else np.asarray(_column(sample_weight), dtype=np.float64)[rows],
        None if y is None else _shown(y)[rows],
    )


def _joined_features(pieces: list[Piece]) -> Any:
    parts = [piece.features for piece in pieces]
    if not is_frame(parts[0]):
        return np.concatenate(parts)
    from dask.dataframe.methods import concat  # which joins categories of parts

    return concat(parts)


def fit(
    aligner: Any,
    pieces: list[Piece],
    plan: Plan,
    checkpoint: bytes,
    on_checkpoint: Callable[[bytes], None],
    seconds: float,
) -> Fitted:
    """Fit the rows that were drawn; goes on from a checkpoint unless that is empty."""
    pieces = [piece for piece in pieces if piece.groups]
    place = {name: m for m, name in enumerate(plan.group_names)}
    codes = np.array([place[name] for piece in pieces for name in piece.groups], dtype=np.int64)
    masses = None
    if pieces[0].masses is not None:
        masses = np.concatenate([piece.masses for piece in pieces if piece.masses is not None])
    shown = np.empty(0, dtype=np.int64)
    if plan.label_names:
        texts = [text for p in pieces if p.shown is not None for text in p.shown]
        shown = label_numbers(texts, plan.label_names)
    with warnings.catch_warnings(record=True) as caught, in_words_of_python():
        warnings.simplefilter("always")
        rows = aligner._features_of(_joined_features(pieces))
        data = aligner._data_of(
            rows, (codes, plan.group_names), masses, (shown, plan.label_names),
            plan.options["seed"], level=1,
        )
        model = _core.fit_drawn(
            data, plan.options, aligner._group_name(), aligner._label_column, plan.drawn_from,
            checkpoint, on_checkpoint, seconds,
        )
    none = rows.given.iloc[:0] if is_frame(rows.given) else rows.given[:0]
    # Only what tells names and types travels.
    return Fitted(model, Rows(none, none, rows.names), [entry.message for entry in caught])


def move(aligner: Any, verb: str, part: Any, labels: dict[str, Any], empty: Any) -> Any:
    """Return a part of the rows on its way; `empty` is what a part without rows becomes."""
    if len(part) == 0:
        return empty
    given = {name: label if isinstance(label, str) or np.ndim(label) == 0 else _column(label)
             for name, label in labels.items()}
    moved = getattr(aligner, verb)(part, **given)
    return moved if is_frame(part) else np.asarray(moved)
