"""Parameters, docstrings and stubs follow the engine."""

import inspect
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import conflux
from conftest import ROOT

PYTHON = ROOT / "python"
OPTIONS = {option["name"]: option for option in conflux._core.describe_options()}
PYTHON_NAMES = {"seed": "random_state", "threads": "n_jobs"}


@pytest.mark.parametrize("name", [n for n in conflux.estimators.__all__ if n != "load"])
def test_every_option_of_the_engine_is_a_documented_parameter(name):
    estimator = getattr(conflux, name)
    parameters = inspect.signature(estimator).parameters
    for option in OPTIONS:
        if option == "method" and name != "Aligner":
            assert option not in parameters
            continue
        spelling = PYTHON_NAMES.get(option, option)
        assert spelling in parameters
        assert f"\n{spelling} : " in estimator.__doc__
        if spelling == option:
            assert parameters[spelling].default == OPTIONS[option]["default"]
    assert parameters["random_state"].default == 0


# A default of ours in place of the engine's would make Python and the command differ.
def test_an_estimator_that_was_told_nothing_has_the_options_of_the_engine(moons):
    X, groups = moons
    engine = conflux._core.resolve_options({}, 2, ["0", "1"], [300, 300])
    fitted = conflux.Aligner().fit(X, groups).options_
    different = {name for name in engine if engine[name] != fitted[name]}
    # Known only when the values are seen; and small groups have no rows that only judge.
    assert different <= {"goal", "unit_cube", "validation_fraction"}


# With a goal the options are those of the correction that was chosen; interaction needs kept
# columns (test_keep.py).
@pytest.mark.parametrize(
    "name", [n for n in OPTIONS if n not in ("method", "goal", "seed", "threads", "interaction")]
)
def test_every_option_reaches_the_engine(name):
    option = OPTIONS[name]
    X, groups = conflux.datasets.make_gaussian_groups(2, 6, 60)
    if option["choices"]:
        # The last gate, kept, needs columns that are kept.
        value = "label" if name == "gate" else option["choices"][-1]
    else:
        value = {
            "bool": not option["default"],
            "int": 5,
            "float": 0.05,
            "weights": [0.25, 0.75],
            "rows": 40,
            "text": {"target": "1", "image": "2x3"}.get(name),
        }[option["type"]]
    assert value != option["default"]
    method = "inb" if "inb" in option["methods"] else option["methods"][-1]
    aligner = conflux.Aligner(method=method, **{name: value})
    labels = [i % 2 for i in range(len(X))]
    assert aligner.fit(X, groups, y=labels).options_[name] == value


# An option without effect would be a wish that nobody heard.
def test_methods_refuse_options_that_they_do_not_use(moons):
    assert "inb" not in OPTIONS["tree_leaves"]["methods"]
    with pytest.raises(conflux.InvalidOption, match="inb does not use it"):
        conflux.INB(tree_leaves=5).fit(*moons)


def test_stubs_are_those_of_this_engine():
    sys.path.insert(0, str(PYTHON / "tools"))
    try:
        import make_stubs
    finally:
        sys.path.pop(0)
    kept = (PYTHON / "conflux" / "estimators.pyi").read_text()
    assert kept == make_stubs.stubs(), "run python/tools/make_stubs.py"


def test_the_stub_of_the_engine_names_everything_that_it_has():
    stub = (PYTHON / "conflux" / "_core.pyi").read_text()
    for name, thing in vars(conflux._core).items():
        if name.startswith("__"):
            continue
        assert f"def {name}(" in stub or f"class {name}" in stub, name
        if inspect.isclass(thing):
            for member in vars(thing):
                assert member.startswith("_") or f"def {member}(" in stub, f"{name}.{member}"


# The record is written to model files by the engine; what it tells there it must tell here.
def test_records_of_layers_have_the_fields_of_the_model_file(moons, tmp_path):
    inb = conflux.INB(layers=3, validation_fraction=0.2).fit(*moons)
    path = tmp_path / "model.conflux"
    inb.save(path)
    data = path.read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    record = json.loads(header["__metadata__"]["record"])
    kept = record["layers"] + record.get("dropped_layers", [])
    assert kept
    for fields, layer in zip(kept, [*inb.history_, *inb.dropped_history_]):
        told = {name: value for name, value in layer._asdict().items() if name in fields}
        assert fields == told
        # Times differ from run to run; equal fits give equal files.
        assert all(name.endswith("seconds") for name in set(layer._asdict()) - set(fields))


def test_params_are_set_got_and_cloned():
    sklearn_base = pytest.importorskip("sklearn.base")
    weights = np.array([1.0, 2.0])
    inb = conflux.INB(layers=3, weights=weights)
    again = sklearn_base.clone(inb)
    assert again.get_params()["layers"] == 3
    np.testing.assert_array_equal(again.weights, weights)
    assert again.set_params(layers=5) is again and again.layers == 5
    assert repr(inb).startswith("INB(layers=3")
    fitted = conflux.NB().fit(*conflux.datasets.make_moons(30))
    assert not hasattr(sklearn_base.clone(fitted), "model_")


def test_the_version_is_that_of_the_library():
    text = Path(ROOT / "CMakeLists.txt").read_text()
    assert f"project(conflux VERSION {conflux.__version__} " in text
