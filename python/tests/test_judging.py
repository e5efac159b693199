"""What can be said of groups without a model."""

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
    found = conflux.guess(*three_groups(2.0))
    assert found.beyond_chance and found.auc > 0.8
    assert list(found.importance)[0] == "x1"
    assert set(found.per_group) == {"a", "b", "c"}
    assert "can be guessed" in str(found) and "x1" in repr(found)
    json.dumps(found.to_dict())


def test_equal_groups_cannot_be_guessed():
    found = conflux.guess(*three_groups(0.0))
    assert not found.beyond_chance
    assert "cannot be guessed" in str(found)


def test_unseen_rows_are_judged_by_what_was_learned():
    X, groups = three_groups(2.0)
    Y, others = three_groups(2.0, seed=1)
    order = np.random.default_rng(2).permutation(len(Y))  # other groups come first
    found = conflux.guess(X, groups, Y[order], others[order])
    assert found.rows == len(Y) and found.auc > 0.8


def test_arrays_of_any_layout_give_the_same_figures():
    X, groups = three_groups(1.0)
    expected = conflux.guess(X, groups)
    assert conflux.guess(np.asfortranarray(X), groups) == expected
    assert conflux.guess(X, groups, n_jobs=1) == expected


def test_half_of_the_unseen_rows_is_refused():
    X, groups = three_groups(1.0)
    with pytest.raises(ValueError, match="both"):
        conflux.guess(X, groups, unseen=X)
    with pytest.raises(ValueError, match="'z'"):
        conflux.guess(X, groups, X[:2], ["a", "z"])
