"""How far groups can be told apart, before an alignment and after it.

The results are records with a summary to read (``print(result)``) and a dict to keep
(``result.to_dict()``).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _core, _labels
from ._arrays import as_samples, feature_names_of, seed_of, threads_of

__all__ = ["Guess", "guess"]

# Features that a summary names; the rest is in the record.
_MOST_NAMED = 5


@dataclasses.dataclass(frozen=True, repr=False)
class _Record:
    """A result with a summary."""

    def to_dict(self) -> dict[str, Any]:
        """Return all figures by name, as json.dumps takes them."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Guess(_Record):
    """Whether the group of a row can be guessed from the row; see :func:`guess`."""

    auc: float
    """Area under the ROC curve, mean over groups against the rest: 0.5 is chance, 1 certainty."""
    by_chance: float
    """The AUC that 95 of 100 random deals of the groups stay below."""
    p_value: float
    """How probable an AUC of this size or more is by chance."""
    per_group: dict[str, float]
    """Each group against the rest; NaN for groups with too few rows."""
    importance: dict[str, float]
    """Share of each feature in what gives the groups away, largest first."""
    rows: int
    """Rows that were judged."""

    @property
    def beyond_chance(self) -> bool:
        """Whether the groups can be told apart."""
        return self.auc > self.by_chance

    def __str__(self) -> str:
        verdict = "can" if self.beyond_chance else "cannot"
        text = (
            f"groups {verdict} be guessed: AUC {self.auc:.3f} on {self.rows} rows "
            f"(chance stays below {self.by_chance:.3f})"
        )
        named = [f"{name} {share:.0%}" for name, share in self.importance.items() if share > 0]
        if self.beyond_chance and named:
            text += f", given away by {', '.join(named[:_MOST_NAMED])}"
        return text


def _feature_names(X: Any, columns: int) -> list[str]:
    return feature_names_of(X) or [f"x{j}" for j in range(columns)]


def guess(
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
) -> Guess:
    """Return how well the group of a row can be guessed from the row.

    Gradient-boosted trees learn to tell the groups apart on some rows and are judged on others. Ask
    before an alignment and after it: what can no longer be guessed is aligned.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows of all groups. NaN counts as missing, which the trees may use.
    groups : array-like of shape (n_samples,)
        Label of each row's group.
    unseen, unseen_groups : array-like, optional
        Other rows to be judged on, by trees that learn on all of X. None: rows of X are judged in
        turn, each by trees that have not seen it.
    folds : int
        Parts of X that are judged in turn.
    trees : int
        Trees of each classifier.
    max_rows : int
        Rows at most; beyond, the largest groups are thinned.
    random_state : int, generator or None
        Names the folds.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(400)
    >>> before = conflux.guess(X, groups)
    >>> before.beyond_chance
    True
    >>> after = conflux.guess(conflux.INB(layers=20).fit_transform(X, groups), groups)
    >>> after.auc < before.auc
    True
    """
    rows = as_samples(X)
    names = _feature_names(X, rows.shape[1])
    _, group_names, codes = _labels.encode(groups, len(rows))
    other = other_codes = None
    if (unseen is None) != (unseen_groups is None):
        raise ValueError("give both unseen and unseen_groups, or none of them.")
    if unseen is not None:
        other = as_samples(unseen, "unseen")
        _, other_names, other_codes = _labels.encode(unseen_groups, len(other))
        unknown = [name for name in other_names if name not in group_names]
        if unknown:
            raise ValueError(f"X has no rows of group {unknown[0]!r}, which unseen_groups names.")
        place = np.array([group_names.index(name) for name in other_names], dtype=np.int64)
        other_codes = place[other_codes]
    found = _core.guess(
        rows, codes, other, other_codes, folds, trees, max_rows, seed_of(random_state),
        threads_of(n_jobs),
    )
    return _guess_of(found, group_names, names)


def _guess_of(found: dict[str, Any], group_names: list[str], names: list[str]) -> Guess:
    order = sorted(range(len(names)), key=lambda j: -float(found["importance"][j]))
    return Guess(
        auc=found["auc"],
        by_chance=found["by_chance"],
        p_value=found["p_value"],
        per_group=dict(zip(group_names, found["per_group"])),
        importance={names[j]: found["importance"][j] for j in order},
        rows=found["rows"],
    )
