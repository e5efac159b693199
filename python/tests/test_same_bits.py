"""Python adds nothing to what the engine does."""

import subprocess

import numpy as np
import pytest

import conflux
from conftest import without_times


@pytest.mark.parametrize("groups, dim, rows, layers", [(2, 7, 300, 5), (3, 20, 900, 8)])
def test_a_fit_has_the_bits_of_the_library(groups, dim, rows, layers, native_fit, tmp_path):
    sizes = map(str, (groups, dim, rows, layers, 2))
    subprocess.run([native_fit, *sizes, "1", tmp_path], check=True, capture_output=True)
    expected = np.fromfile(tmp_path / "native.f64").reshape(-1, dim)
    X, labels = conflux.datasets.make_gaussian_groups(groups, dim, rows)
    inb = conflux.INB(layers=layers).fit(X, labels)
    np.testing.assert_array_equal(inb.transform(X, labels), expected)
    loaded = conflux.load(tmp_path / "native.conflux")
    np.testing.assert_array_equal(loaded.transform(X, labels), expected)

    assert without_times(inb.history_) == without_times(loaded.history_)
    assert {**inb.options_, "threads": 0} == loaded.options_


# Both read the same table; groups are named and ordered alike.
@pytest.mark.parametrize(
    "method, options",
    [
        ("auto", {"layers": 4}),
        ("inb", {"layers": 4, "seed": 3}),
        ("nb", {}),
        ("gb-inb", {"layers": 3, "target": "2"}),
        ("rand-nb", {"layers": 3, "weights": "size", "directions": 2}),
    ],
)
def test_a_model_has_the_bits_of_the_command(method, options, command, gaussians, tmp_path):
    X, groups = gaussians
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join([*names, "group"])]
    lines += [",".join([*map(repr, row), str(g)]) for row, g in zip(X.tolist(), groups)]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")

    def run(*arguments):
        subprocess.run([command, *arguments], cwd=tmp_path, check=True, capture_output=True)

    flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    run("fit", "table.csv", "--group", "group", "-o", "model.conflux", "--method", method, *flags)
    run("transform", "model.conflux", "table.csv", "-o", "moved.csv")
    moved = np.loadtxt(tmp_path / "moved.csv", delimiter=",", skiprows=1)[:, :-1]

    if "seed" in options:
        options = {**options, "random_state": options["seed"]}
        del options["seed"]
    aligner = conflux.Aligner(method=method, **options).fit(X, groups)
    np.testing.assert_array_equal(aligner.transform(X, groups), moved)
    theirs = conflux.load(tmp_path / "model.conflux")
    np.testing.assert_array_equal(theirs.transform(X, groups), moved)
    assert theirs.options_ == {**aligner.options_, "threads": theirs.options_["threads"]}

    # And the other way: the command uses a model of Python.
    aligner.save(tmp_path / "ours.conflux")
    columns = ["--group", "group", "--features", ",".join(names)]
    run("transform", "ours.conflux", "table.csv", *columns, "-o", "ours.csv")
    assert (tmp_path / "ours.csv").read_bytes() == (tmp_path / "moved.csv").read_bytes()
