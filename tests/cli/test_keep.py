"""Columns that are kept (--keep): read by maps, and never moved."""

import csv
import json
import random
import unittest

from support import CommandTest


class Keep(CommandTest):

    def make_people(self, name="people.csv", missing=False):
        """Two sites of which the second is older, shifted by 2; the feature follows age and month."""
        draw = random.Random(5)
        rows = ["x,y,age,sex,month,site"]
        for i in range(600):
            second = i % 3 == 0
            age = 40 + 12 * second + 10 * draw.gauss(0, 1)
            month = draw.randint(1, 12)
            sex = draw.choice("fm")
            x = 0.1 * age + 2 * second + draw.gauss(0, 1)
            y = (month in (12, 1, 2)) - second + draw.gauss(0, 1)
            shown = "" if missing and i % 10 == 0 else f"{age:.3f}"
            rows.append(f"{x:.6f},{y:.6f},{shown},{sex},{month},{'B' if second else 'A'}")
        self.write(name, "\n".join(rows) + "\n")

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_kept_columns_stay_and_the_rest_is_aligned(self):
        self.make_people()
        self.run_command("align", "people.csv", "--group", "site", "--keep", "age,sex,month:cyclic",
                         "-o", "out.csv", "--model", "m.conflux")
        before, after = self.rows("people.csv"), self.rows("out.csv")
        self.assertEqual([row["sex"] for row in before], [row["sex"] for row in after])
        for name in ("age", "month"):
            self.assertEqual([float(row[name]) for row in before],
                             [float(row[name]) for row in after])

        def gap(rows):
            """How much more x is in B than in A, less what the difference of ages makes."""
            mean = {s: [0.0, 0.0, 0] for s in "AB"}
            for row in rows:
                sums = mean[row["site"]]
                sums[0] += float(row["x"])
                sums[1] += float(row["age"])
                sums[2] += 1
            (xa, aa, na), (xb, ab, nb) = mean["A"], mean["B"]
            return xb / nb - xa / na - 0.1 * (ab / nb - aa / na)

        self.assertGreater(gap(before), 1.5)
        self.assertLess(abs(gap(after)), 0.3)
        shown = self.run_command("info", "m.conflux")
        self.assertIn("smooth effect", shown)
        self.assertIn("cyclic number of period 12", shown)

    def test_bits_do_not_depend_on_threads(self):
        self.make_people(missing=True)
        outputs = []
        for threads in (1, 2):
            self.run_command("fit", "people.csv", "--group", "site", "--keep", "age,month:cyclic",
                             "-j", threads, "-o", "m.conflux")
            self.run_command("translate", "m.conflux", "people.csv", "--to", "A", "-j", threads,
                             "-o", "z.csv")
            outputs.append(self.read("z.csv"))
        self.assertEqual(outputs[0], outputs[1])

    def test_new_rows_need_the_column_but_not_every_cell(self):
        self.make_people()
        self.make_people("gaps.csv", missing=True)
        self.run_command("fit", "people.csv", "--group", "site", "--keep", "age", "-o", "m.conflux")
        done = self.call("transform", "m.conflux", "gaps.csv", "-o", "z.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('60 of 600 rows have no "age"', done.stderr)
        # Nothing is extrapolated without a word.
        self.write("old.csv", "x,y,age,sex,month,site\n1,2,150,f,3,A\n1,2,40,f,3,A\n")
        done = self.call("transform", "m.conflux", "old.csv", "-o", "z.csv")
        self.assertIn('1 of 2 rows have "age" outside of', done.stderr)
        lines = (self.folder / "people.csv").read_text().splitlines()
        self.write("none.csv", "\n".join(",".join(line.split(",")[:2] + line.split(",")[3:])
                                         for line in lines))
        refused = self.call("transform", "m.conflux", "none.csv", "-o", "z.csv")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn('no column "age"', refused.stderr)

    def test_check_shows_the_range_of_every_group(self):
        self.make_people()
        found = json.loads(self.run_command("check", "people.csv", "--group", "site", "--keep", "age",
                                            "--drop", "sex,month", "--json"))
        ages = {"A": [], "B": []}
        for row in self.rows("people.csv"):
            ages[row["site"]].append(float(row["age"]))
        low, high = max(map(min, ages.values())), min(map(max, ages.values()))
        for each in found["kept_columns"]["ranges"]:
            own = ages[each["group"]]
            self.assertAlmostEqual(each["low"], min(own), places=6)
            self.assertAlmostEqual(each["high"], max(own), places=6)
            outside = sum(not low <= age <= high for age in own) / len(own)
            self.assertAlmostEqual(each["outside"], outside, places=9)

    def test_messages_name_the_remedy(self):
        self.make_people()
        for words, part in ((("--keep", "agee"), 'did you mean "age"'),
                            (("--keep", "age:cyclic"), "age:cyclic:24"),
                            (("--keep", "sex:linear"), "category"),
                            (("--keep", "age", "--method", "nb"), "choose location-scale")):
            done = self.call("fit", "people.csv", "--group", "site", *words, "-o", "m.conflux")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(part, done.stderr)

    def test_evaluation_asks_what_covariates_leave(self):
        self.make_people()
        self.run_command("fit", "people.csv", "--group", "site", "--keep", "age", "--drop",
                         "sex,month", "-o", "m.conflux")
        found = json.loads(self.run_command("evaluate", "m.conflux", "people.csv", "--json"))
        text = json.dumps(found)
        self.assertNotIn('"age"', text)


if __name__ == "__main__":
    unittest.main()
