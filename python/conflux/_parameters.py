"""Parameters of the estimators, taken from the options of the engine.

The engine describes every option once: name, default, range, help. Signatures and docstrings of the
estimators are made from that when the package is imported, and estimators.pyi is made from it by
tools/make_stubs.py, so that a new option of the engine is a new parameter here.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any, Callable

from . import _core
from ._labels import name_of

__all__ = ["METHODS", "Parameter", "class_name", "initializer", "engine_options", "parameters_of"]

# Options that scikit-learn's users know by another name, and what Python adds to their meaning.
_SPELLING = {
    "seed": (
        "random_state",
        "int, numpy.random.Generator, numpy.random.RandomState or None",
        0,
        "Seed of the fit. The same data, parameters and number give the same bits on any number of "
        "threads. None draws another number for every fit.",
    ),
    "threads": (
        "n_jobs",
        "int or None",
        None,
        "Threads of fits and transforms. None and -1 use every core, -2 all but one.",
    ),
}


@dataclass(frozen=True)
class Parameter:
    """One argument of a constructor."""

    name: str
    annotation: str
    default: Any
    help: str
    type: str
    """The type as a docstring names it."""
    option: str | None
    """The engine's option that it sets."""


# Parameters that only Python uses.
_EXTRA = (
    Parameter(
        "group_column",
        "str | int | None",
        None,
        "Column of X that holds the group labels: a name in a data frame, a position in an array. "
        "It is no feature. Set it to use an aligner in a pipeline, where only X travels.",
        "str, int or None",
        None,
    ),
    Parameter(
        "columns",
        "Mapping[str, object] | str | None",
        None,
        "Types of columns: a dict of names and 'number', 'whole', 'repeated', 'category' or 'ignore' "
        "(columns of arrays are called x0, x1, ...), or the text of the command's --as. None: found "
        "in the data. 'coordinates': rows are not scaled or dequantized, and no cell may be "
        "missing.",
        "dict, str or None",
        None,
    ),
    Parameter(
        "support",
        "Mapping[str, str] | str | None",
        None,
        "Range of columns: a dict of names and 'any', 'positive', 'unit' or 'LOW:HIGH'. None: found "
        "in the data.",
        "dict, str or None",
        None,
    ),
    Parameter(
        "scale",
        "str",
        "auto",
        "Scaling of features: 'standard' divides by standard deviations within groups, 'normal' is the "
        "normal-score transform, 'none' leaves them; 'auto' decides by their units.",
        "{'auto', 'standard', 'normal', 'none'}",
        None,
    ),
    Parameter(
        "missing",
        "str",
        "auto",
        "Rows with missing cells: 'auto' keeps these missing and moves the rest, 'refuse' raises, "
        "'drop' leaves the rows out of the fit. Numbers such as -999 that lie far from all others "
        "count as missing, unless by 'empty', which is 'auto' otherwise.",
        "{'auto', 'refuse', 'drop', 'empty'}",
        None,
    ),
    Parameter(
        "repeats",
        "str",
        "spread",
        "Tied values: 'spread' adds noise within the gap to the next value, which is undone on the way "
        "back; 'keep' leaves them, so that groups can be predicted by them.",
        "{'spread', 'keep'}",
        None,
    ),
    Parameter(
        "key",
        "str | None",
        None,
        "Column of a data frame with an id per row: the noise of a row then depends on its id. None: on "
        "its position.",
        "str or None",
        None,
    ),
    Parameter(
        "covariates",
        "Sequence[str] | str | None",
        None,
        "Columns of X that are read and never moved, so that their effects stay: a list of names, "
        "each alone or with a word, or one text with commas: ['age', 'sex', 'month:cyclic', "
        "'angle:cyclic:360', 'dose:category', 'size:linear']. The methods auto, location-scale "
        "and means take them.",
        "sequence of str, str or None",
        None,
    ),
    Parameter(
        "verbose",
        "int",
        0,
        "1 shows progress (by tqdm if it is installed), 2 prints every layer.",
        "int",
        None,
    ),
)


