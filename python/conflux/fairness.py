"""Parity of a standard classifier between groups, before an alignment and after it.

The words are those of fairlearn: the groups are ``sensitive_features``, the outcome is ``y``.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _labels
from ._arrays import as_samples, seed_of
from ._tables import as_frame, is_frame, read_features

__all__ = ["Figure", "Parity", "parity"]

_FIGURES = {
    "demographic_parity_difference": "largest difference of the rates of positive predictions",
    "disparate_impact": "smallest of these rates over the largest; 0.8 is the four-fifths rule",
    "equalized_odds_difference": "largest difference of the true or the false positive rates",
    "accuracy": "fraction of the rows that are predicted correctly",
}
_FOLDS = 5
# Weight of the sum of squared coefficients of standardized columns beside the mean loss of a row.
_PENALTY = 1e-3

_Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure and its interval."""

    value: float
    low: float
    """2.5 % of bootstrap samples of the rows are lower ..."""
    high: float
    """... and 2.5 % higher."""

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclasses.dataclass(frozen=True, repr=False)
class Parity:
    """How equally a classifier treats the groups; see :func:`parity`."""

    before: dict[str, Figure]
    """demographic_parity_difference, disparate_impact, equalized_odds_difference, accuracy."""
    after: dict[str, Figure] | None
    """The same of rows that were aligned; None if there are none."""
    rates: dict[str, tuple[float, float | None]]
    """Rate of positive predictions in each group, before and after."""

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, as json.dumps takes them."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        lines = [f"{'':<32}{'before':<26}{'after' if self.after else ''}"]
        for name in _FIGURES:
            after = str(self.after[name]) if self.after else ""
            lines.append(f"{name.replace('_', ' '):<32}{self.before[name]!s:<26}{after}")
        for group, (before, rate) in self.rates.items():
            text = "" if rate is None else f"{rate:.3f}"
            lines.append(f"  {'positive rate of ' + group:<30}{before:<26.3f}{text}")
        lines.append(
            "Logistic regression, each row predicted by one that has not seen it; in brackets 95 % "
            "of bootstrap samples."
        )
        return "\n".join(line.rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"<Parity: {self}>"


def parity(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    aligned: Any = None,
    positive: Any = None,
    samples: int = 500,
    random_state: Any = 0,
) -> Parity:
    """Return parity figures of a logistic regression on rows, and on the same rows aligned.

    Parameters
    ----------
    X : data frame or array-like of shape (n_samples, n_features)
        Rows without the sensitive feature; text columns are categories.
    y : array-like of shape (n_samples,)
        The outcome, of two values.
    sensitive_features : array-like of shape (n_samples,)
        The group of each row.
    aligned : data frame or array-like of shape (n_samples, n_features), optional
        The same rows after an alignment.
    positive : label, optional
        The outcome that counts as positive; None: the second in sorted order.
    samples : int
        Bootstrap samples of the rows.
    random_state : int, generator or None
        Seed of the folds and of the bootstrap.

    Examples
    --------
    >>> import conflux, numpy
    >>> draw = numpy.random.default_rng(0)
    >>> sex = draw.choice(["f", "m"], 800)
    >>> X = draw.normal(size=(800, 3)) + (sex == "m")[:, None]
    >>> hired = (X.sum(axis=1) + draw.normal(size=800) > 1.5).astype(int)
    >>> fair = conflux.GB().fit_transform(X, sex)
    >>> found = conflux.fairness.parity(X, hired, sensitive_features=sex, aligned=fair)
    >>> found.before["disparate_impact"].value < 0.5 < found.after["disparate_impact"].value
    True
    """
    rows = _numbers(X)
    groups, names, codes = _labels.encode(sensitive_features, len(rows))
    truth = _outcome(y, len(rows), positive)
    seed = seed_of(random_state)
    random = np.random.default_rng(seed)
    fold = random.permutation(len(rows)) % _FOLDS
    draws = [random.integers(len(rows), size=len(rows)) for _ in range(samples)]
    before, old_rates = _figures(rows, truth, codes, len(names), fold, draws)
    after, new_rates = None, None
    if aligned is not None:
        moved = _numbers(aligned)
        if len(moved) != len(rows):
            raise ValueError(
                f"X has {len(rows)} rows but aligned has {len(moved)}; pass the same rows."
            )
        after, new_rates = _figures(moved, truth, codes, len(names), fold, draws)
    rates = {
        name: (float(old_rates[m]), None if new_rates is None else float(new_rates[m]))
        for m, name in enumerate(names)
    }
    return Parity(before, after, rates)


def _figures(
    rows: _Array, truth: Any, codes: Any, groups: int, fold: Any, draws: list[Any]
) -> tuple[dict[str, Figure], _Array]:
    positive = np.zeros(len(rows), dtype=bool)
    for k in range(_FOLDS):
        learn = fold != k
        model = _logistic(rows[learn], truth[learn])
        positive[~learn] = _scores(model, rows[~learn]) > 0
    # Rows count by their group, outcome and prediction only.
    kind = (codes * 2 + truth) * 2 + positive

    def measure(counts: _Array) -> _Array:
        table = counts.reshape(groups, 2, 2)
        sizes, per_truth = table.sum(axis=(1, 2)), table.sum(axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            rates = table[:, :, 1].sum(axis=1) / sizes
            hits = table[:, :, 1] / per_truth
        gaps = np.nanmax(hits, axis=0) - np.nanmin(hits, axis=0)
        top = np.nanmax(rates)
        return np.array([
            top - np.nanmin(rates), np.nanmin(rates) / top if top > 0 else 1.0, gaps.max(),
            (table[:, 0, 0] + table[:, 1, 1]).sum() / counts.sum(),
        ])

    cells = 4 * groups
    all_ = np.bincount(kind, minlength=cells).astype(float)
    values = measure(all_)
    spread = np.array([
        measure(np.bincount(kind[draw], minlength=cells).astype(float)) for draw in draws
    ])
    low, high = np.nanquantile(spread, [0.025, 0.975], axis=0) if len(spread) else (values, values)
    table = all_.reshape(groups, 2, 2)
    rates = table[:, :, 1].sum(axis=1) / table.sum(axis=(1, 2))
    figures = {
        name: Figure(float(values[j]), float(low[j]), float(high[j]))
        for j, name in enumerate(_FIGURES)
    }
    return figures, rates


def _logistic(rows: _Array, truth: Any) -> tuple[_Array, _Array, _Array]:
    """Return center, scale and coefficients of a ridge logistic regression, by Newton's method."""
    center, scale = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    design = np.column_stack([np.ones(len(rows)), (rows - center) / scale])
    beta = np.zeros(design.shape[1])
    penalty = _PENALTY * len(rows) * np.ones(len(beta))
    penalty[0] = 1e-9
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (p - truth) + penalty * beta
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return center, scale, beta


def _scores(model: tuple[_Array, _Array, _Array], rows: _Array) -> _Array:
    center, scale, beta = model
    scores: _Array = beta[0] + (rows - center) / scale @ beta[1:]
    return scores


def _outcome(y: Any, count: int, positive: Any) -> Any:
    values = np.asarray(y)
    if values.shape != (count,):
        raise ValueError(
            f"y has the shape {values.shape}; give one outcome for each of {count} rows."
        )
    found = sorted(set(values.tolist()), key=str)
    if len(found) != 2:
        raise ValueError(f"y has {len(found)} values; parity needs an outcome of two.")
    if positive is None:
        positive = found[1]
    if positive not in found:
        raise ValueError(f"positive is {positive!r}; choose one of {found}.")
    return (values == positive).astype(np.int64)


def _numbers(X: Any) -> _Array:
    """Return rows as numbers: a column per value of a category, gaps as means with a column."""
    X = as_frame(X)
    if is_frame(X):
        import pandas

        read_features(X)  # refuses what no fit would take
        X = pandas.get_dummies(X, drop_first=True, dtype=float)
    rows = np.array(as_samples(X), dtype=np.float64)
    gaps = np.isnan(rows)
    if not gaps.any():
        return rows
    means = np.nanmean(np.where(gaps.all(axis=0), 0.0, rows), axis=0)
    extra = gaps[:, gaps.any(axis=0)].astype(np.float64)
    return np.column_stack([np.where(gaps, means, rows), extra])
