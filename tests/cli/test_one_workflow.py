"""One table through the command, C, R and Python: the models are equal, and so are the sentences.

The table has missing cells, repeated values, a category, several rows of each subject, and a label.
Times and what callers note for themselves are all that may differ. Parts that cannot run say why.
"""

import csv
import ctypes
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ["CONFLUX"]
PREFIX = pathlib.Path(COMMAND).resolve().parent.parent
NAMES = ["pressure", "dose", "site", "patient_id", "sex", "arm"]
NUMBERS = {"pressure", "dose"}
FITS = {"default": [], "nb": ["method=nb"], "dropped": ["missing=drop", "method=inb", "layers=5"]}
# Values that depend on the time, and a checksum over them.
TIMES = {"seconds", "product_seconds", "sort_seconds", "flops_per_second", "checksum"}


def make_rows(difference):
    """Three visits of 90 patients; a tenth of the pressures is missing."""
    draw = random.Random(4)
    rows = []
    for patient in range(90):
        treated = draw.random() < 0.5
        sex = draw.choice("fm")
        level = draw.gauss(120, 10) + (difference if treated else 0)
        dose = draw.choice([0, 5, 5, 10]) + (5 if treated and difference else 0)
        site = draw.choice(["north", "south"] if treated or not difference else ["north", "east", "south"])
        for _ in range(3):
            pressure = "" if draw.random() < 0.1 else repr(level + draw.gauss(0, 3))
            cells = [pressure, str(dose), site, f"p{patient}", sex]
            rows.append([*cells, "treated" if treated else "control"])
    return rows


def read_model(path):
    """Return what a model file holds but for times and notes of callers, and its summary."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    notes = header.pop("__metadata__")
    tensors = {
        name: (info["dtype"], info["shape"], data[8 + length:][slice(*info["data_offsets"])])
        for name, info in header.items()
    }

    def without_times(value):
        if isinstance(value, dict):
            return {
                k: without_times(v)
                for k, v in value.items()
                if k not in TIMES and not k.startswith("c_")
            }
        return [without_times(v) for v in value] if isinstance(value, list) else value

    facts = {}
    for key, text in notes.items():
        if key in TIMES:
            continue
        try:
            facts[key] = without_times(json.loads(text))
        except ValueError:
            facts[key] = text
    return tensors, facts


def compare(name, ours, theirs):
    (tensors, facts), (expected, told) = ours, theirs
    assert sorted(tensors) == sorted(expected), (name, sorted(set(tensors) ^ set(expected)))
    for key, value in expected.items():
        assert tensors[key] == value, f"{name}: {key} has other bytes"
    for key in sorted(set(facts) | set(told)):
        assert facts.get(key) == told.get(key), (name, key, facts.get(key), told.get(key))


def run_command(verb, table, fit, folder, *more):
    model = folder / f"{verb}.conflux"
    words = [f"--{word}" for word in [*fit, "seed=1", "group=arm", "label=sex"]]
    out = ["-o", model] if verb == "fit" else ["-o", folder / "aligned.csv", "--model", model]
    done = subprocess.run([COMMAND, verb, table, *words, *out, *more, "-q", "--json", "--force"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return read_model(model), json.loads(done.stdout)


def find_library():
    for folder in (PREFIX / "lib", *sorted((PREFIX / "lib").glob("*-linux-gnu"))):
        found = folder / "libconflux.so"
        if found.exists():
            return found
    return None


class CLibrary:
    """The C interface, as a program in C uses it."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        for name in ("conflux_table_create", "conflux_fit"):
            getattr(self.c, name).restype = ctypes.c_void_p
        for name in ("conflux_error", "conflux_summary"):
            getattr(self.c, name).restype = ctypes.c_char_p
        for name in ("conflux_table_destroy", "conflux_destroy", "conflux_summary"):
            getattr(self.c, name).argtypes = [ctypes.c_void_p]

    def check(self, done):
        assert done, self.c.conflux_error().decode()
        return done

    def fit(self, rows, options, path):
        """Fit, save, and return the summary."""
        names = [name for name in NAMES if name != "arm"]
        texts = [sorted({row[j] for row in rows}) for j in range(len(names))]
        table = ctypes.c_void_p(self.check(self.c.conflux_table_create(ctypes.c_int64(len(names)))))
        cells = []
        for row in rows:
            for j, name in enumerate(names):
                if name in NUMBERS:
                    cells.append(float(row[j] or "nan"))
                else:
                    cells.append(float(texts[j].index(row[j])))
        for j, name in enumerate(names):
            self.check(self.c.conflux_table_name(table, ctypes.c_int64(j), name.encode()))
            if name not in NUMBERS:
                levels = (ctypes.c_char_p * len(texts[j]))(*[text.encode() for text in texts[j]])
                self.check(self.c.conflux_table_levels(table, ctypes.c_int64(j), levels,
                                                       ctypes.c_int64(len(levels))))
        groups = (ctypes.c_char_p * len(rows))(*[row[-1].encode() for row in rows])
        numbers = (ctypes.c_double * len(cells))(*cells)
        self.check(self.c.conflux_table_add_rows(table, groups, numbers, ctypes.c_int64(len(rows))))
        words = " ".join([*options, "seed=1", "group=arm", "label=sex"])
        model = ctypes.c_void_p(self.check(self.c.conflux_fit(table, words.encode())))
        self.check(self.c.conflux_save(model, str(path).encode()))
        summary = self.c.conflux_summary(model).decode()
        self.c.conflux_destroy(model)
        self.c.conflux_table_destroy(table)
        return summary


