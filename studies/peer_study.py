"""Others beside conflux, on the same real tables, judged by the same figures.

    /usr/bin/python3 studies/peer_study.py build/release/apps/conflux/conflux ../shared/data [WORD...]

writes docs/results/peers.md; with words, only the sections that have one of them in their title. Peers
are those that Debian has (tools/install_packages.sh peers): ComBat of sva, limma, Seurat, scikit-learn,
POT. CPU seconds and the largest memory are those of whole processes, reading and writing included, on one
thread each. Where a peer can move rows that it was not fitted on, all are judged on such rows.
"""

import itertools
import os
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads of a busy machine wait long for each other
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import anndata
import numpy as np
import pandas as pd
import scipy.sparse
from PIL import Image
from scipy.stats import wasserstein_distance
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import real_data

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent / "docs/results/peers.md"
HEAD = """# Others beside conflux

Made by `/usr/bin/python3 studies/peer_study.py build/release/apps/conflux/conflux ../shared/data`. CPU seconds and memory are
those of whole processes on one thread, with what they read and write. *New rows*: whether rows that the method was not
fitted on can be moved; if so, they judge it.
"""


LAUNCHER = """
import os, sys
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(f"\\n{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}", file=sys.stderr)
sys.exit(status != 0)
"""


class Runner:
    """Runs programs in a folder and adds up what they cost."""

    def __init__(self, program, folder):
        self.program, self.folder = str(pathlib.Path(program).resolve()), pathlib.Path(folder)
        self.seconds, self.megabytes = 0, 0

    def start(self):
        self.seconds, self.megabytes = 0, 0

    def __call__(self, *words):
        words = [str(each) for each in words]
        limited = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        # A child begins with the largest memory of who starts it, so somebody small does.
        done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *words], env={**os.environ, **limited},
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        seconds, megabytes = map(float, done.stderr.split("\n")[-2].split())
        self.seconds += seconds
        self.megabytes = max(self.megabytes, megabytes)

    def conflux(self, verb, *words):
        threads = [] if verb == "convert" else ["--threads", "1"]
        self(self.program, verb, *words, *threads, "--force")

    def r(self, name, table, out):
        self("Rscript", "--vanilla", HERE / "peers.R", name, table, out)

    def python(self, name, fit, new, out):
        self(sys.executable, HERE / "peers.py", name, fit, new, out)

    def write(self, name, table):
        table.to_csv(self.folder / name, index=False)
        return self.folder / name

    def read(self, name):
        return pd.read_csv(self.folder / name)


def numbers(table):
    return table.drop(columns=["batch", "label"], errors="ignore").to_numpy(float)


def explained(rows, truth):
    """Share of the variance of the rows that lies between the values of `truth`."""
    rows = rows - rows.mean(0)
    between = sum((truth == each).sum() * np.square(rows[truth == each].mean(0)) for each in np.unique(truth))
    return between.sum() / np.square(rows).sum()


def mixing(rows, truth, neighbors=90, perplexity=30):
    """LISI, the mean number of values of `truth` around a row."""
    distances, near = NearestNeighbors(n_neighbors=neighbors + 1).fit(rows).kneighbors(rows)
    distances, near = distances[:, 1:], near[:, 1:]
    low, high = np.full(len(rows), 1e-10), np.full(len(rows), 1e10)
    for _ in range(100):
        beta = np.sqrt(low * high)
        weights = np.exp(-(distances - distances[:, :1]) * beta[:, None])
        weights /= weights.sum(1, keepdims=True)
        wide = -(weights * np.log(weights + 1e-300)).sum(1) > np.log(perplexity)
        low, high = np.where(wide, beta, low), np.where(wide, high, beta)
    codes = pd.Categorical(truth).codes
    shares = np.stack([(weights * (codes[near] == k)).sum(1) for k in range(codes.max() + 1)])
    return (1 / np.square(shares).sum(0)).mean()


def predict_groups(rows, batch):
    return real_data.group_auc(pd.DataFrame(rows), pd.Categorical(batch).codes)


