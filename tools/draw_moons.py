#!/usr/bin/python3
"""Draws the tables of examples/align_moons: draw_moons.py FOLDER PICTURE"""

import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS = [
    ("before", "two groups"),
    ("shared", "both in the shared space"),
    ("translated", "each translated into the other"),
]
COLORS = {"0": "#0072b2", "1": "#d55e00"}


def main(folder: str, picture: str) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.3), sharex=True, sharey=True)
    for axis, (name, title) in zip(axes, PANELS):
        rows = list(csv.DictReader((pathlib.Path(folder) / f"{name}.csv").open()))
        for group, color in COLORS.items():
            xy = [(float(r["x"]), float(r["y"])) for r in rows if r["group"] == group]
            axis.scatter(*zip(*xy), s=3, c=color, linewidths=0, label=f"group {group}")
        axis.set_title(title, fontsize=11)
        axis.set_aspect("equal")
        axis.tick_params(labelsize=8)
    axes[0].legend(fontsize=8, loc="lower left", markerscale=3, frameon=False)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
