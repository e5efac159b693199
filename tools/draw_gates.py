"""Draws docs/images/gates.png: groups of different composition, aligned globally and with a gate.

    /usr/bin/python3 tools/draw_gates.py CONFLUX docs/images/gates.png
"""

import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studies"))
from gate_study import synthetic_cases  # noqa: E402

COLORS = {"g0": "#0072b2", "g1": "#d55e00", "g2": "#009e73"}
HOLDS = {"g0": "only A", "g1": "only B", "g2": "A and B"}
MARKERS = {"c0": "o", "c1": "^"}


def main(command, picture):
    _, table = next(iter(synthetic_cases()))
    features = [name for name in table if name.startswith("x")]
    axes = np.linalg.svd(table[features] - table[features].mean(), full_matrices=False)[2][:2].T
    panels = {"rows as they are:\neach group is shifted a little": table}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        table.to_csv(folder / "rows.csv", index=False)
        for gate, title in (("none", "aligned globally:\ntypes are fused"),
                            ("clusters", "aligned within clusters:\nonly the shifts are gone")):
            # The fit does not see the types.
            for words in (["fit", "rows.csv", "--drop", "label", "--gate", gate, "--force", "-o",
                           "m.conflux"],
                          ["transform", "m.conflux", "rows.csv", "--force", "-o", "aligned.csv"]):
                subprocess.run([command, *words, "-q"], cwd=folder, check=True)
            panels[title] = pd.read_csv(folder / "aligned.csv")
    figure, places = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True)
    for place, (title, rows) in zip(places, panels.items()):
        spots = rows[features].to_numpy() @ axes
        # Every fifth row, so that markers can be told apart.
        for (group, label), part in rows.reset_index(drop=True).groupby(["group", "label"]):
            at = spots[part.index[::5]]
            place.scatter(at[:, 0], at[:, 1], s=16, marker=MARKERS[label], c=COLORS[group],
                          alpha=0.7, linewidths=0)
        place.set_title(title, fontsize=10)
        place.set_xticks([])
        place.set_yticks([])
    for group, color in COLORS.items():
        places[0].plot([], [], "s", color=color, label=f"group {group[1:]}: {HOLDS[group]}")
    for label, marker in MARKERS.items():
        places[0].plot([], [], marker, color="gray", label=f"type {'AB'[int(label[1:])]}")
    figure.legend(loc="lower center", ncol=5, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(picture, dpi=90)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2])
