#!/usr/bin/env python3
"""Does the default fit leave rows alone whose groups mean nothing?

    /usr/bin/python3 studies/noise_study.py build/release/apps/conflux/conflux [SEEDS]

permutations groups to rows at random, fits with defaults, and counts how often no row is moved: 95 of 100
times is right, the error rate of the test that a fit begins with. Prints a table.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd


def normal(random):
    """Two groups of five normal features."""
    return random.randn(400, 5), 2


def counts(random):
    """Three groups of counts, most of them zero, and shares."""
    return np.hstack([random.poisson(0.4, (300, 4)), random.rand(300, 2)]), 3


def wide(random):
    """Two small groups of 40 features with common factors."""
    return random.randn(120, 3) @ random.randn(3, 40) + 0.5 * random.randn(120, 40), 2


def left_alone(command, folder, shape, seed):
    random = np.random.RandomState(seed)
    rows, groups = shape(random)
    table = pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])
    table.assign(group=[f"g{k}" for k in random.permutation(len(rows)) % groups]).to_csv(folder / "rows.csv", index=False)
    words = [command, "fit", "rows.csv", "--group", "group", "-o", "rows.conflux", "--force", "-j", "1", "--json", "-q"]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["layers"] == 0


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    command = pathlib.Path(sys.argv[1]).resolve()
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print(f"| rows whose groups were assigned at random | left alone in {seeds} fits |\n|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for shape in (normal, counts, wide):
            alone = sum(left_alone(command, pathlib.Path(name), shape, seed) for seed in range(seeds))
            print(f"| {shape.__doc__[:-1].lower()} | {alone} ({100 * alone / seeds:.1f} %) |", flush=True)


if __name__ == "__main__":
    main()
