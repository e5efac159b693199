"""AnnData objects, and anything that looks like one."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import conflux
from conflux import pp


def stand_in():
    X, donors, kinds = conflux.datasets.make_cells(400)
    obs = {"donor": donors, "kind": kinds, "control": kinds != "NK"}
    return SimpleNamespace(X=X, obs=obs, obsm={"X_pca": X[:, :8]}, uns={})


def anndata_object():
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    cells = stand_in()
    obs = pandas.DataFrame(cells.obs, index=[f"cell{i}" for i in range(400)])
    obs["donor"] = obs["donor"].astype("category")
    return anndata.AnnData(cells.X.astype(np.float64), obs=obs, obsm=cells.obsm)


@pytest.fixture(params=[stand_in, anndata_object])
def cells(request):
    return request.param()


def test_align_adds_what_an_aligner_gives(cells):
    rows, donors = np.array(cells.obsm["X_pca"]), np.asarray(cells.obs["donor"])
    aligner = pp.align(cells, "donor", layers=4, label_key="kind")
    labels = np.asarray(cells.obs["kind"])
    aligner_of_labels = conflux.Aligner(layers=4, gate="label").fit(rows, donors, y=labels)
    expected = aligner_of_labels.transform(rows, donors)
    np.testing.assert_array_equal(cells.obsm["X_conflux"], expected)
    np.testing.assert_array_equal(cells.obsm["X_pca"], rows)
    summary = cells.uns["conflux"]
    assert summary["batch_key"] == "donor" and summary["label_key"] == "kind"
    assert json.loads(summary["options"])["layers"] == 4
    assert list(summary["groups"]) == aligner.model_.group_names
    assert summary["group_sizes"].sum() == 400
    assert aligner.model_.label_column == "kind"


# Cells that are not fitted on must not matter for the maps.
@pytest.mark.parametrize("where", ["kind=T", "control", "mask"])
def test_fit_where_chooses_the_cells_that_are_fitted(cells, where):
    kinds, donors = np.asarray(cells.obs["kind"]), np.asarray(cells.obs["donor"])
    chosen = kinds == "T" if where == "kind=T" else kinds != "NK"
    pp.align(cells, "donor", fit_where=chosen if where == "mask" else where, method="nb")
    rows = np.array(cells.obsm["X_pca"])
    expected = conflux.NB().fit(rows[chosen], donors[chosen]).transform(rows, donors)
    np.testing.assert_array_equal(cells.obsm["X_conflux"], expected)


def test_other_representations_and_keys(cells):
    pp.align(cells, "donor", use_rep="X", key_added="X_other", method="nb")
    assert cells.obsm["X_other"].shape == (400, 20)
    with pytest.raises(KeyError, match="did you mean 'donor'"):
        pp.align(cells, "doner")
    with pytest.raises(KeyError, match="did you mean 'X_pca'"):
        pp.align(cells, "donor", use_rep="X_pac")
    with pytest.raises(KeyError, match="kinds"):
        pp.align(cells, "donor", label_key="kinds")
    with pytest.raises(ValueError, match="fit_where"):
        pp.align(cells, "donor", fit_where=np.arange(400))
    with pytest.raises(ValueError, match="leaves no cell of the batches"):
        pp.align(cells, "donor", fit_where="donor=A")


# The part outside the principal components is kept; inside, only the aligned scores remain.
@pytest.mark.parametrize("n_comps", [1, 6, 50])
def test_correct_moves_cells_within_the_principal_components(cells, n_comps):
    before = np.array(cells.X)
    corrected = pp.correct(cells, "donor", n_comps=n_comps, layers=3, gate="none")
    np.testing.assert_array_equal(cells.X, before)
    before = before.astype(np.float64)  # anndata keeps single precision
    centered = before - before.mean(axis=0)
    _, _, components = np.linalg.svd(centered, full_matrices=False)
    kept = components[:n_comps]
    moves = corrected - before
    np.testing.assert_allclose(moves - moves @ kept.T @ kept, 0, atol=1e-8)
    scores = centered @ kept.T
    donors = np.asarray(cells.obs["donor"])
    left = conflux.metrics.pairwise(conflux.metrics.sliced_w2, scores + moves @ kept.T, donors)
    was = conflux.metrics.pairwise(conflux.metrics.sliced_w2, scores, donors)
    assert left.mean < 0.5 * was.mean
    assert cells.uns["conflux"]["n_comps"] == min(n_comps, 20)


# Fewer cells than genes go through the other Gram matrix.
def test_correct_serves_wide_tables():
    cells = stand_in()
    noise = 0.1 * np.random.default_rng(0).normal(size=(400, 600))
    cells.X = np.repeat(cells.X, 30, axis=1) + noise
    corrected = pp.correct(cells, "donor", n_comps=5, layers=2, gate="none", method="inb")
    moves = corrected - cells.X
    assert np.linalg.matrix_rank(moves, tol=1e-6) == 5
    with pytest.raises(ValueError, match="n_comps"):
        pp.correct(cells, "donor", n_comps=0)


def test_sparse_expression_is_corrected_too():
    sparse = pytest.importorskip("scipy.sparse")
    cells = stand_in()
    expected = pp.correct(cells, "donor", n_comps=4, layers=2)
    cells.X = sparse.csr_matrix(cells.X)
    np.testing.assert_array_equal(pp.correct(cells, "donor", n_comps=4, layers=2), expected)


def test_the_summary_survives_h5ad_files(tmp_path):
    anndata = pytest.importorskip("anndata")
    cells = anndata_object()
    pp.align(cells, "donor", layers=3)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.uns["conflux"]["options"] == cells.uns["conflux"]["options"]
    np.testing.assert_array_equal(again.obsm["X_conflux"], cells.obsm["X_conflux"])


@pytest.mark.parametrize("version", ["v0.7.0", "v0.7.8"])
def test_objects_of_old_files_are_aligned(version, shared_data):
    anndata = pytest.importorskip("anndata")
    path = shared_data / "h5ad_archives" / f"adata_{version}.h5ad"
    cells = anndata.read_h5ad(path)
    key = next(name for name in cells.obs if cells.obs[name].nunique() > 1)
    groups = cells.obs[key].astype(str)
    common = groups.isin(groups.value_counts().index[:2])
    cells = cells[common].copy()
    pp.align(cells, key, use_rep="X", method="nb")
    assert cells.obsm["X_conflux"].shape == cells.X.shape


# Kinds in different shares: labels keep them apart, and unknown ones are no harm.
def test_labels_gate_the_alignment():
    random = np.random.default_rng(0)
    kinds = np.array(["near", "far"], dtype=object)[
        np.concatenate([random.random(300) < 0.9, random.random(300) < 0.2]).astype(int)
    ]
    donors = np.repeat(["a", "b"], 300)
    X = random.standard_normal((600, 8)) + 0.5 * (donors == "b")[:, None]
    X[kinds == "far", :4] += 5
    known = kinds.copy()
    known[::3] = None
    cells = SimpleNamespace(X=X, obs={"donor": donors, "kind": known}, obsm={"X_pca": X}, uns={})
    aligner = pp.align(cells, "donor", label_key="kind", gate="label", layers=40)
    Z = cells.obsm["X_conflux"]
    labels = (kinds == "far").astype(int)
    assert conflux.metrics.lisi(Z, labels).mean() < 1.01
    for kind in "near", "far":
        means = [Z[(kinds == kind) & (donors == donor)].mean(axis=0) for donor in "ab"]
        assert np.abs(means[0] - means[1]).max() < 0.2
    assert aligner.options_["gate"] == "label"
    whole = conflux.Aligner(layers=40, strength=0.5, gate="none").fit_transform(X, donors)
    assert conflux.metrics.lisi(whole, labels).mean() > 1.1


def test_a_gate_of_labels_needs_labels(cells):
    with pytest.raises(ValueError, match="give them as y"):
        pp.align(cells, "donor", gate="label")
    rows, donors = np.array(cells.obsm["X_pca"]), np.asarray(cells.obs["donor"])
    with pytest.raises(ValueError, match="one per row"):
        conflux.Aligner(gate="label").fit(rows, donors, y=["T"])
    with pytest.raises(ValueError, match="one label only"):
        conflux.Aligner(gate="label").fit(rows, donors, y=["T"] * len(rows))
