#!/usr/bin/env python3
"""Runs the commands that documentation pages show, and puts their present output into the pages.

    /usr/bin/python3 studies/field_pages.py build/release/apps/conflux/conflux ../shared/data [PAGE...]

A page shows blocks of commands ("$ conflux ...") with chosen lines of their output. Each shown line is replaced
by the line of the new output that is most like it, whatever its figures; a shown line without a counterpart is
removed and reported. "..." stays. Needs pandas, and scipy for netCDF; all blocks take about 15 minutes on two cores.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

import check_study
import real_data

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")
# Lines less alike than this are of different results.
LEAST_ALIKE = 0.55


def single_cell(data, folder):
    rows = pd.read_csv(data / "pbmc3500/pbmc_3500_pcs.tsv.gz", sep="\t")
    donors = pd.read_csv(data / "pbmc3500/pbmc_3500_meta.tsv.gz", sep="\t").donor
    rows.assign(donor=donors).to_csv(folder / "pbmc3500.csv", index=False)
    shutil.copytree(data / "pbmcs_sparse", folder / "pbmcs")
    shutil.copy(data / "pbmcs_sparse/meta.csv.gz", folder)


def cytometry(data, folder):
    for path in data.glob("cytonorm_fcs/*.fcs"):
        shutil.copy(path, folder)
    for volunteer in (1, 2):
        check_study.cytonorm(data, volunteer).to_csv(folder / f"cyto{volunteer}.csv", index=False)


def climate(data, folder):
    for part in "cp":
        tables = [pd.read_csv(data / f"cccma_climate/{name}_{part}.csv.gz").assign(model=name) for name in ("gcm", "rcm")]
        pd.concat(tables).to_csv(folder / f"climate_{part}.csv", index=False)
    from scipy.io import netcdf_file
    for name in ("gcm", "rcm"):
        rows = pd.concat([pd.read_csv(data / f"cccma_climate/{name}_{part}.csv.gz") for part in "cp"])
        with netcdf_file(folder / f"{name}.nc", "w") as file:
            file.createDimension("time", len(rows))
            time = file.createVariable("time", "d", ("time",))
            time[:] = np.arange(len(rows))
            time.units, time.calendar = "days since 1951-01-01", "noleap"
            for column in rows:
                file.createVariable(column, "d", ("time",))[:] = rows[column].to_numpy()


def fairness(data, folder):
    table = real_data.compas(data)
    features = ["age", "priors_count", "juv_fel_count", "juv_misd_count", "juv_other_count"]
    table[[*features, "race", "two_year_recid"]].to_csv(folder / "compas.csv", index=False)


def digits(data, folder):
    stored = np.load(data / "mnist_usps/mnist_usps.npz")
    tables = []
    for name in ("mnist", "usps"):
        rows = stored[f"X_{name}"].astype(float)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        table = pd.DataFrame(rows, columns=[f"p{j}" for j in range(rows.shape[1])])
        tables.append(table.assign(source=name, digit=stored[f"y_{name}"].ravel() % 10))
    pd.concat(tables).to_csv(folder / "digits.csv", index=False)


PAGES = {"docs/fields/single_cell.md": single_cell, "docs/fields/cytometry.md": cytometry, "docs/fields/climate.md": climate,
         "docs/fields/fairness.md": fairness, "docs/fields/domain_adaptation.md": digits, "docs/is_it_safe.md": fairness}


def masked(line):
    return NUMBER.sub("#", line)


def replaced(shown, printed):
    """The shown lines with the figures and words of the printed ones."""
    out, left = [], list(printed)
    for line in shown:
        if line == "..." or not line.strip():
            out.append(line)
            continue
        scores = [difflib.SequenceMatcher(None, masked(line), masked(each)).ratio() for each in left]
        best = int(np.argmax(scores)) if scores else -1
        if best < 0 or scores[best] < LEAST_ALIKE:
            print(f"  no longer printed: {line[:90]}")
            continue
        out.append(left.pop(best))
    return out


def run_block(block, folder, environment):
    """Run the commands of a block; returns it with their present output."""
    out = []
    for part in re.split(r"(?m)^(?=\$ )", block):
        if not part.startswith("$ "):
            out.append(part)
            continue
        command, *shown = part.rstrip("\n").split("\n")
        if "conflux" not in command and "=" not in command:
            out.append(part)
            continue
        if re.match(r"\$ \w+='", command):  # a variable of the shell, for the commands that follow
            name, value = command[2:].split("=", 1)
            environment[name] = value.strip("'")
            out.append(part)
            continue
        print(command, flush=True)
        done = subprocess.run(["bash", "-c", command[2:]], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            sys.exit(f"{command}\n{done.stdout}")
        tail = "\n" * (len(part) - len(part.rstrip("\n")))
        out.append("\n".join([command, *replaced(shown, done.stdout.splitlines())]).rstrip("\n") + tail)
    return "".join(out)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command, data = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    for page, prepare in PAGES.items():
        if sys.argv[3:] and not any(word in page for word in sys.argv[3:]):
            continue
        text = (ROOT / page).read_text()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            (folder / "bin" / "conflux").symlink_to(command)
            prepare(data, folder)
            environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
            text = re.sub(r"(?ms)^```\n(\$ .*?)^```$",
                          lambda match: f"```\n{run_block(match.group(1), folder, environment)}```", text)
        (ROOT / page).write_text(text)


if __name__ == "__main__":
    main()
