#!/usr/bin/env python3
"""What large fits cost and what they are worth: seconds, memory, and distance of unseen rows.

  pool_study.py make FOLDER ROWS FEATURES GROUPS [together]  float32 arrays, and unseen rows
  pool_study.py run COMMAND FOLDER [FIT OPTIONS...]          fits, moves the unseen rows
  pool_study.py transform COMMAND FOLDER                     moves all rows by the fitted model

Rows are of eight separate clusters, whose proportions differ between groups, so that the
default fit has a gate; or lie together in equal shares, so that it has none. Every group sees
them through its own turn, scale, shift and bend. The distance is the mean energy distance of two
groups, without bias, over rows that no fit has seen.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

CLUSTERS = 8
BLOCK = 100_000
UNSEEN = 6000


def rows_of(group: int, count: int, features: int, together: bool,
            generator: np.random.Generator) -> np.ndarray:
    """Rows of one group."""
    shared = np.random.default_rng(1)
    centers = shared.normal(size=(CLUSTERS, features)) * (0.4 if together else 1.5)
    factors = shared.normal(size=(CLUSTERS, 5, features)) * 0.5
    own = np.random.default_rng(100 + group)
    shares = own.dirichlet(np.full(CLUSTERS, 20.0))
    if together:
        shares[:] = 1 / CLUSTERS
    scale = np.exp(0.2 * own.normal(size=features))
    shift = 0.7 * own.normal(size=features)
    bend = 0.3 * own.normal(size=features)
    turn, _ = np.linalg.qr(np.eye(features) + 0.05 * own.normal(size=(features, features)))
    turn *= np.sign(np.diag(turn))
    clusters = generator.choice(CLUSTERS, count, p=shares)
    hidden = generator.standard_normal((count, 5))
    rows = centers[clusters] + np.einsum("ik,ikj->ij", hidden, factors[clusters], optimize=True)
    rows += 0.5 * generator.standard_normal((count, features))
    rows = rows @ turn
    return (scale * rows + shift + bend * np.tanh(rows)).astype(np.float32)


def make(folder: Path, rows: int, features: int, groups: int, together: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "unseen").mkdir(exist_ok=True)
    for m in range(groups):
        count = rows // groups
        out = np.lib.format.open_memmap(folder / f"g{m}.npy", "w+", np.float32, (count, features))
        for begin in range(0, count, BLOCK):
            size = min(BLOCK, count - begin)
            out[begin:begin + size] = rows_of(m, size, features, together,
                                              np.random.default_rng((m, begin)))
        np.save(folder / "unseen" / f"g{m}.npy",
                rows_of(m, UNSEEN, features, together, np.random.default_rng((m, 10**12))))


def timed(command: list[str]) -> dict:
    """Runs it; wall clock and CPU seconds, peak memory."""
    start = time.time()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        out = child.stdout.read()
        err = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(err.decode())
    return {"seconds": round(time.time() - start, 1),
            "cpu": round(usage.ru_utime + usage.ru_stime, 1),
            "peak_mb": round(usage.ru_maxrss / 1024),
            "out": json.loads(out) if out else None}


def mean_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Mean distance of rows of a and b; of different rows if both are the same."""
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
    total = np.sqrt(np.maximum(squares, 0)).sum()
    return total / (len(a) * (len(b) - (a is b)))


def energy(groups: list[np.ndarray]) -> float:
    """Energy distance of two groups without bias, mean over all pairs."""
    within = [mean_distance(rows, rows) for rows in groups]
    pairs = [2 * mean_distance(groups[a], groups[b]) - within[a] - within[b]
             for a in range(len(groups)) for b in range(a)]
    return float(np.mean(pairs))


def run(command: str, folder: Path, options: list[str]) -> None:
    model = str(folder / "model.conflux")
    inputs = sorted(str(path) for path in folder.glob("g*.npy"))
    fit = timed([command, "fit", *inputs, "-o", model, "--force", "--json", *options])
    unseen = sorted((folder / "unseen").glob("g*.npy"))
    moved = folder / "moved"
    moved.mkdir(exist_ok=True)
    told = subprocess.run([command, "transform", model, *map(str, unseen), "-o", str(moved) + "/",
                           "--force", "-q"], capture_output=True)
    if told.returncode:
        sys.exit(told.stderr.decode())
    before = energy([np.load(path).astype(np.float64) for path in unseen])
    after = energy([np.load(moved / path.name).astype(np.float64) for path in unseen])
    summary = fit.pop("out")
    print(" ".join(options) or "defaults", fit, "layers", summary["layers"],
          f"energy {before:.4f} -> {after:.5f}", flush=True)


def transform(command: str, folder: Path) -> None:
    """Moves all rows of the groups."""
    (folder / "moved").mkdir(exist_ok=True)
    inputs = sorted(str(path) for path in folder.glob("g*.npy"))
    done = timed([command, "transform", str(folder / "model.conflux"), *inputs, "-o",
                  str(folder / "moved") + "/", "--force", "-q"])
    done.pop("out")
    print("transform", done, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), *(int(word) for word in sys.argv[3:6]), "together" in sys.argv)
    elif sys.argv[1] == "transform":
        transform(sys.argv[2], Path(sys.argv[3]))
    else:
        run(sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
