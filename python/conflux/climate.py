"""Adjustment of climate models, in the manner of xclim: train on some years, adjust any.

Nothing here imports xarray: any data set with ``data_vars``, ``to_dataframe`` and ``copy`` will do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._aligner import BaseAligner
from .estimators import Aligner

__all__ = ["Adjustment"]

_REFERENCE, _SIMULATED = "ref", "hist"


class Adjustment:
    """A simulation as if it were the reference, all variables together.

    Use :meth:`train`. ``aligner`` is the fitted :class:`conflux.Aligner`, to save or to judge; its
    groups are "ref" and "hist".

    Examples
    --------
    >>> import conflux, numpy, pandas, xarray
    >>> def days(shift, seed):
    ...     draw = numpy.random.default_rng(seed)
    ...     times = pandas.date_range("1961-01-01", periods=400)
    ...     tas = ("time", shift + draw.normal(size=400), {"units": "K"})
    ...     pr = ("time", draw.gamma(1 + shift, size=400))
    ...     return xarray.Dataset({"tas": tas, "pr": pr}, {"time": times})
    >>> adjustment = conflux.climate.Adjustment.train(days(0, 0), days(2, 1), random_state=0)
    >>> adjusted = adjustment.adjust(days(2, 2))
    >>> abs(float(adjusted.tas.mean())) < 0.3, bool((adjusted.pr >= 0).all()), adjusted.tas.units
    (True, True, 'K')
    """

    def __init__(self, aligner: BaseAligner, variables: list[str]) -> None:
        self.aligner = aligner
        self.variables = variables

    def __repr__(self) -> str:
        return f"Adjustment of {', '.join(self.variables)}"

    @classmethod
    def train(cls, ref: Any, hist: Any, **options: Any) -> Adjustment:
        """Learn from the same years of the reference and of the simulation.

        Parameters
        ----------
        ref, hist : xarray.Dataset
            Variables are features, points of the grid (times, and places if there are) are rows;
            both need the same variables, not the same points. What cannot be negative stays so.
        **options
            Parameters of :class:`conflux.Aligner`. The goal is ``"hide"`` unless said otherwise: a
            simulation shall have the distribution of the reference.
        """
        if options.get("method", "auto") == "auto":
            options = {"goal": "hide", **options}
        variables = [str(name) for name in ref.data_vars]
        tables = [_rows(ref, variables, "ref"), _rows(hist, variables, "hist")]
        groups = np.repeat([_REFERENCE, _SIMULATED], [len(table) for table in tables])
        columns = {name: np.concatenate([table[name] for table in tables]) for name in variables}
        return cls(Aligner(**options).fit(type(tables[0])(columns), groups), variables)

    def adjust(self, sim: Any) -> Any:
        """Return a copy of `sim`, years of the simulation, with adjusted numbers; all else stays.

        Parameters
        ----------
        sim : xarray.Dataset
            Has the variables of the fit; others are left as they are.
        """
        moved = self.aligner.translate(_rows(sim, self.variables, "sim"), _SIMULATED, _REFERENCE)
        order = _grid(sim, self.variables, "sim")
        out = sim.copy()
        for name in self.variables:
            whole = sim[name].transpose(*order)
            numbers = moved[name].to_numpy().reshape(whole.shape).astype(whole.dtype)
            out[name] = whole.copy(data=numbers).transpose(*sim[name].dims)
        return out


def _grid(dataset: Any, variables: list[str], what: str) -> tuple[Any, ...]:
    """Return the dimensions that the variables share."""
    missing = [name for name in variables if name not in dataset.data_vars]
    if missing:
        known = ", ".join(map(str, dataset.data_vars))
        raise ValueError(f"{what} has no variable {missing[0]!r}, which ref has; it has {known}.")
    order = tuple(dataset[variables[0]].dims)
    for name in variables:
        if set(dataset[name].dims) != set(order):
            raise ValueError(
                f"{what}: {name!r} has the dimensions {dataset[name].dims}, but {variables[0]!r} "
                f"has {order}; drop one of them, or bring them onto one grid."
            )
    return order


def _rows(dataset: Any, variables: list[str], what: str) -> Any:
    """Return a row per point of the grid."""
    order = _grid(dataset, variables, what)
    return dataset[variables].to_dataframe(dim_order=list(order))[variables].reset_index(drop=True)
