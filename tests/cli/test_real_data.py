"""Results on public tables with known answers; skipped where these are absent."""

import json
import os
import pathlib
import sys
import unittest

from reporting import Page
from support import CommandTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = pathlib.Path(os.environ.get("CONFLUX_DATA", ROOT.parent / "shared" / "data"))


class Check(CommandTest):

    def found(self, *words):
        if not DATA.is_dir():
            self.skipTest("public data is absent; set CONFLUX_DATA to the folder that holds it")
        return json.loads(self.run_command("check", *words, "--json", "-q"))

    def differing(self, found):
        self.assertTrue(found["differ"])
        self.assertGreater(found["prediction"]["auc"], found["prediction"]["by_chance"])
        return {name for name, each in found["features"].items() if each["differs"]}

    def test_people(self):
        compas = self.found(DATA / "compas/compas-scores-two-years.csv.gz", "--group", "race",
                            "--features", "age,priors_count")
        self.assertEqual(self.differing(compas), {"age", "priors_count"})
        adult = self.found(DATA / "adult/adult.csv.gz", "--group", "sex",
                           "--features", "age,hours-per-week")
        self.assertEqual(self.differing(adult), {"age", "hours-per-week"})

    def test_all_eight_climate_variables(self):
        folder = DATA / "cccma_climate"
        found = self.found(folder / "gcm_c.csv.gz", folder / "rcm_c.csv.gz")
        self.assertEqual(self.differing(found),
                         set("pr tas dtr sfcWind ps huss rsds rlds".split()))

    def test_batches_of_cytometry(self):
        try:
            sys.path.insert(0, str(ROOT / "studies"))
            import check_study
        except ImportError:
            self.skipTest("reading FCS needs pandas")
        if not DATA.is_dir():
            self.skipTest("public data is absent; set CONFLUX_DATA to the folder that holds it")
        check_study.cytonorm(DATA, 1).to_csv(self.folder / "cells.csv", index=False)
        self.assertGreater(len(self.differing(self.found("cells.csv"))), 20)


class Reports(CommandTest):

    def page_of(self, make, table, group):
        if not DATA.is_dir():
            self.skipTest("public data is absent; set CONFLUX_DATA to the folder that holds it")
        sys.path.insert(0, str(ROOT / "tools"))
        import make_gallery
        getattr(make_gallery, make)(None, DATA, self.folder)
        lines = (self.folder / table).read_text().splitlines(keepends=True)
        # Pictures are of as many elements for some rows as for all.
        self.write(table, "".join(lines[:1001]))
        self.run_command("fit", table, "--group", group, "--method", "nb", "-o", "m.conflux",
                         "--report", "r.html")
        return Page((self.folder / "r.html").read_text())

    def test_pages_of_cells_and_people_are_small_and_whole(self):
        for make, table, group in (("make_pbmc", "pbmc3500.csv", "donor"),
                                   ("make_adult", "adult.csv", "sex")):
            with self.subTest(table):
                page = self.page_of(make, table, group)
                self.assertLess(len(page.text), 3e6)
                self.assertLess(page.elements, 6000)
                self.assertEqual(len(page.sections()), 8)
                self.assertNotRegex(page.text, r"\bnan\b|https?:|<script")


if __name__ == "__main__":
    unittest.main()
