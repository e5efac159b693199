"""Data frames and arrays as tables of the engine: columns of numbers or of texts, and back."""

from __future__ import annotations

import dataclasses
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import Samples, as_samples, feature_names_of

__all__ = ["Cells", "Rows", "as_frame", "is_frame", "put_back", "read_features", "read_for"]

Cells = list[tuple[str, Union["npt.NDArray[np.float64]", list[str]]]]

# A type for categories with more values than this names things rather than kinds of things; the
# engine decides then.
_MOST_CATEGORIES = 50


@dataclasses.dataclass(frozen=True)
class Rows:
    """X as passed by the caller, and the table that the engine reads."""

    given: Any
    """A data frame, or an array of numbers."""
    cells: _core.Table | Samples
    names: list[str]
    """Names of all columns of `given`, its own or x0, x1, ..."""
    words: dict[str, str] = dataclasses.field(default_factory=dict)
    """Column types that follow from the types of the frame."""
    ignored: list[str] = dataclasses.field(default_factory=list)
    """Sentences on columns that are not read."""

    @property
    def is_frame(self) -> bool:
        """Whether rows go back into a data frame."""
        return isinstance(self.cells, _core.Table)

    def __len__(self) -> int:
        return len(self.given)


def as_frame(X: Any) -> Any:
    """Return frames of other libraries and data sets of xarray as frames of pandas; else X itself.

    Frames that speak the DataFrame interchange protocol or the Arrow PyCapsule interface are those
    of polars, pyarrow and others. A data set of xarray has a row per point of its grid.
    """
    if is_frame(X) or isinstance(X, np.ndarray):
        return X
    if hasattr(X, "data_vars") and hasattr(X, "to_dataframe"):
        return X.to_dataframe()
    if hasattr(X, "__dataframe__"):
        from pandas.api.interchange import from_dataframe

        return from_dataframe(X)
    if hasattr(X, "__arrow_c_stream__"):
        try:
            import pyarrow
        except ImportError:
            raise TypeError(
                f"X is a {type(X).__name__} of Arrow, which pyarrow would read; install it, or "
                "pass a frame of pandas."
            ) from None
        return pyarrow.table(X).to_pandas()
    return X


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame of pandas."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def generic_names(count: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"x{j}" for j in range(count)]


def read_features(X: Any, names: list[str] | None = None, what: str = "X") -> Rows:
    """Return all columns of X; `names` are used instead of its own."""
    if not is_frame(X):
        array = as_samples(X, what)
        return Rows(array, array, names or generic_names(array.shape[1]))
    _check_shape(X)
    names = names or feature_names_of(X) or generic_names(X.shape[1])
    cells: Cells = []
    words: dict[str, str] = {}
    ignored: list[str] = []
    for j, name in enumerate(names):
        column = X.iloc[:, j]
        if _is_time(column):
            ignored.append(
                f"column {name!r} holds dates or times ({column.dtype}) and is no feature; to use "
                "it, pass a number, say days since the first of them."
            )
            continue
        if _is_category(column) and len(column.cat.categories) <= _MOST_CATEGORIES:
            words[name] = "category"
        cells.append((name, _cells(column)))
    if not cells:
        raise TypeError(f"{what} has no column that can be a feature: {ignored[0]}")
    return Rows(X, _core.Table(cells), names, words, ignored)


def read_for(
    columns: _core.Columns, X: Any, names: list[str] | None, *, shared: bool, what: str = "X"
) -> Rows:
    """Return the columns of X that a model knows; `names` are used instead of its own."""
    if not is_frame(X):
        array = as_samples(X, what)
        return Rows(array, array, names or generic_names(array.shape[1]))
    _check_shape(X)
    names = names or feature_names_of(X) or generic_names(X.shape[1])
    place = {name: j for j, name in enumerate(names)}
    cells: Cells = []
    wanted = [*columns.feature_names, *columns.kept_names]
    for name, kind in zip(wanted, [*columns.kinds, *columns.kept_kinds]):
        if name not in place:
            raise ValueError(
                f"{what} has no column {name!r}, which the fit had; add it. The columns are "
                f"{_listed(names)}."
            )
        column = X.iloc[:, place[name]]
        if _is_time(column):
            raise TypeError(
                f"column {name!r} holds dates or times ({column.dtype}), but numbers when it was "
                "fitted; pass numbers."
            )
        if kind == "category":
            cells.append((name, _cells(column)))
        else:
            cells.append((name, _numbers(column, name, what)))
    if columns.key and not shared:
        if columns.key not in place:
            raise ValueError(f"{what} has no column {columns.key!r}, the key of the rows; add it.")
        cells.append((columns.key, _cells(X.iloc[:, place[columns.key]])))
    return Rows(X, _core.Table(cells), names)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")


