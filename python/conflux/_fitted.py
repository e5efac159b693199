"""A fitted estimator: its model, and the types in which rows are returned."""

from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import feature_names_of
from ._columns import COORDINATES, FitWarning
from ._progress import LayerRecord
from ._scikit import EstimatorBase, NotFittedError, configured_output
from ._tables import Rows, generic_names, is_frame

__all__ = ["FittedBase"]

_Self = TypeVar("_Self", bound="FittedBase")


class FittedBase(EstimatorBase):
    """The part of all estimators that reads a fitted model and changes nothing."""

    # Set by fit().
    groups_: npt.NDArray[Any]
    model_: _core.Model
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    # Columns of the fit, carried ones included, and their types; None: columns go by name alone.
    _names: list[str] | None = None
    _types: dict[str, Any] = {}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, the same that the conflux command reads and writes."""
        model = self._fitted()
        try:
            model.save(os.fspath(path))
        except _core.Error as error:
            raise OSError(str(error)) from None

    @classmethod
    def _of_model(cls: type[_Self], model: _core.Model) -> _Self:
        # Not the column of groups: a model of the command always names one, and callers who pass
        # groups would have to unset it first.
        params = cls._params_of(model.options)
        if model.columns is None:
            params["columns"] = COORDINATES
        aligner = cls(**params)
        aligner._remember(model, np.array(model.group_names))
        return aligner

    @classmethod
    def _params_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        params = {**options, "random_state": options["seed"], "n_jobs": options["threads"] or None}
        known = cls._get_param_names()
        return {name: value for name, value in params.items() if name in known}

    @property
    def history_(self) -> list[LayerRecord]:
        """Record of each layer of the fit."""
        return [LayerRecord(**fields) for fields in self._fitted().history]

    @property
    def dropped_history_(self) -> list[LayerRecord]:
        """Records of layers that were removed because validation rows gained nothing by them."""
        return [LayerRecord(**fields) for fields in self._fitted().dropped_history]

    @property
    def layers_(self) -> list[_core.Layer]:
        """The fitted layers, those into and out of the unit cube included."""
        return self._fitted().layers

    @property
    def options_(self) -> dict[str, Any]:
        """Every option of the engine as the fit used it."""
        return self._fitted().options

    @property
    def columns_(self) -> list[str]:
        """Type and scale of each column, one sentence each; empty if rows are coordinates."""
        columns = self._fitted().columns
        return [] if columns is None else [*columns.lines, columns.scale_reason]

    @property
    def summary_(self) -> dict[str, Any]:
        """Scores of the fit on held-out rows, if they were computed; see conflux.align."""
        return self._fitted().summary

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns that :meth:`transform` gives: those of X.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names to use instead; must be those of the fit if that had some. The column of the
            groups may be among them, as where a ColumnTransformer passes it on.
        """
        model = self._fitted()
        names = self._names or list(model.feature_names) or generic_names(model.dim)
        if input_features is not None:
            given = [str(name) for name in input_features]
            column = getattr(self, "group_column", None)
            if len(given) == len(names) + 1 and isinstance(column, int):
                given.pop(column)
            elif len(given) == len(names) + 1 and column in given:
                given.remove(column)
            if len(given) != len(names):
                raise ValueError(
                    f"input_features should have length equal to number of features "
                    f"({len(names)}), got {len(given)}"
                )
            if self._fitted_names() and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        return np.array(names, dtype=object)

    def set_output(self: _Self, *, transform: str | None = None) -> _Self:
        """Choose what rows are returned as.

        Parameters
        ----------
        transform : {"default", "pandas"}, optional
            "default": rows come back as what they were given as, data frames or arrays;
            "pandas": as data frames in any case. None changes nothing.
        """
        if transform is None:
            return self
        if transform not in ("default", "pandas"):
            raise ValueError(f'transform is {transform!r}; choose "default" or "pandas".')
        self._sklearn_output_config = {"transform": transform}
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_conflux_version": _core.__version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        version = state.pop("_conflux_version", "an earlier version")
        if version != _core.__version__:
            warnings.warn(
                f"this {type(self).__name__} was pickled by conflux {version} and is read by "
                f"{_core.__version__}; its parameters may have changed. Files of save() are read by "
                "all later versions.", FitWarning, stacklevel=2,
            )
        for name in self._get_param_names():
            default = inspect.signature(type(self)).parameters[name].default
            state.setdefault(name, default)  # a parameter that is newer than the pickle
        self.__dict__.update(state)

    def _fitted(self) -> _core.Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; call fit(X, groups) first."
            )
        return self.model_

    def _forget(self) -> None:
        for name in ("model_", "groups_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self._names, self._types = None, {}

    def _remember(
        self, model: _core.Model, labels: npt.NDArray[Any], rows: Rows | None = None
    ) -> None:
        """Keep a model of rows, or one of a file."""
        self.model_ = model
        self.groups_ = labels
        self._types = {}
        if rows is None:
            self._names, named = _names_of_model(model), list(model.feature_names)
        else:
            self._names, named = rows.names, feature_names_of(rows.given)
            if is_frame(rows.given):
                self._types = dict(zip(rows.names, rows.given.dtypes))
        if rows is None and self._names is not None:
            named = []
        self.n_features_in_ = model.dim if self._names is None else len(self._names)
        if named:
            self.feature_names_in_ = np.array(named, dtype=object)

    def _fitted_names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", []))

    def _as_configured(self, moved: npt.NDArray[np.float64], like: Any) -> Any:
        """Return an array, or a data frame if X was one or the user wants one."""
        if not is_frame(like) and configured_output(self) != "pandas":
            return moved
        import pandas

        named = list(like.columns) if is_frame(like) else self.get_feature_names_out()
        return pandas.DataFrame(moved, index=getattr(like, "index", None), columns=named)


def _names_of_model(model: _core.Model) -> list[str] | None:
    """Return the columns that the rows of a fit had, if they were columns of an array."""
    if model.columns is None:
        return None
    columns = model.columns
    names = {*columns.feature_names, *columns.kept_names, *columns.carried}
    generic = generic_names(len(names))
    return generic if names == set(generic) else None
