"""Python adds nothing to what the engine does."""

import subprocess

import numpy as np
import pytest

import conflux


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
    without_time = [record._replace(seconds=0) for record in inb.history_]
    assert without_time == [record._replace(seconds=0) for record in loaded.history_]
    assert {**inb.options_, "threads": 2} == loaded.options_
