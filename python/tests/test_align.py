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
    assert done.summary.judged_rows == done.summary.unseen_rows == 600
    assert done.summary.auc_after < done.summary.auc_before - 0.2
    assert "120 test rows, kept from the fit" in str(done)
    assert (done.model.transform(X, groups) == done.rows).all()


def test_equal_groups_are_left_alone():
    X, groups = two_groups(0.0)
    done = conflux.align(X, groups)
    assert done.rows is X and done.model.layers_ == []
    assert "left as they are" in str(done)


def test_labels_are_protected():
    X, groups = two_groups(2.0)
    kinds = np.where(np.arange(len(X)) % 4 < 2, "t", "u")
    assert conflux.align(X, groups, kinds, layers=5).model.gate == "label"
    assert conflux.align(X, groups, kinds, layers=5, gate="none").model.gate == "none"


def test_labels_of_some_rows_steer_the_matching():
    random = np.random.default_rng(4)
    groups = np.repeat(["a", "b"], 600)
    shares = [0.4, 0.3, 0.2, 0.1]
    types = np.concatenate([random.choice(4, 600, p=p) for p in (shares, shares[::-1])])
    # The second group is shifted by as much as types are apart.
    X = random.normal(size=(1200, 12)) + 3 * (types + (groups == "b"))[:, None]
    few = np.where(random.random(1200) < 0.05, types, np.nan)

    def gap(rows):
        means = [[rows[(groups == g) & (types == t)].mean(0) for t in range(4)] for g in "ab"]
        return np.linalg.norm(np.subtract(*means), axis=1).mean()

    done = conflux.align(X, groups, few, n_jobs=1)
    assert done.model.gate == "label"
    assert "which follow the labels of 5 % of the rows" in str(done.summary)
    assert gap(done.rows) < 3 < 5 < gap(conflux.align(X, groups, gate="clusters").rows)
    as_none = [None if np.isnan(each) else int(each) for each in few]
    again = conflux.align(X, groups, as_none, n_jobs=2)
    assert (again.rows == done.rows).all()
    # Rows take the maps of their label where it is known; others need none.
    assert (done.model.transform(X, groups, few) == done.rows).all()
    back = done.model.inverse_transform(done.rows, groups, labels=few)
    assert np.abs(back - X).max() < 1e-9


def test_labels_that_no_row_has_are_said_to_be_none():
    X, groups = two_groups(2.0)
    with pytest.warns(conflux.FitWarning, match="no row has a label"):
        done = conflux.align(X, groups, [None] * len(X), layers=5)
    assert done.model.gate != "label"


def test_small_groups_keep_no_rows():
    X, groups = two_groups(3.0, rows=60)
    done = conflux.align(X, groups, layers=3)
    assert not done.unseen.any()
    assert "Scores: 120 rows in two halves, each moved by a fit of the other half" in str(done.summary)


def test_data_frames_and_seeds():
    pandas = pytest.importorskip("pandas")
    X, groups = two_groups(2.0)
    frame = pandas.DataFrame(X, columns=list("xyz"))
    one = conflux.align(frame, groups, layers=3, n_jobs=1)
    two = conflux.align(frame, groups, layers=3, n_jobs=2)
    assert (np.asarray(one.rows) == np.asarray(two.rows)).all()
    assert list(one.rows.columns) == list("xyz")
    assert list(one.summary.moved_most)[0] == "x"
    named = conflux.align(frame.assign(site=groups), "site", layers=3)
    assert (named.rows[list("xyz")] == one.rows).all().all()
    assert (named.rows["site"] == groups).all()


def test_a_share_outside_its_range_is_refused():
    with pytest.raises(ValueError, match="unseen"):
        conflux.align(*two_groups(1.0), unseen=1.5)


def test_what_cannot_be_aligned_is_refused():
    X, groups = two_groups(1.0, rows=30)
    for call in (conflux.align, conflux.check, conflux.predict_groups):
        with pytest.raises(ValueError, match="60 rows but 59 group labels"):
            call(X, groups[:-1])
        with pytest.raises(ValueError, match="row 4 has no group"):
            call(X, np.where(np.arange(60) == 4, None, groups))
        with pytest.raises(ValueError, match="one label per row"):
            call(X, "a")
    with pytest.raises(ValueError, match="60 rows but 59 labels"):
        conflux.align(X, groups, groups[:-1])
    with pytest.raises(TypeError, match="check.* 'layers'"):
        conflux.check(X, groups, layers=3)
    with pytest.raises(TypeError, match="layrs"):
        conflux.align(X, groups, layrs=3)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("xyz"))
    with pytest.raises(ValueError, match="no column 'site', which tells the groups; add it. The c"):
        conflux.align(frame, "site")
    with pytest.raises(ValueError, match="no column 'kind', which has the label of each row"):
        conflux.align(frame.assign(site=groups), "site", "kind")
