"""Refused input, the exception and its message."""

import numpy as np
import pytest

import conflux
from conflux import INB, NB

X, GROUPS = conflux.datasets.make_moons(40)
LABELS = np.where(GROUPS == 0, "a", "b")


def spoiled(value, row=17, column=1, dtype=np.float64):
    rows = X.astype(dtype)
    rows[row, column] = value
    return rows


REFUSED_ROWS = {
    "one dimension": (X[:, 0], ValueError, "Reshape your data"),
    "three dimensions": (X[None], ValueError, "Expected 2D array, got 3D"),
    "a number": (3.0, ValueError, "Expected 2D array, got 0D"),
    "no rows": (X[:0], ValueError, "0 sample"),
    "no columns": (X[:, :0], ValueError, "0 feature"),
    "infinity": (spoiled(-np.inf), ValueError, 'row 17, column "x1" is -inf; correct'),
    "infinity in single precision": (
        spoiled(np.inf, dtype=np.float32), ValueError, 'row 17, column "x1" is inf'
    ),
    "text": (X.astype(str).astype(object) + "!", ValueError, "no numbers"),
    "a dict in a cell": (spoiled({}, dtype=object), TypeError, "no numbers"),
    "dates": (X.astype("M8[D]"), TypeError, "datetime64"),
    "complex": (X + 1j, ValueError, "Complex data not supported"),
    "other number of columns": (np.hstack([X, X]), ValueError, "4 features, but NB is expect"),
}


@pytest.mark.parametrize("name", REFUSED_ROWS)
def test_rows_that_cannot_be_used_are_refused(name):
    rows, error, words = REFUSED_ROWS[name]
    nb = NB().fit(X, LABELS)
    labels = LABELS[: np.shape(rows)[0]] if np.ndim(rows) == 2 else LABELS
    with pytest.raises(error, match=words):
        nb.transform(rows, labels)
    with pytest.raises(error, match=words):
        nb.inverse_transform(rows, labels)
    with pytest.raises(error, match=words):
        nb.translate(rows, labels, "b")
    with pytest.raises(error, match=words):
        nb.log_det(rows, labels)
    if name != "other number of columns":
        with pytest.raises(error, match=words):
            NB().fit(rows, labels)


# The first one in the caller's order, whichever thread meets it and whichever group it is of.
def test_the_first_bad_row_is_named():
    rows, groups = conflux.datasets.make_gaussian_groups(2, 3, 5000)
    order = np.random.default_rng(0).permutation(len(rows))
    rows, groups = rows[order], groups[order]
    nb = NB(columns="coordinates").fit(rows, groups)
    for row in (9000, 4000, 37):
        rows[row, 2] = np.nan
        for call in (nb.transform, NB(columns="coordinates").fit):
            with pytest.raises(ValueError, match=f"row {row}, column 2 is NaN"):
                call(rows, groups)


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_matrix", "csc_array"])
def test_sparse_rows_are_refused(kind):
    sparse = pytest.importorskip("scipy.sparse")
    rows = getattr(sparse, kind)(X)
    with pytest.raises(TypeError, match="sparse.*toarray"):
        NB().fit(rows, LABELS)
    with pytest.raises(TypeError, match="sparse.*toarray"):
        NB().fit(X, LABELS).transform(rows, LABELS)


@pytest.mark.parametrize(
    "groups, error, words",
    [
        (None, ValueError, "needs groups"),
        ("a", ValueError, "one label per row"),
        (LABELS[:-1], ValueError, "80 rows but 79 group labels"),
        (np.column_stack([LABELS, LABELS]), ValueError, "2 dimensions"),
        (np.full(80, "a"), ValueError, "only one group"),
        (np.where(np.arange(80) == 5, np.nan, GROUPS), ValueError, "row 5 has no group"),
        ([None] + LABELS.tolist()[1:], ValueError, "row 0 has no group"),
        ([1, "1"] * 40, ValueError, 'same name "1"'),
    ],
)
def test_groups_that_cannot_be_used_are_refused(groups, error, words):
    if isinstance(groups, list):
        groups = np.array(groups, dtype=object)
    with pytest.raises(error, match=words):
        NB().fit(X, groups)


# NaN, masked and missing cells are the same: they stay missing, and the rest of the row moves.
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_missing_cells_stay_missing(dtype):
    nb = NB().fit(X, LABELS)
    expected = nb.transform(X.astype(dtype), LABELS)
    rows = spoiled(np.nan, dtype=dtype)
    for given in (rows, np.ma.masked_invalid(rows)):
        moved = nb.transform(given, LABELS)
        assert np.argwhere(np.isnan(moved)).tolist() == [[17, 1]]
        others = np.arange(80) != 17
        np.testing.assert_array_equal(moved[others], expected[others])
        back = nb.inverse_transform(moved, LABELS)
        np.testing.assert_allclose(back, rows, atol=1e-9)
        assert np.isfinite(nb.log_det(given, LABELS)).all()
    with pytest.raises(ValueError, match="row 17, column \"x1\" is missing.*missing='auto'"):
        NB(missing="refuse").fit(rows, LABELS)


