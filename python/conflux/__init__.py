"""Makes groups of samples comparable, by invertible flows.

>>> import conflux
>>> X, groups = conflux.datasets.make_moons(500)
>>> inb = conflux.INB(layers=10).fit(X, groups)
>>> Z = inb.transform(X, groups)                      # all groups look alike
>>> as_one = inb.translate(X[groups == 0], 0, 1)      # group 0, as if it were group 1
"""

from . import climate, dask, datasets, estimators, fairness, judging, metrics, plot, pp
from ._align import Alignment, align
from ._aligner import BaseAligner, FitWarning
from ._core import Error, InvalidData, InvalidOption, __version__
from ._progress import LayerRecord
from ._report import Report, report
from ._scikit import NotFittedError
from .estimators import *  # noqa: F401,F403 - the methods that the engine has
from .judging import (
    Check,
    Evaluation,
    GroupPrediction,
    Summary,
    amount_curve,
    check,
    evaluate,
    predict_groups,
)

__all__ = [
    "Alignment",
    "BaseAligner",
    "Check",
    "Error",
    "Evaluation",
    "FitWarning",
    "GroupPrediction",
    "InvalidData",
    "InvalidOption",
    "LayerRecord",
    "NotFittedError",
    "Report",
    "Summary",
    "__version__",
    "align",
    "amount_curve",
    "check",
    "climate",
    "dask",
    "datasets",
    "estimators",
    "evaluate",
    "fairness",
    "predict_groups",
    "judging",
    "metrics",
    "plot",
    "pp",
    "report",
    *estimators.__all__,
]
