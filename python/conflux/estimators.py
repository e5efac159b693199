"""One estimator per method of the engine, and one that can be any of them."""

from __future__ import annotations

import os
import textwrap

from . import _core
from ._aligner import BaseAligner
from ._parameters import METHODS, Parameter, class_name, initializer, parameters_of

_SUMMARY = {
    "auto": "Moves the groups together by layers that held-out rows have chosen, if they differ.",
    "means": "Matches the mean of every feature.",
    "location-scale": "Matches mean and standard deviation of every feature, with ComBat's shrinkage.",
    "nb": "Moves every feature on its own to the barycenter of the groups.",
    "inb": "Moves the groups together along the directions in which they differ most.",
    "rand-nb": "Moves the groups together along random directions.",
    "nb-inb": "Moves every feature on its own, then along the directions that differ most.",
    "nb-rand-nb": "Moves every feature on its own, then along random directions.",
    "gb": "Matches means and covariances of the groups.",
    "gb-inb": "Matches means and covariances, then along the directions that differ most.",
    "sinf": "Moves the groups onto one of them by splines along directions: SINF, a baseline.",
    "dd": "Moves each group to the uniform law by itself: density destructors, a baseline.",
    "tree": "Moves mass across the cuts of a decision tree.",
    "tree-inb": "Moves mass across a tree's cuts and along directions, in turn.",
    "conditional": "Maps one feature given the others, in turn, as long as groups differ.",
}

_DOC = """{summary}

{more}

Parameters
----------
{parameters}

Attributes
----------
groups_ : ndarray
    Labels of the groups, in the order of their first rows.
history_ : list of LayerRecord
    What each layer of the fit did.
dropped_history_ : list of LayerRecord
    What the layers did that were left out, because held-out rows gained nothing by them.
layers_ : list of Layer
    The fitted layers.
options_ : dict
    Every option of the engine as the fit used it.
model_ : Model
    The fitted flow, which never changes.
n_features_in_ : int
    Number of features, a column of groups not counted.
feature_names_in_ : ndarray of str
    Their names, if X was a data frame.

Examples
--------
>>> from conflux import {name}, datasets
>>> X, groups = datasets.make_moons(500)
>>> aligner = {name}({arguments}).fit(X, groups)
>>> Z = aligner.transform(X, groups)
>>> bool(aligner.score(X, groups) > -0.05)
True
>>> back = aligner.inverse_transform(Z, groups)
>>> bool(abs(back - X).max() < 1e-9)
True
"""


def _document(parameters: list[Parameter]) -> str:
    return "\n".join(
        f"{p.name} : {p.type}, default={p.default!r}\n"
        + textwrap.fill(p.help, 96, initial_indent="    ", subsequent_indent="    ")
        for p in parameters
    )


def _make(name: str, method: str | None) -> type[BaseAligner]:
    parameters = parameters_of(method)
    if method is None:
        summary = "Moves groups of samples together by the method that you name, auto by default."
        more = "It is any of the other estimators, chosen by `method`."
    else:
        summary = _SUMMARY.get(method, f"Aligns groups of samples by {method}.")
        more = f"This is the engine's method {method}; docs/math.md has its formulas."
    constructor = initializer(parameters)
    constructor.__qualname__ = f"{name}.__init__"
    if method in ("nb", "gb", "means", "location-scale", "cascade"):
        arguments = ""
    else:
        arguments = "layers=10"
    body = {
        "__module__": __name__,
        "__qualname__": name,
        "__init__": constructor,
        "__doc__": _DOC.format(
            name=name, summary=summary, more=more, parameters=_document(parameters),
            arguments=arguments,
        ),
        "_fixed_method": method,
    }
    return type(name, (BaseAligner,), body)


_CLASSES = {class_name(method): _make(class_name(method), method) for method in METHODS}
_CLASSES["Aligner"] = _make("Aligner", None)
globals().update(_CLASSES)

__all__ = [*_CLASSES, "load"]


def load(path):
    """Read a model file and return the estimator that fitted it.

    Its parameters are the options as the fit used them; its labels are the names of the groups.

    Parameters
    ----------
    path : str or path
        A file of :meth:`BaseAligner.save` or of the conflux command.

    Returns
    -------
    estimator
        INB for a model of inb, and so on; fitted.

    Examples
    --------
    >>> import os, tempfile
    >>> from conflux import NB, datasets, load
    >>> X, groups = datasets.make_moons(100)
    >>> nb = NB().fit(X, groups)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nb.save(os.path.join(folder, "moons.conflux"))
    ...     again = load(os.path.join(folder, "moons.conflux"))
    >>> bool((again.transform(X, groups) == nb.transform(X, groups)).all())
    True
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise FileNotFoundError(2, "there is no model file", path)
    try:
        model = _core.Model.load(path)
    except _core.Error as error:
        raise OSError(str(error)) from None
    return _CLASSES[class_name(model.options["method"])]._of_model(model)
