"""Group labels of any kind as names and numbers.

The engine knows groups by name. The name of a label is its text, with whole numbers written
without a point, as tables are read: 3, 3.0 and "3" all name the group "3". Groups come in the order
of their first rows, also as tables are read, so that Python and the command fit the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["any_known", "encode", "encode_labels", "extend", "missing", "name_of", "number"]

Codes = npt.NDArray[np.int64]


def name_of(label: Any) -> str:
    """Return the name of the group with this label."""
    if isinstance(label, str):
        return str(label)
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    if isinstance(label, (float, np.floating)):
        return repr(float(label))
    return str(label)


def _is_label(groups: Any) -> bool:
    return isinstance(groups, str) or np.asarray(groups).ndim == 0


def missing(label: Any) -> bool:
    """Return whether this stands for no group."""
    return label is None or bool(label != label) or str(label) in ("", "<NA>", "NaT")


def _factorize(groups: Any) -> tuple[npt.NDArray[Any], Codes]:
    """Return the different labels in order of their first rows, and where each row's label is."""
    if hasattr(groups, "factorize"):  # pandas knows how, also for categories
        codes, labels = groups.factorize()
        codes = np.asarray(codes, dtype=np.int64)
        if (codes < 0).any():
            return np.array([None], dtype=object), np.where(codes < 0, 0, 1)
        return np.asarray(labels), codes
    array = np.asarray(groups)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"groups has {array.ndim} dimensions; give one label per row.")
    heads = np.flatnonzero(array[1:] != array[:-1]) + 1 if len(array) else np.array([], dtype=int)
    if 8 * len(heads) < len(array) - 8:
        # Long runs, as in tables that are sorted by group: only their heads are looked at.
        heads = np.concatenate([[0], heads])
        labels, codes = _factorize_values(array[heads])
        return labels, np.repeat(codes, np.diff(heads, append=len(array)))
    return _factorize_values(array)


def _factorize_values(array: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    if array.dtype.kind == "O":
        places: dict[Any, int] = {}
        codes = np.array([places.setdefault(label, len(places)) for label in array], dtype=np.int64)
        labels = np.empty(len(places), dtype=object)
        labels[:] = list(places)
        return labels, codes
    labels, first, codes = np.unique(array, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return labels[order], np.ascontiguousarray(place[codes])


def encode(groups: Any, rows: int) -> tuple[npt.NDArray[Any], list[str], Codes]:
    """Return labels, their names, and the number of each row's group."""
    if _is_label(groups):
        raise ValueError(f"groups is {groups!r}; give one label per row.")
    labels, codes = _factorize(groups)
    if len(codes) != rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {rows} rows but "
            f"{len(codes)} group labels; give one per row."
        )
    for place, label in enumerate(labels):
        if missing(label):
            row = int(np.argmax(codes == place))
            raise ValueError(f"row {row} has no group: its label is {label!r}; name it or drop it.")
    names = [name_of(label) for label in labels]
    if len(set(names)) != len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f'different labels have the same name "{double}"; rename one of them.')
    return labels, names, codes


def encode_labels(y: Any, rows: int) -> tuple[list[str], Codes]:
    """Return the names of the labels, in order, and the number of each row's label; -1 for none."""
    found, codes = _factorize(np.asarray(y, dtype=object))
    if len(codes) != rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {rows} rows but "
            f"{len(codes)} labels in y; give one per row, None where it is unknown."
        )
    names = sorted({name_of(label) for label in found if not missing(label)})
    places = [-1 if missing(label) else names.index(name_of(label)) for label in found]
    return names, np.ascontiguousarray(np.array(places, dtype=np.int64)[codes])


def any_known(labels: Any) -> bool:
    """Return whether some row has a label."""
    return any(not missing(label) for label in np.asarray(labels, dtype=object).ravel())


def within(labels: Any, rows: int, model: Any) -> Codes | None:
    """Return the place of each row's label among those that have maps; -1 where it has none."""
    if labels is None or not model.label_names:
        return None
    if _is_label(labels):
        labels = np.full(rows, labels, dtype=object)
    names, codes = encode_labels(labels, rows)
    known = {name: place for place, name in enumerate(model.label_names)}
    places = np.array([*(known.get(name, -1) for name in names), -1], dtype=np.int64)
    return np.ascontiguousarray(places[codes])


def number(groups: Any, rows: int, model: Any) -> Codes:
    """Return the number of each row's group in a model; one label may stand for all rows."""
    if _is_label(groups):
        if missing(groups):
            raise ValueError(f"the group is {groups!r}; name one of the groups of the fit.")
        return np.full(rows, model.group_index(name_of(groups)), dtype=np.int64)
    _, names, codes = encode(groups, rows)
    places = np.array([model.group_index(name) for name in names], dtype=np.int64)
    return np.ascontiguousarray(places[codes])


def extend(labels: npt.NDArray[Any], label: Any) -> npt.NDArray[Any]:
    """Return the labels with one more, which keeps its type."""
    longer = np.append(labels, np.asarray([label]))
    if longer[-1] == label and all(a == b for a, b in zip(labels, longer)):
        return longer
    mixed = np.empty(len(labels) + 1, dtype=object)
    mixed[:] = [*labels.tolist(), label]
    return mixed
