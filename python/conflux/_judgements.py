"""Results of checks and evaluations: a summary to print, and a dict."""

from __future__ import annotations

import dataclasses
from typing import Any

__all__ = ["Check", "Evaluation", "Feature", "GroupPrediction", "Summary"]

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
class GroupPrediction(_Record):
    """Whether the group of a row can be predicted from the row; see :func:`prediction`."""

    auc: float
    """Area under the ROC curve, mean over groups, each against the others: 0.5 is chance, 1 certainty."""
    by_chance: float
    """The AUC that 95 % of random assignments of the groups stay below."""
    p_value: float
    """How probable an AUC of this size or more is by chance."""
    per_group: dict[str, float]
    """Each group against the others; NaN for groups with too few rows."""
    importance: dict[str, float]
    """Importance of each feature for the prediction, as a fraction of all, largest first."""
    rows: int
    """Rows that were judged."""

    @property
    def beyond_chance(self) -> bool:
        """Whether the groups can be told apart."""
        return self.auc > self.by_chance

    def __str__(self) -> str:
        verdict = "can" if self.beyond_chance else "cannot"
        text = (
            f"groups {verdict} be predicted: AUC {self.auc:.3f} on {self.rows} rows "
            f"(chance stays below {self.by_chance:.3f})"
        )
        named = [f"{name} {share:.0%}" for name, share in self.importance.items() if share > 0]
        if self.beyond_chance and named:
            text += f", mostly by {', '.join(named[:_MOST_NAMED])}"
        return text


@dataclasses.dataclass(frozen=True)
class Feature:
    """How one feature differs between groups, in normal scores of its ranks."""

    shift: float
    """Largest difference of two group means, in standard deviations within groups."""
    by_chance: float
    """The shift that 95 % of random assignments of the groups stay below."""
    spread_ratio: float
    """Largest standard deviation of a group over the smallest."""
    p_value: float
    """How probable such a difference is by chance."""
    false_discovery_rate: float
    """The smallest error rate at which this feature is named among all features."""
    importance: float
    """Share in how the group is predicted."""
    differs: bool
    """Whether the difference is beyond chance."""


@dataclasses.dataclass(frozen=True, repr=False)
class Check(_Record):
    """Whether and where groups differ before they are aligned; see :func:`check`."""

    differ: bool
    """Whether the groups differ beyond chance."""
    p_value: float
    """How probable such a difference is by chance."""
    advice: str
    """leave, align, gate clusters or gate label."""
    sentences: list[str]
    """The answer of the test first, then advice."""
    prediction: GroupPrediction
    """Whether the group of a row can be predicted."""
    features: dict[str, Feature]
    """How each feature differs, by itself."""
    rows: dict[str, int]
    """Rows of each group that were looked at."""
    repeated_rows: int
    """Rows that were left out because they repeat others of their group."""
    overlap: float
    """Share of the rows near rows of another group."""
    shares: dict[str, dict[str, float]] | None
    """Share of each label in each group; None without labels."""

    @property
    def differing(self) -> list[str]:
        """Names of the features that differ, those that give most away first."""
        found = [name for name, feature in self.features.items() if feature.differs]
        return sorted(found, key=lambda name: -self.features[name].importance)

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@dataclasses.dataclass(frozen=True, repr=False)
class Evaluation(_Record):
    """Scores of an alignment and a verdict; see :func:`evaluate`."""

    verdict: str
    """"nothing to align", "left alone", "aligned", "reduced", "unchanged", "worse" or "below chance";
    docs/verdicts.md has the rules."""
    sentences: list[str]
    """The verdict first, then further results."""
    warnings: list[str]
    """Scores that are bad or worse than before, each with a remedy."""
    prediction_before: GroupPrediction
    """Whether the group of a row could be predicted before."""
    prediction_after: GroupPrediction
    """Whether it still can be."""
    within_labels: bool
    """Whether the verdict is about the AUC within labels."""
    prediction_within_before: float | None
    """AUC of predicting the group within labels; None without labels that groups share."""
    prediction_within_after: float | None
    """The same afterwards."""
    neighbors_kept: float
    """Share of a row's nearest rows of its group that are still its nearest."""
    figures: dict[str, dict[str, float | None]]
    """Every metric before and after, and by chance."""
    features_moved: dict[str, float]
    """Mean move of each feature, in its standard deviations within groups, largest first."""
    rows: dict[str, int]
    """Number of scored rows of each group."""

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"warning: {text}" for text in self.warnings)])


@dataclasses.dataclass(frozen=True, repr=False)
class Summary(_Record):
    """Scores of a fit on rows that it has not seen; see :func:`conflux.align`.

    Figures that were not measured are None.
    """

    verdict: str
    """"nothing to align", "left alone", "aligned", "reduced", "unchanged", "worse" or "below chance";
    docs/verdicts.md has the rules."""
    auc_before: float | None
    """How well the group of a row could be predicted: 0.5 is chance, 1 certainty."""
    auc_after: float | None
    """How well it still can be."""
    auc_by_chance: float | None
    """The AUC that 95 % of random assignments of the groups stay below."""
    auc_low: float | None
    """New rows show an AUC of at least this in 95 of 100 cases ..."""
    auc_high: float | None
    """... and of at most this."""
    worst_group: str | None
    """The group with the highest AUC afterwards; None with two groups."""
    worst_before: float | None
    """Its AUC before ..."""
    worst_after: float | None
    """... and after."""
    within_labels: bool
    """Whether labels were protected, so that the AUC is that among rows of one label."""
    neighbors_kept: float | None
    """Share of a row's nearest rows of its group that are still its nearest."""
    neighbors_by_chance: float | None
    """The fraction that rows in random order would keep."""
    moved_most: dict[str, float]
    """Features with the largest moves, in standard deviations within groups."""
    energy_after: float | None
    """Mean energy distance of a group to the others afterwards, relative to distances within groups."""
    energy_low: float | None
    """Value that 5 % of random assignments stay below ..."""
    energy_high: float | None
    """... and at most so far."""
    beyond_knots: float | None
    """99 % of the training rows are outside the training range of at most this fraction of the maps."""
    judged_rows: int
    """Rows that were judged."""
    unseen_rows: int
    """How many of them no map was fitted on."""
    stop: str
    """Why there are no more layers."""
    sentences: list[str]
    """The verdict first, then further results."""
    warnings: list[str]
    """Scores that are bad or worse than before, each with a remedy."""

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"warning: {text}" for text in self.warnings)])
