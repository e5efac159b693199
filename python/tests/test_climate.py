"""Data sets of xarray, adjusted as xclim users know it."""

import numpy as np
import pandas as pd
import pytest

import conflux

xarray = pytest.importorskip("xarray")


def grid(shift, seed, days=300):
    """Two variables on days and two places, one of them with its dimensions the other way round."""
    draw = np.random.default_rng(seed)
    tas = (("time", "place"), shift + draw.normal(size=(days, 2)), {"units": "K"})
    pr = (("place", "time"), draw.gamma(1 + shift, size=(2, days)).astype("f4"))
    times = pd.date_range("1961-01-01", periods=days)
    coordinates = {"time": times, "place": ["a", "b"], "height": 2.0}
    return xarray.Dataset({"tas": tas, "pr": pr}, coordinates)


def years(shift, seed, first="1961", count=6, trend=0.0):
    """Daily temperature and rain with a season, and a trend per year."""
    draw = np.random.default_rng(seed)
    times = pd.date_range(f"{first}-01-01", periods=365 * count)
    cycle = np.sin(2 * np.pi * times.dayofyear.to_numpy() / 365)
    elapsed = np.arange(len(times)) / 365.25
    tas = 280 + shift + (8 + shift) * cycle + (2 + shift / 4) * draw.normal(size=len(times))
    pr = draw.gamma(1 + shift / 2 + cycle**2, size=len(times)) * (draw.random(len(times)) < 0.6)
    data = {"tas": ("time", tas + trend * elapsed, {"units": "K"}),
            "pr": ("time", pr, {"units": "mm d-1"})}
    return xarray.Dataset(data, {"time": times})


def train(ref, hist, **options):
    return conflux.climate.Adjustment.train(ref, hist, random_state=0, **options)


def test_new_years_come_to_the_reference_and_keep_their_grid():
    adjustment = train(grid(0, 0), grid(2, 1), method="nb")
    sim = grid(2, 2).assign(other=("place", [1.0, 2.0]))
    out = adjustment.adjust(sim)
    assert abs(float(out.tas.mean())) < 0.2 < abs(float(sim.tas.mean()))
    assert (out.pr >= 0).all()
    assert out.tas.attrs == sim.tas.attrs
    assert out.pr.dtype == sim.pr.dtype and out.pr.dims == sim.pr.dims
    xarray.testing.assert_identical(out.drop_vars(["tas", "pr"]), sim.drop_vars(["tas", "pr"]))
    # A point goes by its own numbers: turning the grid changes nothing.
    turned = adjustment.adjust(sim.transpose("place", "time"))
    xarray.testing.assert_allclose(turned.transpose(*out.tas.dims).tas, out.tas)


def test_it_does_what_the_aligner_does():
    ref, hist = grid(0, 0), grid(1, 1)
    adjustment = train(ref, hist, method="nb")

    def cells(dataset, name):
        return dataset[name].transpose("time", "place").to_numpy().ravel()

    rows = pd.DataFrame(
        {name: np.concatenate([cells(d, name) for d in (ref, hist)]) for name in ("tas", "pr")}
    )
    same = conflux.Aligner(method="nb", random_state=0).fit(rows, np.repeat(["ref", "hist"], 600))
    moved = same.translate(rows[600:], "hist", "ref")
    np.testing.assert_array_equal(cells(adjustment.adjust(hist), "tas"), moved["tas"])


def test_variables_that_are_missing_or_on_another_grid_are_named():
    ref = grid(0, 0)
    with pytest.raises(ValueError, match="hist has no variable 'pr'"):
        train(ref, ref.drop_vars("pr"))
    with pytest.raises(ValueError, match="'flat' has the dimensions"):
        train(ref.assign(flat=("place", [0.0, 1.0])), ref)


