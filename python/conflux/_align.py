"""The whole way in one call: look, fit, judge on unseen rows, return aligned rows."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _labels
from ._aligner import BaseAligner
from ._arrays import as_samples, seed_of
from .estimators import Aligner
from .judging import Check, Evaluation, check, evaluate

__all__ = ["Alignment", "align"]

# Judging needs this many unseen rows of a group; smaller groups are judged on rows of the fit.
_FEWEST_UNSEEN = 20


@dataclasses.dataclass(frozen=True, repr=False)
class Alignment:
    """Aligned rows and what is to be said of them; see :func:`align`."""

    rows: Any
    """The rows in the shared space, in the order of X; X itself if there is nothing to align."""
    model: BaseAligner | None
    """The fitted estimator, for new rows; None if there is nothing to align."""
    check: Check
    """How the groups differed before."""
    evaluation: Evaluation | None
    """What the alignment did; None if there is nothing to align."""
    unseen: npt.NDArray[np.bool_]
    """Which rows were kept from the fit and judged; none if groups are too small for that."""

    @property
    def summary(self) -> str:
        """The verdict, where it comes from, and warnings with remedies."""
        if self.evaluation is None:
            return f"{self.check}\nThe rows were left as they are."
        count = int(self.unseen.sum())
        judged = (
            f"Judged on {count} rows that the fit has not seen."
            if count
            else "Judged on rows of the fit, which flatter it: groups are too small to keep any."
        )
        return f"{self.evaluation}\n{judged}"

    def __str__(self) -> str:
        return self.summary

    def __repr__(self) -> str:
        return f"<Alignment: {self.summary.splitlines()[0]}>"


def _unseen_rows(codes: npt.NDArray[np.int64], share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Return the rows to keep from the fit: the same share of every group, if all have enough."""
    unseen = np.zeros(len(codes), dtype=bool)
    random = np.random.default_rng(seed)
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        count = int(round(share * len(rows)))
        if count < _FEWEST_UNSEEN:
            return np.zeros(len(codes), dtype=bool)
        unseen[random.permutation(rows)[:count]] = True
    return unseen


def align(
    X: Any,
    groups: Any,
    y: Any = None,
    *,
    unseen: float = 0.2,
    random_state: Any = 0,
    n_jobs: int | None = None,
    **params: Any,
) -> Alignment:
    """Align groups, and say how well it went on rows that the fit has not seen.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows of all groups.
    groups : array-like of shape (n_samples,)
        Label of each row's group.
    y : array-like of shape (n_samples,), optional
        What rows show, None where it is unknown. Rows of the same label are then aligned with each
        other, as by ``gate="label"``, unless `gate` is given.
    unseen : float
        Share of each group that is kept from the fit and judged.
    random_state : int, generator or None
        Seed of everything that is drawn.
    n_jobs : int, optional
        Threads; None uses every core.
    **params
        Parameters of :class:`conflux.Aligner`.

    Returns
    -------
    Alignment
        `rows`, `model`, and a `summary` to read before the rows are used.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(600)
    >>> done = conflux.align(X, groups, layers=20)
    >>> done.rows.shape == X.shape and done.evaluation.verdict in ("aligned", "better")
    True
    """
    if not 0 <= unseen < 1:
        raise ValueError(f"unseen is {unseen}; choose a share from 0 to below 1.")
    seed = seed_of(random_state)
    count = len(as_samples(X))
    _, _, codes = _labels.encode(groups, count)
    look = check(X, groups, y, random_state=seed, n_jobs=n_jobs)
    nothing = np.zeros(count, dtype=bool)
    if not look.differ:
        return Alignment(X, None, look, None, nothing)
    if y is not None:
        params.setdefault("gate", "label")
    kept = _unseen_rows(codes, unseen, seed)
    model = Aligner(random_state=seed, n_jobs=n_jobs, **params)
    labels = np.asarray(groups)
    shown = None if y is None else np.asarray(y, dtype=object)
    model.fit(_take(X, ~kept), labels[~kept], y=None if shown is None else shown[~kept])
    judged = kept if kept.any() else ~kept
    verdict = evaluate(
        model, _take(X, judged), labels[judged], None if shown is None else shown[judged],
        random_state=seed, n_jobs=n_jobs,
    )
    return Alignment(model.transform(X, labels), model, look, verdict, kept)


def _take(X: Any, rows: npt.NDArray[np.bool_]) -> Any:
    return X.loc[rows] if hasattr(X, "loc") else np.asarray(X)[rows]
