"""Type checkers of users see the parameters of the engine."""

import os
import textwrap
from pathlib import Path

import pytest

import conflux
from conftest import ROOT

api = pytest.importorskip("mypy.api")


def test_wrong_parameters_are_found_before_the_program_runs(tmp_path, monkeypatch):
    program = tmp_path / "user.py"
    program.write_text(
        textwrap.dedent(
            """
            import conflux

            X, groups = conflux.datasets.make_moons(10)
            inb: conflux.INB = conflux.INB(layers=3, target=1).fit(X, groups)
            first: float = inb.history_[0].spread_before
            conflux.INB(layrs=3)
            conflux.INB(layers="three")
            conflux.metrics.w2_exact(X, X, blocks=3)
            """
        )
    )
    home = Path(conflux.__file__).parents[1]
    if home.name != "site-packages":  # where mypy looks by itself
        monkeypatch.setenv("MYPYPATH", os.fspath(home))
    monkeypatch.chdir(tmp_path)
    report, errors, _ = api.run(
        ["--strict", "--follow-imports=silent", "--ignore-missing-imports", "user.py",
         f"--cache-dir={ROOT / 'build' / 'mypy'}"]
    )
    lines = [int(line.split(":")[1]) for line in report.splitlines() if ": error:" in line]
    assert lines == [7, 8, 9], report + errors
