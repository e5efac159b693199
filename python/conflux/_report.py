"""One page that shows what a model does to rows."""

from __future__ import annotations

import dataclasses
import html
import json
import os
from typing import Any

from . import _core
from ._aligner import BaseAligner
from ._arrays import seed_of, threads_of
from ._columns import in_words_of_python, python_words
from .judging import data_for

__all__ = ["Report", "report"]


@dataclasses.dataclass(frozen=True, repr=False)
class Report:
    """A report page; see :func:`report`. A notebook shows it."""

    verdict: str
    """"nothing to align", "left alone", "aligned", "reduced", "unchanged", "worse", "below chance" or
    "too few rows"; docs/verdicts.md has the rules."""
    sentences: list[str]
    """The verdict in a sentence, then the cautions, then which rows were scored."""
    cautions: list[str]
    """Reasons to look twice although the groups came closer."""
    html: str
    """The whole page, which needs no network."""
    json: dict[str, Any]
    """All figures; docs/report.md names them."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page; a file of another kind is not replaced."""
        _core.save_page(os.fspath(path), self.html)

    def __str__(self) -> str:
        return f"{self.verdict}: {' '.join(self.sentences)}"

    def __repr__(self) -> str:
        return f"<Report: {self}>"

    def _repr_html_(self) -> str:
        # In a frame, so that the styles of page and notebook do not meet.
        page = html.escape(self.html, quote=True)
        style = "width:100%;height:46rem;border:0"
        return f'<iframe sandbox title="conflux report" style="{style}" srcdoc="{page}"></iframe>'


def report(
    aligner: BaseAligner,
    X: Any,
    groups: Any = None,
    labels: Any = None,
    *,
    rows: int = 2000,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Report:
    """Return a report page on an alignment: a verdict, and eight questions with pictures.

    Give rows that the fit has not seen if there are any: scores of training rows are optimistic. The
    page is that of ``conflux report``.

    Parameters
    ----------
    aligner, X, groups, labels
        As for :func:`conflux.evaluate`; with labels, the page shows whether rows of different labels were mixed.
    rows : int
        Rows drawn in the scatter plots; 0: the page holds no values of rows.
    random_state : int, generator or None
        Seed of the sampling of rows.
    n_jobs : int, optional
        Threads; None uses every core.

    Examples
    --------
    >>> import conflux
    >>> X, groups = conflux.datasets.make_moons(400)
    >>> inb = conflux.INB(layers=20).fit(X[::2], groups[::2])
    >>> found = conflux.report(inb, X[1::2], groups[1::2])
    >>> found.json["judgement"]["group_auc"]["before"] > 0.9
    True
    >>> found.save("report.html")  # doctest: +SKIP
    """
    if rows < 0:
        raise ValueError(f"rows is {rows}; give 0 or more.")
    threads = threads_of(n_jobs)
    _, _, data = data_for(aligner, X, groups, labels, threads)
    with in_words_of_python():
        found = _core.report(aligner._fitted(), data, rows, seed_of(random_state), threads)
    return Report(
        verdict=found["verdict"],
        cautions=found["cautions"],
        sentences=[python_words(sentence) for sentence in found["sentences"]],
        html=found["html"],
        json=json.loads(found["json"]),
    )
