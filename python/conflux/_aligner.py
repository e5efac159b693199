"""The base of all estimators: fitting, moving rows, files."""

from __future__ import annotations

import copy
import functools
import warnings
from typing import Any, Callable, ClassVar, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _core, _labels, metrics
from ._arrays import as_masses, as_samples, feature_names_of, seed_of, threads_of
from ._columns import (
    CHOICES,
    COORDINATES,
    FitWarning,
    column_options,
    in_words_of_python,
    python_words,
    tell_columns,
)
from ._input import split, take_column
from ._moving import NOWHERE, MovingBase
from ._parameters import engine_options
from ._progress import LayerRecord, Progress
from ._tables import Rows, as_frame, generic_names, is_frame, read_features

__all__ = ["BaseAligner", "FitWarning"]

_Self = TypeVar("_Self", bound="BaseAligner")
_Method = TypeVar("_Method", bound=Callable[..., Any])


def groups_in_second_place(method: _Method) -> _Method:
    """Read what stands second, where scikit-learn has y: the groups, or labels.

    It is the groups, unless they are named (`groups=`) or a column of X: pipelines and searches
    then pass the labels there, fit(X, y, groups=groups).
    """

    @functools.wraps(method)
    def wrapped(self: BaseAligner, X: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("sensitive_features") is not None:
            if kwargs.get("groups") is not None:
                raise TypeError("groups and sensitive_features are the same; choose one of them.")
            kwargs["groups"] = kwargs.pop("sensitive_features")
        named = "groups" in kwargs or self.group_column is not None
        if len(args) > (1 if named else 2):
            raise TypeError("give X and y by position, everything else by name.")
        if args:
            kwargs.setdefault("y" if named else "groups", args[0])
        if len(args) == 2:
            kwargs["sample_weight"] = args[1]
        return method(self, X, **kwargs)

    return cast(_Method, wrapped)


# scikit-learn's checks call transform(X): no sample parameter goes there in scikit-learn 1.2, and an
# aligner that moved rows of unknown groups would move them wrongly.
_CHECKS_WITHOUT_GROUPS = (
    "check_dict_unchanged",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_sample_weights_invariance",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
)


class BaseAligner(MovingBase):
    """Base of all estimators; see INB for what they have in common."""

    _fixed_method: ClassVar[str | None] = None
    # Column that tells what a row shows; the model file keeps its name.
    _label_column = ""

    # Parameters that methods below use; the rest goes to the engine unseen.
    columns: Any
    group_column: str | int | None
    random_state: Any
    verbose: int

    @groups_in_second_place
    def fit(
        self: _Self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        sensitive_features: Any = None,
        callback: Callable[[LayerRecord], object] | None = None,
    ) -> _Self:
        """Learn one invertible map per group into a shared space.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Rows of all groups. What the columns mean is found out, and undone on the way back:
            units, values that repeat, bounds, missing cells, and in data frames categories.
            ``columns_`` tells; the parameters `columns`, `support`, `scale`, `missing` and
            `repeats` say otherwise.
        y : array-like of shape (n_samples,)
            By position, ``fit(X, groups)``: the group of each row. If `groups` is given by name, or
            `group_column` is set: the class of each row, None or NaN where it is unknown, for
            ``gate="label"``; ignored otherwise. A few labels, or those of one group, steer the
            matching of clusters.
        sample_weight : array-like of shape (n_samples,), optional
            Mass of each row within its group; all rows count alike if it is left out.
        groups, sensitive_features : array-like of shape (n_samples,), optional
            Group of each row, by name; the second is fairlearn's word for it. Left out if
            `group_column` is the column of X that has it.
        callback : callable, optional
            Called with a :class:`LayerRecord` after every layer; return True to stop there.

        Returns
        -------
        self
            An exception, Ctrl-C included, leaves the estimator unfitted.
        """
        self._forget()
        features, groups = split(X, groups, self.group_column, type(self).__name__)
        rows = self._features_of(features)
        if len(rows) == 1:
            raise ValueError("X has 1 sample, which is one group; give rows of two groups or more.")
        labels, group_names, codes = _labels.encode(groups, len(rows))
        masses = as_masses(sample_weight, len(rows))
        seed, threads = seed_of(self.random_state), threads_of(self.n_jobs)
        options = engine_options(self, self._fixed_method, seed, threads)
        label_names, label_codes = self._label_codes(y, len(rows))
        data = self._data_of(
            rows, (codes, group_names), masses, (label_codes, label_names), seed, level=4
        )
        total = self._expected_layers(options, data, group_names)
        with Progress(self.verbose, total, callback) as progress, in_words_of_python():
            model = _core.fit(data, options, self._group_name(), self._label_column, progress)
        for sentence in model.warnings:
            warnings.warn(python_words(sentence), FitWarning, stacklevel=3)
        self._remember(model, labels, rows)
        return self

    def _features_of(self, features: Any) -> Rows:
        """Return X as it is read before anything is known of it."""
        if self.columns != COORDINATES:
            return read_features(features)
        array = as_samples(features)
        names = feature_names_of(features) or generic_names(array.shape[1])
        return Rows(features if is_frame(features) else array, array, names)

    def _choices(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in CHOICES}

    def _data_of(
        self,
        rows: Rows,
        groups: tuple[npt.NDArray[np.int64], list[str]],
        masses: npt.NDArray[np.float64] | None,
        labels: tuple[npt.NDArray[np.int64], list[str]],
        seed: int,
        level: int,
    ) -> _core.Data:
        """Return the coordinates to fit on; warns as of `level` callers above."""
        choices = self._choices()
        options = column_options(choices, rows, seed)
        # Coordinates have names only if they were given some.
        names = rows.names if options is not None else feature_names_of(rows.given)
        with in_words_of_python():
            data = _core.Data(
                rows.cells, *groups, masses, *labels, names, options, threads_of(self.n_jobs)
            )
        tell_columns(data, rows, choices, groups[1], level)
        return data

    def _group_name(self) -> str:
        return self.group_column if isinstance(self.group_column, str) else ""

    def _label_codes(self, y: Any, rows: int) -> tuple[list[str], npt.NDArray[np.int64]]:
        if getattr(self, "gate", None) != "label":
            return [], np.empty(0, dtype=np.int64)
        if y is None:
            raise ValueError('gate is "label" but there are no labels; give them as y.')
        return _labels.encode_labels(y, rows)

    @groups_in_second_place
    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        sensitive_features: Any = None,
        callback: Callable[[LayerRecord], object] | None = None,
    ) -> Any:
        """Fit, and return the rows in the shared space; see :meth:`fit` and :meth:`transform`."""
        self.fit(X, groups=groups, sample_weight=sample_weight, y=y, callback=callback)
        labels = y if getattr(self, "gate", None) == "label" else None
        return self.transform(X, groups=groups, labels=labels)

    def transform(
        self, X: Any, groups: Any = None, labels: Any = None, *, sensitive_features: Any = None
    ) -> Any:
        """Move rows into the shared space, where all groups have the same distribution.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        groups, sensitive_features : label or array-like of shape (n_samples,)
            Group of each row, or one for all of them. Left out if `group_column` is set.
        labels : label or array-like of shape (n_samples,), optional
            Class of each row, None or NaN if unknown; for fits with ``gate="label"``: rows with a
            label take the maps of that label, all others those of their position. May be omitted if
            X has the column of labels of the fit.

        Returns
        -------
        ndarray or data frame of shape (n_samples, n_features), float64
            As X came; a data frame in any case after ``set_output(transform="pandas")``. Features
            have the units of X. Values that repeat are spread, categories are numbers, and what is
            missing stays missing. Columns that are no features stay as they are.
        """
        self._fitted()
        labels = self._labels_in(X, labels)
        features, groups = self._split(X, sensitive_features if groups is None else groups)
        return self._moved(self._rows_for(features), from_=groups, labels=labels)

    def inverse_transform(
        self, Z: Any, groups: Any, from_: Any = None, labels: Any = None
    ) -> Any:
        """Move rows from the shared space into a group each; undoes :meth:`transform`.

        Parameters
        ----------
        Z : data frame or array-like of shape (n_samples, n_features)
            Rows of the shared space.
        groups : label or array-like of shape (n_samples,)
            Where each row is to go.
        from_ : label or array-like of shape (n_samples,), optional
            Where each row came from, if that is another group: its values then become values that
            the new group has. None: rows return to their own groups.
        labels : label or array-like of shape (n_samples,), optional
            As given to :meth:`transform`.

        Returns
        -------
        ndarray or data frame of shape (n_samples, n_features)
            As Z came, with the types of the data frame that was fitted.
        """
        self._fitted()
        rows = self._rows_for(Z, strict=False, shared=True, what="Z")
        came_from = NOWHERE if from_ is None else from_
        return self._moved(
            rows, from_=came_from, to=groups, labels=self._labels_in(Z, labels), shared=True,
            types=self._types,
        )

    def translate(self, X: Any, from_: Any, to: Any, labels: Any = None) -> Any:
        """Return rows of groups as if they were of others.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Other columns of a data frame stay as they are.
        from_, to : label or array-like of shape (n_samples,)
            Where each row is from and where it is to go.
        labels : label or array-like of shape (n_samples,), optional
            As for :meth:`transform`.

        Returns
        -------
        ndarray or data frame of shape (n_samples, n_features)
            As X came, with values that the new groups can have.
        """
        self._fitted()
        X = as_frame(X)
        rows = self._rows_for(X, strict=False)
        types = dict(zip(rows.names, X.dtypes)) if is_frame(X) else None
        return self._moved(
            rows, from_=from_, to=to, labels=self._labels_in(X, labels), types=types
        )

    def log_det(self, X: Any, groups: Any = None, labels: Any = None) -> npt.NDArray[np.float64]:
        """Return the log-determinant of the Jacobian of each row's map into the shared space.

        Values that repeat are spread first, and missing cells have the values that are expected.
        """
        self._fitted()
        labels = self._labels_in(X, labels)
        features, groups = self._split(X, groups)
        _, log_det = self._through_flow(
            self._coordinates(self._rows_for(features), groups), groups, labels
        )
        return log_det

    @groups_in_second_place
    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None
    ) -> float:
        """Return how alike the groups are in the shared space; larger is better, 0 is best.

        It is minus the mean over all pairs of groups of the squared sliced Wasserstein distance
        (:func:`conflux.metrics.sliced_w2`, 256 directions) between their moved rows, in squared
        units of the coordinates, in which features are comparable. On rows that were not fitted, as
        in cross-validation, it tells how well the alignment holds there. The value of perfectly
        aligned groups is below 0 by the noise of finite samples.
        """
        if sample_weight is not None:
            raise ValueError("score counts all rows alike; leave sample_weight out.")
        self._fitted()
        features, groups = self._split(X, groups)
        rows = self._rows_for(features)
        labels = self._labels_in(X, y)
        moved, _ = self._through_flow(self._coordinates(rows, groups), groups, labels)
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
        rows = self._rows_for(X)
        masses = as_masses(sample_weight, len(rows))
        threads = threads_of(self.n_jobs)
        called = _labels.name_of(name)
        with in_words_of_python():
            if model.columns is None:
                assert not isinstance(rows.cells, _core.Table)
                grown = model.with_group(called, rows.cells, masses, threads)
            else:
                table = (
                    rows.cells
                    if isinstance(rows.cells, _core.Table)
                    else _core.Table.of_rows(rows.cells, rows.names, threads)
                )
                grown = model.with_table_group(called, table, masses, threads)
        self.model_ = grown
        self.groups_ = _labels.extend(self.groups_, name)
        return self

    def with_amount(self: _Self, amount: float) -> _Self:
        """Return this fitted estimator with rows moved by a fraction of their way.

        Every layer moves rows by this fraction of its own way, so that the inverse stays exact. The
        parameter `amount` does the same from the fit on; :func:`conflux.amount_curve` shows what
        each amount leaves.

        Parameters
        ----------
        amount : float
            From 0, which leaves rows in place, to 1, which moves them all the way.

        Examples
        --------
        >>> import conflux
        >>> X, groups = conflux.datasets.make_moons(400)
        >>> inb = conflux.INB(layers=10).fit(X, groups)
        >>> bool((inb.with_amount(0).transform(X, groups) == X).all())
        True
        """
        out = copy.copy(self)
        with in_words_of_python():
            out.model_ = self._fitted().with_amount(float(amount))
        if "amount" in self._get_param_names():
            setattr(out, "amount", float(amount))
        return out

    def _labels_in(self, X: Any, labels: Any) -> Any:
        """Return the labels of rows: those that are given, or those of the fitted column of X."""
        known = self.model_.label_column
        if labels is None and known and is_frame(X) and known in X.columns:
            return X[known]
        return labels

    def _split(self, X: Any, groups: Any) -> tuple[Any, Any]:
        """Return features and groups; a model that knows the column of the groups finds it."""
        X = as_frame(X)
        known = self.model_.group_column
        if groups is None and self.group_column is None and is_frame(X) and known in X.columns:
            return take_column(X, known, "tells the groups", "group_column")
        return split(X, groups, self.group_column, type(self).__name__)

    def _expected_layers(
        self, options: dict[str, Any], data: _core.Data, names: list[str]
    ) -> int:
        if not self.verbose:
            return 0
        return int(_core.resolve_options(options, data.dim, names, data.group_sizes)["layers"])

    def _more_tags(self) -> dict[str, Any]:
        reason = "transform needs the group of each row: groups=, or a column (group_column)"
        return {
            "requires_y": True,
            "allow_nan": True,
            "_xfail_checks": {name: reason for name in _CHECKS_WITHOUT_GROUPS},
        }
