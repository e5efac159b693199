"""Column types, ranges and scales as parameters: the values of the command's flags."""

from __future__ import annotations

import contextlib
import re
import warnings
from typing import Any, Iterator, Mapping

from . import _core
from ._tables import Rows

__all__ = [
    "CHOICES", "COORDINATES", "FitWarning", "column_options", "in_words_of_python", "tell_columns",
]

COORDINATES = "coordinates"
"""Columns that mean nothing but themselves: rows are read as they are."""

# Defaults of the parameters that speak of columns.
CHOICES: dict[str, Any] = {
    "columns": None, "support": None, "scale": "auto", "missing": "auto", "repeats": "spread",
    "key": None, "covariates": None,
}

_WORDS = ("number", "whole", "repeated", "category", "ignore")


class FitWarning(UserWarning):
    """Warning that a user should read before trusting a fit."""


def _pairs(given: Any, what: str, example: str) -> dict[str, Any]:
    """Return a dict; a text is read as the command reads its flag."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): word for name, word in given.items()}
    if not isinstance(given, str):
        raise TypeError(f"{what} is {given!r}; give a dict of columns and words, say {example}.")
    out = {}
    for part in given.split(","):
        name, equals, word = part.rpartition("=")
        if not (name and equals and word):
            raise ValueError(f"{what} is {given!r}; write COLUMN=WORD, or give a dict: {example}.")
        out[name] = word
    return out


def column_options(choices: Mapping[str, Any], rows: Rows, seed: int) -> dict[str, Any] | None:
    """Return the options of the columns of X, or None if rows are coordinates already.

    What the types of columns say comes first, what a user says after it.
    """
    if choices["columns"] == COORDINATES:
        said = [name for name in CHOICES if name != "columns" and choices[name] != CHOICES[name]]
        if said:
            raise ValueError(
                f"columns is {COORDINATES!r}, so that nothing is found out about them, but "
                f"{said[0]} is {choices[said[0]]!r}; leave one of them out."
            )
        return None
    words = dict(rows.words)
    support = _pairs(choices["support"], "support", "{'rain': 'positive'}")
    for name, word in _pairs(choices["columns"], "columns", "{'age': 'whole'}").items():
        if isinstance(word, Mapping):  # as `conflux check --write-columns` drafts it
            unknown = sorted(set(word) - {"as", "support"})
            if unknown:
                raise ValueError(f"columns[{name!r}] has {unknown[0]!r}; say 'as' or 'support'.")
            if "support" in word:
                support.setdefault(name, word["support"])
            word = word.get("as", "")
        if word and word not in _WORDS:
            raise ValueError(f"columns[{name!r}] is {word!r}; choose one of {', '.join(_WORDS)}.")
        if word:
            words[name] = word
    out: dict[str, Any] = {
        "seed": seed, "as": list(words.items()),
        "support": [(name, str(word)) for name, word in support.items()],
    }
    for name in ("scale", "missing", "repeats"):
        if not isinstance(choices[name], str):
            known = ", ".join(map(repr, _core.column_choice_words(name)))
            raise TypeError(f"{name} is {choices[name]!r}; choose one of {known}.")
        out[name] = choices[name]
    if choices["key"] is not None:
        out["key"] = str(choices["key"])
    kept = choices["covariates"]
    if kept is not None:
        out["keep"] = kept.split(",") if isinstance(kept, str) else [str(name) for name in kept]
    return out


# Pixels of images, of which hundreds may be dark in one group only, would fill pages.
_DOUBTS_TOLD = 3


def tell_columns(
    data: _core.Data, rows: Rows, choices: Mapping[str, Any], group_names: list[str], level: int
) -> None:
    """Warn of what a user should know about columns; `level` is as warnings.warn counts it."""
    sentences = list(rows.ignored)
    if data.dropped:
        sentences.append(
            f"{data.dropped} of {len(rows)} rows have missing cells and are left out of the fit."
        )
    doubts = [] if data.columns is None else data.columns.doubts
    for name, group, what in doubts[:_DOUBTS_TOLD]:
        sentences.append(
            f"column {name!r}: the values of group {group_names[group]!r} {what}; do they have the "
            "same unit?"
        )
    if len(doubts) > _DOUBTS_TOLD:
        sentences.append(f"{len(doubts) - _DOUBTS_TOLD} more columns are as doubtful.")
    if choices["repeats"] == "keep" and data.columns is not None:
        sentences.append(
            "repeated values are kept: each group's become other numbers in the shared space, from "
            "which the group can be predicted."
        )
    for sentence in sentences:
        warnings.warn(sentence, FitWarning, stacklevel=level + 1)


# Flags in messages of the engine, and what they are called here.
_SPELLINGS = (
    (r"say --as (.+)=category or (.+)=ignore", r"say columns={'\1': 'category'} or 'ignore'"),
    (r"--(missing|gate|repeats) (\w+)", r"\1='\2'"),
    (r"name some with --features, or drop fewer", "pass other columns"),
    (r"\(--keep\)", "(covariates)"),
    (r"conflux fit ", ""),
    (r"--(\w+)", r"\1="),
)


def python_words(message: str) -> str:
    """Return a sentence of the engine with parameters instead of flags."""
    for flag, parameter in _SPELLINGS:
        message = re.sub(flag, parameter, message)
    return message


@contextlib.contextmanager
def in_words_of_python() -> Iterator[None]:
    """Let messages of the engine speak of parameters instead of flags."""
    try:
        yield
    except (_core.InvalidData, _core.InvalidOption) as error:
        raise type(error)(python_words(str(error))) from None
