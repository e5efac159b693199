#!/usr/bin/env python3
"""Writes reports on real data, and on three fits that are bad on purpose: make_gallery.py CONFLUX DATA FOLDER.

Reports that are newer than the command are kept. Data missing from DATA are named.
"""

import csv
import gzip
import io
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_table(path, head, rows):
    """Write a table as CSV."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


def read_gzip(path, delimiter=","):
    """Return the lines of a packed table, cell by cell."""
    text = gzip.decompress(path.read_bytes()).decode()
    return list(csv.reader(io.StringIO(text), delimiter=delimiter))


def make_moons(command, _data, folder):
    """Two half moons."""
    subprocess.run([command, "generate", "moons", "--samples", "500", "-o", folder / "moons.csv"],
                   check=True, capture_output=True)


def make_digits(_command, _data, folder):
    """Ten digits as ten groups."""
    (folder / "digits.csv").write_text((ROOT / "examples/digits.csv").read_text())


def make_pbmc(_command, data, folder):
    """Principal components of blood cells of three donors."""
    components = read_gzip(data / "pbmc3500/pbmc_3500_pcs.tsv.gz", "\t")
    donors = read_gzip(data / "pbmc3500/pbmc_3500_meta.tsv.gz", "\t")
    place = donors[0].index("donor")
    write_table(folder / "pbmc3500.csv", [*components[0], "donor"],
                [[*row, says[place]] for row, says in zip(components[1:], donors[1:])])


def make_climate(_command, data, folder):
    """Days of a global and a regional climate model."""
    tables = {name: read_gzip(data / f"cccma_climate/{name}_c.csv.gz") for name in ("gcm", "rcm")}
    write_table(folder / "climate.csv", [*tables["gcm"][0], "model"],
                [[*row, name] for name, table in tables.items() for row in table[1:]])


def make_adult(_command, data, folder):
    """Answers of a census, one in four."""
    table = read_gzip(data / "adult/adult.csv.gz")
    write_table(folder / "adult.csv", table[0], table[1::4])


def make_cytonorm(_command, data, folder):
    """Cells of one volunteer in three batches, as they left the cytometer."""
    for path in sorted(data.glob("cytonorm_fcs/*Control_1.fcs")):
        (folder / path.name.split("_")[1]).with_suffix(".fcs").write_bytes(path.read_bytes())


def make_fused(_command, _data, folder):
    """Two labels far apart, one rare in the second batch, aligned as if labels did not matter."""
    draw = random.Random(5)
    rows = []
    for batch, share in (("b0", 0.5), ("b1", 0.05)):
        for _ in range(500):
            mono = draw.random() < share
            rows.append([draw.gauss(6 * mono, 1), draw.gauss(1.5 * (batch == "b1"), 1), draw.gauss(0, 1),
                         batch, "mono" if mono else "tcell"])
    write_table(folder / "fused.csv", ["f0", "f1", "f2", "batch", "kind"], rows)


def make_apart(_command, _data, folder):
    """Two groups that have nothing in common."""
    draw = random.Random(6)
    rows = [[draw.gauss(12 * side, 1), draw.gauss(0, 1) * (1 + 2 * side), draw.gauss(-8 * side, 1), "ab"[side]]
            for side in (0, 1) for _ in range(400)]
    write_table(folder / "apart.csv", ["f0", "f1", "f2", "group"], rows)


def make_same(_command, _data, folder):
    """One population, assigned to two groups at random."""
    draw = random.Random(7)
    rows = [[*(draw.gauss(0, 1) for _ in range(4)), draw.choice("ab")] for _ in range(800)]
    write_table(folder / "same.csv", ["f0", "f1", "f2", "f3", "group"], rows)


# Title, kind, what it is, who makes the table, its files, and how it is fitted.
SCENES = [
    ("moons", "real", "Two half moons, the smallest example there is.", make_moons, ["moons.csv"],
     ["--group", "group"]),
    ("digits", "real", "1797 handwritten digits of 8 x 8 pixels; every digit is a group.", make_digits, ["digits.csv"],
     ["--group", "group"]),
    ("pbmc3500", "real", "3500 blood cells of three donors in 30 principal components, without labels.", make_pbmc,
     ["pbmc3500.csv"], ["--group", "donor"]),
    ("climate", "real", "Days of a global climate model and of a regional one.", make_climate, ["climate.csv"],
     ["--group", "model"]),
    ("cytonorm", "real", "Cells of one volunteer, measured in three batches by mass cytometry.", make_cytonorm,
     ["PTLG021.fcs", "PTLG028.fcs", "PTLG034.fcs"], ["--preset", "cytometry", "--drop", "Time,Event_length"]),
    ("adult", "real", "8,141 answers of a census with words, repeated numbers and missing cells; men and women.",
     make_adult, ["adult.csv"], ["--group", "sex", "--label", "income-per-year"]),
    ("fused labels", "bad", "Two labels far apart, one rare in the second batch, aligned as if labels did not matter.",
     make_fused, ["fused.csv"],
     ["--group", "batch", "--label", "kind", "--gate", "none", "--method", "inb", "--layers", "20"]),
    ("no overlap", "bad", "Two groups that have nothing in common: nobody can tell a shift from a difference.",
     make_apart, ["apart.csv"], ["--group", "group"]),
    ("nothing to align", "bad", "One population, assigned to two groups at random.", make_same, ["same.csv"],
     ["--group", "group"]),
]


def is_fresh(path, command):
    """Tell whether a file was made by this command."""
    return path.exists() and path.stat().st_mtime > os.stat(command).st_mtime


def make_scene(scene, command, data, folder):
    """Fit and report one scene; return what the gallery says of it."""
    title, kind, about, make, files, words = scene
    name = title.replace(" ", "_")
    out = {"title": title, "kind": kind, "about": about, "file": name + ".html"}
    note = folder / (name + ".json")
    if is_fresh(note, command):
        return json.loads(note.read_text())
    try:
        make(command, data, folder)
    except FileNotFoundError as error:
        print(f"{title}: {error}; this report is left out", file=sys.stderr)
        return {**out, "missing": "its data is not on this machine"}
    if not all((folder / file).exists() for file in files):
        print(f"{title}: no tables; this report is left out", file=sys.stderr)
        return {**out, "missing": "its data is not on this machine"}
    fit = ["align", *files, *words, "-o", name + "_aligned.csv", "--model", name + ".conflux", "--force"]
    subprocess.run([command, *fit], cwd=folder, check=True, capture_output=True)
    done = subprocess.run([command, "report", name + ".conflux", *files, "-o", name + ".html", "--force", "--json"],
                          cwd=folder, check=True, capture_output=True, text=True)
    shown = json.loads(done.stdout)
    print(f"{title}: {shown['verdict']}", flush=True)
    sentence = (shown["cautions"] or shown["sentences"])[0]
    unseen = re.search(r"AUC [0-9.]+ -> [0-9.]+", " ".join(shown["sentences"][1:]))
    if sentence == shown["sentences"][0] and unseen:
        sentence += f" Of rows that no map was fitted on: {unseen.group()}."
    out |= {"verdict": shown["verdict"], "sentence": sentence.replace("->", "→"),
            "command": "conflux " + shlex.join([*fit[:-1], "--report", name + ".html"])}
    note.write_text(json.dumps(out))
    return out


def main():
    """Make all reports and a list of them."""
    command, data, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    made = [make_scene(scene, command, data, folder) for scene in SCENES]
    (folder / "gallery.json").write_text(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