def test_missing_numbers_of_pandas_are_kept_and_missing_labels_refused():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["a", "b"]).astype("Float64")
    expected = NB().fit_transform(X, LABELS)
    np.testing.assert_array_equal(NB().fit_transform(table, LABELS).to_numpy(float), expected)
    table.loc[17, "b"] = pandas.NA
    moved = NB().fit_transform(table, LABELS)
    assert np.argwhere(moved.isna().to_numpy()).tolist() == [[17, 1]]
    labels = pandas.Series(LABELS).astype("category")
    labels[3] = None
    with pytest.raises(ValueError, match="row 3 has no group"):
        NB().fit(X, labels)


def test_unknown_groups_are_answered_with_the_known_ones():
    nb = NB().fit(X, LABELS)
    for call in (
        lambda: nb.transform(X, "c"),
        lambda: nb.transform(X, np.where(LABELS == "a", "a", "c")),
        lambda: nb.inverse_transform(X, "c"),
        lambda: nb.translate(X, "a", "c"),
        lambda: nb.translate(X, "c", "a"),
        lambda: nb.score(X, np.where(LABELS == "a", "a", "c")),
    ):
        with pytest.raises(ValueError, match='no group "c"; the groups are "a", "b"'):
            call()
    with pytest.raises(ValueError, match="None"):
        nb.translate(X, "a", None)


@pytest.mark.parametrize(
    "call",
    [
        lambda e: e.transform(X, LABELS),
        lambda e: e.inverse_transform(X, LABELS),
        lambda e: e.translate(X, "a", "b"),
        lambda e: e.log_det(X, LABELS),
        lambda e: e.score(X, LABELS),
        lambda e: e.add_group(X, "c"),
        lambda e: e.save("never"),
        lambda e: e.get_feature_names_out(),
    ],
)
def test_nothing_works_before_fit(call):
    with pytest.raises(conflux.NotFittedError, match="call fit"):
        call(INB())
    assert not hasattr(INB(), "history_") and not hasattr(INB(), "layers_")


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"layers": 0}, ValueError, "layers is 0; choose a value of at least 1"),
        ({"layers": 2.5}, TypeError, "layers is 2.5; give a whole number"),
        ({"layers": True}, TypeError, "layers is True"),
        ({"layers": 2**70}, ValueError, "out of range"),
        ({"directions": 3}, ValueError, "directions is 3 but the data has 2 columns"),
        ({"strength": 0}, ValueError, "strength is 0; choose a value above 0"),
        ({"strength": "full"}, TypeError, "strength is 'full'; give a number"),
        ({"estimator": "quantil"}, ValueError, 'did you mean "quantile"'),
        ({"split": None}, TypeError, "split is None"),
        ({"polar_steps": "yes"}, TypeError, "True or False"),
        ({"weights": [1.0]}, ValueError, "weights has 1 .* but there are 2 groups"),
        ({"weights": "sizes"}, ValueError, "weights"),
        ({"weights": 3}, TypeError, "weights is 3"),
        ({"fit_rows": "most"}, TypeError, "fit_rows is 'most'; give a whole number, or \"all\""),
        ({"fit_rows": 1}, ValueError, "fit_rows is 1; choose a value of at least 2"),
        ({"target": "c"}, ValueError, 'target.*"c"'),
        ({"random_state": -1}, ValueError, "random_state is -1"),
        ({"random_state": "x"}, TypeError, "random_state is 'x'"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs is 1.5"),
        ({"verbose": None}, TypeError, "verbose is None"),
        ({"image": (1, 3)}, ValueError, "image is 1x3 but rows have 2 columns"),
    ],
)
def test_parameters_out_of_range_are_refused_by_fit(options, error, words):
    inb = INB(**options)  # never by the constructor, which clone() relies on
    with pytest.raises(error, match=words):
        inb.fit(X, LABELS)
    assert not hasattr(inb, "model_")


def test_numbers_of_numpy_are_numbers():
    inb = INB(
        layers=np.int32(2), strength=np.float32(0.5), polar_steps=np.bool_(False),
        weights=np.array([1, 2]), random_state=np.uint8(3), n_jobs=np.int64(1),
    ).fit(X, LABELS)
    assert inb.options_["layers"] == 2 and inb.options_["polar_steps"] is False


def test_a_callback_that_cannot_be_called_is_refused_before_the_fit():
    with pytest.raises(TypeError, match="callback is 3; give a function"):
        INB(layers=10**6, validation_fraction=0).fit(X, LABELS, callback=3)


def test_a_group_without_a_name_is_not_added():
    for name in (None, "", np.nan):
        with pytest.raises(ValueError, match="name of the group"):
            NB().fit(X, LABELS).add_group(X, name)


def test_unknown_parameters_are_refused():
    with pytest.raises(TypeError, match="INB.__init__"):
        INB(3)
    with pytest.raises(TypeError, match="layrs"):
        INB(layrs=3)
    with pytest.raises(ValueError, match="layrs"):
        INB().set_params(layrs=3)


@pytest.mark.parametrize(
    "masses, words",
    [(np.ones(79), "expected"), (np.ones((80, 2)), "expected"), (-np.ones(80), "weight of row")],
)
def test_sample_weights_that_cannot_be_used_are_refused(masses, words):
    with pytest.raises(ValueError, match=words):
        NB().fit(X, LABELS, sample_weight=masses)


@pytest.mark.parametrize("n_jobs, threads", [(None, 0), (-1, 0), (3, 3)])
def test_n_jobs_counts_threads(n_jobs, threads):
    assert NB(n_jobs=n_jobs).fit(X, LABELS).options_["threads"] == threads
