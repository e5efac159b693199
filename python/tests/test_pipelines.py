"""Pipelines, searches, data frames."""

import numpy as np
import pytest

import conflux
from conflux import INB, NB

pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer, StandardScaler  # noqa: E402


@pytest.fixture(scope="module")
def frame():
    X, donors, kinds = conflux.datasets.make_cells(400)
    table = pandas.DataFrame(X[:, :4], columns=list("abcd"))
    table.insert(2, "donor", donors)
    return table, (kinds == "T").astype(int)


def test_a_column_of_x_can_tell_the_groups(frame):
    table, _ = frame
    features = table.drop(columns="donor")
    expected = NB().fit_transform(features, table["donor"])
    nb = NB(group_column="donor").fit(table)
    np.testing.assert_array_equal(nb.transform(table), expected)
    assert nb.feature_names_in_.tolist() == list("abcd")
    assert nb.model_.group_column == "donor"
    numbers = features.to_numpy()
    codes = table["donor"].factorize()[0].astype(float)
    for place in (0, 2, 4, -1, -5):
        mixed = np.insert(numbers, place % 5, codes, axis=1)
        np.testing.assert_array_equal(NB(group_column=place).fit_transform(mixed), expected)
    with pytest.raises(ValueError, match="choose one"):
        nb.transform(table, table["donor"])
    with pytest.raises(ValueError, match="no column 'donor'"):
        nb.transform(features)
    with pytest.raises(ValueError, match="no column 7"):
        NB(group_column=7).fit(numbers)


# Only X travels through a pipeline of scikit-learn 1.2; y may be there too and is not the groups.
def test_groups_in_a_column_pass_through_pipelines_and_cross_validation(frame):
    table, y = frame
    pipe = make_pipeline(
        INB(layers=5, group_column="donor"), StandardScaler(), LogisticRegression()
    )
    pipe.fit(table, y)
    assert pipe.predict(table).shape == (400,)
    scores = cross_val_score(pipe, table, y, cv=3, error_score="raise")
    assert scores.min() > 0.5
    search = GridSearchCV(pipe, {"inb__layers": [1, 3]}, cv=2, error_score="raise").fit(table, y)
    assert search.best_estimator_[0].options_["layers"] in (1, 3)


def test_groups_pass_to_a_step_by_its_name(frame):
    table, y = frame
    features, donors = table.drop(columns="donor"), table["donor"]
    pipe = make_pipeline(FunctionTransformer(), NB(), LogisticRegression())
    pipe.fit(features, y, nb__groups=donors)
    np.testing.assert_array_equal(
        pipe[1].transform(features, donors), NB().fit_transform(features, donors)
    )
    last = make_pipeline(FunctionTransformer(), NB())
    moved = last.fit_transform(features, y, nb__groups=donors)
    np.testing.assert_array_equal(moved, NB().fit_transform(features, donors))


# Searches pass labels in second place, to fit and to score: those are the groups.
def test_an_aligner_alone_is_cross_validated_over_its_groups(frame):
    table, _ = frame
    features, donors = table.drop(columns="donor"), table["donor"]
    scores = cross_val_score(NB(), features, donors, cv=3, error_score="raise")
    assert (scores < 0).all()
    search = GridSearchCV(
        INB(validation_fraction=0), {"layers": [1, 20]}, cv=3, error_score="raise"
    ).fit(features, donors)
    assert search.best_params_ == {"layers": 20}


def test_y_is_not_mistaken_for_groups():
    X, groups = conflux.datasets.make_moons(50)
    y = np.random.default_rng(0).integers(2, size=100)
    expected = NB().fit_transform(X, groups)
    np.testing.assert_array_equal(NB().fit_transform(X, y, groups=groups), expected)
    np.testing.assert_array_equal(NB().fit(X, y, groups=groups).transform(X, groups), expected)
    assert NB().fit(X, groups).score(X, y, groups=groups) == NB().fit(X, groups).score(X, groups)
    with pytest.raises(ValueError, match="needs groups"):
        NB().fit(X, y=y)
    with pytest.raises(TypeError, match="by name"):
        NB().fit(X, y, np.ones(100), groups=groups)


