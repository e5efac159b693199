"""How far groups can be told apart, before an alignment and after it.

The results are records with a summary to read (``print(result)``) and a dict to keep
(``result.to_dict()``).
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._aligner import BaseAligner
from ._arrays import seed_of, threads_of
from ._columns import CHOICES, in_words_of_python, python_words
from ._input import take_column
from ._judgements import Check, Evaluation, Feature, GroupPrediction, Summary
from ._tables import as_frame, is_frame
from .estimators import Aligner

__all__ = [
    "Check", "Evaluation", "Feature", "GroupPrediction", "Summary", "amount_curve", "check", "evaluate",
    "predict_groups",
]


def take_named(X: Any, labels: Any, purpose: str, parameter: str) -> tuple[Any, Any, str]:
    """Return X without the column that `labels` names, the labels, and that name if it is one."""
    X = as_frame(X)
    if isinstance(labels, str) and is_frame(X):
        features, column = take_column(X, labels, purpose, parameter)
        return features, column, labels
    return X, labels, ""


def read_data(
    aligner: BaseAligner, X: Any, groups: Any, labels: Any, seed: int, level: int
) -> tuple[Any, Any, _core.Data]:
    """Return labels of the groups, rows, and data as a fit would see it."""
    rows = aligner._features_of(X)
    if groups is None:
        raise ValueError("groups is None; give one label per row, or the name of a column of X.")
    found, group_names, codes = _labels.encode(groups, len(rows))
    label_names, label_codes = _label_codes(labels, len(rows))
    data = aligner._data_of(
        rows, (codes, group_names), None, (label_codes, label_names), seed, level + 1
    )
    return found, rows, data


def _reader(choices: dict[str, Any], n_jobs: int | None, caller: str) -> BaseAligner:
    """Return an estimator that reads X as these parameters of columns say."""
    unknown = sorted(set(choices) - set(CHOICES))
    if unknown:
        raise TypeError(f"{caller}() got an unexpected keyword argument {unknown[0]!r}")
    return Aligner(n_jobs=n_jobs, **choices)


def predict_groups(
    X: Any,
    groups: Any,
    unseen: Any = None,
    unseen_groups: Any = None,
    *,
    folds: int = 3,
    trees: int = 100,
    max_rows: int = 100_000,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **columns: Any,
) -> GroupPrediction:
    """Return how well the group of a row can be predicted from the row.

    Gradient-boosted trees learn to tell the groups apart on some rows and are judged on others. Ask
    before an alignment and after it: what can no longer be predicted is aligned.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Rows of all groups. Missing cells get values that are expected in the row's group.
    groups : array-like of shape (n_samples,) or str
        Label of each row's group, or the column of a data frame that has it.
    unseen, unseen_groups : array-like, optional
        Other rows to be judged on, by trees that learn on all of X. None: rows of X are judged in
        turn, each by trees that have not seen it.
    folds : int
        Parts of X that are judged in turn.
    trees : int
        Trees of each classifier.
    max_rows : int
        Largest number of rows used; of more, the largest groups are sampled.
    random_state : int, generator or None
        Names the folds.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(400)
    >>> before = conflux.predict_groups(X, groups)
    >>> before.beyond_chance
    True
    >>> after = conflux.predict_groups(conflux.INB(layers=20).fit_transform(X, groups), groups)
    >>> after.auc < before.auc
    True
    """
    seed, threads = seed_of(random_state), threads_of(n_jobs)
    if (unseen is None) != (unseen_groups is None):
        raise ValueError("give both unseen and unseen_groups, or none of them.")
    X, groups, _ = take_named(X, groups, "tells the groups", "groups")
    aligner = _reader(columns, n_jobs, "predict_groups")
    labels, rows, data = read_data(aligner, X, groups, None, 0, 2)
    group_names = [_labels.name_of(label) for label in labels]
    others = None
    if unseen is not None:
        unseen, unseen_groups, _ = take_named(
            unseen, unseen_groups, "tells the groups", "unseen_groups"
        )
        more = aligner._features_of(unseen)
        _, other_names, codes = _labels.encode(unseen_groups, len(more))
        unknown = [name for name in other_names if name not in group_names]
        if unknown:
            raise ValueError(f"X has no rows of group {unknown[0]!r}, which unseen_groups names.")
        place = np.array([group_names.index(name) for name in other_names], dtype=np.int64)
        others = data.others(more.cells, place[codes], more.names, threads)
    found = _core.predict_groups(data, others, folds, trees, max_rows, seed, threads)
    return _prediction_of(found, group_names, data.feature_names or rows.names)


def _prediction_of(found: dict[str, Any], group_names: list[str], names: list[str]) -> GroupPrediction:
    order = sorted(range(len(found["importance"])), key=lambda j: -float(found["importance"][j]))
    return GroupPrediction(
        auc=found["auc"],
        by_chance=found["by_chance"],
        p_value=found["p_value"],
        per_group=dict(zip(group_names, found["per_group"])),
        importance={names[j]: found["importance"][j] for j in order},
        rows=found["rows"],
    )


def check(
    X: Any,
    groups: Any,
    labels: Any = None,
    *,
    error_rate: float = 0.05,
    max_rows: int = 20_000,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **columns: Any,
) -> Check:
    """Return whether groups differ, in which features, and what an alignment would risk.

    The figures and sentences are those of ``conflux check`` on the same table.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Rows of all groups.
    groups : array-like of shape (n_samples,) or str
        Label of each row's group, or the column of a data frame that has it.
    labels : array-like of shape (n_samples,) or str, optional
        Class of each row, None if unknown, or the name of their column: the check then compares the
        proportions of classes between groups.
    error_rate : float
        Probability of claiming a difference if there is none.
    max_rows : int
        Largest number of rows used; of more, the largest groups are sampled.
    random_state : int, generator or None
        Seed of the sampling of rows.
    n_jobs : int, optional
        Threads; None uses every core.
    **columns
        `columns`, `support`, `scale`, `missing`, `repeats`, `key` and `covariates` of
        :class:`conflux.Aligner`.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_gaussians(300)
    >>> found = conflux.check(X, groups)
    >>> found.differ
    True
    """
    features, groups, _ = take_named(X, groups, "tells the groups", "groups")
    features, labels, _ = take_named(features, labels, "has the label of each row", "labels")
    aligner = _reader(columns, n_jobs, "check")
    _, rows, data = read_data(aligner, features, groups, labels, 0, 2)
    return check_data(data, rows.names, error_rate, max_rows, seed_of(random_state), n_jobs)


def check_data(
    data: _core.Data,
    names: list[str],
    error_rate: float,
    max_rows: int,
    seed: int,
    n_jobs: int | None,
) -> Check:
    """Return whether groups differ; `names` are those of features without names."""
    found = _core.check(data, error_rate, max_rows, 99, seed, threads_of(n_jobs))
    return check_of(found, data.feature_names or names, data.group_names)


def check_of(found: dict[str, Any], names: list[str], group_names: list[str]) -> Check:
    """Return a check of the engine; `names` are those of the features."""
    shares = None
    if found["labels"] is not None:
        table = found["labels"]["shares"].tolist()
        clusters = found["labels"]["clusters"]
        shares = {name: dict(zip(clusters, row)) for name, row in zip(group_names, table)}
    return Check(
        differ=found["differ"],
        p_value=found["p_value"],
        advice=found["advice"],
        sentences=[python_words(sentence) for sentence in found["sentences"]],
        prediction=_prediction_of(found["prediction"], group_names, names),
        features={name: Feature(**each) for name, each in zip(names, found["features"])},
        rows=dict(zip(group_names, found["rows"])),
        repeated_rows=found["repeated_rows"],
        overlap=found["overlap"],
        shares=shares,
    )


def evaluate(
    model: BaseAligner,
    X: Any,
    groups: Any = None,
    labels: Any = None,
    *,
    metrics: str | Sequence[str] = (),
    shared_space: bool = False,
    max_rows: int = 10_000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Return the scores of an alignment on these rows, and a verdict.

    Give rows that the fit has not seen if there are any: scores of training rows are optimistic. The
    figures and sentences are those of ``conflux evaluate`` on the same table.

    Parameters
    ----------
    model : fitted estimator
        The alignment.
    X : data frame or array-like of shape (n_samples, n_features)
        Rows of some of its groups.
    groups : array-like of shape (n_samples,) or str
        Label of each row's group, or the column of a data frame that has it. May be omitted
        if the estimator has a `group_column`, or the model has the name of the column.
    labels : array-like of shape (n_samples,) or str, optional
        Class of each row, None if unknown, or the name of their column: the evaluation then scores
        whether classes stay apart. May be omitted if the model has the name of the column.
    metrics : str or sequence of str
        Further metrics, such as "w2_exact"; empty: the default ones.
    shared_space : bool
        Compare groups in the shared space instead of each as the other.
    max_rows : int
        Largest number of rows of each group; more are sampled.
    random_state : int, generator or None
        Seed of the sampling of rows.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(1000)
    >>> inb = conflux.INB(layers=20).fit(X[::2], groups[::2])
    >>> found = conflux.evaluate(inb, X[1::2], groups[1::2])
    >>> found.prediction_after.auc < found.prediction_before.auc
    True
    """
    threads = threads_of(n_jobs)
    group_names, names, data = data_for(model, X, groups, labels, threads)
    with in_words_of_python():
        found = _core.evaluate(
            model._fitted(),
            data,
            [metrics] if isinstance(metrics, str) else list(metrics),
            shared_space,
            max_rows,
            seed_of(random_state),
            threads,
        )
    judgement = found["judgement"]
    if judgement is None:
        raise ValueError("there are not two groups of at least three rows; give more rows.")
    figures = {**found["metrics"], "energy": judgement["energy"]}
    for name in ("ilisi", "clisi", "label_transfer"):
        if judgement[name] is not None:
            figures[name] = judgement[name]
    return Evaluation(
        verdict=judgement["verdict"],
        sentences=[python_words(sentence) for sentence in judgement["sentences"]],
        warnings=[python_words(sentence) for sentence in judgement["warnings"]],
        prediction_before=_prediction_of(judgement["prediction_before"], group_names, names),
        prediction_after=_prediction_of(judgement["prediction_after"], group_names, names),
        within_labels=judgement["within_labels"],
        prediction_within_before=_auc_of(judgement["within_before"]),
        prediction_within_after=_auc_of(judgement["within_after"]),
        neighbors_kept=judgement["neighbors_kept"],
        figures=figures,
        features_moved=judgement["features_moved"],
        rows=dict(zip(group_names, found["rows"])),
    )