def _range(option: dict[str, Any]) -> str:
    low, high = option["min"], option["max"]
    if math.isinf(low):
        return ""
    sign = ">" if option["above_min"] else ">="
    return f" {sign} {low:g}" + ("" if math.isinf(high) else f", <= {high:g}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


# Types that Python spells otherwise: in annotations and in docstrings.
_ANNOTATION = {
    "weights": "str | Sequence[float]",
    "label": "str | int",
    "text": "str | Sequence[int]",
    "rows": "int | str",
}
_TYPE = {
    "weights": "{'uniform', 'size'} or sequence of float",
    "text": "str or sequence of int",
    "rows": "'all' or int",
}


def _kind(option: dict[str, Any]) -> str:
    """Return the type of an option; a text that names a group is a label."""
    return "label" if option["texts"].endswith("|GROUP") else str(option["type"])


def _annotation(option: dict[str, Any]) -> str:
    kind = _ANNOTATION.get(_kind(option), _kind(option))
    return f"{kind} | None" if option["optional"] else kind


def _from_option(option: dict[str, Any]) -> Parameter:
    name = option["name"]
    if name in _SPELLING:
        spelling, kind, default, help_ = _SPELLING[name]
        annotation = "int | None" if name == "threads" else "_Seed"
        return Parameter(spelling, annotation, default, help_, kind, name)
    help_ = _sentence(option["help"])
    if option["optional"]:
        help_ += f" None: {option['unset']}."
    if set(option["methods"]) != set(METHODS):
        help_ += f" Methods that use it: {', '.join(option['methods'])}."
    if option["choices"]:
        kind = "{" + ", ".join(repr(choice) for choice in option["choices"]) + "}"
    else:
        kind = _TYPE.get(_kind(option), _kind(option)) + _range(option)
    if option["optional"]:
        kind += " or None"
    return Parameter(name, _annotation(option), option["default"], help_, kind, name)


_LABELS = {o["name"] for o in _core.describe_options() if _kind(o) == "label"}
_METHOD = next(option for option in _core.describe_options() if option["name"] == "method")

METHODS: tuple[str, ...] = tuple(_METHOD["choices"])
"""Every method of the engine, by its name there."""

_OPTIONS = [_from_option(option) for option in _core.describe_options()]


def class_name(method: str) -> str:
    """Return the name of the estimator of a method: rand-nb is RandNB."""
    # The other parts of a name are initials.
    words = ("auto", "means", "location", "scale", "rand", "tree", "conditional")
    return "".join(p.capitalize() if p in words else p.upper() for p in method.split("-"))


def parameters_of(method: str | None) -> list[Parameter]:
    """Return the parameters of the estimator of a method, or of the one that can be any."""
    chosen = [p for p in _OPTIONS if method is None or p.option != "method"]
    return [*chosen, *_EXTRA]


def initializer(parameters: list[Parameter]) -> Callable[..., None]:
    """Return a constructor that keeps its arguments as attributes, which clone() relies on."""
    signature = inspect.Signature(
        [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
        + [
            inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default)
            for p in parameters
        ]
    )

    def __init__(self: Any, **params: Any) -> None:
        bound = signature.bind(self, **params)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)

    setattr(__init__, "__signature__", signature)
    return __init__


def engine_options(
    estimator: Any, method: str | None, seed: int, threads: int
) -> dict[str, Any]:
    """Return the options of the engine that an estimator's parameters stand for."""
    options = {
        p.option: getattr(estimator, p.name)
        for p in parameters_of(method)
        if p.option is not None and p.option not in ("seed", "threads")
    }
    for name, value in options.items():
        if name in _LABELS and value is not None:
            options[name] = name_of(value)
        elif name == "image" and isinstance(value, (tuple, list)):
            options[name] = "x".join(map(str, value))
    options.update(seed=seed, threads=threads)
    if method is not None:
        options["method"] = method
    return options
