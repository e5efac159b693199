"""Rows that many machines hold: Dask arrays and data frames.

>>> import conflux.dask
>>> aligner = conflux.dask.Aligner(client=client)            # doctest: +SKIP
>>> Z = aligner.fit_transform(X, groups)                     # doctest: +SKIP
>>> Z.to_parquet("aligned")                                  # doctest: +SKIP

A fit looks at a part of the rows of large groups (`fit_rows`). Workers count the rows of each
group, then each partition hands over those of its rows that are drawn, and one worker fits them.
Rows are moved where they are, when somebody asks for them. Dask is needed only when this is used.
"""

from __future__ import annotations

import copy
import dataclasses
import uuid
import warnings
from typing import Any, Callable, TypeVar

import numpy as np

from . import _core, _dask_tasks, estimators
from ._aligner import groups_in_second_place
from ._arrays import seed_of, threads_of
from ._columns import FitWarning, python_words
from ._parameters import Parameter, engine_options, initializer, parameters_of
from ._progress import LayerRecord
from ._tables import is_frame

__all__ = ["Aligner"]

_Self = TypeVar("_Self", bound="Aligner")

_MORE = (
    Parameter(
        "client", "Any", None,
        "The cluster that works. None: the client that was made last.",
        "distributed.Client or None", None,
    ),
    Parameter(
        "checkpoint_seconds", "float", 30.0,
        "How often the worker that fits tells the scheduler how far it is: a fit whose worker dies "
        "goes on from there on another.",
        "float", None,
    ),
)


