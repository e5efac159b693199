"""Laws of the estimators."""

import copy
import pickle

import numpy as np
import pytest

import conflux
from conflux import GB, INB, NB, Aligner
from conftest import without_times

ALL = [
    conflux.NB(),
    conflux.INB(layers=4),
    conflux.RandNB(layers=4),
    conflux.NBINB(layers=4),
    conflux.NBRandNB(layers=4),
    conflux.GB(),
    conflux.GBINB(layers=4),
    conflux.INB(layers=4, estimator="histogram"),
    conflux.SINF(layers=3),
    conflux.DD(),
    conflux.Tree(),
    conflux.TreeINB(layers=3),
    conflux.Aligner(layers=4),
]


@pytest.fixture(params=ALL, ids=repr)
def fitted(request, gaussians):
    return copy.deepcopy(request.param).fit(*gaussians)


def test_there_is_an_estimator_for_every_method():
    methods = next(o for o in conflux._core.describe_options() if o["name"] == "method")["choices"]
    for method in methods:
        estimator = getattr(conflux, conflux._parameters.class_name(method))
        assert estimator._fixed_method == method
    assert conflux._parameters.class_name("nb-rand-nb") == "NBRandNB"


def test_inverse_undoes_transform(fitted, gaussians):
    X, groups = gaussians
    Z = fitted.transform(X, groups)
    assert Z.shape == X.shape and Z.dtype == np.float64
    np.testing.assert_allclose(fitted.inverse_transform(Z, groups), X, atol=1e-9)


def test_translation_is_forward_and_back_into_the_other_group(fitted, gaussians):
    X, groups = gaussians
    through = fitted.inverse_transform(fitted.transform(X, groups), np.full(len(X), 1))
    np.testing.assert_allclose(fitted.translate(X, groups, 1), through, atol=1e-12)
    np.testing.assert_allclose(fitted.translate(X, groups, groups), X, atol=1e-9)


# Rows of a group are moved in blocks, in place or through a buffer, by where they lie.
def test_the_image_of_a_row_does_not_depend_on_the_rows_around_it(fitted, gaussians):
    X, groups = gaussians
    Z = fitted.transform(X, groups)
    by_group = np.argsort(groups, kind="stable")
    np.testing.assert_array_equal(fitted.transform(X[by_group], groups[by_group]), Z[by_group])
    np.testing.assert_array_equal(fitted.transform(X[::-3], groups[::-3]), Z[::-3])
    np.testing.assert_array_equal(fitted.transform(X[7:8], groups[7:8]), Z[7:8])
    own = groups == 2
    np.testing.assert_array_equal(fitted.transform(X[own], 2), Z[own])


# Same rows in other memory: columns apart, read-only, swapped bytes, integers.
@pytest.mark.parametrize("estimator", [NB(), INB(layers=3)], ids=repr)
def test_the_layout_of_an_array_does_not_change_a_bit(estimator, gaussians):
    X, groups = gaussians
    X = np.round(X * 8).astype(np.float32)  # exact in all types below
    expected = estimator.fit_transform(X.astype(np.float64), groups)
    read_only = X.astype(np.float64)
    read_only.flags.writeable = False
    wide = np.full((len(X), 11), np.nan)
    wide[:, 1:11:2] = X
    padded = np.full((len(X), 7), np.nan)
    padded[:, 1:6] = X
    for same in (
        np.asfortranarray(X, dtype=np.float64), read_only, wide[:, 1:11:2], padded[:, 1:6],
        X.astype(">f8"), X.astype(np.int64), X.astype(object), X.tolist(),
        X.astype(np.float64)[::-1].copy()[::-1],
    ):
        np.testing.assert_array_equal(estimator.fit(same, groups).transform(same, groups), expected)
    assert not read_only.flags.writeable
    np.testing.assert_array_equal(read_only, X)
    # Single precision is fitted as such; a search may end elsewhere on the same hill.
    single = estimator.fit(X, groups).transform(X, groups)
    np.testing.assert_allclose(single, expected, atol=0.02 * np.std(X))
    fortran = np.asfortranarray(X)
    np.testing.assert_array_equal(estimator.fit(fortran, groups).transform(X, groups), single)