def amount_curve(
    model: BaseAligner,
    X: Any,
    groups: Any = None,
    labels: Any = None,
    *,
    amounts: Sequence[float] | None = None,
    max_rows: int = 10_000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> list[dict[str, float | None]]:
    """Return what moving rows by a part of their way leaves, amount by amount.

    All amounts are judged on the same rows, at most 3,000, in the shared space. Rows that the fit
    has not seen are best.

    Parameters
    ----------
    model : fitted estimator
        The alignment; its own amount does not matter.
    X, groups, labels
        As of :func:`evaluate`.
    amounts : sequence of float, optional
        Fractions of the way; None: 0, 0.1, ..., 1.
    max_rows : int
        Rows of each group at most.
    random_state : int, generator or None
        Names the rows that are drawn.
    n_jobs : int, optional
        Threads; None uses every core.

    Returns
    -------
    list of dict
        One per amount: amount, group_auc, group_auc_by_chance, group_auc_within_labels, label_auc
        (the last two None without labels), and moved, in standard deviations within groups. A data
        frame of it is ``pandas.DataFrame(conflux.amount_curve(...))``.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(1000)
    >>> inb = conflux.INB(layers=20).fit(X[::2], groups[::2])
    >>> curve = conflux.amount_curve(inb, X[1::2], groups[1::2], amounts=[0, 1])
    >>> curve[0]["group_auc"] > curve[1]["group_auc"]
    True
    """
    threads = threads_of(n_jobs)
    _, _, data = data_for(model, X, groups, labels, threads)
    wanted = [k / 10 for k in range(11)] if amounts is None else [float(a) for a in amounts]
    with in_words_of_python():
        return _core.amount_curve(
            model._fitted(), data, wanted, max_rows, seed_of(random_state), threads
        )


def data_for(
    model: BaseAligner, X: Any, groups: Any, labels: Any, threads: int
) -> tuple[list[str], list[str], _core.Data]:
    """Return names of groups and features, and rows as a fitted model sees them."""
    fitted = model._fitted()
    features, groups, _ = take_named(X, groups, "tells the groups", "groups")
    if groups is None:
        features, groups = model._split(features, None)
    if labels is None and is_frame(features) and fitted.label_column in features.columns:
        labels = fitted.label_column
    features, labels, _ = take_named(features, labels, "has the label of each row", "labels")
    rows = model._rows_for(features, strict=False)
    _, group_names, codes = _labels.encode(groups, len(rows))
    label_names, label_codes = _label_codes(labels, len(rows))
    with in_words_of_python():
        data = _core.Data.of_model(
            fitted, rows.cells, codes, group_names, label_codes, label_names, rows.names, threads
        )
    return group_names, data.feature_names or rows.names, data


def _auc_of(found: dict[str, Any] | None) -> float | None:
    return None if found is None else float(found["auc"])


def _label_codes(y: Any, rows: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    if y is None:
        return [], np.empty(0, dtype=np.int64)
    return _labels.encode_labels(y, rows)
