"""AnnData files: read as anndata reads them, written so that anndata opens them."""

import gzip
import os
import pathlib
import unittest

from support import GOLDEN, CommandTest

try:
    import anndata
    import numpy
    import pandas
    import scipy.io
    import scipy.sparse
except ImportError:
    anndata = None

DATA = pathlib.Path(os.environ.get("CONFLUX_DATA", GOLDEN / "../../../shared/data"))


@unittest.skipIf(anndata is None, "this Python has no anndata")
class SingleCell(CommandTest):

    def setUp(self):
        super().setUp()
        done = self.call("convert", "absent.h5ad", "x.csv")
        if "built without the HDF5 library" in done.stderr:
            self.skipTest("conflux was built without HDF5")

    def make_cells(self, x=None, genes=4, cells=300):
        generator = numpy.random.default_rng(0)
        batch = numpy.array(["a", "b", "c"])[numpy.arange(cells) % 3]
        counts = generator.poisson(1.0, size=(cells, genes)).astype("f4")
        obs = pandas.DataFrame(
            {"batch": pandas.Categorical(batch), "kind": ["T", "B"] * (cells // 2),
             "n_genes": numpy.arange(cells), "flag": numpy.arange(cells) % 2 == 0,
             "score": generator.normal(size=cells)},
            index=[f"cell{i}" for i in range(cells)])
        adata = anndata.AnnData(
            X=counts if x is None else x(counts), obs=obs,
            var=pandas.DataFrame({"long": ["x"] * genes}, index=[f"g{j}" for j in range(genes)]))
        pcs = generator.normal(size=(cells, 5)) * [5, 3, 2, 1, 1]
        adata.obsm["X_pca"] = pcs + (batch == "b")[:, None] * [4, 0, 1, 0, 0]
        adata.layers["counts"] = adata.X.copy() * 2
        adata.uns["title"] = "cells"
        return adata

    def csv(self, name, *flags):
        self.run_command("convert", name, "values.csv", "-q", *flags)
        return pandas.read_csv(self.folder / "values.csv", float_precision="round_trip")

    def test_every_kind_of_matrix_is_read(self):
        for kind in (None, scipy.sparse.csr_matrix, scipy.sparse.csc_matrix):
            adata = self.make_cells(kind)
            adata.write_h5ad(self.folder / "a.h5ad", compression="gzip")
            frame = self.csv("a.h5ad")
            dense = adata.X if kind is None else adata.X.toarray()
            numpy.testing.assert_array_equal(frame[list(adata.var_names)], dense)
            self.assertEqual(list(frame["obs_names"]), list(adata.obs_names))
            for name in ("batch", "kind", "n_genes", "flag", "score"):
                self.assertEqual(list(frame[name]), list(adata.obs[name]), name)
            layer = self.csv("a.h5ad", "--use-rep", "counts")
            numpy.testing.assert_array_equal(layer[list(adata.var_names)], 2 * dense)
            pcs = self.csv("a.h5ad", "--use-rep", "X_pca")
            numpy.testing.assert_array_equal(pcs[[f"PC{k}" for k in range(1, 6)]],
                                             adata.obsm["X_pca"])

    def test_missing_categories_and_masked_numbers_are_missing(self):
        adata = self.make_cells()
        adata.obs["batch"] = pandas.Categorical([None, "a", "b"] * 100)
        adata.obs["count"] = pandas.array([1, None, 3] * 100, dtype="Int64")
        adata.write_h5ad(self.folder / "a.h5ad")
        frame = self.csv("a.h5ad")
        self.assertEqual(frame["batch"].isna().sum(), 100)
        self.assertEqual(frame["count"].isna().sum(), 100)
        self.assertEqual(frame["count"][2], 3)

    def test_a_copy_gets_what_was_moved_and_keeps_the_rest(self):
        adata = self.make_cells(scipy.sparse.csr_matrix, genes=300)
        adata.write_h5ad(self.folder / "a.h5ad")
        told = self.call("fit", "a.h5ad", "--group", "batch", "--layers", 3, "-o", "m.conflux").stderr
        self.assertIn('the features are obsm["X_pca"]', told)
        self.assertIn("copied unchanged, because it belongs to obs", told)
        self.run_command("transform", "m.conflux", "a.h5ad", "-o", "z.h5ad")
        self.run_command("transform", "m.conflux", "a.h5ad", "-o", "z.csv")
        moved = anndata.read_h5ad(self.folder / "z.h5ad")
        table = pandas.read_csv(self.folder / "z.csv", float_precision="round_trip")
        pcs = [f"PC{k}" for k in range(1, 6)]
        numpy.testing.assert_array_equal(moved.obsm["X_conflux"], table[pcs])
        self.assertEqual(list(moved.uns["conflux"]["features"]), pcs)
        self.assertEqual(moved.uns["conflux"]["from"], "obsm/X_pca")
        self.assertEqual(moved.uns["title"], "cells")
        pandas.testing.assert_frame_equal(moved.obs, anndata.read_h5ad(self.folder / "a.h5ad").obs)
        self.assertEqual(abs(moved.X - adata.X).nnz, 0)
        numpy.testing.assert_array_equal(moved.obsm["X_pca"], adata.obsm["X_pca"])
        # And back, from the copy itself; a second copy replaces what the first had.
        self.run_command("inverse", "m.conflux", "z.h5ad", "--use-rep", "X_conflux", "-o", "b.h5ad")
        back = anndata.read_h5ad(self.folder / "b.h5ad")
        numpy.testing.assert_allclose(back.obsm["X_conflux"], adata.obsm["X_pca"], atol=1e-8)

    def test_all_genes_become_a_layer(self):
        adata = self.make_cells()
        adata.write_h5ad(self.folder / "a.h5ad")
        self.run_command("fit", "a.h5ad", "--group", "batch", "--label", "kind", "--layers", 3,
                         "-o", "m.conflux")
        self.run_command("transform", "m.conflux", "a.h5ad", "-o", "z.h5ad", "--float32")
        moved = anndata.read_h5ad(self.folder / "z.h5ad")
        self.assertEqual(moved.layers["conflux"].shape, adata.shape)
        self.assertEqual(moved.layers["conflux"].dtype, numpy.float32)

    def test_refusals_name_the_remedy(self):
        adata = self.make_cells()
        adata.write_h5ad(self.folder / "a.h5ad")
        (self.folder / "text.h5ad").write_text("no HDF5")
        (self.folder / "cut.h5ad").write_bytes((self.folder / "a.h5ad").read_bytes()[:3000])
        self.write("t.csv", "x,group\n1,a\n2,b\n")
        self.run_command("fit", "a.h5ad", "--group", "batch", "--layers", 2, "-o", "m.conflux")
        for words, sentence in (
                (("convert", "text.h5ad", "x.csv"), "is no HDF5 file"),
                (("convert", "cut.h5ad", "x.csv"), "is no HDF5 file"),
                (("convert", "a.h5ad", "x.csv", "--use-rep", "X_tsne"),
                 '--use-rep is "X_tsne", which is not there; choose X, counts, X_pca.'),
                (("convert", "t.csv", "x.h5ad"), "is written as a copy of the one that"),
                (("fit", "a.h5ad", "-o", "x.conflux"), "which column tells the groups?")):
            with self.subTest(words):
                done = self.call(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(sentence, done.stderr)

    def test_old_and_new_encodings(self):
        folder = DATA / "h5ad_archives"
        if not folder.is_dir():
            self.skipTest("no public data")
        for name in ("adata_v0.7.0.h5ad", "adata_v0.7.8.h5ad"):
            adata = anndata.read_h5ad(folder / name)
            frame = self.csv(folder / name)
            numpy.testing.assert_array_equal(frame[list(adata.var_names)], adata.X.toarray())
            for column in adata.obs:
                self.assertEqual(list(map(str, frame[column])), list(map(str, adata.obs[column])))
            for rep in ("array", "sparse"):
                got = self.csv(folder / name, "--use-rep", rep)
                values = adata.layers[rep]
                values = values.toarray() if scipy.sparse.issparse(values) else values
                numpy.testing.assert_array_equal(got[list(adata.var_names)], values)
        done = self.call("convert", folder / "adata_v0.11.4.h5ad", "x.csv")
        self.assertIn("has no X; choose features with --use-rep", done.stderr)


def ten_x(folder, counts, genes, barcodes):
    """Write counts (cells x genes) as Cell Ranger does: genes are rows, three compressed files."""
    folder.mkdir()
    scipy.io.mmwrite(folder / "matrix.mtx", scipy.sparse.csc_matrix(counts.T), field="integer")
    with gzip.open(folder / "matrix.mtx.gz", "wb") as file:
        file.write((folder / "matrix.mtx").read_bytes())
    (folder / "matrix.mtx").unlink()
    with gzip.open(folder / "features.tsv.gz", "wt") as file:
        file.writelines(f"ENSG{j}\t{gene}\tGene Expression\n" for j, gene in enumerate(genes))
    with gzip.open(folder / "barcodes.tsv.gz", "wt") as file:
        file.writelines(f"{barcode}\n" for barcode in barcodes)


@unittest.skipIf(anndata is None, "this Python has no anndata")
class Components(CommandTest):
    """Wide tables of counts, through principal components that the model keeps."""

    GENES = 300

    def counts(self, seed, shift, cells=200):
        generator = numpy.random.default_rng(seed)
        kind = generator.integers(0, 3, cells)
        rates = numpy.full((cells, self.GENES), 0.3)
        for k in range(3):
            rates[kind == k, 40 * k:40 * k + 40] = 3
        rates[:, 200:240] *= shift
        depth = generator.uniform(0.5, 2, cells)[:, None]
        return generator.poisson(rates * depth)

    def samples(self):
        genes = [f"g{j}" for j in range(self.GENES)]
        for name, seed, shift in (("monday", 1, 1), ("tuesday", 2, 6)):
            barcodes = [f"{name}{i}" for i in range(200)]
            ten_x(self.folder / name, self.counts(seed, shift), genes, barcodes)
        return genes

    def normalized(self, counts):
        return numpy.log1p(1e4 * counts / counts.sum(axis=1, keepdims=True))

    def frame(self, name):
        return pandas.read_csv(self.folder / name, float_precision="round_trip")

    def told(self, *words):
        """Run a command that must succeed, and return its messages."""
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_folders_of_10x_are_fitted_moved_and_come_back(self):
        self.samples()
        said = self.told("fit", "monday", "tuesday/", "--pca", "10", "--normalize", "log1p-cp10k",
                         "--gate", "none", "-o", "m.conflux")
        self.assertIn("10 components of 300 genes", said)
        # A full decomposition of the same numbers.
        both = self.normalized(numpy.vstack([self.counts(1, 1), self.counts(2, 6)]))
        values = numpy.linalg.svd(both - both.mean(axis=0), compute_uv=False) ** 2
        share = 100 * values[:10].sum() / values.sum()
        self.assertAlmostEqual(float(said.split(" % of their")[0].split()[-1]), share, delta=0.2)
        self.run_command("transform", "m.conflux", "monday", "tuesday", "-o", "shared.csv")
        shared = self.frame("shared.csv")
        self.assertEqual(list(shared["barcode"][:2]), ["monday0", "monday1"])
        self.run_command("inverse", "m.conflux", "shared.csv", "-o", "back.csv")
        back = self.frame("back.csv").iloc[:, :10].to_numpy()
        self.assertGreater(numpy.abs(shared.iloc[:, :10] - back).to_numpy().max(), 1)
        self.run_command("transform", "m.conflux", "back.csv", "-o", "again.csv")
        again = self.frame("again.csv").iloc[:, :10]
        self.assertLess(numpy.abs(shared.iloc[:, :10] - again).to_numpy().max(), 1e-8)

    def test_genes_are_corrected_through_the_components_and_keep_the_rest(self):
        genes = self.samples()
        self.run_command("fit", "monday", "tuesday", "--pca", "5", "--normalize", "log1p-cp10k",
                         "--gate", "none", "-o", "m.conflux")
        self.run_command("translate", "m.conflux", "tuesday", "--to", "monday", "--expression",
                         "-o", "genes.csv")
        before = self.normalized(self.counts(2, 6))
        after = self.frame("genes.csv")[genes].to_numpy()
        target = self.normalized(self.counts(1, 1)).mean(axis=0)
        wrong = numpy.abs(before.mean(axis=0) - target)[200:240].mean()
        left = numpy.abs(after.mean(axis=0) - target)[200:240].mean()
        self.assertLess(left, 0.35 * wrong)
        # The change lies in five directions.
        values = numpy.linalg.svd(after - before, compute_uv=False)
        self.assertLess(values[5], 1e-9 * values[0])

    def test_sparse_h5ad_with_many_genes_takes_components_by_itself(self):
        counts = numpy.vstack([self.counts(1, 1), self.counts(2, 6)])
        adata = anndata.AnnData(
            X=scipy.sparse.csr_matrix(self.normalized(counts)),
            obs=pandas.DataFrame({"batch": ["a"] * 200 + ["b"] * 200}, index=map(str, range(400))),
            var=pandas.DataFrame(index=[f"g{j}" for j in range(self.GENES)]))
        adata.write_h5ad(self.folder / "cells.h5ad")
        said = self.told("fit", "cells.h5ad", "--group", "batch", "-o", "m.conflux")
        if "without the HDF5 library" in said:
            self.skipTest("conflux was built without HDF5")
        self.assertIn("50 components of 300 genes", said)
        self.run_command("transform", "m.conflux", "cells.h5ad", "-o", "out.h5ad")
        moved = anndata.read_h5ad(self.folder / "out.h5ad")
        self.assertEqual(moved.obsm["X_conflux"].shape, (400, 50))
        self.run_command("transform", "m.conflux", "cells.h5ad", "--expression", "-o", "genes.h5ad")
        genes = anndata.read_h5ad(self.folder / "genes.h5ad")
        self.assertEqual(genes.layers["conflux"].shape, (400, self.GENES))
        self.run_command("inverse", "m.conflux", "out.h5ad", "--use-rep", "X_conflux",
                         "-o", "back.h5ad")

    def test_counts_that_are_not_normalized_are_warned_of(self):
        self.samples()
        said = self.told("fit", "monday", "tuesday", "--pca", "3", "-o", "m.conflux")
        self.assertIn("--normalize log1p-cp10k", said)

    def test_groups_of_another_table_are_joined_by_barcode(self):
        data = DATA / "pbmcs_sparse"
        if not data.exists():
            self.skipTest(f"{data} is not here")
        joined = ("--meta", data / "meta.csv.gz", "--meta-key", "barcode=cell_id")
        self.run_command("fit", data, *joined, "--group", "donor", "--pca", "20", "-o", "m.conflux")
        self.run_command("transform", "m.conflux", data, *joined, "-o", "shared.csv")
        meta = pandas.read_csv(data / "meta.csv.gz")
        self.assertEqual(list(self.frame("shared.csv")["cell_type"]), list(meta["cell_type"]))
        done = self.call("transform", "m.conflux", data, "-o", "x.csv")
        self.assertIn("--group", done.stderr)


if __name__ == "__main__":
    unittest.main()
