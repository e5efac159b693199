#!/usr/bin/env python3
"""Two sites that keep their rows: how near rows come that no fit has seen.

  pool_study.py make FOLDER ROWS FEATURES 2 together
  site_study.py COMMAND FOLDER [FIT OPTIONS...]

Each group is fitted by a process of its own, with --share summaries, and its unseen rows are moved
by its own model. Prints the energy distance before and after.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from pool_study import energy

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-q"]


def main(command: str, folder: Path, options: list[str]) -> None:
    words = list(MPIRUN)
    for m in range(2):
        words += [*([":"] if m else []), "-n", "1", command, "fit", str(folder / f"g{m}.npy"),
                  "--share", "summaries", "--method", "inb", "-j", "1", "-q", "--force", "-o",
                  str(folder / f"site{m}.conflux"), *options]
    subprocess.run(words, check=True)
    before, after = [], []
    for m in range(2):
        unseen, moved = folder / "unseen" / f"g{m}.npy", folder / f"moved{m}.npy"
        subprocess.run([command, "transform", str(folder / f"site{m}.conflux"), str(unseen), "-q",
                        "--force", "-o", str(moved)], check=True)
        before.append(np.load(unseen).astype(np.float64))
        after.append(np.load(moved).astype(np.float64))
    print(" ".join(options) or "defaults", f"energy {energy(before):.4f} -> {energy(after):.3g}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
