"""The same bits on any number of threads, for every method: under ThreadSanitizer, a search for races."""

import re
import unittest

import numpy as np

from support import CommandTest

# Enough for several blocks of rows and held-out rows; more would take minutes under a sanitizer.
ROWS = 150


class Threads(CommandTest):

    def write_table(self):
        random = np.random.default_rng(0)
        kinds = random.integers(0, 2, (3, ROWS))
        lines = ["a,b,c,kind,group"]
        for group, labels in enumerate(kinds):
            for row, kind in zip(random.normal(size=(ROWS, 3)), labels):
                values = row * (1 + group / 2) + (group, 2 * kind, group * kind)
                lines.append(",".join(f"{v:.6f}" for v in values) + f",k{kind},g{group}")
        self.write("t.csv", "\n".join(lines) + "\n")

    def moved(self, threads, *options):
        """Rows moved by a fit. The model would differ: it tells its options."""
        words = ("-j", threads, "-q")
        self.run_command("fit", "t.csv", "--group", "group", *options, *words, "-o", "m.conflux")
        self.run_command("transform", "m.conflux", "t.csv", *words, "-o", "z.npy")
        return self.read("z.npy")

    def methods(self):
        shown = re.sub(r"\s+", "", self.run_command("fit", "--help"))
        return re.search(r"--method((?:[a-z-]+\|)+[a-z-]+?)algorithmthataligns", shown)[1].split("|")

    def test_every_method_gives_the_same_rows(self):
        self.write_table()
        methods = self.methods()
        self.assertIn("auto", methods)
        self.assertGreater(len(methods), 10)
        for method in methods:
            with self.subTest(method=method):
                options = ("--drop", "kind", "--method", method)
                if method == "cascade":
                    options += ("--no-judge",)
                elif method not in ("nb", "gb", "means", "location-scale"):
                    options += ("--layers", 3)
                self.assertEqual(self.moved(1, *options), self.moved(3, *options))

    def test_so_do_labels_clusters_and_judgements(self):
        self.write_table()
        for options in (("--label", "kind"), ("--drop", "kind", "--gate", "clusters")):
            with self.subTest(options=options):
                options += ("--layers", 3)
                self.assertEqual(self.moved(1, *options), self.moved(3, *options))
        for words in (("evaluate", "m.conflux", "t.csv", "--json"), ("check", "t.csv", "--group", "group")):
            with self.subTest(verb=words[0]):
                self.assertEqual(self.run_command(*words, "-j", 1), self.run_command(*words, "-j", 3))


if __name__ == "__main__":
    unittest.main()