def write_cells(path, rows, names, about):
    """An AnnData file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells_ = anndata.AnnData(scipy.sparse.csr_matrix(rows), obs=about.set_index(np.arange(len(about)).astype(str)),
                                 dtype=float)
        cells_.var_names = names
        cells_.write_h5ad(path)
    return path


def expression(run, data):
    """57 arrays: batches of 4 to 19, and what is to be kept is confounded with them."""
    stored = np.load(data / "bladderbatch/bladder_top5000.npz")
    about = pd.read_csv(data / "bladderbatch/pheno.csv")
    about = pd.DataFrame({"batch": [f"b{k:.0f}" for k in about.batch], "label": about.cancer.to_numpy()})
    names = [f"p{j}" for j in range(stored["X"].shape[1])]
    rows = stored["X"].astype(float)
    table = run.write("arrays.csv", pd.concat([pd.DataFrame(rows, columns=names), about], axis=1))
    arrays = write_cells(run.folder / "arrays.h5ad", rows, names, about)

    def row(name, moved, new):
        return [name, explained(moved, about.batch), explained(moved, about.label), cost(run), new]

    out = [[*row("as measured", rows, "")[:3], "", ""]]
    for peer, name in (("combat", "ComBat (sva)"), ("combat_label", "ComBat, `mod = ~ cancer`"),
                       ("limma", "limma removeBatchEffect"), ("limma_label", "limma, `design = ~ cancer`")):
        run.start()
        run.r(peer, table, run.folder / "out.csv")
        out.append(row(name, numbers(run.read("out.csv")), "no"))
    for name, words in (("conflux `--gate none`", ["--gate", "none"]),
                        ("conflux `--label cancer`", ["--label", "label"])):
        run.start()
        run.conflux("fit", arrays, "--group", "batch", *words, "-o", run.folder / "m.conflux")
        run.conflux("transform", run.folder / "m.conflux", arrays, "--expression", "-o", run.folder / "out.npy")
        out.append(row(name, np.load(run.folder / "out.npy"), "yes"))
    return ["", "variance between batches", "between cancer types", "CPU s / MB", "new rows"], out


def cost(run):
    return f"{run.seconds:.1f} / {run.megabytes:.0f}"


def cells(run, data):
    """1,200 cells of three technologies, by 20 components; types judge."""
    about = pd.read_csv(data / "pbmcs_sparse/meta.csv.gz").rename(columns={"donor": "batch", "cell_type": "label"})
    about = about[["batch", "label"]]
    run.conflux("convert", data / "pbmcs_sparse/matrix.mtx.gz", run.folder / "genes.csv")
    genes = run.read("genes.csv").select_dtypes("number")
    table = run.write("cells.csv", pd.concat([genes, about], axis=1))
    order = np.random.RandomState(0).permutation(len(about))
    parts = {"all": np.arange(len(about)), "half": order[:600], "new": order[600:]}
    paths = {name: write_cells(run.folder / f"{name}.h5ad", genes.to_numpy()[chosen], genes.columns,
                               about.iloc[chosen]) for name, chosen in parts.items()}
    model = run.folder / "m.conflux"

    def figures(rows, of):
        nearest = KNeighborsClassifier(1)
        batch, label = of.batch.to_numpy(), of.label.to_numpy()
        right = [nearest.fit(rows[batch != each], label[batch != each]).predict(rows[batch == each]) ==
                 label[batch == each] for each in np.unique(batch)]
        return [predict_groups(rows, batch), mixing(rows, batch), mixing(rows, label), np.concatenate(right).mean()]

    components = PCA(20, random_state=0).fit_transform(genes.to_numpy())
    out = [["20 components, all cells", *figures(components, about), "", ""]]
    run.start()
    run.r("rpca", table, run.folder / "out.csv")
    out.append(["Seurat 4.3 RPCA, cells of the fit", *figures(numbers(run.read("out.csv")), about), cost(run), "no"])
    for name, used, moved in (("conflux `--pca 20`, cells of the fit", "all", "all"),
                              ("conflux `--pca 20`, fitted on the other half", "half", "new")):
        run.start()
        run.conflux("fit", paths[used], "--group", "batch", "--pca", 20, "-o", model)
        run.conflux("transform", model, paths[moved], "-o", run.folder / "out.npy")
        out.append([name, *figures(np.load(run.folder / "out.npy"), about.iloc[parts[moved]]), cost(run), "yes"])
    return ["", "batch predicted (AUC)", "batches around a cell (iLISI, 3 at most)",
            "types around a cell (cLISI, 1 at best)", "type of the nearest cell elsewhere", "CPU s / MB", "new rows"], out


def donors(run, data):
    """3,500 cells of three donors, 30 components; Harmony's result is the one that its authors publish with these data."""
    folder = data / "pbmc3500"
    rows = pd.read_csv(folder / "pbmc_3500_pcs.tsv.gz", sep="\t")
    batch = pd.read_csv(folder / "pbmc_3500_meta.tsv.gz", sep="\t").donor.to_numpy()
    harmony = pd.read_csv(folder / "pbmc_3500_pcs_harmonized.tsv.gz", sep="\t")

    def figures(moved, donor):
        return [predict_groups(moved, donor), mixing(moved, donor)]

    run.start()
    table = run.write("cells.csv", rows.assign(batch=batch))
    run.conflux("fit", table, "--group", "batch", "-o", run.folder / "m.conflux")
    run.conflux("transform", run.folder / "m.conflux", table, "-o", run.folder / "out.csv")
    moved = numbers(run.read("out.csv"))
    shuffled = np.random.RandomState(0).permutation(batch)
    return ["", "donor predicted (AUC)", "donors around a cell (iLISI)", "CPU s / MB", "new rows"], [
        ["as measured", *figures(rows.to_numpy(), batch), "", ""],
        ["Harmony 1.2.4 in R (published), cells of the fit", *figures(harmony.to_numpy(), batch), "", "no"],
        ["conflux, cells of the fit", *figures(moved, batch), cost(run), "yes"],
        ["donors permuted: what chance gives", *figures(rows.to_numpy(), shuffled), "", ""]]