class Aligner(estimators.Aligner):
    """An aligner of Dask arrays and data frames; parameters are those of :class:`conflux.Aligner`.

    Rows of a fit are drawn as :class:`conflux.Aligner` draws them, by their place in their group,
    however they are cut into partitions. The model has the bits of one that was fitted to the drawn
    rows in memory: of all rows if no group has more than `fit_rows`, and also if ``columns`` is
    ``"coordinates"``. Otherwise what columns mean is found out from the drawn rows.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster that works. None: the client that was made last.
    checkpoint_seconds : float, default=30
        How often the worker that fits tells the scheduler how far it is: a fit whose worker dies
        goes on from there on another.
    """

    client: Any
    checkpoint_seconds: float

    @groups_in_second_place
    def fit(
        self: _Self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None,
        sensitive_features: Any = None, callback: Callable[[LayerRecord], object] | None = None,
    ) -> _Self:
        """Learn one invertible map per group, on the cluster; returns when it is done.

        Parameters
        ----------
        X : dask DataFrame, or dask array of shape (n_samples, n_features)
            Lengths of partitions need not be known. X is read twice unless it is persisted: once
            for its groups, if they are a column, and once for the rows that are drawn.
        y, sample_weight, groups : dask Series or array of shape (n_samples,)
            As :meth:`conflux.Aligner.fit` has them, with the partitions of X.
        callback : None
            The fit is on another machine: nothing can be called after every layer.
        """
        if not _is_lazy(X):
            return super().fit(X, groups=groups, sample_weight=sample_weight, y=y, callback=callback)
        if callback is not None:
            raise ValueError("a fit on a cluster calls nobody back; leave callback out.")
        self._forget()
        parts = _parts_of(X, "X")
        rows = {
            name: [None] * len(parts) if given is None else _parts_like(given, X, len(parts), name)
            for name, given in (("groups", groups), ("sample_weight", sample_weight), ("y", y))
        }
        if getattr(self, "gate", None) != "label":
            rows["y"] = [None] * len(parts)
        elif y is None:
            raise ValueError('gate is "label" but there are no labels; give them as y.')
        fitted, labels = self._fit_parts(X, parts, rows)
        for message in [*fitted.warnings, *fitted.model.warnings]:
            kind = type(message) if isinstance(message, Warning) else FitWarning
            warnings.warn(python_words(str(message)), kind, stacklevel=2)
        self._remember(fitted.model, labels, fitted.rows)
        return self

    def _fit_parts(
        self, X: Any, parts: list[Any], rows: dict[str, list[Any]]
    ) -> tuple[_dask_tasks.Fitted, Any]:
        import dask

        client = self._cluster()
        columns = _group_parts(X, self.group_column, rows["groups"])
        looked = [
            dask.delayed(_dask_tasks.survey)(i, *each)
            for i, each in enumerate(zip(columns, rows["sample_weight"], rows["y"]))
        ]
        surveys = client.gather(client.compute(looked))
        known = _dask_tasks.joined_surveys(surveys)
        seed = seed_of(self.random_state)
        options = engine_options(self, None, seed, threads_of(self.n_jobs))
        label_names = sorted(
            {text for shown in known.shown.values() for text in shown if text is not None}
        )
        drawn = _draw(known, label_names, options)
        wanted = _wanted_of_parts(surveys, drawn)
        taken = [
            dask.delayed(_dask_tasks.take)(i, part, *each, self.group_column, want)
            for i, (part, each, want) in enumerate(zip(parts, zip(*rows.values()), wanted))
            if any(numbers is None or len(numbers) for numbers in want.values())
        ]
        if not taken:
            raise ValueError("X has no rows; give some.")
        sizes = [known.sizes[n] if rows_ is None else known.able[n] for n, rows_ in drawn.items()]
        if all(numbers is None for numbers in drawn.values()):
            sizes = []
        local = _in_memory(self)
        plan = _dask_tasks.Plan(list(known.labels), label_names, sizes, options)
        fitted = _fit_on_a_worker(
            client, local, client.compute(taken), plan, self.checkpoint_seconds
        )
        return fitted, np.asarray(list(known.labels.values()))

    def transform(
        self, X: Any, groups: Any = None, labels: Any = None, *, sensitive_features: Any = None
    ) -> Any:
        """Move rows into the shared space, when they are asked for; see :meth:`Aligner.transform`.

        X is a dask DataFrame or array; groups one label, or labels with its partitions. Noise that
        spreads repeated values follows `key`, or the places of rows in their partitions.
        """
        groups = sensitive_features if groups is None else groups
        if not _is_lazy(X):
            return super().transform(X, groups, labels)
        return self._lazily("transform", X, _those_given(groups=groups, labels=labels))

    def inverse_transform(
        self, Z: Any, groups: Any, from_: Any = None, labels: Any = None
    ) -> Any:
        """Move rows from the shared space into groups, when they are asked for."""
        if not _is_lazy(Z):
            return super().inverse_transform(Z, groups, from_, labels)
        given = _those_given(groups=groups, from_=from_, labels=labels)
        return self._lazily("inverse_transform", Z, given)

    def translate(self, X: Any, from_: Any, to: Any, labels: Any = None) -> Any:
        """Return rows of groups as if they were of others, when they are asked for."""
        if not _is_lazy(X):
            return super().translate(X, from_, to, labels)
        return self._lazily("translate", X, _those_given(from_=from_, to=to, labels=labels))

    def _lazily(self, verb: str, X: Any, labels: dict[str, Any]) -> Any:
        import dask

        self._fitted()
        local = _in_memory(self)
        if local.n_jobs is None:
            local.n_jobs = 1  # workers have their threads for several partitions
        parts = _parts_of(X, "X")
        lazy = {n: _parts_like(g, X, len(parts), n) for n, g in labels.items() if _is_lazy(g)}
        for name, given in labels.items():
            if name not in lazy and np.ndim(given) > 0:
                raise TypeError(
                    f"{name} has a label per row in memory, but rows are in partitions; give a "
                    "dask array or series with the partitions of X, or one label."
                )
        meta = self._moved_meta(local, verb, X, labels)
        shared = dask.delayed(local, pure=False)
        moved = [
            dask.delayed(_dask_tasks.move)(
                shared, verb, part, {**labels, **{n: own[i] for n, own in lazy.items()}}, meta
            )
            for i, part in enumerate(parts)
        ]
        return _collected(moved, X, meta)

    def _moved_meta(self, local: Any, verb: str, X: Any, labels: dict[str, Any]) -> Any:
        """Return what rows become, without rows: rows of Dask's invention tell."""
        if not hasattr(X, "_meta_nonempty"):
            return np.empty((0, self.n_features_in_))
        example = X._meta_nonempty
        if verb == "transform":
            one = None if "groups" not in labels else np.resize(self.groups_[:1], len(example))
            example, _ = local._split(example, one)
            local = copy.copy(local)
            local.group_column = None
            labels = {"groups": None}
        given = {name: self.groups_[0] for name in labels}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(local, verb)(example, **given).iloc[:0]

    def _cluster(self) -> Any:
        if self.client is not None:
            return self.client
        import distributed

        try:
            return distributed.default_client()
        except ValueError:
            raise ValueError(
                "there is no cluster to work; make one, client = distributed.Client(), and give it "
                "as client."
            ) from None


setattr(Aligner, "__init__", initializer([*parameters_of(None), *_MORE]))


def _those_given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _is_lazy(X: Any) -> bool:
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def _in_memory(aligner: Aligner) -> Any:
    """Return the same without a cluster, which workers can have."""
    local = estimators.Aligner()
    local.__dict__.update({k: v for k, v in aligner.__dict__.items()
                           if k not in ("client", "checkpoint_seconds")})
    return local


