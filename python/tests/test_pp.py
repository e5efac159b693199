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
    done = pp.align(cells, "donor", layers=4, label_key="kind")
    aligner = done.model
    labels = np.asarray(cells.obs["kind"])
    expected = conflux.align(rows, donors, labels, layers=4)
    np.testing.assert_array_equal(cells.obsm["X_conflux"], expected.rows)
    assert str(done) == str(expected)
    np.testing.assert_array_equal(cells.obsm["X_pca"], rows)
    summary = cells.uns["conflux"]
    assert summary["batch_key"] == "donor" and summary["label_key"] == "kind"
    assert json.loads(summary["options"])["layers"] == 4
    assert list(summary["groups"]) == aligner.model_.group_names
    assert summary["verdict"] == expected.summary.verdict
    assert list(summary["sentences"]) == expected.summary.sentences
    assert json.loads(summary["judgement"])["auc_after"] == expected.summary.auc_after


# Cells that are not fitted on must not matter for the maps.
@pytest.mark.parametrize("where", ["kind=T", "control", "mask"])
def test_fit_where_chooses_the_cells_that_are_fitted(cells, where):
    kinds, donors = np.asarray(cells.obs["kind"]), np.asarray(cells.obs["donor"])
    chosen = kinds == "T" if where == "kind=T" else kinds != "NK"
    pp.align(cells, "donor", fit_where=chosen if where == "mask" else where, method="nb")
    rows = np.array(cells.obsm["X_pca"])
    done = conflux.align(rows[chosen], donors[chosen], method="nb")
    expected = done.model.transform(rows, donors)
    np.testing.assert_array_equal(cells.obsm["X_conflux"], expected)


def test_other_representations_and_keys(cells):
    pp.align(cells, "donor", basis="X", key_added="X_other", method="nb")
    assert cells.obsm["X_other"].shape == (400, 20)
    with pytest.raises(KeyError, match="did you mean 'donor'"):
        pp.align(cells, "doner")
    with pytest.raises(KeyError, match="did you mean 'X_pca'"):
        pp.align(cells, "donor", basis="X_pac")
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
    pp.align(cells, key, basis="X", method="nb")
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
    aligner = pp.align(cells, "donor", label_key="kind", gate="label", layers=40).model
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
    with pytest.raises(ValueError, match="label"):
        pp.align(cells, "donor", gate="label")
    rows, donors = np.array(cells.obsm["X_pca"]), np.asarray(cells.obs["donor"])
    with pytest.raises(ValueError, match="one per row"):
        conflux.Aligner(gate="label").fit(rows, donors, y=["T"])
    with pytest.raises(ValueError, match="one label only"):
        conflux.Aligner(gate="label").fit(rows, donors, y=["T"] * len(rows))


# Overwriting every label must change what the cells are aligned with.
def test_labels_are_obeyed(cells):
    pp.align(cells, "donor", label_key="kind", key_added="X_by_kind")
    cells.obs["kind"] = np.roll(np.asarray(cells.obs["kind"]), 7)
    pp.align(cells, "donor", label_key="kind", key_added="X_by_nonsense")
    gap = np.abs(cells.obsm["X_by_kind"] - cells.obsm["X_by_nonsense"]).max()
    assert gap > 0.1


def test_several_keys_are_crossed(cells):
    sites = np.where(np.arange(400) % 2, "north", "south")
    cells.obs["site"] = sites
    pp.align(cells, ["donor", "site"], basis="pca", method="nb", key_added="X_crossed")
    rows, donors = np.array(cells.obsm["X_pca"]), np.asarray(cells.obs["donor"])
    batches = np.array([f"{donor}+{site}" for donor, site in zip(donors, sites)])
    expected = conflux.align(rows, batches, method="nb").rows
    np.testing.assert_array_equal(cells.obsm["X_crossed"], expected)
    assert sorted(cells.uns["conflux"]["groups"]) == sorted(set(batches))


# The effect of age stays where age is a covariate, and goes where it is not.
def test_covariates_stay():
    pytest.importorskip("pandas")
    random = np.random.default_rng(1)
    donors = np.repeat(["a", "b"], 400)
    age = np.where(donors == "a", random.uniform(20, 60, 800), random.uniform(40, 80, 800))
    X = random.normal(size=(800, 4)) + 0.1 * age[:, None] + (donors == "b")[:, None]
    cells = SimpleNamespace(X=X, obs={"donor": donors, "age": age}, obsm={"X_pca": X}, uns={})
    slopes = []
    for covariates in (None, ["age"]):
        pp.align(cells, "donor", covariates=covariates, method="means")
        moved = cells.obsm["X_conflux"]
        assert moved.shape == X.shape
        gap = moved[donors == "b"].mean() - moved[donors == "a"].mean()
        slopes.append(gap / (age[donors == "b"].mean() - age[donors == "a"].mean()))
    assert abs(slopes[0]) < 0.02 and abs(slopes[1] - 0.1) < 0.02


def test_new_batches_are_mapped_with_a_confidence():
    X, donors, kinds = conflux.datasets.make_cells(1500)

    def chosen(mask):
        obs = {"donor": donors[mask], "kind": kinds[mask]}
        return SimpleNamespace(X=X[mask], obs=obs, obsm={"X_pca": X[mask]}, uns={})

    reference, new = chosen(donors != "C"), chosen(donors == "C")
    done = pp.align(reference, "donor")
    before = list(done.model.model_.group_names)
    model = pp.map_new(new, reference, done, "donor", label_key="kind")
    assert done.model.model_.group_names == before
    assert model.model_.group_names == [*before, "C"]
    assert (new.obs["conflux_label"] == new.obs["kind"]).mean() > 0.9
    assert 0.2 < np.median(new.obs["conflux_confidence"]) < 0.8
    assert new.obs["conflux_label_confidence"].min() > 0
    # Cells that the reference does not have are foreign.
    foreign = chosen(donors == "C")
    foreign.obsm["X_pca"] = foreign.obsm["X_pca"].copy()
    some = np.arange(len(foreign.obsm["X_pca"])) % 3 == 0
    foreign.obsm["X_pca"][some] += np.random.default_rng(0).normal(size=X.shape[1]) * 30
    with pytest.warns(conflux.FitWarning, match="do not trust"):
        pp.map_new(foreign, reference, model, "donor")
    assert np.median(foreign.obs["conflux_confidence"][some]) < 0.01
    assert np.median(foreign.obs["conflux_confidence"][~some]) > 0.2
    with pytest.raises(ValueError, match="choose fewer"):
        pp.map_new(new, reference, done, "donor", neighbors=5000)


def test_new_cells_are_projected_onto_the_components_of_the_reference():
    X, donors, _ = conflux.datasets.make_cells(600)
    loadings = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 5)))[0]
    old = donors != "C"
    genes = [f"g{j}" for j in range(20)]
    reference = SimpleNamespace(X=X[old], obs={"donor": donors[old]}, uns={}, var_names=genes,
                                obsm={"X_pca": (X[old] - X[old].mean(axis=0)) @ loadings},
                                varm={"PCs": loadings})
    new = SimpleNamespace(X=X[~old], obs={"donor": donors[~old]}, uns={}, obsm={}, var_names=genes)
    done = pp.align(reference, "donor")
    pp.map_new(new, reference, done, "donor")
    assert new.obsm["X_conflux"].shape == (len(new.X), 5)
    assert np.median(new.obs["conflux_confidence"]) > 0.2
    new.var_names, new.obsm = genes[::-1], {}
    with pytest.raises(ValueError, match="reference.var_names"):
        pp.map_new(new, reference, done, "donor")