# Groups may lie one after the other (borrowed), alternate (borrowed with a step), or be mixed
# (gathered); order within a group is the same in all.
def test_a_fit_does_not_depend_on_how_groups_are_interleaved():
    X, groups = conflux.datasets.make_gaussian_groups(2, 4, 200)
    alternate = np.arange(400).reshape(2, 200).T.ravel()
    mixed = np.argsort(np.random.default_rng(0).permutation(np.repeat([0, 1], 200)), kind="stable")
    where = np.empty(400, dtype=int)
    where[mixed] = np.arange(400)
    if groups[where[0]] != 0:
        where = where[::-1]  # groups are numbered by their first rows
    inb = INB(layers=3, validation_fraction=0)
    expected = inb.fit(X, groups).transform(X, groups)
    for order in (alternate, where):
        Z = inb.fit(X[order], groups[order]).transform(X[order], groups[order])
        back = np.argsort(order)
        if (np.diff(order[groups[order] == 0]) > 0).all():
            np.testing.assert_array_equal(Z[back], expected)


def test_threads_do_not_change_a_bit(gaussians):
    X, groups = gaussians
    one = INB(layers=4, n_jobs=1).fit(X, groups)
    three = INB(layers=4, n_jobs=3).fit(X, groups)
    np.testing.assert_array_equal(one.transform(X, groups), three.transform(X, groups))


@pytest.mark.parametrize(
    "rename",
    [
        lambda g: g.astype(float),
        lambda g: g.astype(str),
        lambda g: g.astype(str).astype(object),
        lambda g: np.array(["x", "a", "m"])[g],
        lambda g: np.array([True, False, None], dtype=object)[g % 2],
        lambda g: g.tolist(),
        lambda g: g[:, None],
    ],
)
def test_labels_of_any_kind_name_the_same_groups(rename, gaussians):
    X, groups = gaussians
    X, groups = X[groups < 2], groups[groups < 2]
    labels = rename(groups)
    expected = NB().fit_transform(X, groups)
    np.testing.assert_array_equal(NB().fit_transform(X, labels), expected)


def test_labels_of_pandas_name_the_same_groups(gaussians):
    pandas = pytest.importorskip("pandas")
    X, groups = gaussians
    expected = NB().fit_transform(X, groups)
    series = pandas.Series(groups, index=np.arange(len(groups)) + 7)
    categories = series.map({0: "b", 1: "c", 2: "a"}).astype("category")
    for labels in (series, categories, series.astype("string"), series.astype("Int64")):
        nb = NB().fit(X, labels)
        np.testing.assert_array_equal(nb.transform(X, labels), expected)
    assert list(NB().fit(X, categories).groups_) == list(categories.unique())


def test_whole_numbers_and_their_texts_name_the_same_group(moons):
    X, groups = moons
    nb = NB().fit(X, groups)
    expected = nb.transform(X[groups == 1], 1)
    for label in (1.0, "1", np.int8(1)):
        np.testing.assert_array_equal(nb.transform(X[groups == 1], label), expected)


# The order in which tables are read, so that the command fits the same bits.
def test_groups_come_in_the_order_of_their_first_rows():
    X = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.array(["z", "b", "z", "m"] * 15)
    assert NB().fit(X, labels).groups_.tolist() == ["z", "b", "m"]
    assert NB().fit(X, labels.astype(object)).groups_.tolist() == ["z", "b", "m"]


