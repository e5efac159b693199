"""Data frames are tables: what their columns mean is found, respected and undone."""

import pickle
import warnings

import numpy as np
import pytest

import conflux

pd = pytest.importorskip("pandas")


def people(rows=400, seed=0):
    """Return two sites with a column of every type that pandas has for features."""
    random = np.random.default_rng(seed)
    south = np.arange(rows) % 2
    age = pd.array(random.integers(20, 60, rows) + 5 * south, dtype="Int64")
    age[7] = pd.NA
    colors = np.array(["red", "green", "blue"], dtype=object)
    return pd.DataFrame({
        "age": age,
        "income": 1000 * (20 + 5 * south + 4 * random.standard_normal(rows)),
        "rain": np.where(random.random(rows) < 0.5, 0, random.exponential(size=rows) + 0.1),
        "children": random.integers(0, 5, rows) + south,
        "color": colors[random.integers(0, 2, rows) + south],
        "grade": pd.Categorical.from_codes(random.integers(0, 3, rows), [1, 2, 5]),
        "smoker": pd.array(random.random(rows) < 0.3 + 0.2 * south, dtype="boolean"),
        "owner": random.random(rows) < 0.5,
        "note": [f"row {i}" for i in range(rows)],
        "site": np.array(["north", "south"], dtype=object)[south],
    }, index=np.arange(rows) + 1000)


@pytest.fixture(scope="module")
def fitted():
    table = people()
    return table, conflux.INB(layers=3, group_column="site").fit(table)


def test_types_of_pandas_are_respected(fitted):
    _, inb = fitted
    said = {line.split(":")[0]: line for line in inb.columns_}
    assert "whole numbers" in said["age"] and "whole numbers" in said["children"]
    assert "3 categories" in said["color"] and "3 categories" in said["grade"]
    assert "2 categories" in said["smoker"] and "2 categories" in said["owner"]
    assert "copied unchanged" in said["note"]
    assert "never negative" in said["rain"]
    assert inb.n_features_in_ == 9 and inb.model_.dim == 8


# Whatever the engine makes of columns, a frame must come back as it went, bit for bit where values
# repeat.
def test_a_frame_comes_back_as_it_was(fitted):
    table, inb = fitted
    features = table.drop(columns="site")
    shared = inb.transform(table)
    assert shared.index.equals(table.index) and list(shared.columns) == list(features.columns)
    assert list(shared["note"]) == list(table["note"])
    numbers = shared.drop(columns="note")
    assert (numbers.dtypes == np.float64).all()
    np.testing.assert_array_equal(np.argwhere(numbers.isna().to_numpy()), [[7, 0]])
    back = inb.inverse_transform(shared, table["site"])
    assert back.dtypes.equals(features.dtypes)
    exact = ["age", "children", "color", "grade", "smoker", "owner", "note"]
    pd.testing.assert_frame_equal(back[exact], features[exact])
    np.testing.assert_array_equal(back["rain"] == 0, table["rain"] == 0)
    for name in ("income", "rain"):
        spread = table[name].std()
        assert (back[name] - table[name]).abs().max() < 1e-9 * spread


def test_translated_rows_have_values_that_the_group_has(fitted):
    table, inb = fitted
    north = inb.translate(table, table["site"], "north")
    held = table[table["site"] == "north"]
    assert set(north["age"].dropna()) <= set(held["age"].dropna())
    assert set(north["color"]) <= set(held["color"])
    assert (north["rain"] >= 0).all()
    assert north["site"].equals(table["site"])  # no feature, so it stays
    assert north.dtypes.equals(table.dtypes)
    own = table["site"] == "north"
    pd.testing.assert_frame_equal(north[own], table[own])


def test_models_with_columns_are_saved_pickled_and_grown(fitted, tmp_path):
    table, inb = fitted
    shared = inb.transform(table)
    inb.save(tmp_path / "model")
    loaded = conflux.load(tmp_path / "model")
    assert loaded.columns_ == inb.columns_
    # A file knows the columns of groups and features; others may come in any order.
    again = loaded.transform(table[table.columns[::-1]])
    pd.testing.assert_frame_equal(again[shared.columns], shared)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(inb)).transform(table), shared)
    west = people(200, seed=3).drop(columns="site").assign(color="red")
    grown = pickle.loads(pickle.dumps(inb)).add_group(west, "west")
    features = table.drop(columns="site")
    pd.testing.assert_frame_equal(
        grown.set_params(group_column=None).transform(features, table["site"]), shared
    )
    as_west = grown.translate(features, table["site"], "west")
    assert set(as_west["color"]) == {"red"}
    back = grown.inverse_transform(grown.transform(west, "west"), "west")
    assert back["children"].equals(west["children"])


