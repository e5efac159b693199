"""What gates keep apart: iLISI (groups, should rise) and cLISI (labels, should not), medians.

    /usr/bin/python3 studies/gate_study.py CONFLUX [DATA [GATES [SEED]]]

CONFLUX is the command. The synthetic cases need no files; DATA is a folder that holds pbmcs_sparse
and pbmc3500, which are left out without it. GATES names some of the gates, as auto,label. With SEED
only the families are drawn, with that seed instead of the usual one. Every
case is fitted twice: on all rows, which are then judged, and on a random half, of which the other
half is judged.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

DIM = 20


def centers(count, seed):
    """Points ten deviations apart from each other."""
    columns, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(DIM, count)))
    return 10 / np.sqrt(2) * columns.T


def mixtures(points, shares, sizes, shift, seed):
    random = np.random.default_rng(seed)
    tables = []
    for group, (size, parts) in enumerate(zip(sizes, shares)):
        direction = random.normal(size=DIM)
        direction *= shift / np.linalg.norm(direction)
        clusters = random.choice(len(points), size, p=parts)
        rows = random.normal(size=(size, DIM)) + points[clusters] + direction
        table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(DIM)])
        table["group"] = f"g{group}"
        table["label"] = [f"c{cluster}" for cluster in clusters]
        tables.append(table)
    return pd.concat(tables)


UNEQUAL = [[.5, .2, .1, .1, .1], [.1, .1, .2, .3, .3], [.2, .2, .3, .3, 0], [.2] * 5]


def synthetic_cases():
    yield "pure A, pure B, both", mixtures(centers(2, 1), [[1, 0], [0, 1], [.5, .5]], [600] * 3, 1, 2)
    yield "five clusters", mixtures(centers(5, 3), UNEQUAL, [800, 800, 800, 60], 1, 4)
    yield "five, shifts of 5", mixtures(centers(5, 3), UNEQUAL, [800, 800, 800, 60], 5, 4)
    points = np.zeros((2, DIM))
    points[1, 0] = 6
    yield "a large shift only", mixtures(points, [[.5, .5]] * 2, [1500] * 2, 15, 5)


def dirichlet_shares(count, clusters, evenness, random):
    return random.dirichlet(np.full(clusters, evenness), count)


def cell_lines(random):
    """Two cell lines as Harmony's example has them: 20 components of falling variance, batches of
    pure A, pure B and half of each."""
    deviations = np.r_[4, 6, 4, 3, 2.5, 2, np.full(14, 1.3)]
    lines = np.zeros((2, DIM))
    lines[1, [0, 2, 5]] = 30, 8, 4
    for group, (share, size) in enumerate([(0, 980), (1, 860), (.5, 1020)]):
        clusters = (random.random(size) < share).astype(int)
        shift = .35 * random.normal(size=DIM) * deviations
        yield group, lines[clusters] + deviations * random.normal(size=(size, DIM)) + shift, clusters


def imbalanced(random):
    points = centers(6, 21)
    for group, size in enumerate([3000, 600, 150]):
        clusters = random.choice(6, size, p=np.roll([.6, .2, .1, .05, .03, .02], 2 * group))
        yield group, random.normal(size=(size, DIM)) + points[clusters] + 2 * random.normal(size=DIM) / np.sqrt(DIM), clusters


def nested(random):
    """Three types of three subtypes each; subtypes are five deviations apart."""
    outer, inner = centers(3, 22), centers(9, 23) / 2
    for group in range(3):
        clusters = random.choice(9, 900, p=random.dirichlet(np.ones(9)))
        yield group, random.normal(size=(900, DIM)) + 1.5 * outer[clusters // 3] + inner[clusters] + 3 * random.normal(size=DIM) / np.sqrt(DIM), clusters


def trajectory(random):
    """A curve that groups cover unevenly, and one type apart from it; labels are thirds of it."""
    for group, (a, b) in enumerate([(1, 2), (2, 1), (1, 1)]):
        along = random.beta(a, b, 900)
        rows = random.normal(size=(900, DIM))
        rows[:, 0] += 20 * along
        rows[:, 1] += 6 * np.sin(np.pi * along)
        clusters = (3 * along).astype(int)
        other = random.random(900) < [.1, .3, .2][group]
        rows[other] = random.normal(size=(other.sum(), DIM))
        rows[other, 2] += 15
        clusters[other] = 3
        yield group, rows + 2 * random.normal(size=DIM) / np.sqrt(DIM), clusters


def half_missing(random):
    points = centers(8, 24)
    for group, held in enumerate([range(8), range(4), range(2, 8)]):
        clusters = random.choice(list(held), 900)
        yield group, random.normal(size=(900, DIM)) + points[clusters] + 3 * random.normal(size=DIM) / np.sqrt(DIM), clusters


def rotated(random):
    """Groups are turned a little and stretched instead of shifted."""
    points = centers(5, 25)
    for group, parts in enumerate(dirichlet_shares(3, 5, 2, random)):
        turn = random.normal(size=(DIM, DIM)) * .06
        turn = np.linalg.qr(np.eye(DIM) + turn - turn.T)[0]
        clusters = random.choice(5, 900, p=parts)
        rows = random.normal(size=(900, DIM)) + points[clusters]
        yield group, rows @ turn * np.exp(.15 * random.normal(size=DIM)), clusters


def noise(random):
    """30 more features without any structure."""
    points = centers(5, 26)
    for group, parts in enumerate(dirichlet_shares(3, 5, 1, random)):
        clusters = random.choice(5, 900, p=parts)
        rows = random.normal(size=(900, DIM)) + points[clusters] + 3 * random.normal(size=DIM) / np.sqrt(DIM)
        yield group, np.hstack([rows, random.normal(size=(900, 30))]), clusters


def twenty_groups(random):
    points = centers(6, 27)
    for group, parts in enumerate(dirichlet_shares(20, 6, 1, random)):
        clusters = random.choice(6, 300, p=parts)
        yield group, random.normal(size=(300, DIM)) + points[clusters] + 2 * random.normal(size=DIM) / np.sqrt(DIM), clusters


def equal_shares(random):
    """A batch effect alone: whole groups may be aligned as well."""
    points = centers(4, 28)
    for group in range(3):
        clusters = random.choice(4, 900)
        yield group, random.normal(size=(900, DIM)) + points[clusters] + 4 * random.normal(size=DIM) / np.sqrt(DIM), clusters


# No choice was made on families of this seed.
HELD_BACK = 2026
FAMILIES = [cell_lines, imbalanced, nested, trajectory, half_missing, rotated, noise, twenty_groups,
            equal_shares]


def families(seed):
    """Cases on which nothing was chosen."""
    for family in FAMILIES:
        tables = []
        for group, rows, clusters in family(np.random.default_rng(seed)):
            table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])
            table["group"], table["label"] = f"g{group}", [f"c{cluster}" for cluster in clusters]
            tables.append(table)
        yield family.__name__.replace("_", " "), pd.concat(tables)


def principal_components(rows, count):
    left, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return left[:, :count] * sizes[:count]


def real_cases(data):
    import scipy.io
    sparse = data / "pbmcs_sparse"
    meta = pd.read_csv(sparse / "meta.csv.gz")
    rows = scipy.io.mmread(sparse / "matrix.mtx.gz").T.toarray()
    table = pd.DataFrame(principal_components(rows, 20), columns=[f"PC{j}" for j in range(20)])
    table["group"], table["label"] = meta.donor, meta.cell_type
    yield "pbmcs_sparse", table
    table = pd.read_csv(data / "pbmc3500" / "pbmc_3500_pcs.tsv.gz", sep="\t").select_dtypes("number")
    table["group"] = pd.read_csv(data / "pbmc3500" / "pbmc_3500_meta.tsv.gz", sep="\t").donor
    yield "pbmc3500", table


def judged(command, folder, fitted, seen, gate):
    """Metrics of `seen` rows after a fit on others or the same."""
    label = ["--label", "label"] if "label" in fitted else []
    fitted.to_csv(folder / "fitted.csv", index=False)
    seen.to_csv(folder / "seen.csv", index=False)
    # The column of labels is known to the fit only where a gate asks for it.
    words = label if gate == "label" else ["--drop", "label"] if label else []
    subprocess.run([command, "fit", "fitted.csv", "--group", "group", *words, "--gate", gate, "-q",
                    "--force", "-o", "m.conflux"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
    metrics = "ilisi,transport_cost,neighbors_kept" + (",clisi" if label else "")
    done = subprocess.run(
        [command, "evaluate", "m.conflux", "seen.csv", *label, "--metrics", metrics, "--max-rows",
         "100000", "--json"], cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["metrics"]


def change(metric):
    return f"{metric['before']:.3g} -> {metric['after']:.3f}" if metric else ""


def row(command, folder, title, table, gate):
    mixed = table.sample(frac=1, random_state=5)
    half = len(mixed) // 2
    found = judged(command, folder, table, table, gate)
    unseen = judged(command, folder, mixed[:half], mixed[half:], gate)
    return (f"| {title} | {gate} | {change(found['ilisi'])} | {change(found.get('clisi'))} "
            f"| {change(unseen['ilisi'])} | {change(unseen.get('clisi'))} "
            f"| {unseen['transport_cost']['mean']:.1f} | {unseen['neighbors_kept']['mean']:.2f} |")


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    cases = list(synthetic_cases())
    if len(sys.argv) > 2:
        cases += list(real_cases(pathlib.Path(sys.argv[2])))
    made = [(title, table, ["none", "auto", "label"]) for title, table in cases]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else HELD_BACK
    if len(sys.argv) > 4:
        made = []
    made += [(title, table, ["none", "auto"]) for title, table in families(seed)]
    asked = sys.argv[3].split(",") if len(sys.argv) > 3 else ["none", "auto", "label"]
    print("| rows | gate | iLISI | cLISI | iLISI, unseen | cLISI, unseen | TC | neighbors kept |\n"
          "|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for title, table, gates in made:
            for gate in gates:
                if gate in asked and (gate != "label" or "label" in table):
                    print(row(command, pathlib.Path(name), title, table, gate), flush=True)


if __name__ == "__main__":
    main()
