"""conflux.align: look, fit, judge on unseen rows."""

import numpy as np
import pytest

import conflux


def two_groups(shift, rows=300, seed=0):
    random = np.random.default_rng(seed)
    groups = np.tile(["a", "b"], rows)
    X = random.normal(size=(2 * rows, 3))
    X[:, 0] += shift * (groups == "b")
    return X, groups


def test_different_groups_are_aligned_and_judged_on_unseen_rows():
    X, groups = two_groups(2.0)
    done = conflux.align(X, groups, layers=5)
    assert done.unseen.sum() == 120  # a fifth of each group
    assert done.evaluation.rows == {"a": 60, "b": 60}
    assert done.evaluation.guess_after.auc < done.evaluation.guess_before.auc - 0.2
    assert "120 rows that the fit has not seen" in done.summary
    assert (done.model.transform(X, groups) == done.rows).all()


def test_equal_groups_are_left_alone():
    X, groups = two_groups(0.0)
    done = conflux.align(X, groups)
    assert done.rows is X and done.model is None
    assert "left as they are" in str(done)


def test_labels_are_protected():
    X, groups = two_groups(2.0)
    kinds = np.where(np.arange(len(X)) % 4 < 2, "t", "u")
    assert conflux.align(X, groups, kinds, layers=5).model.gate == "label"
    assert conflux.align(X, groups, kinds, layers=5, gate="none").model.gate == "none"


def test_small_groups_keep_no_rows():
    X, groups = two_groups(3.0, rows=60)
    done = conflux.align(X, groups, layers=3)
    assert not done.unseen.any()
    assert "Judged on rows of the fit" in done.summary


def test_data_frames_and_seeds():
    pandas = pytest.importorskip("pandas")
    X, groups = two_groups(2.0)
    frame = pandas.DataFrame(X, columns=list("xyz"))
    one = conflux.align(frame, groups, layers=3, n_jobs=1)
    two = conflux.align(frame, groups, layers=3, n_jobs=2)
    assert (np.asarray(one.rows) == np.asarray(two.rows)).all()
    assert list(one.evaluation.features_moved)[0] == "x"


def test_a_share_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="unseen"):
        conflux.align(*two_groups(1.0), unseen=1.5)
