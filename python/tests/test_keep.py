"""Columns that are kept, rows that are moved in part, and rows that count by weights."""

import subprocess

import numpy as np
import pytest

import conflux

pd = pytest.importorskip("pandas")


def scans(rows=600, seed=3):
    """Two sites of which the second is older, shifted by 2; x follows age and y the month."""
    draw = np.random.default_rng(seed)
    second = np.arange(rows) % 3 == 0
    age = 40 + 12 * second + 10 * draw.normal(size=rows)
    month = draw.integers(1, 13, rows)
    return pd.DataFrame({
        "x": 0.1 * age + 2 * second + draw.normal(size=rows),
        "y": np.isin(month, (12, 1, 2)).astype(float) - second + draw.normal(size=rows),
        "age": age,
        "sex": draw.choice(["f", "m"], rows),
        "month": month,
        "site": np.where(second, "B", "A"),
    })


def gap_given_age(frame):
    """How much more x is in B than in A at the same age, by least squares."""
    design = np.column_stack([frame["site"] == "B", frame["age"], np.ones(len(frame))]).astype(float)
    return float(np.linalg.lstsq(design, frame["x"].to_numpy(), rcond=None)[0][0])


def test_kept_columns_stay_and_their_effects_too():
    frame = scans()
    done = conflux.align(frame, "site", covariates=["age", "sex", "month:cyclic"])
    rows = done.rows
    for name in ("age", "sex", "month", "site"):
        assert (rows[name] == frame[name]).all()
    assert gap_given_age(frame) > 1.5
    assert abs(gap_given_age(rows)) < 0.3


@pytest.mark.parametrize("covariates", ["age,month:cyclic", ["age", "month:cyclic"]])
def test_a_fit_with_kept_columns_has_the_bits_of_the_command(tmp_path, command, covariates):
    scans().to_csv(tmp_path / "scans.csv", index=False)
    frame = pd.read_csv(tmp_path / "scans.csv", float_precision="round_trip")
    words = ["--group", "site", "--keep", "age,month:cyclic", "--drop", "sex", "--method", "location-scale"]
    for words in (["fit", "scans.csv", *words, "-o", "m.conflux"],
                  ["transform", "m.conflux", "scans.csv", "-o", "moved.csv"]):
        subprocess.run([command, *words], cwd=tmp_path, check=True, capture_output=True)
    ours = conflux.LocationScale(group_column="site", covariates=covariates).fit(frame.drop(columns="sex"))
    moved = ours.transform(frame.drop(columns="sex"))
    theirs = pd.read_csv(tmp_path / "moved.csv", float_precision="round_trip")
    assert (moved["x"] == theirs["x"]).all() and (moved["y"] == theirs["y"]).all()
    assert (moved["age"] == frame["age"]).all()


def test_new_rows_may_lack_cells_of_kept_columns_and_return():
    frame = scans()
    fitted = conflux.LocationScale(group_column="site", covariates="age").fit(frame.drop(columns="sex"))
    new = scans(60, seed=4).drop(columns="sex")
    new.loc[::7, "age"] = np.nan
    moved = fitted.transform(new)
    assert np.isfinite(moved["x"]).all()
    back = fitted.inverse_transform(moved, new["site"])
    assert np.abs(back["x"] - new["x"]).max() < 1e-9


def test_effects_may_differ_between_groups():
    draw = np.random.default_rng(5)
    site = np.where(np.arange(2000) % 2 == 0, "B", "A")
    age = draw.normal(size=2000)
    frame = pd.DataFrame({"x": age * np.where(site == "B", 2, 0.5) + draw.normal(size=2000),
                          "y": draw.normal(size=2000), "age": age, "site": site})
    slopes = {}
    for interaction in (False, True):
        moved = conflux.LocationScale(
            group_column="site", covariates="age:linear", interaction=interaction
        ).fit_transform(frame)
        slopes[interaction] = [np.polyfit(age[site == s], moved["x"][site == s], 1)[0] for s in "AB"]
    assert abs(slopes[False][0] - slopes[False][1]) > 0.5
    assert abs(slopes[True][0] - slopes[True][1]) < 0.1
    with pytest.raises(ValueError, match="no columns are kept"):
        conflux.LocationScale(interaction=True).fit(frame[["x", "y"]], frame["site"])


def test_rows_are_moved_in_part_and_return(gaussians):
    X, groups = gaussians
    inb = conflux.INB(layers=8).fit(X, groups)
    assert (inb.with_amount(0).transform(X, groups) == X).all()
    assert (inb.with_amount(1).transform(X, groups) == inb.transform(X, groups)).all()
    half = inb.with_amount(0.5)
    moved = half.transform(X, groups)
    assert np.abs(half.inverse_transform(moved, groups) - X).max() < 1e-9
    assert (conflux.INB(layers=8, amount=0.5).fit(X, groups).transform(X, groups) == moved).all()
    assert half.get_params()["amount"] == 0.5 and inb.get_params()["amount"] == 1
    with pytest.raises(ValueError, match="from 0"):
        inb.with_amount(2)
    with pytest.raises(ValueError, match="leave the amount at 1"):
        conflux.DD(layers=2).fit(X, groups).with_amount(0.5)


def test_the_curve_falls_with_the_amount(gaussians):
    X, groups = gaussians
    inb = conflux.INB(layers=8).fit(X, groups)
    curve = conflux.amount_curve(inb, X, groups, labels=np.where(X[:, 0] > 0, "a", "b"), amounts=[0, 0.5, 1])
    aucs = [point["group_auc"] for point in curve]
    assert aucs[0] > aucs[1] > aucs[2]
    assert curve[0]["moved"] == 0 and curve[0]["label_auc"] > 0.9
    assert conflux.amount_curve(inb, X, groups, amounts=[1])[0]["label_auc"] is None


def test_rows_count_by_their_weights():
    frame = scans(300)
    weights = np.random.default_rng(1).integers(1, 5, len(frame))
    repeated = frame.loc[frame.index.repeat(weights)].reset_index(drop=True)
    means = conflux.Means(repeats="keep")
    features = ["x", "y"]
    weighted = means.fit(frame[features], frame["site"], sample_weight=weights)
    weighted = weighted.transform(frame[features], frame["site"])
    copied = means.fit(repeated[features], repeated["site"]).transform(frame[features], frame["site"])
    alike = means.fit(frame[features], frame["site"]).transform(frame[features], frame["site"])
    assert np.abs(weighted - copied).to_numpy().max() < 1e-9
    assert np.abs(weighted - alike).to_numpy().max() > 1e-3