def test_arrays_have_columns_too():
    random = np.random.default_rng(0)
    groups = np.arange(600) % 2
    X = np.column_stack([
        random.integers(0, 9, 600) + groups, 1e6 * random.standard_normal(600) + 3e5 * groups,
        np.full(600, 3.5), random.exponential(size=600),
    ])
    X[5, 1] = np.nan
    inb = conflux.INB(layers=4).fit(X, groups)
    assert "whole numbers" in inb.columns_[0] and "x2: copied unchanged" in inb.columns_[-2]
    Z = inb.transform(X, groups)
    assert Z.shape == X.shape and (Z[:, 2] == 3.5).all()
    assert np.argwhere(np.isnan(Z)).tolist() == [[5, 1]]
    back = inb.inverse_transform(Z, groups)
    np.testing.assert_array_equal(back[:, [0, 2]], X[:, [0, 2]])
    as_one = inb.translate(X, groups, 1)
    assert set(as_one[:, 0]) <= set(X[groups == 1, 0]) and (as_one[:, 3] >= 0).all()
    frame = inb.set_output(transform="pandas").transform(X, groups)
    assert list(frame.columns) == ["x0", "x1", "x2", "x3"]


# Single cells are rows of a table as well: a model that was read knows which columns an array has.
def test_models_of_arrays_are_read_by_place(tmp_path):
    random = np.random.default_rng(1)
    groups = np.arange(200) % 2
    X = np.column_stack([np.ones(200), random.normal(size=200) + groups, np.arange(200) // 7 % 5])
    nb = conflux.NB().fit(X, groups)
    nb.save(tmp_path / "m")
    loaded = conflux.load(tmp_path / "m")
    assert loaded.n_features_in_ == 3 and not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.transform(X, groups), nb.transform(X, groups))


def test_coordinates_are_read_as_they_are():
    random = np.random.default_rng(0)
    groups = np.arange(300) % 2
    X = np.column_stack([random.integers(0, 9, 300) + groups, 1e6 * random.standard_normal(300)])
    plain = conflux.NB(columns="coordinates").fit(X, groups)
    assert plain.columns_ == [] and plain.model_.columns is None
    assert len(np.unique(plain.transform(X, groups)[:, 0])) < 25  # nothing is spread
    with pytest.raises(ValueError, match="scale is 'normal'; leave one"):
        conflux.INB(columns="coordinates", scale="normal").fit(X, groups)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1 is NaN"):
        conflux.INB(columns="coordinates").fit(X, groups)


def test_columns_take_the_words_of_the_command():
    table = people()
    inb = conflux.INB(
        layers=2, group_column="site", columns={"age": "number", "rain": "ignore"},
        support={"income": "any"}, scale="standard",
    ).fit(table)
    said = {line.split(":")[0]: line for line in inb.columns_}
    assert said["age"].startswith("age: numbers") and "copied unchanged" in said["rain"]
    assert "never negative" not in said["income"]
    text = conflux.INB(
        layers=2, group_column="site", columns="age=number,rain=ignore", support="income=any",
        scale="standard",
    ).fit(table)
    assert text.columns_ == inb.columns_
    draft = {"age": {"as": "number"}, "rain": "ignore", "income": {"support": "any"}}
    assert conflux.INB(
        layers=2, group_column="site", columns=draft, scale="standard"
    ).fit(table).columns_ == inb.columns_


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"columns": {"age": "hole"}}, ValueError, "columns\\['age'\\] is 'hole'; choose one of"),
        ({"columns": {"agee": "whole"}}, conflux.InvalidOption, 'agee.*did you mean "age"'),
        ({"columns": {"age": {"is": "whole"}}}, ValueError, "'is'; say 'as' or 'support'"),
        ({"columns": "age"}, ValueError, "COLUMN=WORD"),
        ({"columns": 3}, TypeError, "columns is 3; give a dict"),
        ({"support": {"income": "negative"}}, ValueError, "any, positive, unit, or LOW:HIGH"),
        ({"support": {"income": "unit"}}, ValueError, "does not allow"),
        ({"scale": "log"}, ValueError, 'scale is "log"; choose one of auto, standard'),
        ({"scale": None}, TypeError, "scale is None; choose one of 'auto'"),
        ({"missing": "refuse"}, ValueError, 'row 7, column "age" is missing.*missing=\'auto\''),
        ({"repeats": "no"}, ValueError, "choose one of spread, keep"),
        ({"key": "names"}, ValueError, "names"),
    ],
)
def test_words_that_cannot_be_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        conflux.INB(group_column="site", **options).fit(people())


def test_rows_with_missing_cells_can_be_dropped():
    table = people()
    with pytest.warns(conflux.FitWarning, match="1 of 400 rows have missing cells"):
        kept = conflux.INB(layers=2, group_column="site", missing="drop").fit(table)
    assert sum(kept.model_.group_sizes) == len(table) - 1
    assert kept.transform(table)["age"].isna().sum() == 1
    table.loc[table["site"] == "north", "age"] = pd.NA
    with pytest.raises(ValueError, match="every row of group \"north\".*missing='auto'"):
        conflux.INB(group_column="site", missing="drop").fit(table)