def test_later_years_of_a_climate_model_are_as_near_as_rotations_bring_them(shared_data):
    def years(name):
        table = pd.read_csv(shared_data / f"cccma_climate/{name}.csv.gz")
        return xarray.Dataset.from_dataframe(table)

    calibration = years("rcm_c").to_dataframe()
    adjusted = train(years("rcm_c"), years("gcm_c")).adjust(years("gcm_p"))

    def unit(dataset):
        return ((dataset.to_dataframe() - calibration.mean()) / calibration.std()).to_numpy()

    from scipy.spatial.distance import cdist
    a, b = unit(adjusted), unit(years("rcm_p"))
    energy = 2 * cdist(a, b).mean() - cdist(a, a).mean() - cdist(b, b).mean()
    assert energy <= 0.0027  # thirty rotations of MBCn
    assert (adjusted[["pr", "sfcWind", "huss", "dtr"]].to_array() >= 0).all()


# Three kelvin and a fifth more rain, at every time: both must come out as they went in.
@pytest.mark.parametrize("trend", ["linear", "quantile"])
@pytest.mark.parametrize("group", ["time", "time.month", "time.season", "time.dayofyear"])
def test_a_simulated_change_stays_what_it_is(trend, group):
    ref, hist = years(0, 0), years(2, 1)
    adjustment = train(ref, hist, group=group, trend=trend, method="nb")
    warm = hist.assign(tas=hist.tas + 3, pr=hist.pr * 1.2).assign_attrs(hist.attrs)
    cold, warm = adjustment.adjust(hist), adjustment.adjust(warm)
    np.testing.assert_allclose(warm.tas - cold.tas, 3, atol=1e-9)
    # A day that was dry, and is wet only because the reference has fewer dry days, has not changed.
    wet = (cold.pr.to_numpy() > 0) & (hist.pr.to_numpy() > 0)
    np.testing.assert_allclose((warm.pr / cold.pr).to_numpy()[wet], 1.2, rtol=1e-9)


def test_a_line_over_the_years_stays():
    ref, hist = years(0, 0, trend=0.02), years(2, 1, trend=0.3)
    sim = years(2, 2, first="1990", count=10, trend=0.3)

    def slope(data):
        anomalies = data.tas - data.tas.groupby("time.month").mean().sel(month=data["time.month"])
        return np.polyfit(np.arange(len(anomalies)) / 365.25, anomalies.to_numpy(), 1)[0]

    kept = train(ref, hist, group="time.month", trend="linear", method="nb").adjust(sim)
    assert slope(kept) == pytest.approx(slope(sim), abs=0.02)
    change = float(kept.tas.mean() - train(ref, hist, group="time.month", trend="linear", method="nb")
                   .adjust(hist).tas.mean())
    assert change == pytest.approx(float(sim.tas.mean() - hist.tas.mean()), abs=0.05)


# The quantile delta mapping of one variable, spelled out (Cannon et al. 2015), in its middle.
def test_changes_of_quantiles_are_those_of_quantile_delta_mapping():
    draw = np.random.default_rng(0)
    times = pd.date_range("1961-01-01", periods=2000)
    ref, hist, sim = (
        xarray.DataArray(values, dims="time", coords={"time": times}, name="tas")
        for values in (draw.normal(1, 2, 2000), draw.normal(0, 1, 2000), draw.normal(2, 1.5, 2000))
    )
    adjusted = train(ref, hist, trend="quantile", kind="+", method="nb").adjust(sim)
    assert isinstance(adjusted, xarray.DataArray) and adjusted.name == "tas"
    places = (np.argsort(np.argsort(sim.to_numpy())) + 0.5) / 2000
    expected = sim + np.quantile(ref, places) - np.quantile(hist, places)
    middle = (places > 0.05) & (places < 0.95)
    # Between the knots of a map its quantiles are smoother than those of the sample.
    np.testing.assert_allclose(adjusted.to_numpy()[middle], expected.to_numpy()[middle], atol=0.2)


