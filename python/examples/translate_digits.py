"""Writes every digit as every other, in the same hand.

    python translate_digits.py [--data FOLDER] [--figure FILE]

FOLDER holds mnist_usps.npz (2000 digits of MNIST in 16 x 16 pixels); without it, the 8 x 8 digits
of the package are used. Every tenth image is held out, translated, and drawn.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

from conflux import Aligner, FitWarning, datasets, metrics, plot


def read(folder):
    if folder is None:
        X, digits = datasets.load_digits()
        return X / 16, digits, (8, 8)
    with np.load(Path(folder) / "mnist_usps.npz", allow_pickle=False) as file:
        X = file["X_mnist"].astype(np.float64)
        digits = file["y_mnist"].ravel().astype(int) - 1
    return X, digits, (16, 16)


def main(data=None, figure=None):
    X, digits, shape = read(data)
    held_out = np.arange(len(X)) % 10 == 0
    aligner = Aligner(goal="hide").fit(X[~held_out], digits[~held_out])

    rows, labels = X[held_out], digits[held_out]
    back = aligner.inverse_transform(aligner.transform(rows, labels), labels)
    error = metrics.round_trip_error(rows, back)
    gains = []
    for target in range(10):
        real = X[(digits == target) & ~held_out]
        others = labels != target
        translated = aligner.translate(rows[others], labels[others], target)
        gains.append([
            metrics.energy_distance(rows[others], real),
            metrics.energy_distance(translated, real),
        ])
    before, after = np.mean(gains, axis=0)
    print(f"{held_out.sum()} images that were not fitted on, {len(aligner.layers_)} layers")
    print(f"energy distance to real images of the target: {before:.3f}, translated {after:.3f}")
    print(f"there and back: relative error {error:.0e}")
    if figure:
        picture = plot.translations(aligner, rows, labels, shape, limits=(0, 1))
        picture.savefig(figure, dpi=80)
    return before, after, error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--figure")
    warnings.simplefilter("ignore", FitWarning)  # pixels that are always white
    main(**vars(parser.parse_args()))
