"""Corrects a global climate model by a regional one, all variables together.

    python climate_bias.py [--data FOLDER] [--figure FILE]

FOLDER holds gcm_c, rcm_c (calibration) and gcm_p, rcm_p (validation), as .csv.gz; without it,
made-up days are used. Maps are fitted on the calibration years, and lead to the regional model. NB
maps every variable on its own, which is quantile mapping; INB maps them together.
"""

import argparse
import gzip
from pathlib import Path

import numpy as np

from conflux import INB, NB, datasets, metrics, plot


def read(folder):
    """Return rows of both models in both periods, and the names of the variables."""
    if folder is None:
        days, model = datasets.make_weather(2400)
        coarse, fine = days[model == 0], days[model == 1]
        parts = coarse[:1200], fine[:1200], coarse[1200:], fine[1200:]
        return parts, ["temperature", "wind", "humidity"]
    parts = []
    for name in ("gcm_c", "rcm_c", "gcm_p", "rcm_p"):
        with gzip.open(Path(folder) / f"{name}.csv.gz", "rt") as file:
            names = file.readline().strip().split(",")
            parts.append(np.loadtxt(file, delimiter=","))
    return parts, names


def main(data=None, figure=None):
    parts, names = read(data)
    mean, deviation = parts[1].mean(axis=0), parts[1].std(axis=0)
    gcm_c, rcm_c, gcm_p, rcm_p = [(part - mean) / deviation for part in parts]
    X = np.vstack([gcm_c, rcm_c])
    model = np.repeat(["gcm", "rcm"], [len(gcm_c), len(rcm_c)])

    results = {"as it is": metrics.energy_distance(gcm_p, rcm_p)}
    corrected = {}
    for name, aligner in {"NB": NB(target="rcm"), "INB": INB(target="rcm")}.items():
        corrected[name] = aligner.fit(X, model).transform(gcm_p, "gcm")
        results[name] = metrics.energy_distance(corrected[name], rcm_p)
    print(f"{len(gcm_p)} days of validation: energy distance to the regional model")
    for name, distance in results.items():
        print(f"{name:10s} {distance:8.4f}")
    if figure:
        rows = np.vstack([gcm_p, rcm_p])
        after = np.vstack([corrected["INB"], rcm_p])
        labels = np.repeat(["global model", "regional model"], [len(gcm_p), len(rcm_p)])
        picture = plot.pairs(rows, after, labels, columns=(0, 1), names=names, size=2)
        picture.savefig(figure, dpi=80)
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--figure")
    main(**vars(parser.parse_args()))
