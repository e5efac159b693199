"""Checks and evaluations of groups without a model."""

import json

import numpy as np
import pytest

import conflux


def three_groups(shift, seed=0):
    """Return rows of which the second feature is shifted by the number of the group."""
    random = np.random.default_rng(seed)
    groups = np.repeat(["a", "b", "c"], 200)
    X = random.normal(size=(600, 4))
    X[:, 1] += shift * np.repeat([0, 1, 2], 200)
    return X, groups


def test_a_shifted_feature_gives_the_groups_away():
    found = conflux.predict_groups(*three_groups(2.0))
    assert found.beyond_chance and found.auc > 0.8
    assert list(found.importance)[0] == "x1"
    assert set(found.per_group) == {"a", "b", "c"}
    assert "can be predicted" in str(found) and "x1" in repr(found)
    json.dumps(found.to_dict())


def test_equal_groups_cannot_be_predicted():
    found = conflux.predict_groups(*three_groups(0.0))
    assert not found.beyond_chance
    assert "cannot be predicted" in str(found)


def test_unseen_rows_are_judged_by_what_was_learned():
    X, groups = three_groups(2.0)
    Y, others = three_groups(2.0, seed=1)
    order = np.random.default_rng(2).permutation(len(Y))  # other groups come first
    found = conflux.predict_groups(X, groups, Y[order], others[order])
    assert found.rows == len(Y) and found.auc > 0.8


def test_arrays_of_any_layout_give_the_same_figures():
    X, groups = three_groups(1.0)
    expected = conflux.predict_groups(X, groups)
    assert conflux.predict_groups(np.asfortranarray(X), groups) == expected
    assert conflux.predict_groups(X, groups, n_jobs=1) == expected


def test_half_of_the_unseen_rows_is_refused():
    X, groups = three_groups(1.0)
    with pytest.raises(ValueError, match="both"):
        conflux.predict_groups(X, groups, unseen=X)
    with pytest.raises(ValueError, match="'z'"):
        conflux.predict_groups(X, groups, X[:2], ["a", "z"])


def test_check_names_the_feature_that_differs():
    X, groups = three_groups(1.0)
    found = conflux.check(X, groups)
    assert found.differ and found.differing == ["x1"]
    assert found.features["x1"].shift > 1
    assert found.rows == {"a": 200, "b": 200, "c": 200}
    assert str(found).splitlines()[0] == found.sentences[0]
    json.dumps(found.to_dict())


def test_check_finds_nothing_in_equal_groups():
    found = conflux.check(*three_groups(0.0))
    assert not found.differ and found.advice == "leave" and not found.differing


def test_check_compares_what_groups_hold():
    X, groups = three_groups(0.0)
    labels = np.where(groups == "a", "left", "right")
    found = conflux.check(X, groups, labels)
    assert found.shares["a"] == {"left": 1.0, "right": 0.0}
    assert found.shares["b"]["right"] == 1.0


def test_check_counts_each_patient_once():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    patients = np.repeat(np.arange(300), 3)
    X = random.normal(size=(300, 4))[patients] + 0.4 * random.normal(size=(900, 4))
    arms = random.choice(["old", "new"], 300)[patients]
    frame = pandas.DataFrame(X, columns=list("wxyz")).assign(arm=arms)
    assert conflux.check(frame, "arm").differ
    found = conflux.check(frame.assign(patient_id=patients), "arm")
    assert not found.differ and found.repeated_rows == 600
    assert '"patient_id"' in found.sentences[1]


def test_check_takes_names_from_data_frames():
    pandas = pytest.importorskip("pandas")
    X, groups = three_groups(1.0)
    found = conflux.check(pandas.DataFrame(X, columns=list("wxyz")), groups)
    assert found.differing == ["x"]


def test_evaluate_judges_unseen_rows():
    X, groups = three_groups(2.0)
    Y, others = three_groups(2.0, seed=1)
    nb = conflux.NB().fit(X, groups)
    found = conflux.evaluate(nb, Y, others)
    assert found.verdict in ("aligned", "reduced")
    assert found.prediction_after.auc < 0.6 < found.prediction_before.auc
    assert list(found.features_moved)[0] == "x1"
    assert 0 < found.neighbors_kept <= 1
    assert found.sentences[0] in str(found)
    json.dumps(found.to_dict())


def test_evaluate_measures_what_is_asked_for():
    X, groups = three_groups(1.0)
    nb = conflux.NB().fit(X, groups)
    found = conflux.evaluate(nb, X, groups, metrics=["energy_distance"])
    assert found.figures["energy_distance"]["after"] < found.figures["energy_distance"]["before"]
    with pytest.raises(ValueError, match="no metric"):
        conflux.evaluate(nb, X, groups, metrics=["w3"])


def test_pixels_that_one_group_has_dark_fill_no_pages():
    # Most pixels of images look like mistaken units.
    X = np.random.default_rng(5).random((400, 50)) + 0.5
    groups = np.repeat(["dark", "light"], 200)
    X[:200] *= 1e-3
    with pytest.warns(conflux.FitWarning) as told:
        conflux.NB().fit(X, groups)
    doubts = [str(each.message) for each in told if "unit" in str(each.message)]
    assert len(doubts) == 3
    assert "47 more columns are as doubtful." in [str(each.message) for each in told]


def test_evaluate_refuses_what_the_model_does_not_know():
    X, groups = three_groups(1.0)
    nb = conflux.NB().fit(X, groups)
    with pytest.raises(ValueError, match="4"):
        conflux.evaluate(nb, X[:, :3], groups)
    with pytest.raises(ValueError, match='"z"'):
        conflux.evaluate(nb, X, np.where(groups == "a", "z", groups))
    with pytest.raises(conflux.NotFittedError):
        conflux.evaluate(conflux.NB(), X, groups)