def test_rows_come_as_data_frames_if_asked_to(frame):
    table, _ = frame
    features, donors = table.drop(columns="donor"), table["donor"]
    features.index = np.arange(len(features)) * 2
    nb = NB().set_output(transform="pandas").fit(features, donors)
    plain = NB().fit(features, donors)
    Z = nb.transform(features, donors)
    for rows, expected in [
        (Z, plain.transform(features, donors)),
        (nb.inverse_transform(Z, donors), plain.inverse_transform(Z, donors)),
        (nb.translate(features, donors, "A"), plain.translate(features, donors, "A")),
        (nb.fit_transform(features, donors), plain.transform(features, donors)),
    ]:
        assert isinstance(rows, pandas.DataFrame)
        assert rows.columns.tolist() == list("abcd")
        assert (rows.index == features.index).all()
        np.testing.assert_array_equal(rows, expected)
    # Rows come back as what they were given as.
    nb.set_output(transform="default")
    assert isinstance(nb.transform(features, donors), pandas.DataFrame)
    assert isinstance(nb.transform(features.to_numpy(), donors), np.ndarray)
    with pytest.raises(ValueError, match="polars"):
        nb.set_output(transform="polars")
    from sklearn import config_context

    with config_context(transform_output="pandas"):
        assert isinstance(plain.transform(features, donors), pandas.DataFrame)
    pipe = make_pipeline(StandardScaler(), NB(group_column=0))
    assert pipe.set_output(transform="pandas") is pipe


def test_names_of_features_are_kept_and_compared(frame):
    table, _ = frame
    features, donors = table.drop(columns="donor"), table["donor"]
    nb = NB().fit(features, donors)
    assert nb.feature_names_in_.tolist() == nb.get_feature_names_out().tolist() == list("abcd")
    assert nb.model_.feature_names == list("abcd")
    with pytest.raises(ValueError, match="another order"):
        nb.transform(features[list("bacd")], donors)
    with pytest.raises(ValueError, match="unknown: \\['e'\\]; missing: \\['d'\\]"):
        nb.transform(features.rename(columns={"d": "e"}), donors)
    assert nb.get_feature_names_out(list("abcd")).tolist() == list("abcd")
    with pytest.raises(ValueError, match="input_features"):
        nb.get_feature_names_out(list("abce"))
    plain = NB().fit(features.to_numpy(), donors)
    assert plain.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match='column "b" is inf'):
        nb.transform(features.assign(b=np.inf), donors)


# The group travels as a column through a ColumnTransformer, which asks for all names.
def test_a_column_transformer_names_its_columns(frame):
    from sklearn.compose import make_column_transformer

    table, y = frame
    table = table.assign(dose=np.arange(len(table)) % 3)
    columns = make_column_transformer(
        (NB(group_column="donor"), ["a", "b", "donor"]), ("passthrough", ["dose"])
    )
    moved = columns.fit_transform(table)
    names = ["nb__a", "nb__b", "passthrough__dose"]
    assert columns.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(
        moved[:, :2], NB(group_column="donor").fit_transform(table[["a", "b", "donor"]])
    )
    columns.set_output(transform="pandas")
    assert columns.fit_transform(table).columns.tolist() == names
    pipe = make_pipeline(columns, LogisticRegression())
    search = GridSearchCV(
        pipe, {"columntransformer__nb__strength": [0.5, 1.0]}, cv=2, error_score="raise"
    ).fit(table, y)
    assert 0 <= search.best_score_ <= 1
    places = make_column_transformer((NB(group_column=2), [0, 1, 2]))
    places.fit(np.column_stack([table[["a", "b"]], table["donor"].factorize()[0]]))
    assert len(places.get_feature_names_out()) == 2
