"""What all estimators share: fitting, moving rows, files."""

from __future__ import annotations

import functools
import os
import warnings
from typing import Any, Callable, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _core, _labels, metrics
from ._arrays import Samples, as_masses, as_samples, feature_names_of, seed_of, threads_of
from ._parameters import engine_options
from ._progress import LayerRecord, Progress
from ._scikit import EstimatorBase, NotFittedError, configured_output

__all__ = ["BaseAligner", "FitWarning"]

_Self = TypeVar("_Self", bound="BaseAligner")
_Method = TypeVar("_Method", bound=Callable[..., Any])

_OWN_NAMES = ("groups", "sample_weight", "y")


class FitWarning(UserWarning):
    """What a user should know before trusting a fit."""


def _accepts_y_in_second_place(method: _Method) -> _Method:
    """Let pipelines pass y where scikit-learn has it.

    Pipelines and searches call fit(X, y, groups=groups). What stands second is y then, and also
    when the labels are a column of X.
    """

    @functools.wraps(method)
    def wrapped(self: BaseAligner, X: Any, *args: Any, **kwargs: Any) -> Any:
        if args and ("groups" in kwargs or self.group_column is not None):
            if len(args) > 1:
                raise TypeError("give X and y by position, everything else by name.")
            kwargs.setdefault("y", args[0])
            args = ()
        return method(self, X, *args, **kwargs)

    return cast(_Method, wrapped)


class BaseAligner(EstimatorBase):
    """Base of all estimators; see INB for what they have in common."""

    _fixed_method: ClassVar[str | None] = None
    # Column that tells what a row shows; the model file keeps its name.
    _label_column = ""

    # Parameters that methods below use; the rest goes to the engine unseen.
    group_column: str | int | None
    n_jobs: int | None
    random_state: Any
    verbose: int

    # Set by fit().
    groups_: npt.NDArray[Any]
    model_: _core.Model
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]

    @_accepts_y_in_second_place
    def fit(
        self: _Self,
        X: Any,
        groups: Any = None,
        sample_weight: Any = None,
        y: Any = None,
        *,
        callback: Callable[[LayerRecord], object] | None = None,
    ) -> _Self:
        """Learn one invertible map per group into a shared space.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of all groups. C-contiguous float64 rows are read where they are; if the rows of a
            group do not lie at equal distances, they are gathered first.
        groups : array-like of shape (n_samples,)
            Label of each row's group. Left out if `group_column` says where X has it.
        sample_weight : array-like of shape (n_samples,), optional
            Mass of each row within its group; all rows count alike if it is left out.
        y : array-like of shape (n_samples,), optional
            What rows show, None where it is unknown, for ``gate="label"``; ignored otherwise.
        callback : callable, optional
            Called with a :class:`LayerRecord` after every layer; return True to stop there.

        Returns
        -------
        self
            An exception, Ctrl-C included, leaves the estimator unfitted.
        """
        self._forget()
        rows, groups, names = self._read(X, groups)
        labels, group_names, codes = _labels.encode(groups, len(rows))
        masses = as_masses(sample_weight, len(rows))
        options = engine_options(
            self, self._fixed_method, seed_of(self.random_state), threads_of(self.n_jobs)
        )
        label_names, label_codes = self._label_codes(y, len(rows))
        column = self.group_column if isinstance(self.group_column, str) else ""
        total = self._expected_layers(options, rows, codes, group_names)
        with Progress(self.verbose, total, callback) as progress:
            model = _core.fit(
                rows, codes, group_names, masses, label_codes, label_names, options, names,
                group_column=column, label_column=self._label_column, on_layer=progress,
            )
        for sentence in model.warnings:
            warnings.warn(sentence, FitWarning, stacklevel=3)
        self._remember(model, labels, names)
        return self

    def _label_codes(self, y: Any, rows: int) -> tuple[list[str], npt.NDArray[np.int64]]:
        if getattr(self, "gate", None) != "label":
            return [], np.empty(0, dtype=np.int64)
        if y is None:
            raise ValueError('gate is "label" but there are no labels; give them as y.')
        return _labels.encode_labels(y, rows)

    @_accepts_y_in_second_place
    def fit_transform(
        self,
        X: Any,
        groups: Any = None,
        sample_weight: Any = None,
        y: Any = None,
        *,
        callback: Callable[[LayerRecord], object] | None = None,
    ) -> Any:
        """Fit, and return the rows in the shared space; see :meth:`fit` and :meth:`transform`."""
        self.fit(X, groups=groups, sample_weight=sample_weight, y=y, callback=callback)
        return self.transform(X, groups=groups)

    def transform(self, X: Any, groups: Any = None) -> Any:
        """Move rows into the shared space, where all groups look alike.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        groups : label or array-like of shape (n_samples,)
            Group of each row, or one for all of them. Left out if `group_column` is set.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
            A data frame after ``set_output(transform="pandas")``.
        """
        model = self._fitted()
        rows, groups, names = self._read(X, groups)
        self._check_names(names)
        moved, _ = self._move("forward", rows, groups, groups, want_log_det=False)
        return self._frame(moved, X, model)

    def inverse_transform(self, Z: Any, groups: Any) -> Any:
        """Move rows from the shared space into a group each; undoes :meth:`transform`."""
        model = self._fitted()
        moved, _ = self._move("inverse", as_samples(Z, "Z"), groups, groups, want_log_det=False)
        return self._frame(moved, Z, model)

    def translate(self, X: Any, from_: Any, to: Any) -> Any:
        """Return rows of groups as if they were of others.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features only, also if `group_column` is set.
        from_, to : label or array-like of shape (n_samples,)
            Where each row is from and where it is to go.

        Returns
        -------
        ndarray of shape (n_samples, n_features), float64
        """
        model = self._fitted()
        moved, _ = self._move("translate", as_samples(X), from_, to, want_log_det=False)
        return self._frame(moved, X, model)

    def log_det(self, X: Any, groups: Any = None) -> npt.NDArray[np.float64]:
        """Return the log-determinant of the Jacobian of each row's map into the shared space."""
        self._fitted()
        rows, groups, names = self._read(X, groups)
        self._check_names(names)
        _, log_det = self._move("forward", rows, groups, groups, want_rows=False)
        return log_det

    @_accepts_y_in_second_place
    def score(
        self, X: Any, groups: Any = None, sample_weight: Any = None, y: Any = None
    ) -> float:
        """Return how alike the groups are in the shared space; larger is better, 0 is best.

        It is minus the mean over all pairs of groups of the squared sliced Wasserstein distance
        (:func:`conflux.metrics.sliced_w2`, 256 directions) between their moved rows, in squared
        units of the shared space. On rows that were not fitted, as in cross-validation, it tells
        how well the alignment holds there. The value of perfectly aligned groups is below 0 by the
        noise of finite samples.
        """
        if sample_weight is not None:
            raise ValueError("score counts all rows alike; leave sample_weight out.")
        self._fitted()
        rows, groups, names = self._read(X, groups)
        self._check_names(names)
        moved, _ = self._move("forward", rows, groups, groups, want_log_det=False)
        codes = _labels.number(groups, len(rows), self.model_)
        distance = metrics.pairwise(
            functools.partial(metrics.sliced_w2, n_jobs=self.n_jobs), moved, codes
        )
        return -distance.mean

    def add_group(self: _Self, X: Any, name: Any, sample_weight: Any = None) -> _Self:
        """Learn the maps of a group that :meth:`fit` has not seen; the others stay as they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of the new group: features only.
        name : label
            Its label from now on.
        sample_weight : array-like of shape (n_samples,), optional
            Mass of each row.
        """
        model = self._fitted()
        if _labels.missing(name):
            raise ValueError(f"the name of the group is {name!r}; give one.")
        rows = as_samples(X)
        self._check_names(feature_names_of(X))
        masses = as_masses(sample_weight, len(rows))
        grown = model.with_group(_labels.name_of(name), rows, masses, threads_of(self.n_jobs))
        self.model_ = grown
        self.groups_ = _labels.extend(self.groups_, name)
        return self

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

    def _more_tags(self) -> dict[str, Any]:
        # Where scikit-learn's checks pass y, we take it as the groups, which we cannot do without.
        return {"requires_y": True}

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

    def _read(self, X: Any, groups: Any) -> tuple[Samples, Any, list[str]]:
        """Return features, labels and names of the features."""
        if self.group_column is None:
            if groups is None:
                raise ValueError(
                    f"{type(self).__name__} needs groups, but they are None; give one label per "
                    "row, or set group_column."
                )
            return as_samples(X), groups, feature_names_of(X)
        if groups is not None:
            raise ValueError(
                f"the groups are given, and group_column is {self.group_column!r} too; choose one."
            )
        return self._without_group_column(X)

    def _without_group_column(self, X: Any) -> tuple[Samples, Any, list[str]]:
        column = self.group_column
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

    def _check_names(self, names: list[str]) -> None:
        fitted = list(getattr(self, "feature_names_in_", []))
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

    def _expected_layers(
        self, options: dict[str, Any], rows: Samples, codes: npt.NDArray[np.int64], names: list[str]
    ) -> int:
        if not self.verbose:
            return 0
        sizes = np.bincount(codes, minlength=len(names)).tolist()
        return int(_core.resolve_options(options, rows.shape[1], names, sizes)["layers"])

    def _move(
        self,
        way: str,
        rows: Samples,
        from_: Any,
        to: Any,
        *,
        want_rows: bool = True,
        want_log_det: bool = True,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        model = self.model_
        if rows.shape[1] != model.dim:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{model.dim} features as input."
            )
        start = _labels.number(from_, len(rows), model)
        end = start if to is from_ else _labels.number(to, len(rows), model)
        pairs = start * len(model.group_names) + end
        moved, log_det = model.move(
            way, rows, pairs, want_rows, want_log_det, threads_of(self.n_jobs)
        )
        # Only what was asked for is there; callers take that.
        return cast("npt.NDArray[np.float64]", moved), cast("npt.NDArray[np.float64]", log_det)

    def _frame(self, moved: npt.NDArray[np.float64], like: Any, model: _core.Model) -> Any:
        if configured_output(self) != "pandas":
            return moved
        import pandas

        return pandas.DataFrame(
            moved, index=getattr(like, "index", None), columns=self.get_feature_names_out()
        )