def both(run, fit, new, peers, words):
    """Rows `new`, moved by peers that learn from `fit` and by conflux: names and rows."""
    paths = [run.write("fit.csv", fit), run.write("new.csv", new)]
    for peer, name in peers:
        run.start()
        run.python(peer, *paths, run.folder / "out.csv")
        yield name, numbers(run.read("out.csv"))
    run.start()
    labels = ["--drop", "label"] if "label" in fit else []
    run.conflux("fit", paths[0], "--group", "batch", *labels, *words[1:], "-o", run.folder / "m.conflux")
    run.conflux(words[0][0], run.folder / "m.conflux", paths[1], *words[0][1:], "-o", run.folder / "out.csv")
    yield " ".join(["conflux", *(f"`{' '.join(words[1:])}`" for _ in words[1:2])]), numbers(run.read("out.csv"))


def cytometry(run, data):
    """37 markers, three batches; learnt from one volunteer, judged on another."""
    tables = []
    for volunteer in (1, 2):
        files = sorted((data / "cytonorm_fcs").glob(f"*_Control_{volunteer}.fcs"))
        tables.append(pd.concat([real_data.read_fcs(each).assign(batch=re.search("PTLG[0-9]+", each.name)[0])
                                 for each in files]))
    fit, new = tables
    batch = new.batch.to_numpy()

    def figures(rows):
        pairs = itertools.combinations([rows[batch == each] for each in np.unique(batch)], 2)
        return [np.mean([[wasserstein_distance(a[:, j], b[:, j]) for j in range(rows.shape[1])] for a, b in pairs]),
                predict_groups(rows, batch)]

    out = [["as measured", *figures(numbers(new)), "", ""]]
    for words in ([["transform"], "--method", "nb"], [["transform"]]):
        peers = [("quantiles", "scikit-learn QuantileTransformer")] if words[1:] else []
        for name, rows in both(run, fit, new, peers, words):
            out.append([name, *figures(rows), cost(run), "yes"])
    return ["", "mean W1 of a marker between batches", "batch predicted (AUC)", "CPU s / MB", "new rows"], out


def climate(run, data):
    """Eight variables of a global model as those of a regional one, in years after those of the fit."""
    read = {name: pd.read_csv(data / f"cccma_climate/{name}.csv.gz") for name in ("gcm_c", "rcm_c", "gcm_p", "rcm_p")}
    fit = pd.concat([read["gcm_c"].assign(batch="gcm"), read["rcm_c"].assign(batch="rcm")])
    new = read["gcm_p"].assign(batch="gcm")

    def unit(rows):
        return (rows - read["rcm_c"].mean().to_numpy()) / read["rcm_c"].std().to_numpy()

    truth = unit(read["rcm_p"].to_numpy())

    def figures(rows):
        negative = (pd.DataFrame(rows, columns=read["gcm_p"].columns)[["pr", "sfcWind", "huss", "dtr"]] < 0).sum().sum()
        return [real_data.energy_distance(unit(rows), truth), int(negative)]

    out = [["as simulated", *figures(numbers(new)), "", ""]]
    peers = [("quantiles_to", "scikit-learn QuantileTransformer, variable by variable"),
             ("sinkhorn", "POT SinkhornTransport"), ("emd", "POT EMDTransport")]
    for name, rows in both(run, fit, new, peers, [["translate", "--to", "rcm"]]):
        out.append([name, *figures(rows), cost(run), "yes"])
    return ["", "energy distance", "values below zero that cannot be", "CPU s / MB", "new rows"], out


def people(run, data):
    """COMPAS: race is not to be predicted, charges are to be; half of the rows judge."""
    table = real_data.compas(data)[["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "race",
                                    "two_year_recid"]].rename(columns={"race": "batch", "two_year_recid": "label"})
    fit, new = real_data.halves(table)

    def figures(rows):
        return [predict_groups(rows, new.batch), real_data.group_auc(pd.DataFrame(rows), new.label.to_numpy())]

    out = [["as recorded", *figures(numbers(new)), "", ""]]
    peers = [("linear", "scikit-learn LinearRegression (as CorrelationRemover)"),
             ("quantiles", "scikit-learn QuantileTransformer")]
    for name, rows in both(run, fit, new, peers, [["transform"], "--gate", "none"]):
        out.append([name, *figures(rows), cost(run), "yes"])
    return ["", "race predicted (AUC)", "label predicted (AUC)", "CPU s / MB", "new rows"], out


