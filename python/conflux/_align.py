"""One call to check, fit, score on held-out rows, and return aligned rows."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core, _labels
from ._aligner import BaseAligner
from ._arrays import seed_of, threads_of
from ._columns import FitWarning, in_words_of_python, python_words
from ._parameters import engine_options
from ._progress import Progress
from ._tables import as_frame, is_frame
from .estimators import Aligner
from .judging import Check, Summary, check_of, read_data, take_named

__all__ = ["Alignment", "align"]

_GATED = next(o for o in _core.describe_options() if o["name"] == "gate")["methods"]


@dataclasses.dataclass(frozen=True, repr=False)
class Alignment:
    """Aligned rows, the model, and their scores; see :func:`align`."""

    rows: Any
    """X in the shared space, or as rows of one group; X itself if there is nothing to align."""
    model: BaseAligner
    """The fitted estimator, for new rows; it moves none if there is nothing to align."""
    check: Check
    """The test before the fit: whether and how the groups differ."""
    summary: Summary
    """Scores of the alignment on rows that the fit has not seen, and a verdict."""
    unseen: npt.NDArray[np.bool_]
    """True for test rows, which were held out of the fit; all False if groups are too small."""

    def __str__(self) -> str:
        return "\n".join([*self.check.sentences, str(self.summary)])

    def __repr__(self) -> str:
        return f"<Alignment: {self.summary.sentences[0]}>"


def align(
    X: Any,
    groups: Any,
    labels: Any = None,
    *,
    to: Any = None,
    unseen: float = 0.2,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **params: Any,
) -> Alignment:
    """Align groups, and say how well it went on rows that the fit has not seen.

    It does the same as ``conflux align``, with the same figures and sentences: tests whether the
    groups differ, fits on all rows but some, scores these, and moves all rows.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Rows of all groups.
    groups : array-like of shape (n_samples,) or str
        Label of each row's group, or the column of a data frame that has it.
    labels : array-like of shape (n_samples,) or str, optional
        Class of each row (cell type, digit), None or NaN if unknown, or the name of their column.
        Rows are then aligned within labels, as by ``gate="label"``, unless `gate` is given. If only
        some rows have labels, these guide which clusters are matched.
    to : label, optional
        Return all rows as if they were of this group instead of in the shared space.
    unseen : float
        Fraction of each group that is held out of the fit as test rows.
    random_state : int, generator or None
        Seed of all random numbers.
    n_jobs : int, optional
        Threads; None uses every core.
    **params
        Parameters of :class:`conflux.Aligner`.

    Returns
    -------
    Alignment
        `rows`, `model`, `check`, and a `summary` to read before the rows are used.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(600)
    >>> done = conflux.align(X, groups, layers=20)
    >>> done.rows.shape == X.shape and done.summary.verdict in ("aligned", "reduced")
    True
    """
    if not isinstance(unseen, (int, float)) or not 0 <= unseen < 1:
        raise ValueError(f"unseen is {unseen!r}; choose a fraction from 0 to below 1, say 0.2.")
    X = as_frame(X)
    seed, threads = seed_of(random_state), threads_of(n_jobs)
    features, groups, group_column = take_named(X, groups, "tells the groups", "groups")
    features, labels, label_column = take_named(
        features, labels, "has the label of each row", "labels"
    )
    aligner = Aligner(random_state=seed, n_jobs=n_jobs, **params)
    if labels is not None and "gate" not in params and aligner.method in _GATED:
        if _labels.any_known(labels):
            aligner.set_params(gate="label")
        else:
            warnings.warn(
                "no row has a label, so the rows are aligned as without labels; give some.",
                FitWarning,
                stacklevel=2,
            )
    found, rows, data = read_data(aligner, features, groups, labels, seed, 2)
    options = engine_options(aligner, None, seed, threads)
    names = (group_column, label_column)
    target = "" if to is None else _labels.name_of(to)
    if to is not None and target not in data.group_names:
        raise ValueError(f"to is {to!r}; choose one of the groups {data.group_names}.")
    feature_names, group_names = data.feature_names or rows.names, data.group_names
    total = aligner._expected_layers(options, data, data.group_names)
    with Progress(aligner.verbose, total, None) as progress, in_words_of_python():
        model, kept, seen = _core.align(data, options, unseen, target, *names, progress)
    look = check_of(seen, feature_names, group_names)
    aligner._remember(model, found, rows)
    told: dict[str, Any] = dict(model.summary)
    told["sentences"] = [python_words(sentence) for sentence in told["sentences"]]
    told["warnings"] = [python_words(sentence) for sentence in model.warnings]
    for sentence in told["warnings"]:
        warnings.warn(sentence, FitWarning, stacklevel=2)
    done = X
    if look.differ:
        moved = (
            aligner.transform(features, groups, labels)
            if to is None
            else aligner.translate(features, groups, to, labels)
        )
        done = _with(X, moved)
    return Alignment(done, aligner, look, Summary(**told), kept)


def _with(X: Any, moved: Any) -> Any:
    """Return X with moved features; columns that told groups and labels stay where they are."""
    if not is_frame(X) or X.shape == moved.shape:
        return moved
    out = X.copy()
    for name in moved.columns:
        out[name] = moved[name]
    return out
