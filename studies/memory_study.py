#!/usr/bin/env python3
"""How much memory a fit of rows in single precision takes, beyond a fit of almost no rows.

  memory_study.py COMMAND [MEGABYTES]

Two groups of normal rows in npy files of float32, a few layers. The data are counted once, in
float32: 1.00 is the data alone.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np


def peak_bytes(command: str, folder: Path, rows: int, features: int) -> int:
    """The largest resident size of a fit."""
    generator = np.random.default_rng(0)
    for m in range(2):
        values = generator.standard_normal((rows // 2, features), dtype=np.float32) + np.float32(m)
        np.save(folder / f"g{m}.npy", values)
    fit = [command, "fit", str(folder / "g0.npy"), str(folder / "g1.npy"), "-q", "--layers", "3",
           "--fit-rows", "all", "-o", str(folder / "model.conflux")]
    # A process of its own, so that the peak is that of this fit alone.
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", code, *fit], check=True, capture_output=True)
    return 1024 * int(out.stdout)


def main() -> None:
    command = sys.argv[1]
    megabytes = float(sys.argv[2]) if len(sys.argv) > 2 else 400
    print("| rows | features | data | peak beyond an empty fit | times the data |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for features in (20, 50, 100, 200, 784):
            rows = int(megabytes * 1e6 / (4 * features)) // 2 * 2
            empty = peak_bytes(command, folder, 1000, features)
            peak = peak_bytes(command, folder, rows, features) - empty
            data = 4 * rows * features
            print(f"| {rows} | {features} | {data / 1e6:.0f} MB | {peak / 1e6:.0f} MB "
                  f"| {peak / data:.2f} |", flush=True)


if __name__ == "__main__":
    main()
