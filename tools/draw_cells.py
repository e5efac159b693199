#!/usr/bin/python3
"""Draws the picture of the README: cells of three technologies, measured and aligned.

    tools/draw_cells.py build/release/apps/conflux/conflux examples/cells.csv docs/images/cells.png

Both columns are t-SNE pictures of the 20 components, the left ones as measured, the right ones after
`conflux align --label cell_type`. Needs pandas, matplotlib and scikit-learn.
"""

import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402
from sklearn.manifold import TSNE  # noqa: E402

COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442", "#999999"]


def aligned(command, table, folder):
    out = pathlib.Path(folder) / "aligned.csv"
    subprocess.run([command, "align", table, "--group", "technology", "--label", "cell_type", "-o", out, "-q"],
                   check=True)
    return pd.read_csv(out)


def spots_of(rows):
    components = rows[[name for name in rows if name.startswith("PC")]].to_numpy()
    return TSNE(init="pca", learning_rate="auto", perplexity=30, random_state=0).fit_transform(components)


def draw(place, spots, values, names):
    for name, color in zip(names, COLORS):
        chosen = (values == name).to_numpy()
        place.scatter(*spots[chosen].T, s=5, color=color, linewidths=0, label=name.replace("_", " "))
    place.set_xticks([])
    place.set_yticks([])


def main(command, table, picture):
    measured = pd.read_csv(table)
    with tempfile.TemporaryDirectory() as folder:
        panels = {"as measured": measured, "aligned by conflux": aligned(command, table, folder)}
    figure, places = plt.subplots(2, 2, figsize=(8.4, 6.2))
    kinds = {name: list(measured[name].value_counts().index) for name in ("technology", "cell_type")}
    for column, (title, rows) in enumerate(panels.items()):
        spots = spots_of(rows)
        places[0][column].set_title(title, fontsize=12)
        for row, (name, values) in enumerate(kinds.items()):
            draw(places[row][column], spots, rows[name], values)
    for row, name in enumerate(kinds):
        places[row][0].set_ylabel("colored by " + name.replace("_", " "), fontsize=10)
        places[row][1].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9,
                              markerscale=3)
    figure.tight_layout()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
