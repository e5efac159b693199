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
