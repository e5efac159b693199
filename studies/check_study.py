"""Is `conflux check` right? Real tables of which the answer is known, and groups that mean nothing.

    /usr/bin/python3 studies/check_study.py CONFLUX DATA [SEEDS]

CONFLUX is the command, DATA a folder that holds cytonorm_fcs, compas, adult, cccma_climate and
pbmcs_sparse. The first table asks which features differ. The second permutations the groups to rows at
random, SEEDS times (200) per table, and counts how often a difference is claimed; the stated rate is
5 %. Prints both, in Markdown.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

# The channels that CytoNorm normalizes, from 1.
CHANNELS = [48, 46, 43, 45, 20, 16, 21, 19, 22, 50, 47, 40, 44, 33, 17, 11, 18, 51, 14, 23, 32, 10,
            49, 27, 24, 31, 42, 37, 39, 34, 41, 26, 30, 28, 29, 25, 35]
PEOPLE = ["African-American", "Caucasian"]


def fcs(path):
    """Return the channels of an FCS file that are normalized, as arcsinh(x / 5)."""
    data = pathlib.Path(path).read_bytes()
    begin, end = int(data[10:18]), int(data[18:26])
    words = data[begin + 1:end].decode("latin-1").split(chr(data[begin]))
    text = dict(zip(words[::2], words[1::2]))
    events, channels = int(text["$TOT"]), int(text["$PAR"])
    order = ">" if text["$BYTEORD"].startswith("4") else "<"
    rows = np.frombuffer(data, order + "f4", events * channels, int(text["$BEGINDATA"]))
    rows = rows.reshape(events, channels)
    names = [text.get(f"$P{c}S") or text[f"$P{c}N"] for c in CHANNELS]
    chosen = np.arcsinh(rows[:, [c - 1 for c in CHANNELS]].astype(float) / 5)
    return pd.DataFrame(chosen, columns=names)


def cytonorm(data, volunteer):
    parts = [fcs(data / f"cytonorm_fcs/Gates_{batch}_Unstim_Control_{volunteer}.fcs").assign(group=batch)
             for batch in ("PTLG021", "PTLG028", "PTLG034")]
    return pd.concat(parts, ignore_index=True)


def compas(data):
    table = pd.read_csv(data / "compas/compas-scores-two-years.csv.gz")
    table = table[table.race.isin(PEOPLE)]
    features = ["age", "priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count"]
    return table[features].assign(group=table.race)


def adult(data):
    table = pd.read_csv(data / "adult/adult.csv.gz")
    features = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    return table[features].assign(group=table["sex"].str.strip())


def climate(data):
    parts = [pd.read_csv(data / f"cccma_climate/{name}_c.csv.gz").assign(group=name)
             for name in ("gcm", "rcm")]
    return pd.concat(parts, ignore_index=True)


def beside_heavy_tails(_, seed=0):
    """A normal feature that is shifted by 0.8, beside a heavy-tailed one that is not."""
    random = np.random.default_rng(seed)
    groups = np.repeat(["a", "b"], 200)
    return pd.DataFrame({"shifted": random.normal(size=400) + 0.8 * (groups == "b"),
                         "heavy": random.standard_cauchy(400), "group": groups})


def genes(data):
    folder = data / "pbmcs_sparse"
    with gzip.open(folder / "matrix.mtx.gz", "rt") as file:
        lines = [line for line in file if not line.startswith("%")]
    shape = [int(word) for word in lines[0].split()[:2]]
    entries = np.loadtxt(lines[1:])
    rows = np.zeros(shape[::-1])
    rows[entries[:, 1].astype(int) - 1, entries[:, 0].astype(int) - 1] = entries[:, 2]
    meta = pd.read_csv(folder / "meta.csv.gz")
    return pd.DataFrame(rows, columns=[f"g{j}" for j in range(shape[0])]).assign(group=meta.donor)


def check(command, table, *words):
    """Return what check says, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        table.to_csv(pathlib.Path(folder) / "t.csv", index=False)
        start = time.monotonic()
        done = subprocess.run([command, "check", "t.csv", "--group", "group", "--json", "-q", *words],
                              cwd=folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout), time.monotonic() - start


TABLES = [
    ("cytonorm, volunteer 1 by batch", lambda data: cytonorm(data, 1), ["differs"]),
    ("compas by race", compas, ["age", "priors_count"]),
    ("adult by sex", adult, ["age", "hours-per-week"]),
    ("climate, two models", climate, "pr tas dtr sfcWind ps huss rsds rlds".split()),
    ("a shift of 0.8 beside a heavy-tailed feature", beside_heavy_tails, ["shifted"]),
    ("pbmcs, 1767 genes by technology", genes, ["differs"]),
]


def answers(command, data):
    print("| rows | AUC (chance) | features that differ | wanted | seconds |")
    print("|---|---|---|---|---|")
    for title, make, wanted in TABLES:
        table = make(data)
        found, seconds = check(command, table)
        named = [name for name, each in found["features"].items() if each["differs"]]
        count = len(table.columns) - 1
        shown = ", ".join(named) if len(named) <= 8 else f"{len(named)} of {count}"
        prediction = found["prediction"]
        print(f"| {title} | {prediction['auc']:.3f} ({prediction['by_chance']:.3f}) | {shown} | "
              f"{', '.join(wanted)} | {seconds:.1f} |", flush=True)


def error_rates(command, data, seeds):
    print("\n| rows, groups assigned at random | seeds | a difference is claimed |\n|---|---|---|")
    tables = [("compas, 1000 rows", compas(data).iloc[::6][:1000]),
              ("cytonorm, 1000 rows", cytonorm(data, 1).iloc[::3]),
              ("climate, 1000 rows", climate(data).iloc[::8][:1000])]
    for title, table in tables:
        claims = 0
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            permuted = table.assign(group=random.permutation(table.group.to_numpy()))
            claims += check(command, permuted, "--seed", str(seed))[0]["differ"]
        print(f"| {title} | {seeds} | {claims} ({claims / seeds:.1%}) |", flush=True)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    command, data = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    answers(command, data)
    error_rates(command, data, int(sys.argv[3]) if len(sys.argv) == 4 else 200)


if __name__ == "__main__":
    main()