@pytest.mark.parametrize("estimator", [NB(), INB(layers=5), GB()], ids=repr)
def test_log_det_is_that_of_the_numerical_jacobian(estimator, gaussians):
    X, groups = gaussians
    estimator.fit(X, groups)
    step = 1e-7
    for row in (0, 11, 222):
        x, label = X[row:row + 1], groups[row]
        shifts = np.vstack([x + step * np.eye(5), x - step * np.eye(5)])
        images = estimator.transform(shifts, label)
        jacobian = (images[:5] - images[5:]) / (2 * step)
        _, expected = np.linalg.slogdet(jacobian)
        assert estimator.log_det(x, label)[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("way", [pickle.dumps, copy.deepcopy, "file"])
@pytest.mark.parametrize("estimator", [NB(estimator="histogram"), INB(layers=3), GB()], ids=repr)
def test_copies_move_rows_to_the_same_bits(way, estimator, gaussians, tmp_path):
    X, groups = gaussians
    estimator.fit(X, groups)
    if way == "file":
        estimator.save(tmp_path / "model.conflux")
        again = conflux.load(tmp_path / "model.conflux")
    elif way is pickle.dumps:
        again = pickle.loads(pickle.dumps(estimator))
        assert again.get_params() == estimator.get_params()
    else:
        again = way(estimator)
    assert type(again) is type(estimator)
    np.testing.assert_array_equal(again.transform(X, groups), estimator.transform(X, groups))
    # Files hold no times, so that equal fits are equal files.
    assert without_times(again.history_) == without_times(estimator.history_)
    assert [str(g) for g in again.groups_] == [str(g) for g in estimator.groups_]


# The options in a file are complete: the fit can be repeated from it.
def test_a_loaded_estimator_fits_the_same_model_again(gaussians, tmp_path):
    X, groups = gaussians
    inb = INB(layers=3, weights="size", random_state=5).fit(X, groups)
    inb.save(tmp_path / "model.conflux")
    again = conflux.load(tmp_path / "model.conflux")
    expected = inb.transform(X, groups)
    np.testing.assert_array_equal(again.fit(X, groups).transform(X, groups), expected)


def test_a_model_file_of_the_first_version_is_read():
    path = conflux_golden("model_v1.conflux")
    model = conflux.load(path)
    assert model.n_features_in_ == model.model_.dim
    X = np.random.default_rng(0).normal(size=(20, model.n_features_in_))
    label = model.groups_[0]
    back = model.inverse_transform(model.transform(X, label), label)
    np.testing.assert_allclose(back, X, atol=1e-8)


def conflux_golden(name):
    from conftest import ROOT

    return ROOT / "tests" / "golden" / name


def test_loading_refuses_what_is_no_model(tmp_path):
    with pytest.raises(FileNotFoundError):
        conflux.load(tmp_path / "nothing.conflux")
    (tmp_path / "short").write_bytes(b"conflux")
    with pytest.raises(ValueError, match="short"):
        conflux.load(tmp_path / "short")


def test_saving_where_nothing_can_be_written_says_so(moons, tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        NB().fit(*moons).save(tmp_path / "nowhere" / "model.conflux")


# The engine's law: rows that equal those of an old group get the maps of that group.
@pytest.mark.parametrize("estimator", [NB(), INB(layers=4, validation_fraction=0)], ids=repr)
def test_an_added_group_meets_the_others_and_leaves_them_alone(estimator, gaussians):
    X, groups = gaussians
    estimator.fit(X, groups)
    Z = estimator.transform(X, groups)
    own = groups == 1
    assert estimator.add_group(X[own], "late") is estimator
    assert estimator.groups_.tolist() == [*dict.fromkeys(groups.tolist()), "late"]
    np.testing.assert_array_equal(estimator.transform(X, groups), Z)
    np.testing.assert_allclose(estimator.transform(X[own], "late"), Z[own], atol=1e-9)
    with pytest.raises(ValueError, match="late"):
        estimator.add_group(X[own], "late")
    estimator.add_group(X[own].astype(np.float32), 7)
    assert estimator.groups_[-1] == 7


def test_labels_keep_their_type_when_one_of_the_same_type_is_added(moons):
    X, groups = moons
    nb = NB().fit(X, groups).add_group(X[groups == 0], 2)
    assert nb.groups_.dtype.kind == "i" and nb.groups_.tolist() == [0, 1, 2]


# Masses of whole numbers are copies of rows. Quantile maps see only the masses.
def test_a_row_of_mass_two_counts_like_two_rows(gaussians):
    X, groups = gaussians
    masses = 1.0 + (np.arange(len(X)) % 3 == 0)
    twice = np.repeat(np.arange(len(X)), masses.astype(int))
    weighted = NB(knots=20).fit(X, groups, sample_weight=masses)
    repeated = NB(knots=20).fit(X[twice], groups[twice])
    np.testing.assert_allclose(
        weighted.transform(X, groups), repeated.transform(X, groups), atol=1e-9
    )
    alike = NB(knots=20).fit(X, groups)
    assert abs(weighted.transform(X, groups) - alike.transform(X, groups)).max() > 1e-3


def test_all_groups_can_be_moved_to_one_of_them(moons):
    X, groups = moons
    nb = NB(target=1).fit(X, groups)
    np.testing.assert_allclose(nb.transform(X[groups == 1], 1), X[groups == 1], atol=1e-12)


def test_score_is_better_the_more_alike_the_groups_are(moons):
    X, groups = moons
    far = X[groups == 0]
    far = np.vstack([far, 1.5 * far + 5])
    none = INB(layers=1, strength=1e-3, validation_fraction=0).fit(far, groups).score(far, groups)
    most = INB(layers=20, validation_fraction=0).fit(far, groups).score(far, groups)
    # Nearly all of it is the shift, of which a random line of the plane sees half the square.
    shift = far[groups == 1].mean(axis=0) - far[groups == 0].mean(axis=0)
    assert none == pytest.approx(-(shift**2).sum() / 2, rel=0.2)
    assert none < 1000 * most < 0


def test_fitted_attributes_tell_of_the_fit(moons):
    X, groups = moons
    inb = INB(layers=6, validation_fraction=0).fit(X, groups)
    assert inb.n_features_in_ == 2 and not hasattr(inb, "feature_names_in_")
    assert len(inb.layers_) == len(inb.history_) == inb.options_["layers"] == 6
    assert inb.options_["directions"] == 2
    for number, (layer, record) in enumerate(zip(inb.layers_, inb.history_)):
        assert record.layer == number and record.kind == layer.kind == "sliced"
        np.testing.assert_allclose(layer.frame.T @ layer.frame, np.eye(2), atol=1e-12)
        assert record.spread_after < record.spread_before


# A flow is its layers, one after the other: what layers_ shows is what transform does.
def test_layers_show_the_maps_that_move_rows(gaussians):
    X, groups = gaussians
    own = X[groups == 2]
    nb = NB().fit(X, groups)
    place = nb.groups_.tolist().index(2)
    columns = [nb.layers_[0].move_along_line(place, j, own[:, j]) for j in range(5)]
    np.testing.assert_array_equal(np.column_stack(columns), nb.transform(own, 2))

    inb = INB(layers=1, directions=2, validation_fraction=0).fit(X, groups)
    layer = inb.layers_[0]
    at = own @ layer.frame
    moved = np.column_stack([layer.move_along_line(place, k, at[:, k]) for k in range(2)])
    np.testing.assert_allclose(
        own + (moved - at) @ layer.frame.T, inb.transform(own, 2), atol=1e-12
    )

    gb = GB().fit(X, groups)
    mean, matrix, center = gb.layers_[0].affine_map(place)
    np.testing.assert_allclose(
        center + (own - mean) @ matrix.T, gb.transform(own, 2), atol=1e-10
    )
    with pytest.raises(ValueError, match="no map of group"):
        layer.move_along_line(0, 2, [0.0])


# An alias that drops a parameter would fit something else without a word.
def test_aligner_is_any_of_the_others(gaussians):
    X, groups = gaussians
    expected = conflux.GBINB(layers=3).fit_transform(X, groups)
    same = Aligner(method="gb-inb", layers=3).fit_transform(X, groups)
    np.testing.assert_array_equal(same, expected)


def test_random_state_names_the_fit(gaussians):
    X, groups = gaussians

    def fit(state):
        return conflux.RandNB(layers=2, random_state=state).fit(X, groups)

    np.testing.assert_array_equal(fit(3).transform(X, groups), fit(3).transform(X, groups))
    assert (fit(3).transform(X, groups) != fit(4).transform(X, groups)).any()
    drawn = [fit(np.random.default_rng(8)).options_["seed"] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert fit(None).options_["seed"] != fit(None).options_["seed"]
    assert fit(np.random.RandomState(1)).options_["seed"] >= 0


def test_warnings_of_the_engine_are_warnings_of_python():
    X, groups = conflux.datasets.make_moons(100)
    X = np.column_stack([X, np.where(groups == 0, 1.0, X[:, 0])])
    # Columns would spread the value that repeats.
    with pytest.warns(conflux.FitWarning, match="constant"):
        nb = NB(columns="coordinates").fit(X, groups)
    assert nb.model_.warnings


# Runs of equal labels take a short cut.
def test_labels_are_numbered_alike_in_runs_and_mixed():
    random = np.random.default_rng(0)
    for dtype in (np.int64, np.float64, str, object, bool):
        mixed = random.integers(2, size=400).astype(dtype)
        for labels in (mixed, np.sort(mixed), np.sort(mixed)[::-1], np.repeat(mixed[:40], 10)):
            found, names, codes = conflux._labels.encode(labels, len(labels))
            assert [labels[np.argmax(codes == m)] for m in range(len(found))] == found.tolist()
            assert codes.dtype == np.int64 and codes[0] == 0
            np.testing.assert_array_equal(found[codes], labels)
            assert len(names) == len(set(labels.tolist()))
