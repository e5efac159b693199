"""Fixtures of several tests."""

import os
from pathlib import Path

import numpy as np
import pytest

import conflux

os.environ.setdefault("MPLBACKEND", "Agg")  # no window for an example
ROOT = Path(__file__).resolve().parents[2]


def without_times(records):
    """Return records of layers without what differs from run to run."""
    return [r._replace(seconds=0, product_seconds=0, sort_seconds=0) for r in records]


@pytest.fixture(scope="session")
def moons():
    return conflux.datasets.make_moons(300)


@pytest.fixture(scope="session")
def gaussians():
    """Three groups of unequal sizes in five dimensions, in random order."""
    X, groups = conflux.datasets.make_gaussian_groups(3, 5, 400)
    kept = np.concatenate([np.arange(400), np.arange(400, 650), np.arange(800, 900)])
    kept = np.random.default_rng(1).permutation(kept)
    return X[kept].copy(), groups[kept].copy()


@pytest.fixture(scope="session")
def shared_data():
    """Real data sets beside the repository, or where CONFLUX_DATA says."""
    folder = Path(os.environ.get("CONFLUX_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data in {folder}; set CONFLUX_DATA")
    return folder


def _program(*place):
    program = ROOT.joinpath("build", "release", *place)
    if not program.exists():
        pytest.skip(f"{program.name} is not built; run make python")
    return program


@pytest.fixture(scope="session")
def native_fit():
    """The program that fits without Python."""
    return _program("python", "conflux_native_fit")


@pytest.fixture(scope="session")
def command():
    """The conflux command."""
    return _program("apps", "conflux", "conflux")