def _parts_of(X: Any, what: str) -> list[Any]:
    """Return the partitions of a collection, whole rows each."""
    if is_frame(X) or not hasattr(X, "chunks"):
        return list(X.to_delayed())
    if X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if X.ndim > 2:
        raise ValueError(f"{what} has {X.ndim} dimensions; give one row per sample.")
    return list(X.to_delayed().ravel())


def _parts_like(given: Any, X: Any, count: int, what: str) -> list[Any]:
    """Return the partitions of what belongs to the rows of X."""
    if not _is_lazy(given):
        raise TypeError(
            f"{what} is a {type(given).__name__}; give a dask array or series with the partitions "
            "of X, or a column of X as group_column."
        )
    known = hasattr(given, "chunks") and hasattr(X, "chunks")
    if known and not np.isnan([*given.chunks[0], *X.chunks[0]]).any():
        if sum(given.chunks[0]) != sum(X.chunks[0]):
            raise ValueError(
                f"X has {sum(X.chunks[0])} rows, but {what} has {sum(given.chunks[0])}; give one "
                "per row."
            )
        given = given.rechunk({0: X.chunks[0]})
    parts = _parts_of(given, what)
    if len(parts) != count:
        raise ValueError(
            f"X has {count} partitions, but {what} has {len(parts)}; make them of one table, or "
            "repartition them alike."
        )
    return parts


def _group_parts(X: Any, column: Any, groups: list[Any]) -> list[Any]:
    """Return the groups of each partition; only their column is read."""
    if any(part is not None for part in groups):
        if column is not None:
            raise ValueError(
                f"the groups are given, and group_column is {column!r} too; choose one."
            )
        return groups
    if column is None:
        raise ValueError(
            "Aligner needs groups, but they are None; give one label per row, or set group_column."
        )
    if isinstance(column, str):
        if not is_frame(X) or column not in X.columns:
            raise ValueError(f"X has no column {column!r}, which tells the groups; add it.")
        return _parts_of(X[column], "groups")
    return _parts_of(X.iloc[:, [column]] if is_frame(X) else X[:, column], "groups")


def _draw(
    known: _dask_tasks.Survey, label_names: list[str], options: dict[str, Any]
) -> dict[str, Any]:
    """Return the rows of each group that are drawn, None for all, by sizes and labels alone."""
    out: dict[str, Any] = {}
    for name, able in known.able.items():
        shown = None
        if label_names:
            shown = _dask_tasks.label_numbers(known.shown[name], label_names)
        rows = _core.draw_rows(options, able, shown)
        out[name] = None if len(rows) == able else rows
    return out


def _wanted_of_parts(
    surveys: list[_dask_tasks.Survey], drawn: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows that each partition hands over, counted from its own first row."""
    before = dict.fromkeys(drawn, 0)
    out = []
    for part in surveys:
        wanted: dict[str, Any] = {}
        for name, able in part.able.items():
            rows = drawn[name]
            if rows is not None:
                begin, end = np.searchsorted(rows, [before[name], before[name] + able])
                rows = rows[begin:end] - before[name]
            wanted[name] = rows
            before[name] += able
        out.append(wanted)
    return out


def _fit_as_task(
    store: str, local: Any, pieces: list[Any], plan: _dask_tasks.Plan, seconds: float
) -> _dask_tasks.Fitted:
    """Fit, telling the scheduler how far it is; a worker that takes over goes on from there."""
    import distributed

    told = distributed.Variable(store, client=distributed.get_client())
    threads = plan.options["threads"] or distributed.get_worker().state.nthreads
    own = dataclasses.replace(plan, options={**plan.options, "threads": threads})
    return _dask_tasks.fit(local, pieces, own, told.get(), told.set, seconds)


def _fit_on_a_worker(
    client: Any, local: Any, pieces: list[Any], plan: _dask_tasks.Plan, seconds: float
) -> _dask_tasks.Fitted:
    import distributed

    store = f"conflux-{uuid.uuid4().hex}"
    told = distributed.Variable(store, client=client)
    told.set(b"")
    try:
        task = client.submit(
            _fit_as_task, store, local, pieces, plan, seconds, pure=False, key=f"{store}-fit"
        )
        fitted: _dask_tasks.Fitted = task.result()
        return fitted
    finally:
        told.delete()


def _collected(parts: list[Any], X: Any, meta: Any) -> Any:
    """Return moved parts as what X is."""
    if is_frame(meta):
        import dask.dataframe

        return dask.dataframe.from_delayed(
            parts, meta=meta, divisions=X.divisions, verify_meta=False
        )
    import dask.array

    blocks = [
        dask.array.from_delayed(part, shape=(rows, meta.shape[1]), dtype=meta.dtype)
        for part, rows in zip(parts, X.chunks[0])
    ]
    return dask.array.concatenate(blocks, allow_unknown_chunksizes=True)