R_FIT = """
library(conflux)
x <- read.csv("{table}", colClasses = c(pressure = "numeric", dose = "numeric"), stringsAsFactors = TRUE)
save_model(fit(x, "arm", label = "sex", seed = 1{options}), "{model}")
"""


def install_r(folder):
    """Return a folder with the R package, or None with a reason."""
    if shutil.which("Rscript") is None:
        return None, "R is not installed (r-base-core)"
    library = find_library()
    if library is None:
        return None, "the library is not installed as a shared one"
    shutil.copytree(ROOT / "r", folder / "conflux")
    (folder / "r").mkdir()
    done = subprocess.run(
        ["R", "CMD", "INSTALL", "--no-multiarch", f"--library={folder / 'r'}", folder / "conflux"],
        env={**os.environ, "CONFLUX_HOME": str(PREFIX), "CONFLUX_LIB": str(library.parent)},
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "r", None


def run_r(place, table, fit, model):
    def word(text):
        name, value = text.split("=")
        return f', {name} = {value if value.isdigit() else chr(34) + value + chr(34)}'

    script = table.with_suffix(".R")
    script.write_text(R_FIT.format(table=table, model=model, options="".join(map(word, fit))))
    done = subprocess.run(["Rscript", "--vanilla", script], capture_output=True, text=True,
                          env={**os.environ, "R_LIBS": str(place)})
    assert done.returncode == 0, done.stderr


PYTHON_ALIGN = """
import sys, warnings
import numpy as np, pandas as pd, conflux
warnings.simplefilter("ignore")
x = pd.read_csv(sys.argv[1], float_precision="round_trip")
done = conflux.align(x, "arm", labels="sex", random_state=1, unseen=float(sys.argv[3]))
done.model.save(sys.argv[2])
"""


def find_python():
    """Return a Python that has the package, or None."""
    for python in (ROOT / "build" / "venv" / "bin" / "python", pathlib.Path(sys.executable)):
        if not python.exists():
            continue
        found = subprocess.run([python, "-c", "import conflux._core, pandas"], capture_output=True,
                               cwd="/")
        if found.returncode == 0:
            return python
    return None


def main():
    skipped = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        library = find_library()
        c = CLibrary(library) if library else None
        if c is None:
            skipped.append("C: the library is not installed as a shared one")
        place, why = install_r(folder)
        if place is None:
            skipped.append(f"R: {why}")
        python = find_python()
        if python is None:
            skipped.append("Python: the package is not there (make python)")
        for difference in (0, 25):
            rows = make_rows(difference)
            table = folder / "trial.csv"
            with table.open("w", newline="") as file:
                csv.writer(file).writerows([NAMES, *rows])
            for kind, fit in FITS.items():
                expected, said = run_command("fit", table, fit, folder)
                moved = said["layers"]
                if kind == "default":
                    # Arms that were assigned at random are left as they are, as align leaves them.
                    assert (moved == 0) == (difference == 0), (difference, moved)
                path = folder / "other.conflux"
                print(f"difference {difference}, {kind}: {moved} layers", flush=True)
                if c is not None:
                    summary = c.fit(rows, fit, path)
                    compare(f"C, {kind}", read_model(path), expected)
                    assert summary.split("\n") == [
                        *said["summary"]["sentences"], *said["warnings"]], summary
                if place is not None:
                    run_r(place, table, fit, path)
                    compare(f"R, {kind}", read_model(path), expected)
            aligned, said = run_command("align", table, [], folder)
            assert said["check"]["differ"] == (difference != 0)
            if python is not None:
                done = subprocess.run([python, "-c", PYTHON_ALIGN, table, path, "0.2"],
                                      capture_output=True, text=True, cwd="/")
                assert done.returncode == 0, done.stderr
                compare("Python", read_model(path), aligned)
    for reason in skipped:
        print(f"NOT RUN: {reason}")
    print(f"one model for {4 - len(skipped)} of 4 front ends")


if __name__ == "__main__":
    main()
