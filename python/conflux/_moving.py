"""Rows through a fitted model: read by its columns, moved, and written as they came."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._arrays import as_samples, feature_names_of, threads_of
from ._columns import FitWarning, in_words_of_python
from ._fitted import FittedBase
from ._input import check_names
from ._tables import Rows, as_frame, generic_names, is_frame, put_back, read_for

__all__ = ["NOWHERE", "MovingBase"]

# Where rows have no group to leave or to enter; None is a label that a caller has forgotten.
NOWHERE = object()


class MovingBase(FittedBase):
    """The part of all estimators that moves rows."""

    n_jobs: int | None

    def _rows_for(
        self, X: Any, *, strict: bool = True, shared: bool = False, what: str = "X"
    ) -> Rows:
        """Return X as the model reads it; `strict` asks for exactly the columns of the fit."""
        X = as_frame(X)
        model = self.model_
        names, fitted = feature_names_of(X), self._fitted_names()
        if strict and (self._names is not None or model.columns is None):
            check_names(names, fitted)
        if model.columns is None:
            array = as_samples(X, what)
            self._check_width(array.shape[1], model.dim, what)
            return Rows(X if is_frame(X) else array, array, names or generic_names(model.dim))
        known = self._names or model.feature_names
        if is_frame(X) and names and fitted:
            return read_for(model.columns, X, None, shared=shared, what=what)
        # Where names are missing, here or in the fit, columns go by their places.
        rows = X if is_frame(X) else as_samples(X, what)
        self._check_width(rows.shape[1], len(known), what)
        return read_for(model.columns, rows, known, shared=shared, what=what)

    def _check_width(self, width: int, expected: int, what: str) -> None:
        if width != expected:
            raise ValueError(
                f"{what} has {width} features, but {type(self).__name__} is expecting {expected} "
                "features as input."
            )

    def _moved(
        self,
        rows: Rows,
        *,
        from_: Any = NOWHERE,
        to: Any = NOWHERE,
        labels: Any = None,
        shared: bool = False,
        types: dict[str, Any] | None = None,
    ) -> Any:
        """Return rows on their way from groups, or from the shared space, to others."""
        model, threads = self.model_, threads_of(self.n_jobs)
        start, end = (
            None if place is NOWHERE else _labels.number(place, len(rows), model)
            for place in (from_, to)
        )
        shown = _labels.within(labels, len(rows), model)
        if model.columns is None:
            assert not isinstance(rows.cells, _core.Table)
            moved, _ = model.move(
                rows.cells, None if shared else start, end, shown, True, False, threads
            )
            assert moved is not None
            return self._as_configured(moved, rows.given)
        with in_words_of_python():
            if isinstance(rows.cells, _core.Table):
                if not shared:
                    self._tell_new_categories(rows.cells)
                cells, inexact = _core.move_table(
                    model, rows.cells, start, end, shown, shared, threads
                )
                result = put_back(rows.given, rows.names, cells, types)
            else:
                array, inexact = _core.move_array(
                    model, rows.cells, rows.names, start, end, shown, shared, threads
                )
                result = self._as_configured(array, rows.given)
        if inexact and to is NOWHERE:
            warnings.warn(
                f"{inexact} rows have missing cells where the maps jump; inverse_transform returns "
                "them nearly, not exactly.", FitWarning, stacklevel=3,
            )
        return result

    def _tell_new_categories(self, table: _core.Table) -> None:
        columns = self.model_.columns
        assert columns is not None
        unknown, far = columns.kept_doubts(table)
        for name, count in unknown.items():
            warnings.warn(
                f"{count} rows have no {name!r} that the fit knows; they are moved with its mean in "
                "their group.", FitWarning, stacklevel=4,
            )
        for what, count in far.items():
            warnings.warn(
                f"{count} rows have {what}, the range of the fit: its effect is extrapolated there.",
                FitWarning, stacklevel=4,
            )
        for what, count in columns.new_categories(table).items():
            warnings.warn(
                f"the fit has not seen {what} ({count} rows); it is left as it is, and its rows "
                "move as if it were missing.", FitWarning, stacklevel=4,
            )

    def _coordinates(self, rows: Rows, groups: Any) -> npt.NDArray[Any]:
        """Return rows as the flow sees them, missing cells as they are expected."""
        if self.model_.columns is None:
            assert not isinstance(rows.cells, _core.Table)
            return rows.cells
        codes = _labels.number(groups, len(rows), self.model_)
        with in_words_of_python():
            return _core.coordinates(
                self.model_, rows.cells, rows.names, codes, threads_of(self.n_jobs)
            )

    def _through_flow(
        self, coordinates: npt.NDArray[Any], groups: Any, labels: Any = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return coordinates in the shared space, and log-determinants in units of the data."""
        model = self.model_
        codes = _labels.number(groups, len(coordinates), model)
        moved, log_det = model.move(
            coordinates, codes, None, _labels.within(labels, len(coordinates), model), True, True,
            threads_of(self.n_jobs),
        )
        assert moved is not None and log_det is not None
        if model.columns is not None:
            # From units of the data to coordinates, and back again behind the flow.
            log_det = log_det + _core.log_slopes(model, coordinates)
            log_det -= _core.log_slopes(model, moved)
        return moved, log_det
