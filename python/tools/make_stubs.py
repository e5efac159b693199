"""Writes conflux/estimators.pyi from the options of the engine.

    python tools/make_stubs.py conflux/estimators.pyi

Run it after the engine has got a new option or method; a test compares the file with what this
makes.
"""

import sys
from pathlib import Path

from conflux import _parameters

HEADER = '''\
# Made by tools/make_stubs.py from the options of the engine.
import os
from typing import Mapping, Sequence, Union

import numpy as np

from ._aligner import BaseAligner

_Seed = Union[int, np.random.Generator, np.random.RandomState, None]
'''


def stub_of(name, method):
    lines = [f"class {name}(BaseAligner):", "    def __init__(", "        self,", "        *,"]
    for p in _parameters.parameters_of(method):
        lines.append(f"        {p.name}: {p.annotation} = ...,")
    lines.append("    ) -> None: ...")
    lines += [f"    {p.name}: {p.annotation}" for p in _parameters.parameters_of(method)]
    return "\n".join(lines)


def stubs():
    """Return the text of estimators.pyi."""
    names = [(_parameters.class_name(method), method) for method in _parameters.METHODS]
    names.append(("Aligner", None))
    public = ", ".join(f'"{name}"' for name in [*dict(names), "load"])
    return "\n".join(
        [HEADER, f"__all__ = [{public}]", ""]
        + [stub_of(name, method) + "\n" for name, method in names]
        + ["def load(path: str | os.PathLike[str]) -> BaseAligner: ...", ""]
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stubs())