def digits(run, data):
    """MNIST is moved to USPS on 60 components; half of both judges: whose digit has the nearest row?"""
    stored = np.load(data / "mnist_usps/mnist_usps.npz")
    rows = np.concatenate([stored["X_mnist"], stored["X_usps"]]).astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    table = pd.DataFrame(PCA(60, random_state=0).fit_transform(rows), columns=[f"PC{k}" for k in range(1, 61)])
    table = table.assign(batch=np.repeat(["mnist", "usps"], [len(stored["X_mnist"]), len(stored["X_usps"])]),
                         label=np.concatenate([np.ravel(stored["y_mnist"]), np.ravel(stored["y_usps"])]))
    order = np.random.RandomState(0).permutation(len(table))
    fit, new = (table.iloc[np.sort(part)] for part in np.split(order, 2))
    batch, label = new.batch.to_numpy(), new.label.to_numpy()

    def figures(moved):
        sides = [batch == "mnist", batch == "usps"]
        return [100 * (KNeighborsClassifier(1).fit(moved[a], label[a]).predict(moved[b]) == label[b]).mean()
                for a, b in (sides, sides[::-1])]

    out = [["as they are", *figures(numbers(new)), "", ""]]
    peers = [("sinkhorn", "POT SinkhornTransport"), ("emd", "POT EMDTransport")]
    for name, moved in both(run, fit, new, peers, [["translate", "--to", "usps"], "--gate", "clusters"]):
        out.append([name, *figures(moved), cost(run), "yes"])
    return ["", "MNIST -> USPS, %", "USPS -> MNIST, %", "CPU s / MB", "new rows"], out


def colors(run, data):
    """5,000 pixels of two photographs teach, 20,000 others judge."""
    parts = []
    for name in ("day", "sunset"):
        pixels = np.asarray(Image.open(data / f"color_transfer/ocean_{name}.jpg").convert("RGB")).reshape(-1, 3)
        chosen = np.random.RandomState(0).permutation(len(pixels))[:25000]
        parts.append(pd.DataFrame(pixels[chosen], columns=["red", "green", "blue"]).assign(batch=name))
    fit, new = pd.concat([each[:5000] for each in parts]), pd.concat([each[5000:] for each in parts])
    target = numbers(new[new.batch == "sunset"])
    spread = numbers(fit[fit.batch == "sunset"]).std(0)
    directions = np.random.RandomState(1).normal(size=(3, 50))
    directions /= np.linalg.norm(directions, axis=0)

    def figures(rows):
        moved = rows[(new.batch == "day").to_numpy()]
        lines = [np.sort(each / spread @ directions, axis=0) for each in (moved, target)]
        return [np.square(lines[0] - lines[1]).mean()]

    out = [["as photographed", *figures(numbers(new)), "", ""]]
    peers = [("sinkhorn", "POT SinkhornTransport"), ("emd", "POT EMDTransport")]
    move = ["translate", "--to", "sunset"]
    for words in ([move, "--method", "gb-inb", "--layers", "6"], [move]):
        for name, rows in both(run, fit, new, peers if words[1:] else [], words):
            out.append([name, *figures(rows), cost(run), "yes"])
    return ["", "sliced squared W2 of the palettes", "CPU s / MB", "new rows"], out


SECTIONS = [("Expression arrays: bladderbatch, 57 x 5,000", expression), ("Single cells: three technologies", cells),
            ("Single cells: three donors", donors),
            ("Cytometry: batches of one panel", cytometry), ("Climate: one model as another", climate),
            ("Fairness: COMPAS by race", people), ("Domain adaptation: MNIST and USPS", digits),
            ("Colors: day and sunset", colors)]


def shown(value):
    return value if isinstance(value, str) else f"{value:.3g}" if abs(value) > 1e-12 else "0"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[2]).resolve()
    parts = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    found = {part.split("\n")[0]: part.rstrip() for part in parts}
    for title, make in SECTIONS:
        if sys.argv[3:] and not any(word in title for word in sys.argv[3:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            head, rows = make(Runner(sys.argv[1], folder), data)
        lines = [title, "", make.__doc__.strip(), "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|",
                 *("| " + " | ".join(map(shown, row)) + " |" for row in rows)]
        found[title] = "\n".join(lines)
        print(found[title], flush=True)
        PAGE.write_text(HEAD + "".join(f"\n## {found[each]}\n" for each, _ in SECTIONS if each in found))


if __name__ == "__main__":
    main()
