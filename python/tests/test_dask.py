"""Dask arrays and data frames are fitted and moved as rows in memory are."""

import os
import signal

import numpy as np
import pytest

import conflux
import conflux.dask

pytest.importorskip("distributed", reason="Dask is not installed; tools/install_packages.sh python")
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
import distributed  # noqa: E402
import pandas as pd  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(scope="module")
def client():
    """Two workers in this process: what they share with it are messages, as elsewhere."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def cut(array, sizes):
    """Return a dask array with chunks of these sizes, which Dask does not know."""
    known = da.from_array(array, chunks=(tuple(sizes), *array.shape[1:]))
    return known[da.from_array(np.ones(len(array), dtype=bool), chunks=(tuple(sizes),))]


def bits(model):
    """Return what a model does to numbers, and what it knows of its groups."""
    x = np.random.default_rng(5).normal(size=(50, model.dim))
    moved = [model.move(x, np.full(50, m), None, None, True, False, 1)[0] for m in range(2)]
    return np.array(moved), model.group_names, model.group_sizes


def assert_same(ours, theirs):
    for a, b in zip(bits(ours.model_), bits(theirs.model_)):
        np.testing.assert_array_equal(a, b)
    options = {"threads": 0}
    assert {**ours.options_, **options} == {**theirs.options_, **options}


# 375 rows of a group are more than 200, so rows are drawn, and a partition knows its rows only by
# what the others have counted. The second cut has partitions without rows of some groups.
@pytest.mark.parametrize("sizes", [(250, 250, 250), (1, 399, 0, 350), (750,)])
@pytest.mark.parametrize(
    "params", [{"method": "inb", "layers": 3}, {"method": "nb", "weights": "size"}, {"layers": 2}]
)
def test_drawn_rows_and_bits_are_those_of_all_rows_in_memory(client, gaussians, sizes, params):
    X, groups = gaussians
    params = {**params, "fit_rows": 200, "columns": "coordinates"}
    theirs = conflux.Aligner(**params).fit(X, groups)
    ours = conflux.dask.Aligner(client=client, **params)
    ours.fit(cut(X, sizes), cut(groups, sizes))
    assert_same(ours, theirs)
    assert sorted(theirs.model_.group_sizes) == [100, 200, 200]
    np.testing.assert_array_equal(ours.groups_, theirs.groups_)


def test_masses_and_labels_decide_which_rows_are_drawn(client, gaussians):
    X, groups = gaussians
    random = np.random.default_rng(3)
    masses = random.integers(0, 3, len(X)).astype(float)
    y = np.where(random.random(len(X)) < 0.03, "rare", "frequent").astype(object)
    y[::7] = None
    params = {"method": "inb", "layers": 2, "gate": "label", "fit_rows": 120,
              "columns": "coordinates"}
    sizes = (100, 300, 350)
    theirs = conflux.Aligner(**params).fit(X, groups, masses, y=y)
    ours = conflux.dask.Aligner(client=client, **params)
    ours.fit(cut(X, sizes), cut(groups, sizes), cut(masses, sizes), y=cut(y, sizes))
    assert_same(ours, theirs)


def frame(gaussians):
    X, groups = gaussians
    table = pd.DataFrame(X, columns=list("abcde"))
    table["b"] = table["b"].round().astype(int)
    table["kind"] = pd.Categorical(np.where(X[:, 0] > 0, "left", "right"))
    table["batch"] = [f"g{group}" for group in groups]
    return table


# Without more rows than are fitted, columns are found out from all of them too.
def test_a_frame_is_fitted_as_in_memory(client, gaussians):
    table = frame(gaussians)
    lazy = dd.from_pandas(table, npartitions=4).clear_divisions()
    params = {"method": "inb", "layers": 2, "group_column": "batch", "n_jobs": 1}
    theirs = conflux.Aligner(**params).fit(table)
    ours = conflux.dask.Aligner(client=client, **params).fit(lazy)
    assert ours.model_.to_bytes() == theirs.model_.to_bytes()
    assert ours.columns_ == theirs.columns_
    assert list(ours.feature_names_in_) == list(theirs.feature_names_in_)


# Columns of a drawn fit are those of the drawn rows; the record says how many there were.
def test_a_frame_is_fitted_on_rows_that_are_drawn(client, gaussians):
    table = frame(gaussians)
    lazy = dd.from_pandas(table, npartitions=3)
    params = {"method": "nb", "group_column": "batch"}
    ours = conflux.dask.Aligner(client=client, fit_rows=200, **params).fit(lazy)
    drawn = []
    for name in ours.groups_:
        rows = np.flatnonzero(table["batch"] == name)
        chosen = conflux._core.draw_rows({"fit_rows": 200, "seed": 0}, len(rows), None)
        drawn.extend(rows[chosen])
    theirs = conflux.Aligner(**params, fit_rows="all").fit(table.iloc[sorted(drawn)])
    for a, b in zip(bits(ours.model_), bits(theirs.model_)):
        np.testing.assert_array_equal(a, b)


def test_rows_are_moved_when_they_are_asked_for(client, gaussians):
    X, groups = gaussians
    sizes = (250, 0, 500)
    aligner = conflux.dask.Aligner(client=client, method="inb", layers=3, columns="coordinates")
    lazy, lazy_groups = cut(X, sizes), cut(groups, sizes)
    moved = aligner.fit_transform(lazy, lazy_groups)
    assert isinstance(moved, da.Array) and moved.numblocks == (3, 1)
    local = conflux.Aligner(method="inb", layers=3, columns="coordinates").fit(X, groups)
    expected = local.transform(X, groups)
    np.testing.assert_array_equal(moved.compute(), expected)
    back = aligner.inverse_transform(moved, lazy_groups)
    np.testing.assert_array_equal(back.compute(), local.inverse_transform(expected, groups))
    as_one = aligner.translate(lazy[lazy_groups == 0], 0, 1)
    np.testing.assert_array_equal(as_one.compute(), local.translate(X[groups == 0], 0, 1))
    # Rows in memory are moved in memory.
    np.testing.assert_array_equal(aligner.transform(X, groups), expected)


def test_frames_are_moved_partition_by_partition(client, gaussians):
    table = frame(gaussians)
    table.index = np.arange(len(table)) + 7
    lazy = dd.from_pandas(table, npartitions=3)
    aligner = conflux.dask.Aligner(client=client, method="nb", group_column="batch").fit(lazy)
    local = conflux.Aligner(method="nb", group_column="batch").fit(table)
    moved = aligner.transform(lazy)
    parts = [local.transform(lazy.partitions[i].compute()) for i in range(3)]
    pd.testing.assert_frame_equal(moved.compute(), pd.concat(parts))
    assert moved.divisions == lazy.divisions
    pd.testing.assert_series_equal(moved.dtypes, moved.compute().dtypes)
    as_one = aligner.translate(lazy, lazy["batch"], "g1").compute()
    assert set(as_one["kind"]) <= {"left", "right"} and as_one["b"].dtype == table["b"].dtype


class _Murder(distributed.WorkerPlugin):
    """Makes the first fit on any worker die after it has told how far it is."""

    def __init__(self, path):
        self.path = path

    def setup(self, worker):
        from conflux import _dask_tasks

        fit, path = _dask_tasks.fit, self.path

        def dying(*given):
            *before, checkpoint, told, seconds = given
            with open(path + ".resumed", "a") as log:
                log.write(f"{len(checkpoint)}\n")
            count = [0]

            def tell(bytes_so_far):
                told(bytes_so_far)
                count[0] += 1
                if count[0] == 3 and not os.path.exists(path):
                    open(path, "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)

            return fit(*before, checkpoint, tell, seconds)

        _dask_tasks.fit = dying


# The scheduler starts the fit again elsewhere; it goes on where the last message was from.
def test_a_fit_whose_worker_dies_goes_on_elsewhere(gaussians, tmp_path):
    X, groups = gaussians
    mark = str(tmp_path / "killed")
    params = {"method": "inb", "layers": 6, "columns": "coordinates", "fit_rows": 150}
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        client.register_worker_plugin(_Murder(mark))
        aligner = conflux.dask.Aligner(client=client, checkpoint_seconds=0, **params)
        sizes = (250, 500)
        aligner.fit(
            da.from_array(X, chunks=(sizes, 5)), da.from_array(groups, chunks=(sizes,))
        )
    assert os.path.exists(mark)
    starts = [int(line) for line in (tmp_path / "killed.resumed").read_text().split()]
    assert starts[0] == 0 and len(starts) == 2 and starts[1] > 0
    assert_same(aligner, conflux.Aligner(**params).fit(X, groups))


def test_what_does_not_belong_together_is_refused(client, gaussians):
    X, groups = gaussians
    lazy = da.from_array(X, chunks=(250, 5))
    aligner = conflux.dask.Aligner(client=client, method="nb")
    with pytest.raises(TypeError, match="give a dask array or series"):
        aligner.fit(lazy, groups)
    with pytest.raises(ValueError, match="X has 3 partitions, but groups has 2"):
        aligner.fit(lazy, cut(groups, (350, 400)))
    with pytest.raises(ValueError, match="X has 250 rows but there are 2(51|49)"):
        aligner.fit(lazy, cut(groups, (251, 249, 250)))
    with pytest.raises(ValueError, match="needs groups"):
        aligner.fit(lazy)
    missing = groups.astype(object)
    missing[300] = None
    with pytest.raises(ValueError, match="partition 1: row 50 has no group"):
        aligner.fit(lazy, da.from_array(missing, chunks=250))
    broken = X.copy()
    broken[0, 2] = np.nan
    with pytest.raises(conflux.InvalidData, match="NaN"):
        conflux.dask.Aligner(client=client, method="nb", columns="coordinates").fit(
            da.from_array(broken, chunks=(250, 5)), da.from_array(groups, chunks=250))
    with pytest.raises(conflux.NotFittedError):
        conflux.dask.Aligner(client=client).transform(lazy, 0)