def _check_shape(X: Any) -> None:
    if X.shape[0] == 0 or X.shape[1] == 0:
        as_samples(np.empty(X.shape))  # says what is wrong
    doubles = X.columns[X.columns.duplicated()]
    if len(doubles):
        raise ValueError(f"X has two columns called {doubles[0]!r}; rename one of them.")


def _is_time(column: Any) -> bool:
    name = str(column.dtype)
    return column.dtype.kind in "mM" or name.startswith(("period", "datetime", "interval"))


def _is_category(column: Any) -> bool:
    return str(column.dtype) == "category"


def _is_numeric(column: Any) -> bool:
    """Return whether all cells are numbers, by their type or one by one."""
    from pandas.api import types

    dtype = column.dtype
    if _is_category(column) or types.is_bool_dtype(dtype):
        return False
    if types.is_numeric_dtype(dtype):
        return True
    if dtype != object:
        return False
    there = column[~column.isna()]
    return all(
        isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool) for cell in there
    )


def _floats(column: Any) -> npt.NDArray[np.float64]:
    return np.ascontiguousarray(column.to_numpy(np.float64, na_value=np.nan))


def _cells(column: Any) -> npt.NDArray[np.float64] | list[str]:
    """Return what the command reads if the column is written to a text file."""
    if column.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {column.name!r} is {column.dtype}.")
    if _is_numeric(column):
        return _floats(column)
    if _is_category(column):
        names = ["", *map(str, column.cat.categories)]
        return [names[code + 1] for code in column.cat.codes]
    missing = column.isna().to_numpy()
    return ["" if gone else str(cell) for cell, gone in zip(column.tolist(), missing)]


def _numbers(column: Any, name: str, what: str) -> npt.NDArray[np.float64]:
    if _is_numeric(column):
        return _floats(column)
    if column.dtype.kind == "b":
        return np.asarray(column, dtype=np.float64)
    missing = column.isna().to_numpy()
    out = np.full(len(column), np.nan)
    for i, cell in enumerate(column.tolist()):
        if missing[i]:
            continue
        try:
            out[i] = float(cell)
        except (TypeError, ValueError):
            raise ValueError(
                f"{what}, row {i}, column {name!r} is {cell!r}, but the fit had numbers there; "
                "correct the cell, or leave it missing."
            ) from None
    return out


# ---- back


def put_back(frame: Any, names: list[str], moved: Cells, types: dict[str, Any] | None) -> Any:
    """Return the frame with these cells; `types` are what they shall be if they can."""
    out = frame.copy()
    label = dict(zip(names, frame.columns))
    for name, cells in moved:
        dtype = (types or {}).get(name)
        old = frame[label[name]]
        if isinstance(cells, list):
            out[label[name]] = _texts_as(cells, dtype, old)
        else:
            out[label[name]] = _numbers_as(cells, dtype)
    return out


def _numbers_as(cells: npt.NDArray[np.float64], dtype: Any) -> Any:
    if dtype is None or dtype.kind not in "iuf":
        return cells
    missing = np.isnan(cells)
    whole = dtype.kind != "f" and bool((cells[~missing] == np.round(cells[~missing])).all())
    if isinstance(dtype, np.dtype):
        return cells.astype(dtype) if whole and not missing.any() else cells
    import pandas

    out = pandas.array(np.where(missing, 0, cells), dtype="Float64")
    if whole:
        out = out.astype(dtype)
    out[missing] = pandas.NA
    return out


def _texts_as(cells: list[str], dtype: Any, old: Any) -> Any:
    import pandas

    missing = old.isna().to_numpy()
    if dtype is None:
        # Rows of the shared space, in which a new category is carried among numbers.
        values = [old.iloc[i] if gone else _number_or_text(cells[i]) for i, gone in
                  enumerate(missing)]
        return pandas.Series(values, index=old.index, dtype=object)
    if str(dtype) == "category":
        known = {str(value): value for value in dtype.categories}
        if all(gone or cell in known for cell, gone in zip(cells, missing)):
            values = [None if gone else known[cell] for cell, gone in zip(cells, missing)]
            return pandas.Categorical(values, dtype=dtype)
    if dtype.kind == "b" and all(gone or c in ("True", "False") for c, gone in zip(cells, missing)):
        values = [None if gone else cell == "True" for cell, gone in zip(cells, missing)]
        return pandas.array(values, dtype=dtype)
    if dtype.kind in "iuf" and all(gone or _is_number(c) for c, gone in zip(cells, missing)):
        numbers = [np.nan if gone else float(cell) for cell, gone in zip(cells, missing)]
        return _numbers_as(np.array(numbers), dtype)
    values = [None if gone else cell for cell, gone in zip(cells, missing)]
    if str(dtype).startswith("string"):
        return pandas.array(values, dtype=dtype)
    series = pandas.Series(values, index=old.index, dtype=object)
    return series.where(~missing, np.nan) if missing.any() else series


def _is_number(cell: str) -> bool:
    return isinstance(_number_or_text(cell), float)


def _number_or_text(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell
