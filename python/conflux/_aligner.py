"""What all estimators share: fitting, moving rows, files."""

from __future__ import annotations

import functools
import warnings
from typing import Any, Callable, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _core, _labels, metrics
from ._arrays import Samples, as_masses, as_samples, feature_names_of, seed_of, threads_of
from ._fitted import FittedBase
from ._input import check_names, read
from ._parameters import engine_options
from ._progress import LayerRecord, Progress

__all__ = ["BaseAligner", "FitWarning"]

_Self = TypeVar("_Self", bound="BaseAligner")
_Method = TypeVar("_Method", bound=Callable[..., Any])

# Stands for the shared space where rows have no group to leave or to enter.
_SHARED = object()


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


class BaseAligner(FittedBase):
    """Base of all estimators; see INB for what they have in common."""

    _fixed_method: ClassVar[str | None] = None
    # Column that tells what a row shows; the model file keeps its name.
    _label_column = ""

    # Parameters that methods below use; the rest goes to the engine unseen.
    group_column: str | int | None
    n_jobs: int | None
    random_state: Any
    verbose: int

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
        check_names(names, self._fitted_names())
        moved, _ = self._move(rows, from_=groups, want_log_det=False)
        return self._frame(moved, X, model)

    def inverse_transform(self, Z: Any, groups: Any) -> Any:
        """Move rows from the shared space into a group each; undoes :meth:`transform`."""
        model = self._fitted()
        moved, _ = self._move(as_samples(Z, "Z"), to=groups, want_log_det=False)
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
        moved, _ = self._move(as_samples(X), from_=from_, to=to, want_log_det=False)
        return self._frame(moved, X, model)

    def log_det(self, X: Any, groups: Any = None) -> npt.NDArray[np.float64]:
        """Return the log-determinant of the Jacobian of each row's map into the shared space."""
        self._fitted()
        rows, groups, names = self._read(X, groups)
        check_names(names, self._fitted_names())
        _, log_det = self._move(rows, from_=groups, want_rows=False)
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
        check_names(names, self._fitted_names())
        moved, _ = self._move(rows, from_=groups, want_log_det=False)
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
        check_names(feature_names_of(X), self._fitted_names())
        masses = as_masses(sample_weight, len(rows))
        grown = model.with_group(_labels.name_of(name), rows, masses, threads_of(self.n_jobs))
        self.model_ = grown
        self.groups_ = _labels.extend(self.groups_, name)
        return self

    def _read(self, X: Any, groups: Any) -> tuple[Samples, Any, list[str]]:
        return read(X, groups, self.group_column, type(self).__name__)

    def _fitted_names(self) -> list[str]:
        return list(getattr(self, "feature_names_in_", []))

    def _expected_layers(
        self, options: dict[str, Any], rows: Samples, codes: npt.NDArray[np.int64], names: list[str]
    ) -> int:
        if not self.verbose:
            return 0
        sizes = np.bincount(codes, minlength=len(names)).tolist()
        return int(_core.resolve_options(options, rows.shape[1], names, sizes)["layers"])

    def _move(
        self,
        rows: Samples,
        *,
        from_: Any = _SHARED,
        to: Any = _SHARED,
        want_rows: bool = True,
        want_log_det: bool = True,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        model = self.model_
        if rows.shape[1] != model.dim:
            raise ValueError(
                f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                f"{model.dim} features as input."
            )
        start, end = (
            None if place is _SHARED else _labels.number(place, len(rows), model)
            for place in (from_, to)
        )
        moved, log_det = model.move(
            rows, start, end, want_rows, want_log_det, threads_of(self.n_jobs)
        )
        # Only what was asked for is there; callers take that.
        return cast("npt.NDArray[np.float64]", moved), cast("npt.NDArray[np.float64]", log_det)

    def _more_tags(self) -> dict[str, Any]:
        # Where scikit-learn's checks pass y, we take it as the groups, which we cannot do without.
        return {"requires_y": True}
