"""What an estimator knows once it is fitted: its model, and how rows are returned."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from ._progress import LayerRecord
from ._scikit import EstimatorBase, NotFittedError, configured_output

__all__ = ["FittedBase"]

_Self = TypeVar("_Self", bound="FittedBase")


class FittedBase(EstimatorBase):
    """The part of all estimators that reads a fitted model and changes nothing."""

    # Set by fit().
    groups_: npt.NDArray[Any]
    model_: _core.Model
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

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
        aligner = cls(**cls._params_of(model.options))
        aligner._remember(model, np.array(model.group_names), model.feature_names)
        return aligner

    @classmethod
    def _params_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        params = {**options, "random_state": options["seed"], "n_jobs": options["threads"] or None}
        known = cls._get_param_names()
        return {name: value for name, value in params.items() if name in known}

    @property
    def history_(self) -> list[LayerRecord]:
        """What each layer of the fit did."""
        return [LayerRecord(**fields) for fields in self._fitted().history]

    @property
    def dropped_history_(self) -> list[LayerRecord]:
        """What the layers did that were left out, because held-out rows gained nothing by them."""
        return [LayerRecord(**fields) for fields in self._fitted().dropped_history]

    @property
    def layers_(self) -> list[_core.Layer]:
        """The fitted layers, those into and out of the unit cube included."""
        return self._fitted().layers

    @property
    def options_(self) -> dict[str, Any]:
        """Every option of the engine as the fit used it."""
        return self._fitted().options

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns that :meth:`transform` gives: those of X.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names to use instead; must be those of the fit if that had some.
        """
        model = self._fitted()
        names = list(model.feature_names) or [f"x{j}" for j in range(model.dim)]
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != len(names):
                raise ValueError(
                    f"input_features should have length equal to number of features "
                    f"({len(names)}), got {len(given)}"
                )
            if model.feature_names and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        return np.array(names, dtype=object)

    def set_output(self: _Self, *, transform: str | None = None) -> _Self:
        """Choose what rows are returned as.

        Parameters
        ----------
        transform : {"default", "pandas"}, optional
            numpy arrays, or data frames with the names of the features; None changes nothing.
        """
        if transform is None:
            return self
        if transform not in ("default", "pandas"):
            raise ValueError(f'transform is {transform!r}; choose "default" or "pandas".')
        self._sklearn_output_config = {"transform": transform}
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> _core.Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet; call fit(X, groups) first."
            )
        return self.model_

    def _forget(self) -> None:
        for name in ("model_", "groups_", "n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)

    def _remember(
        self, model: _core.Model, labels: npt.NDArray[Any], names: list[str]
    ) -> None:
        self.model_ = model
        self.groups_ = labels
        self.n_features_in_ = model.dim
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _frame(self, moved: npt.NDArray[np.float64], like: Any, model: _core.Model) -> Any:
        if configured_output(self) != "pandas":
            return moved
        import pandas

        return pandas.DataFrame(
            moved, index=getattr(like, "index", None), columns=self.get_feature_names_out()
        )
