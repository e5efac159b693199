"""conflux check on public tables of which the answer is known; skipped where they are absent."""

import json
import os
import pathlib
import sys
import unittest

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
        self.assertGreater(found["guess"]["auc"], found["guess"]["by_chance"])
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


if __name__ == "__main__":
    unittest.main()