def test_every_season_is_adjusted():
    ref, hist = years(0, 0), years(3, 1)
    gaps = {}
    for group in ("time", "time.month", "time.dayofyear", "time.season"):
        adjusted = train(ref, hist, group=group, method="nb").adjust(hist)
        gap = (adjusted.tas.groupby("time.month").mean() - ref.tas.groupby("time.month").mean())
        gaps[group] = float(abs(gap / ref.tas.groupby("time.month").std()).max())
    assert gaps["time.month"] < 0.05 < 0.15 < gaps["time"], gaps
    assert gaps["time.dayofyear"] < gaps["time"], gaps


def test_a_file_keeps_an_adjustment(tmp_path):
    hist = years(2, 1)
    for trend in (None, "linear", "quantile"):
        adjustment = train(years(0, 0), hist, group="time.month", trend=trend, method="nb")
        adjustment.save(tmp_path / "bias.zip")
        again = conflux.climate.Adjustment.load(tmp_path / "bias.zip")
        xarray.testing.assert_identical(again.adjust(hist), adjustment.adjust(hist))
        assert repr(again) == repr(adjustment)
    (tmp_path / "other").write_text("other")
    with pytest.raises(ValueError, match="is no file of"):
        conflux.climate.Adjustment.load(tmp_path / "other")


def test_units_are_converted_or_refused():
    ref, hist = years(0, 0), years(2, 1)
    expected = train(ref, hist, method="nb").adjust(hist)
    celsius = hist.copy()
    celsius["tas"] = (hist.tas - 273.15).assign_attrs(units="degC")
    celsius["pr"] = (hist.pr / 86400).assign_attrs(units="kg m-2 s-1")
    out = train(ref, celsius, method="nb").adjust(celsius)
    np.testing.assert_allclose(out.tas, expected.tas, atol=1e-6)
    np.testing.assert_allclose(out.pr, expected.pr, atol=1e-6)
    assert out.tas.units == "K" and out.pr.units == "mm d-1" and celsius.tas.units == "degC"
    with pytest.raises(ValueError, match="cannot be converted"):
        train(ref, hist.assign(tas=hist.tas.assign_attrs(units="hPa")), method="nb")


def test_what_cannot_be_is_refused():
    ref, hist = years(0, 0), years(2, 1)
    for options, words in [
        ({"group": "time.week"}, "time.month"), ({"trend": "cubic"}, "'linear'"),
        ({"kind": "-"}, "choose"), ({"kind": {"snow": "*"}}, "snow"), ({"window": 0}, "say 31"),
    ]:
        with pytest.raises(ValueError, match=words):
            train(ref, hist, **options)
    numbered = ref.assign_coords(time=np.arange(len(ref.time)))
    with pytest.raises(ValueError, match="no dates"):
        train(numbered, numbered, group="time.month")
    with pytest.raises(TypeError, match="Dataset or DataArray"):
        train(ref.to_dataframe(), hist)


def test_every_month_of_the_validation_years_is_adjusted(shared_data):
    def years(name, first):
        table = pd.read_csv(shared_data / f"cccma_climate/{name}.csv.gz")
        days = pd.date_range(f"{first}-01-01", periods=2 * len(table))
        table.index = days[~((days.month == 2) & (days.day == 29))][: len(table)]
        return xarray.Dataset.from_dataframe(table.rename_axis("time"))

    adjustment = train(years("rcm_c", 1951), years("gcm_c", 1951), group="time.month", method="nb")
    adjusted, truth = adjustment.adjust(years("gcm_p", 1963)), years("rcm_p", 1963)
    gaps = (adjusted.groupby("time.month").mean() - truth.groupby("time.month").mean()) / truth.std()
    gaps = abs(gaps.to_array())
    # The years differ by chance and by what the models simulate: moving each month by the mean
    # difference of the calibration years leaves 0.048 and 0.22.
    assert float(gaps.mean()) < 0.06
    assert float(gaps.max()) < 0.3
    assert float(gaps.mean("variable").max()) < 0.1
