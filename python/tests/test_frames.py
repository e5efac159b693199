"""Frames of other libraries are read as those of pandas are."""

import sys
import types

import numpy as np
import pandas as pd
import pytest

import conflux


@pytest.fixture
def frame():
    X, groups = conflux.datasets.make_moons(200)
    out = pd.DataFrame(X, columns=["height", "width"])
    out["group"] = groups
    return out


class Speaker:
    """A frame that speaks the interchange protocol and nothing else."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, *args, **kwargs):
        return self._frame.__dataframe__(*args, **kwargs)


def moved_rows(X, frame):
    aligner = conflux.Aligner(method="nb", group_column="group", random_state=0)
    return aligner.fit(X).transform(X)[["height", "width"]]


def test_the_interchange_protocol_is_understood(frame):
    numbers = frame.assign(group=(frame["group"] == frame["group"][0]).astype(float))
    expected = moved_rows(numbers, numbers)
    moved = moved_rows(Speaker(numbers), numbers)
    np.testing.assert_array_equal(moved, expected)


def test_data_sets_of_xarray_have_a_row_per_point(frame):
    xarray = pytest.importorskip("xarray")
    times = pd.date_range("2000-01-01", periods=len(frame))
    groups = frame.pop("group").to_numpy()
    dataset = xarray.Dataset({name: ("time", frame[name]) for name in frame}, {"time": times})
    aligner = conflux.Aligner(method="nb", random_state=0).fit(dataset, groups)
    moved = aligner.transform(dataset, groups)
    assert list(moved.index) == list(times)
    expected = conflux.Aligner(method="nb", random_state=0).fit(frame, groups)
    np.testing.assert_array_equal(moved, expected.transform(frame, groups))


def test_a_stream_of_arrow_is_read_by_pyarrow_or_refused_with_the_remedy(frame, monkeypatch):
    class Stream:
        """Speaks the PyCapsule interface of Arrow and nothing else."""

        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("pyarrow would ask for this")

    groups = frame.pop("group").to_numpy()
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # cannot be imported
    with pytest.raises(TypeError, match="Stream of Arrow, which pyarrow would read; install"):
        conflux.Aligner(method="nb").fit(Stream(), groups)
    pyarrow = types.SimpleNamespace(table=lambda X: types.SimpleNamespace(to_pandas=lambda: frame))
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow)
    aligner = conflux.Aligner(method="nb", random_state=0).fit(Stream(), groups)
    assert list(aligner.feature_names_in_) == list(frame.columns)
