"""Parity figures, against their definitions with scikit-learn."""

import numpy as np
import pytest

import conflux
from conflux.fairness import parity


def people(count=1500):
    draw = np.random.default_rng(0)
    sex = draw.choice(["f", "m", "x"], count, p=[0.45, 0.45, 0.1])
    X = draw.normal(size=(count, 3)) + 0.8 * (sex == "m")[:, None]
    y = np.where(X.sum(axis=1) + draw.normal(size=count) > 1.2, "yes", "no")
    return X, y, sex


def test_figures_are_those_of_their_definitions():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    X, y, sex = people()
    found = parity(X, y, sensitive_features=sex, samples=0)
    fold = np.random.default_rng(0).permutation(len(X)) % 5
    predicted = np.empty(len(X), dtype=object)
    for k in range(5):
        learn = fold != k
        scale = X[learn].std(axis=0)
        model = LogisticRegression(C=1 / (1e-3 * learn.sum())).fit(X[learn] / scale, y[learn])
        predicted[~learn] = model.predict(X[~learn] / scale)
    rate = {g: (predicted[sex == g] == "yes").mean() for g in "fmx"}
    odds = [
        [(predicted[(sex == g) & (y == t)] == "yes").mean() for g in "fmx"] for t in ("no", "yes")
    ]
    expected = {
        "demographic_parity_difference": max(rate.values()) - min(rate.values()),
        "disparate_impact": min(rate.values()) / max(rate.values()),
        "equalized_odds_difference": max(max(row) - min(row) for row in odds),
        "accuracy": (predicted == y).mean(),
    }
    for name, value in expected.items():
        assert found.before[name].value == pytest.approx(value, abs=0.005), name
    assert found.after is None and set(found.rates) == set("fmx")


def test_an_alignment_evens_the_rates_and_intervals_hold_the_figures():
    X, y, sex = people()
    aligner = conflux.GB().fit(X, sensitive_features=sex)
    fair = aligner.transform(X, sensitive_features=sex)
    np.testing.assert_array_equal(fair, conflux.GB().fit_transform(X, sex))
    np.testing.assert_array_equal(conflux.GB().fit_transform(X, y, sensitive_features=sex), fair)
    found = parity(X, y, sensitive_features=sex, aligned=fair, samples=200)
    for figures in (found.before, found.after):
        for figure in figures.values():
            assert figure.low <= figure.value <= figure.high or figure.high - figure.low < 0.2
    impact = "disparate_impact"
    assert found.after[impact].low > found.before[impact].high
    assert "positive rate of f" in str(found) and "before" in str(found)
    assert found.to_dict()["after"][impact]["value"] == found.after[impact].value


# Intervals from 95 % of bootstrap samples: of the same law drawn again, most figures lie inside.
def test_intervals_are_about_as_wide_as_new_rows_vary():
    draw = np.random.default_rng(1)
    values, inside = [], 0
    for k in range(20):
        sex = draw.choice(["f", "m"], 600)
        X = draw.normal(size=(600, 2)) + 0.5 * (sex == "m")[:, None]
        y = (X.sum(axis=1) + draw.normal(size=600) > 0.5).astype(int)
        figure = parity(X, y, sensitive_features=sex, samples=100).before[
            "demographic_parity_difference"]
        values.append((figure.value, figure.low, figure.high))
    center = np.mean([value for value, _, _ in values])
    inside = sum(low <= center <= high for _, low, high in values)
    assert inside >= 15


def test_categories_and_gaps_are_read_and_nonsense_is_refused():
    pandas = pytest.importorskip("pandas")
    X, y, sex = people(300)
    frame = pandas.DataFrame(X, columns=list("abc")).assign(job=np.where(X[:, 0] > 0, "p", "q"))
    frame.loc[::7, "b"] = np.nan
    assert parity(frame, y, sensitive_features=sex, samples=10).before["accuracy"].value > 0.5
    with pytest.raises(ValueError, match="outcome of two"):
        parity(X, X[:, 0], sensitive_features=sex)
    with pytest.raises(ValueError, match="choose one of"):
        parity(X, y, sensitive_features=sex, positive="maybe")
    with pytest.raises(ValueError, match="the same rows"):
        parity(X, y, sensitive_features=sex, aligned=X[1:])
    with pytest.raises(TypeError, match="choose one"):
        conflux.NB().fit(X, groups=sex, sensitive_features=sex)
