"""Adjustment of climate models, in the manner of xclim: train on some years, adjust any.

Nothing here imports xarray: any data set with ``data_vars``, ``transpose`` and ``copy`` will do.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ._aligner import BaseAligner
from .estimators import Aligner
from .estimators import load as load_aligner

__all__ = ["Adjustment"]

_REFERENCE, _SIMULATED = "ref", "hist"
_GROUPS = ("time", "time.month", "time.season", "time.dayofyear")
_TRENDS = (None, "linear", "quantile")
# A variable that comes nearer to 0 than this fraction of its mean, and not below, is a ratio.
_NEAR_ZERO = 0.1
# Trends of ratios are lines that could reach 0; they stay above this fraction of the mean.
_LEAST_RATIO = 0.1
# The name of the only variable of a DataArray without a name.
_UNNAMED = "values"

# Factors and offsets to the first unit of each line, after units are written in one way.
_UNITS: tuple[dict[str, tuple[float, float]], ...] = (
    {"k": (1, 0), "degc": (1, 273.15), "degf": (5 / 9, 459.67 * 5 / 9)},
    {"kg m-2 s-1": (1, 0), "mm s-1": (1, 0), "mm d-1": (1 / 86400, 0), "mm h-1": (1 / 3600, 0),
     "cm d-1": (10 / 86400, 0), "m s-1 water": (1000, 0)},
    {"pa": (1, 0), "hpa": (100, 0), "kpa": (1000, 0), "mbar": (100, 0)},
    {"m s-1": (1, 0), "km h-1": (1 / 3.6, 0), "knot": (1852 / 3600, 0)},
    {"1": (1, 0), "%": (0.01, 0), "kg kg-1": (1, 0), "g kg-1": (0.001, 0)},
    {"w m-2": (1, 0), "j m-2 d-1": (1 / 86400, 0), "mj m-2 d-1": (1e6 / 86400, 0)},
)
_SPELLINGS = {
    "kelvin": "k", "celsius": "degc", "c": "degc", "°c": "degc", "degrees_celsius": "degc",
    "degree_celsius": "degc", "deg_c": "degc", "°f": "degf", "fahrenheit": "degf",
    "mm/day": "mm d-1", "mm/d": "mm d-1", "mm day-1": "mm d-1", "mm": "mm d-1", "mm/h": "mm h-1",
    "mm hr-1": "mm h-1", "mm/s": "mm s-1", "kg/m2/s": "kg m-2 s-1", "kg/m^2/s": "kg m-2 s-1",
    "kg m**-2 s**-1": "kg m-2 s-1", "m/s": "m s-1", "m s**-1": "m s-1", "km/h": "km h-1",
    "knots": "knot", "kt": "knot", "percent": "%", "kg/kg": "kg kg-1", "g/kg": "g kg-1",
    "mb": "mbar", "millibar": "mbar", "pascal": "pa", "w/m2": "w m-2", "w/m^2": "w m-2",
    "w m**-2": "w m-2", "mj/m2/day": "mj m-2 d-1", "mj m-2 day-1": "mj m-2 d-1", "": "1",
}

_Numbers = npt.NDArray[np.float64]


class Adjustment:
    """A simulation as if it were the reference, all variables together.

    Use :meth:`train`. ``aligners`` are the fitted :class:`conflux.Aligner`, one for each part of
    the year; their groups are "ref" and "hist".

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

    A warming that is simulated stays what it is, to the last digit:

    >>> warm = days(2, 1).assign(tas=days(2, 1).tas + 3)
    >>> kept = conflux.climate.Adjustment.train(days(0, 0), days(2, 1), trend="linear")
    >>> change = kept.adjust(warm).tas - kept.adjust(days(2, 1)).tas
    >>> round(float(change.min()), 9), round(float(change.max()), 9)
    (3.0, 3.0)
    """

    def __init__(self, variables: list[str]) -> None:
        self.aligners: list[BaseAligner] = []
        self.variables = variables
        self._group = "time"
        self._window = 31
        self._trend: str | None = None
        self._kinds: dict[str, str] = {}
        self._units: dict[str, str] = {}
        self._hist: dict[str, _Numbers] = {}
        self._hist_days: _Numbers = np.empty(0)

    def __repr__(self) -> str:
        words = [f"Adjustment of {', '.join(self.variables)}"]
        if self._group != "time":
            words.append(f"by {self._group}")
        if self._trend:
            words.append(f"keeping {self._trend} trends")
        return ", ".join(words)

    @classmethod
    def train(
        cls,
        ref: Any,
        hist: Any,
        *,
        group: str = "time",
        window: int = 31,
        kind: str | Mapping[str, str] | None = None,
        trend: str | None = None,
        **options: Any,
    ) -> Adjustment:
        """Learn from the same years of the reference and of the simulation.

        Parameters
        ----------
        ref, hist : xarray.Dataset or xarray.DataArray
            Variables are features, points of the grid (times, and places if there are) are rows;
            both need the same variables, not the same points. Units of `hist` are converted to
            those of `ref`. What cannot be negative stays so.
        group : {"time", "time.month", "time.season", "time.dayofyear"}
            "time": one model for the whole year; otherwise one for each month or season, or for
            windows that overlap by half.
        window : int
            Days of a window of "time.dayofyear"; a day is adjusted by the window whose middle is
            nearest.
        kind : {"+", "*"} or dict, optional
            Whether a change is a difference or a ratio, for all variables or by name. None: a ratio
            where values are never negative and come near 0, such as rain.
        trend : {"linear", "quantile"}, optional
            What stays of the change that is simulated. None: nothing in particular; a change is
            adjusted like any other difference, and may become smaller or larger. "linear": the mean
            change since `hist`, and the line over the years, are taken out before and put back
            after. "quantile": the change of each quantile is, as by quantile delta mapping.
        **options
            Parameters of :class:`conflux.Aligner`. The goal is ``"hide"`` unless said otherwise: a
            simulation shall have the distribution of the reference.
        """
        if group not in _GROUPS:
            known = ", ".join(map(repr, _GROUPS))
            raise ValueError(f"group is {group!r}; choose one of {known}.")
        if trend not in _TRENDS:
            raise ValueError(f"trend is {trend!r}; choose 'linear', 'quantile' or None.")
        if isinstance(window, bool) or not isinstance(window, int) or window < 1:
            raise ValueError(f"window is {window!r}; choose a number of days, say 31.")
        if options.get("method", "auto") == "auto":
            options = {"goal": "hide", **options}
        ref, hist = _dataset(ref), _dataset(hist)
        variables = [str(name) for name in ref.data_vars]
        self = cls(variables)
        self._group, self._window, self._trend = group, window, trend
        self._units = {name: _units_of(ref[name]) for name in variables}
        grids = [
            _Grid(data, variables, what, self._units)
            for data, what in ((ref, "ref"), (hist, "hist"))
        ]
        self._kinds = _kinds(kind, variables, grids)
        if trend is not None:
            self._hist, self._hist_days = grids[1].values, grids[1].days()
            if trend == "linear":
                for grid in grids:
                    grid.values = {
                        name: self._without_trend(name, grid, grid.values[name])[0]
                        for name in variables
                    }
        days = [grid.days() if group != "time" else None for grid in grids]
        for part in range(_parts(group, window)):
            tables = [
                grid.table(_near_part(group, window, part, own)) for grid, own in zip(grids, days)
            ]
            if min(map(len, tables)) == 0:
                raise ValueError(
                    f"ref or hist has no day in part {part + 1} of the year; give whole years, or "
                    "leave group out."
                )
            groups = np.repeat([_REFERENCE, _SIMULATED], [len(table) for table in tables])
            table = {name: np.concatenate([each[name] for each in tables]) for name in variables}
            self.aligners.append(Aligner(**options).fit(type(tables[0])(table), groups))
        return self

    def adjust(self, sim: Any) -> Any:
        """Return a copy of `sim`, years of the simulation, with adjusted numbers; all else stays.

        Parameters
        ----------
        sim : xarray.Dataset or xarray.DataArray
            Has the variables of the fit; others are left as they are. Adjusted variables have the
            units of the reference.
        """
        given, sim = sim, _dataset(sim)
        grid = _Grid(sim, self.variables, "sim", self._units)
        changes: dict[str, _Numbers] = {}
        for name in self.variables if self._trend else ():
            values = grid.values[name]
            if self._trend == "linear":
                grid.values[name], changes[name] = self._without_trend(
                    name, grid, values, self._hist[name]
                )
            else:
                as_hist = self._as_in_hist(name, grid)
                changes[name] = self._change(name, values, as_hist)
                grid.values[name] = as_hist
        moved = self._translated(grid)
        out = sim.copy()
        for name in self.variables:
            whole = sim[name].transpose(*grid.order)
            numbers = moved[name]
            if name in changes:
                ratio = self._kinds[name] == "*"
                numbers = numbers * changes[name] if ratio else numbers + changes[name]
            numbers = numbers.reshape(whole.shape).astype(whole.dtype)
            out[name] = whole.copy(data=numbers).transpose(*sim[name].dims)
            if self._units[name] and _units_of(sim[name]):
                out[name].attrs["units"] = self._units[name]
        return out if hasattr(given, "data_vars") else out[self.variables[0]].rename(given.name)

    def _translated(self, grid: _Grid) -> dict[str, _Numbers]:
        out = {name: np.empty_like(values) for name, values in grid.values.items()}
        parts = [0]
        if self._group != "time":
            part_of_day = _part_of(self._group, self._window, grid.days())
            parts = np.unique(part_of_day).tolist()
        for part in parts:
            mine: Any = slice(None) if self._group == "time" else part_of_day == part
            moved = self.aligners[part].translate(grid.table(mine), _SIMULATED, _REFERENCE)
            for name in self.variables:
                places = out[name].shape[1]
                out[name][mine] = moved[name].to_numpy(np.float64).reshape(-1, places)
        return out

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything that :meth:`adjust` needs to a file."""
        about = {
            "variables": self.variables, "group": self._group, "window": self._window,
            "trend": self._trend, "kinds": self._kinds, "units": self._units,
        }
        arrays = io.BytesIO()
        np.savez(arrays, __days__=self._hist_days, **self._hist)
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path, "w") as file:
            file.writestr("adjustment.json", json.dumps(about))
            file.writestr("hist.npz", arrays.getvalue())
            for part, aligner in enumerate(self.aligners):
                model = Path(folder, f"{part}.conflux")
                aligner.save(model)
                file.write(model, model.name)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Adjustment:
        """Read a file of :meth:`save`."""
        try:
            with zipfile.ZipFile(path) as file, tempfile.TemporaryDirectory() as folder:
                about = json.loads(file.read("adjustment.json"))
                arrays = np.load(io.BytesIO(file.read("hist.npz")))
                aligners = [
                    load_aligner(file.extract(f"{part}.conflux", folder))
                    for part in range(_parts(about["group"], about["window"]))
                ]
        except (KeyError, zipfile.BadZipFile):
            raise ValueError(f"{os.fspath(path)} is no file of Adjustment.save().") from None
        self = cls(about["variables"])
        self.aligners = aligners
        self._group, self._window, self._trend = about["group"], about["window"], about["trend"]
        self._kinds, self._units = about["kinds"], about["units"]
        self._hist_days = arrays["__days__"]
        self._hist = {name: arrays[name] for name in arrays.files if name != "__days__"}
        return self

    def _without_trend(
        self, name: str, grid: _Grid, values: _Numbers, level: _Numbers | None = None
    ) -> tuple[_Numbers, _Numbers]:
        """Return values as if in the years of `level` (None: their own), and what was taken out."""
        months, years = grid.months(), grid.years()
        ratio = self._kinds[name] == "*"
        own = _by_month(values, months)
        base = own if level is None else _by_month(level, _months_of(self._hist_days))
        climate = own[months - 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            anomalies = values / climate - 1 if ratio else values - climate
        anomalies = np.where(np.isfinite(anomalies), anomalies, 0.0)
        time = (years - years.mean())[:, None]
        spread = float((time**2).sum())
        slope = (time * anomalies).sum(axis=0) / spread if spread > 0 else 0.0
        if ratio:
            with np.errstate(invalid="ignore", divide="ignore"):
                there = np.where(np.isnan(own), np.nan, base)
                shift = np.nanmean(own, axis=0) / np.nanmean(there, axis=0)
            shift = np.where(np.isfinite(shift) & (shift > 0), shift, 1.0)
            change = shift * np.maximum(1 + slope * time, _LEAST_RATIO)
            return values / change, change
        change = np.nan_to_num(np.nanmean(own - base, axis=0)) + slope * time
        return values - change, change

    def _as_in_hist(self, name: str, grid: _Grid) -> _Numbers:
        """Return the values of hist that have the quantiles of these values."""
        values, hist = grid.values[name], self._hist[name]
        if hist.shape[1] != values.shape[1]:
            raise ValueError(
                f"sim has {values.shape[1]} places but hist had {hist.shape[1]}; quantiles are "
                "kept place by place."
            )
        days = grid.days()
        out = np.empty_like(values)
        for mine, near, near_hist in _strata(self._group, self._window, days, self._hist_days):
            for place in range(values.shape[1]):
                out[mine, place] = _quantile_values(
                    values[mine, place], values[near, place], hist[near_hist, place]
                )
        return out

    def _change(self, name: str, values: _Numbers, as_hist: _Numbers) -> _Numbers:
        if self._kinds[name] != "*":
            return values - as_hist
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = values / as_hist
        # A dry day that was dry has not changed.
        return np.where(np.isfinite(ratio), ratio, 1.0)


class _Grid:
    """The variables of a data set as arrays of times and places."""

    def __init__(
        self, dataset: Any, variables: list[str], what: str, units: dict[str, str]
    ) -> None:
        order = _dimensions(dataset, variables, what)
        self.order = (*(["time"] if "time" in order else []), *(d for d in order if d != "time"))
        self.dataset, self.what = dataset, what
        self.values: dict[str, _Numbers] = {}
        for name in variables:
            values = np.asarray(dataset[name].transpose(*self.order), dtype=np.float64)
            values = values.reshape(len(values), -1)
            own = _units_of(dataset[name])
            self.values[name] = _converted(values, own, units[name], name, what)
        self.rows = next(iter(self.values.values())).size

    def days(self) -> _Numbers:
        """Return the day of the year of each time, from 1."""
        return np.asarray(self._dates().dt.dayofyear, dtype=np.float64)

    def months(self) -> npt.NDArray[np.int64]:
        return np.asarray(self._dates().dt.month, dtype=np.int64)

    def years(self) -> _Numbers:
        return np.asarray(self._dates().dt.year, dtype=np.float64) + (self.days() - 1) / 365.25

    def _dates(self) -> Any:
        times = self.dataset["time"] if "time" in self.order else None
        if times is None or times.dtype.kind not in "MO":
            raise ValueError(
                f"{self.what} has no dates along a dimension 'time', which group and trend need; "
                "decode them (xarray.decode_cf), or leave both out."
            )
        return times

    def table(self, times: Any) -> Any:
        """Return a row per point of the grid at these times."""
        import pandas

        return pandas.DataFrame(
            {name: values[times].ravel() for name, values in self.values.items()}
        )


def _parts(group: str, window: int) -> int:
    """Return the number of models of a year."""
    if group == "time.dayofyear":
        return max(1, round(2 * 365 / window))
    return {"time": 1, "time.month": 12, "time.season": 4}[group]


def _part_of(group: str, window: int, days: _Numbers) -> npt.NDArray[np.int64]:
    """Return the part of the year that adjusts each day."""
    if group == "time.dayofyear":
        count = _parts(group, window)
        return np.minimum((days - 1) * count / 365, count - 1e-9).astype(np.int64)
    months = _months_of(days)
    return months % 12 // 3 if group == "time.season" else months - 1


def _near_part(group: str, window: int, part: int, days: _Numbers | None) -> Any:
    """Return the times on which the model of a part is fitted."""
    if days is None:
        return slice(None)
    if group == "time.dayofyear":
        return _near(days, (part + 0.5) * 365 / _parts(group, window) + 0.5, window)
    return _part_of(group, window, days) == part


def _near(days: _Numbers, day: float, window: int) -> npt.NDArray[np.bool_]:
    """Return which days lie in the window around a day, around the turn of the year too."""
    near: npt.NDArray[np.bool_] = np.abs((days - day + 182.5) % 365 - 182.5) <= window / 2
    return near


def _months_of(days: _Numbers) -> npt.NDArray[np.int64]:
    """Return months of days of a year without February 29; day 366 is of December."""
    ends = np.cumsum([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30])
    return np.searchsorted(ends, days, side="left") + 1


def _by_month(values: _Numbers, months: npt.NDArray[np.int64]) -> _Numbers:
    """Return the mean of each month and place; NaN where a month has no value."""
    out = np.full((12, values.shape[1]), np.nan)
    for month in range(1, 13):
        mine = values[months == month]
        if len(mine) and not np.isnan(mine).all():
            out[month - 1] = np.nanmean(mine, axis=0)
    return out


def _strata(
    group: str, window: int, days: _Numbers, hist_days: _Numbers
) -> list[tuple[Any, Any, Any]]:
    """Return places of values, and of those among which their quantiles are counted."""
    if group == "time":
        return [(slice(None), slice(None), slice(None))]
    if group == "time.dayofyear":
        return [
            (days == day, _near(days, day, window), _near(hist_days, day, window))
            for day in np.unique(days)
        ]
    parts, hist_parts = (_part_of(group, window, each) for each in (days, hist_days))
    return [(parts == part, parts == part, hist_parts == part) for part in np.unique(parts)]


def _quantile_values(values: _Numbers, among: _Numbers, hist: _Numbers) -> _Numbers:
    """Return the values of hist at the quantiles that `values` have among others."""
    among, hist = np.sort(among[~np.isnan(among)]), np.sort(hist[~np.isnan(hist)])
    if not len(among) or not len(hist):
        return values
    low, high = np.searchsorted(among, values, "left"), np.searchsorted(among, values, "right")
    quantiles = (low + high) / (2 * len(among))
    found = np.interp(quantiles, (np.arange(len(hist)) + 0.5) / len(hist), hist)
    return np.where(np.isnan(values), np.nan, found)


def _dataset(given: Any) -> Any:
    """Return a data set; an array is its only variable."""
    if hasattr(given, "data_vars"):
        return given
    if hasattr(given, "to_dataset"):
        return given.to_dataset(name=given.name or _UNNAMED)
    raise TypeError(
        f"{type(given).__name__} is no data set of xarray; give a Dataset or DataArray."
    )


def _dimensions(dataset: Any, variables: list[str], what: str) -> tuple[Any, ...]:
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


def _kinds(
    kind: str | Mapping[str, str] | None, variables: list[str], grids: list[_Grid]
) -> dict[str, str]:
    """Return whether changes of each variable are differences or ratios."""
    given = {name: kind for name in variables} if isinstance(kind, str) else dict(kind or {})
    unknown = sorted(set(given) - set(variables))
    if unknown:
        raise ValueError(f"kind names {unknown[0]!r}; the variables are {', '.join(variables)}.")
    out = {}
    for name in variables:
        chosen = given.get(name)
        if chosen not in (None, "+", "*"):
            raise ValueError(f"the kind of {name!r} is {chosen!r}; choose '+' or '*'.")
        if chosen is None:
            values = np.concatenate([grid.values[name].ravel() for grid in grids])
            low, mean = np.nanmin(values), np.nanmean(values)
            chosen = "*" if 0 <= low < _NEAR_ZERO * mean else "+"
        out[name] = chosen
    return out


def _units_of(variable: Any) -> str:
    return str(variable.attrs.get("units", ""))


def _converted(values: _Numbers, own: str, wanted: str, name: str, what: str) -> _Numbers:
    """Return values in other units; refuses units that cannot be converted."""
    if own == wanted or not own or not wanted:
        return values
    plain = [unit.strip().lower() for unit in (own, wanted)]
    start, end = (_SPELLINGS.get(unit, unit) for unit in plain)
    if start == end:
        return values
    for units in _UNITS:
        if start in units and end in units:
            (factor, offset), (to_factor, to_offset) = units[start], units[end]
            return (values * factor + offset - to_offset) / to_factor
    raise ValueError(
        f"{what}: {name!r} is in {own!r} but ref has it in {wanted!r}, which cannot be converted "
        "here; bring both to one unit."
    )
