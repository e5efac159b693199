"""Rows come back: for every method, inverse(transform(x)) is x to 1e-9 of each feature's spread, or
the row is named and the exit code is 4.

Random tables with columns of every type go through the command. ROUND_TRIP_TABLES=2000 tries that
many tables per method, ROUND_TRIP_SEED other ones; the numbers of runs and failures are printed.
"""

import csv
import os
import re
import sys
import unittest

import numpy as np

from support import CommandTest

METHODS = ["auto", "cascade", "means", "location-scale", "nb", "inb", "rand-nb", "nb-inb",
           "nb-rand-nb", "gb", "gb-inb", "sinf", "dd", "tree", "tree-inb", "conditional"]
METHODS = os.environ.get("ROUND_TRIP_METHODS", ",".join(METHODS)).split(",")
TABLES = int(os.environ.get("ROUND_TRIP_TABLES", "6"))
SEED = int(os.environ.get("ROUND_TRIP_SEED", "0"))
TOLERANCE = 1e-9
NOT_BACK = 4


def column(random, kind, groups):
    """Values of one column as text, and whether they are numbers."""
    rows = len(groups)
    values = random.standard_normal(rows) * (1 + 0.4 * groups) + random.uniform(0, 1) * groups
    if kind == "normal":
        values = values * 10.0 ** random.integers(-6, 7)
    elif kind == "far":
        values = values + 10.0 ** random.integers(2, 6)
    elif kind == "heavy":
        values = np.sinh(3 * values)
    elif kind == "positive":
        values = np.exp(values)
    elif kind == "fraction":
        values = 1 / (1 + np.exp(-values))
    elif kind == "tied":
        values = np.round(values, 1)
    elif kind == "zeros":
        values = np.where(random.random(rows) < 0.5, 0, np.exp(values))
    elif kind == "whole":
        return [str(int(v)) for v in np.round(5 + 4 * values)], True
    elif kind == "count":
        return [str(v) for v in random.poisson(2 + groups)], True
    elif kind == "bit":
        return [str(int(v > 0.3)) for v in values], True
    elif kind == "category":
        return [("red", "green", "blue", "gray")[min(3, int(abs(v) * 1.5))] for v in values], False
    elif kind == "constant":
        values = np.full(rows, 2.5)
    return [repr(float(v)) for v in values], True


KINDS = ["normal", "far", "heavy", "positive", "fraction", "tied", "zeros", "whole", "count", "bit",
         "category", "constant"]


def table(seed):
    """Columns by name, and the names of those that hold numbers."""
    random = np.random.default_rng(seed)
    rows = int(random.integers(40, 400))
    groups = random.integers(0, int(random.integers(2, 5)), rows)
    groups[:12] = np.arange(12) % (groups.max() + 1)
    # One column that can be aligned in any case.
    kinds = ["normal", *random.choice(KINDS, int(random.integers(1, 6)))]
    columns, numbers = {}, []
    for j, kind in enumerate(kinds):
        cells, is_number = column(random, kind, groups)
        if random.random() < 0.2:
            cells = ["" if random.random() < 0.05 else cell for cell in cells]
        columns[f"{kind}{j}"] = cells
        if is_number:
            numbers.append(f"{kind}{j}")
    columns["site"] = [f"g{g}" for g in groups]
    return columns, numbers


def number(cell):
    return float(cell) if cell else np.nan


class RoundTrip(CommandTest):

    def read_columns(self, name):
        with open(self.folder / name, newline="") as file:
            head, *rows = csv.reader(file)
        return dict(zip(head, zip(*rows)))

    def worst(self, columns, numbers, back):
        """The largest difference of a number, in spreads of its column, and where it is."""
        out = (0.0, "")
        for name, cells in columns.items():
            found = back[name]
            if name not in numbers:
                if list(found) != cells:
                    return np.inf, name
                continue
            was = np.array([number(cell) for cell in cells])
            now = np.array([number(cell) for cell in found])
            if not np.array_equal(np.isnan(was), np.isnan(now)):
                return np.inf, name
            spread = np.nanstd(was)
            error = np.nanmax(np.abs(was - now)) / (spread if spread > 0 else 1)
            if error > out[0]:
                out = error, name
        return out

    def try_table(self, method, seed):
        """Returns whether the table was fitted, whether rows were named, and what did not come back."""
        columns, numbers = table(seed)
        with open(self.folder / "t.csv", "w") as file:
            file.write(",".join(columns) + "\n")
            file.writelines(",".join(row) + "\n" for row in zip(*columns.values()))
        layers = [] if method in ("means", "location-scale", "nb", "gb") else ["--layers", os.environ.get("ROUND_TRIP_LAYERS", "6")]
        if method in ("auto", "cascade"):
            layers = []
        done = self.call("fit", "t.csv", "--group", "site", "--method", method, "--no-judge", "-q",
                         "-j", 1, "--seed", seed, "--force", "-o", "m", *layers)
        if done.returncode != 0:
            self.assertIn(done.returncode, (2, 3), done.stderr)
            return False, False, ""
        there = self.call("transform", "m", "t.csv", "-o", "z.csv", "-q", "-j", 1)
        back = self.call("inverse", "m", "z.csv", "-o", "b.csv", "-q", "-j", 1)
        if there.returncode not in (0, NOT_BACK) or back.returncode != 0:
            return True, False, there.stderr + back.stderr
        found = self.read_columns("b.csv")
        named = [int(line) - 2 for line in re.findall(r"t\.csv, line (\d+)", there.stderr)]
        self.assertEqual(there.returncode == NOT_BACK, bool(named), there.stderr)
        if ": ..." not in there.stderr and "; ..." not in there.stderr:
            for row in named:
                for name, cells in columns.items():
                    found[name] = [*found[name][:row], cells[row], *found[name][row + 1:]]
            error, name = self.worst(columns, numbers, found)
            if error > TOLERANCE:
                return True, False, f"{name} by {error:.2g} {there.stderr}"
        return True, bool(named), ""

    def test_of_every_method(self):
        for method in METHODS:
            failures, fitted, named = [], 0, 0
            for seed in range(SEED, SEED + TABLES):
                was_fitted, was_named, failure = self.try_table(method, seed)
                fitted += was_fitted
                named += was_named
                if failure:
                    failures.append(f"table {seed}: {failure}")
            print(f"{method}: {fitted} of {TABLES} tables fitted, {len(failures)} did not come back, "
                  f"{named} named", file=sys.stderr)
            with self.subTest(method):
                self.assertEqual(failures, [])
                self.assertGreater(fitted, 0)


if __name__ == "__main__":
    unittest.main()
