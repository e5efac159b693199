"""The examples of the documentation run."""

import doctest
import inspect

import pytest

import conflux
from conftest import ROOT


def test_the_examples_of_the_guide_run():
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.failed == 0 and found.attempted > 10


def test_everything_public_is_documented_with_an_example():
    documented = [getattr(conflux, name) for name in conflux.estimators.__all__]
    for module in (conflux.metrics, conflux.datasets, conflux.pp, conflux.plot):
        documented += [getattr(module, name) for name in module.__all__ if name != "Pairwise"]
    for each in documented:
        assert "Examples\n--------" in inspect.getdoc(each), each
    for name, method in inspect.getmembers(conflux.INB, inspect.isfunction):
        assert name.startswith("_") or inspect.getdoc(method), name