def test_kept_repeats_are_warned_of():
    with pytest.warns(conflux.FitWarning, match="predicted"):
        conflux.INB(layers=2, group_column="site", repeats="keep").fit(people())


# With a key, noise follows a row to any place.
def test_noise_follows_the_key():
    table = people(200)
    inb = conflux.INB(layers=2, group_column="site", key="note").fit(table)
    shuffled = table.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(
        inb.transform(shuffled), inb.transform(table).loc[shuffled.index]
    )


def test_dates_are_no_features_and_said_to_be_none():
    table = people().assign(day=pd.date_range("2020-01-01", periods=400))
    with pytest.warns(conflux.FitWarning, match="'day' holds dates"):
        inb = conflux.INB(layers=2, group_column="site").fit(table)
    assert "day" not in inb.model_.feature_names
    assert inb.transform(table)["day"].equals(table["day"])


def test_a_word_among_numbers_is_refused():
    table = people().astype({"income": str})
    table.iloc[3, 1] = "n.a.x"
    with pytest.raises(conflux.InvalidData, match="row 3, column \"income\": \"n.a.x\"") as caught:
        conflux.INB(group_column="site").fit(table)
    assert "columns={'income': 'category'} or 'ignore'" in str(caught.value)
    assert "--" not in str(caught.value)


def test_new_categories_are_left_as_they_are(fitted):
    table, inb = fitted
    new = table.head(10).copy()
    new.loc[1002, "color"] = "violet"
    with pytest.warns(conflux.FitWarning, match='"violet" of column "color" \\(1 rows\\)'):
        north = inb.translate(new, new["site"], "north")
    assert north["color"][1002] == "violet"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shared = inb.transform(new)
    assert shared["color"][1002] == "new:violet"
    back = inb.inverse_transform(shared, new["site"])
    assert back["color"].tolist() == new["color"].tolist()


def test_frames_that_do_not_suit_are_refused(fitted):
    table, inb = fitted
    with pytest.raises(ValueError, match="missing: \\['age'\\]; add what is missing"):
        inb.transform(table.drop(columns="age"))
    with pytest.raises(ValueError, match="unknown: \\['height'\\]; pass X"):
        inb.transform(table.assign(height=1.0))
    with pytest.raises(ValueError, match="another order; pass X\\[aligner.feature_names_in_\\]"):
        inb.transform(table[table.columns[::-1]])
    with pytest.raises(ValueError, match="X has no column 'age', which the fit had"):
        inb.translate(table.drop(columns="age"), table["site"], "north")
    with pytest.raises(ValueError, match="row 2, column 'income' is 'much', but the fit had num"):
        spoiled = table.astype({"income": object})
        spoiled.iloc[2, 1] = "much"
        inb.transform(spoiled)
    with pytest.raises(ValueError, match='row 4, column "income" is inf'):
        inb.transform(table.assign(income=np.where(np.arange(400) == 4, np.inf, 1.0)))
    with pytest.raises(ValueError, match="two columns called 'age'"):
        conflux.NB().fit(pd.concat([table[["age"]], table[["age"]]], axis=1), table["site"])
    with pytest.raises(ValueError, match="row 3 has no group"):
        conflux.NB().fit(table[["income"]], table["site"].where(np.arange(400) != 3))
    with pytest.raises(ValueError, match="X has no column 'sites', which tells the groups"):
        conflux.NB(group_column="sites").fit(table)


# The units of columns must not change what a log-determinant is: by small moves of a row.
def test_log_determinants_are_in_units_of_the_data():
    random = np.random.default_rng(2)
    groups = np.arange(400) % 2
    X = np.column_stack([1000 * random.normal(size=400) * (1 + groups), random.normal(size=400)])
    inb = conflux.INB(layers=3).fit(X, groups)
    assert "standardized" in inb.columns_[0]
    rows, own = X[:20], groups[:20]
    steps = np.array([1e-3, 1e-6])
    jacobian = np.stack([
        (inb.transform(rows + step, own) - inb.transform(rows - step, own)) / (2 * step.sum())
        for step in np.diag(steps)
    ], axis=-1)
    np.testing.assert_allclose(
        inb.log_det(rows, own), np.linalg.slogdet(jacobian)[1], atol=1e-4
    )


def test_numbers_for_missing_cells_stay_where_they_are():
    random = np.random.default_rng(5)
    rows = random.standard_normal((300, 3)) + 0.5 * (np.arange(300) % 2)[:, None]
    rows[[4, 9, 77], 1] = -999
    groups = np.arange(300) % 2
    model = conflux.NB().fit(rows, groups)
    shared = model.transform(rows, groups)
    assert (shared[[4, 9, 77], 1] == -999).all() and (shared[:, 0] != -999).all()
    np.testing.assert_allclose(model.inverse_transform(shared, groups), rows, atol=1e-9)
    as_number = conflux.NB(missing="empty").fit(rows, groups)
    assert (as_number.transform(rows, groups)[[4, 9, 77], 1] != -999).any()
