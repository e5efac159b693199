"""Messages of the command are true: one test for each finding of a new user.

| finding | test |
|---|---|
| 1 numeric metadata become features | here |
| 2 units of netCDF files | here, if scipy can write them |
| 3 the target moves under a gate | here |
| 4 labels are not looked at | here, tests/training/within_labels_test.cc, studies/labels_study.py |
| 5 add-group gives no verdict | here |
| 6 label_key of pp.align is ignored | python/tests/test_pp.py |
| 7, 8 R and C fit other models than the command | tests/cli/test_one_workflow.py |
| 9, 10 the judge is weak, noise gets importance | tests/metrics/group_prediction_test.cc, studies/judge_study.py |
| 11 few rows overclaim | here, studies/claims_study.py |
| 12 the AUC of several groups is an unstated mean | here |
| 13 words are surer than the interval | here |
| 14 figures that nobody measured | here |
| 15 copied columns tell the group | here |
| 16 "labels in different shares" of identical shares | here |
| 17 "the same clusters" said of a few rows | here |
| 18 labels that no two groups share | here |
| 19 --strength changes nothing | here |
| 20 rates in [0, 1] are called pixels | here |
| 21 rows far outside the fit draw no word | here |
| 22, 23 words of the documentation | docs |
| 24 the beginning of a name is no near name | here |
"""

import json
import random
import unittest

from support import CommandTest


def table(names, rows):
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


def two_groups(count, seed=0, shift=1.0, columns=3, more=lambda draw, group: []):
    """Rows of normal numbers, then the group (a, b), then further cells."""
    draw = random.Random(seed)
    out = []
    for i in range(count):
        group = "ab"[i % 2]
        numbers = [draw.gauss(shift if group == "b" and j == 0 else 0, 1) for j in range(columns)]
        out.append([*(f"{number:.6f}" for number in numbers), group, *more(draw, group)])
    return out


class Truth(CommandTest):
    def align(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def summary(self, *words):
        return json.loads(self.run_command("fit", *words, "-o", "m.conflux", "--json", "-q"))["summary"]

    def rows(self, name):
        lines = [line.split(",") for line in (self.folder / name).read_text().splitlines()]
        return [dict(zip(lines[0], line)) for line in lines[1:]]

    def mean(self, rows, column, **cells):
        values = [float(row[column]) for row in rows
                  if all(row[name] == cell for name, cell in cells.items())]
        return sum(values) / len(values)

    def moved(self, before, after, columns, group):
        """The largest distance that a number of the group's rows has moved."""
        return max(abs(float(a[c]) - float(b[c])) for a, b in zip(self.rows(before), self.rows(after))
                   for c in columns if a["g"] == group)

    def test_truth_01_columns_of_joined_tables_are_no_features(self):
        import numpy as np
        draw = np.random.default_rng(0)
        rows = draw.standard_normal((200, 3))
        rows[::2] += 2
        np.savez(self.folder / "rows.npz", X=rows)
        meta = [["ab"[i % 2], 1000 + i] for i in range(200)]
        self.write("meta.csv", table(["g", "patient"], meta))
        found = json.loads(self.run_command("fit", "rows.npz", "--meta", "meta.csv", "--group", "g", "-o",
                                            "m.conflux", "--json", "-q"))
        self.assertEqual(found["features"], 3)
        named = json.loads(self.run_command(
            "fit", "rows.npz", "--meta", "meta.csv", "--group", "g", "--features", "c0,patient", "-o",
            "n.conflux", "--json", "-q"))
        self.assertEqual(named["features"], 2)

    def test_truth_02_files_that_state_other_units_are_refused(self):
        try:
            import numpy as np
            from scipy.io import netcdf_file
        except ImportError:
            self.skipTest("scipy is missing")
        for name, unit, zero in (("gcm", "K", 273.15), ("rcm", "degC", 0)):
            with netcdf_file(self.folder / f"{name}.nc", "w") as file:
                file.createDimension("time", 60)
                for variable, of in (("tas", unit), ("pr", "mm")):
                    file.createVariable(variable, "d", ("time",))[:] = np.arange(60) % 7 + zero
                    file.variables[variable].units = of
        done = self.call("fit", "gcm.nc", "rcm.nc", "-o", "m.conflux")
        if "without the netCDF library" in done.stderr:
            self.skipTest("built without netCDF")
        self.assertEqual(done.returncode, 3)
        self.assertIn('states "tas" in K, but', done.stderr)
        self.assertIn("convert", done.stderr)

    # A cluster of which the target has too few rows for a map of its own moved by several deviations.
    def test_truth_03_the_target_does_not_move_under_any_gate(self):
        rows = two_groups(300, columns=4, more=lambda draw, _: [draw.choice("tmk")])
        for i, row in enumerate(rows):
            rare = i < 16 if row[4] == "a" else i < 100
            row[5] = "rare" if rare else row[5]
            row[1] = f"{float(row[1]) + {'t': 0, 'm': 6, 'k': 12, 'rare': 30}[row[5]]:.6f}"
        self.write("t.csv", table([*"uvwx", "g", "kind"], rows))
        for words in ([], ["--gate", "clusters"], ["--label", "kind"], ["--method", "nb-inb"],
                      ["--method", "tree"], ["--method", "conditional"], ["--method", "gb-inb"],
                      ["--method", "means"], ["--method", "location-scale"],
                      ["--method", "auto", "--label", "kind"], ["--method", "auto", "--gate", "clusters"]):
            method = [] if "--method" in words else ["--method", "inb", "--layers", "8"]
            self.run_command("fit", "t.csv", "--group", "g", "--target", "a", "-o", "t.conflux", "-q",
                             *method, *words)
            self.run_command("transform", "t.conflux", "t.csv", "-o", "o.csv", "-q")
            self.assertLess(self.moved("t.csv", "o.csv", "uvwx", "a"), 1e-9, words)
            self.assertGreater(self.moved("t.csv", "o.csv", "uvwx", "b"), 0.1, words)

    # Seasons overlap in space: only maps that read the label can keep them apart. Limits are three
    # standard errors of a mean of 75 rows.
    def test_truth_04_overlapping_labels_are_aligned_each_by_itself(self):
        means = {"winter": (0.01, 1.58), "spring": (0.8, 1.9), "summer": (1.6, 2.0),
                 "autumn": (2.31, 2.1)}
        draw = random.Random(1)
        rows = []
        for i in range(600):
            season, group = [*means][i // 2 % 4], "ab"[i % 2]
            rows.append([f"{draw.gauss(means[season][i % 2], 0.5):.5f}", f"{draw.gauss(0, 1):.5f}",
                         group, season])
        self.write("s.csv", table(["x", "y", "g", "season"], rows))
        self.run_command("fit", "s.csv", "--group", "g", "--label", "season", "-o", "m.conflux", "-q")
        self.run_command("transform", "m.conflux", "s.csv", "-o", "o.csv", "-q")
        aligned = self.rows("o.csv")
        for season, (before_a, before_b) in means.items():
            after = {g: self.mean(aligned, "x", g=g, season=season) for g in "ab"}
            self.assertLess(abs(after["a"] - after["b"]), 0.25, season)
            self.assertLess(abs(after["a"] - (before_a + before_b) / 2), 0.35, season)
        # The label is read: another one moves the row elsewhere, an unknown one by where it lies.
        places = lambda name: tuple((row["x"], row["y"]) for row in self.rows(name))  # noqa: E731
        outputs = {places("o.csv")}
        for other in ("winter", "", "never seen"):
            self.write("n.csv", table(["x", "y", "g", "season"], [[*row[:3], other] for row in rows]))
            self.run_command("transform", "m.conflux", "n.csv", "-o", "p.csv", "-q")
            outputs.add(places("p.csv"))
        self.assertEqual(len(outputs), 3)
        self.run_command("inverse", "m.conflux", "o.csv", "-o", "b.csv", "-q")
        for group in "ab":
            self.assertLess(self.moved("s.csv", "b.csv", "xy", group), 1e-9)

    def test_truth_04_labels_of_several_columns_are_crossed(self):
        rows = two_groups(800, columns=2, more=lambda draw, _: [draw.choice("mf"), draw.choice("hl")])
        for row in rows:  # sex and income each change the sign of the shift: neither is enough
            sign = 1 if (row[3] == "m") == (row[4] == "h") else -1
            row[1] = f"{float(row[1]) + (1.5 * sign if row[2] == 'b' else 0):.6f}"
        self.write("t.csv", table(["x", "y", "g", "sex", "income"], rows))
        self.run_command("fit", "t.csv", "--group", "g", "--label", "sex,income", "-o", "m.conflux", "-q")
        self.run_command("transform", "m.conflux", "t.csv", "-o", "o.csv", "-q")
        after = self.rows("o.csv")
        for sex in "mf":
            for income in "hl":
                means = [self.mean(after, "y", g=g, sex=sex, income=income) for g in "ab"]
                self.assertLess(abs(means[0] - means[1]), 0.4, (sex, income))  # 1.5 before

    def test_truth_05_a_group_that_is_added_is_judged(self):
        rows = two_groups(400, columns=4)
        for row in rows:  # two clusters
            row[3] = f"{float(row[3]) + random.Random(row[0]).choice([-6, 6]):.6f}"
        self.write("t.csv", table([*"uvwx", "g"], rows))
        self.run_command("fit", "t.csv", "--group", "g", "--gate", "none", "--method", "inb", "-o",
                         "t.conflux", "-q")
        one_cluster = [row[:4] for row in rows if float(row[3]) > 0]
        self.write("one.csv", table([*"uvwx"], one_cluster))
        self.write("few.csv", table([*"uvwx"], one_cluster[:20]))
        self.write("like.csv", table([*"uvwx"], [row[:4] for row in rows]))
        said = {name: self.call("add-group", "t.conflux", f"{name}.csv", "--name", "new", "-o",
                                f"{name}.conflux").stderr for name in ("one", "few", "like")}
        self.assertIn("does not hold the same clusters", said["one"])
        self.assertIn("has 20 rows", said["few"])
        self.assertNotIn("warning", said["like"])

    # The judge sees all rows, and its claim stands beside the rows as they were.
    def test_truth_11_every_row_judges(self):
        self.write("t.csv", table([*"uvw", "g"], two_groups(600)))
        found = self.summary("t.csv", "--group", "g")
        self.assertEqual(found["judged_rows"], 600)
        self.assertEqual(found["unseen_rows"], 600)
        self.assertGreater(found["group_auc"]["before"], 0.7)
        self.assertLess(found["group_auc"]["after"], 0.62)

    # A difference in one of 30 features shows in its test, but 120 rows support no clear gain.
    def test_truth_11_a_fit_without_a_clear_gain_leaves_rows_alone(self):
        self.write("t.csv", table([*(f"x{j}" for j in range(30)), "g"],
                                  two_groups(120, seed=3, shift=0.9, columns=30)))
        said = self.align("align", "t.csv", "--group", "g", "-o", "o.csv")
        if "Left alone" in said:
            self.assertEqual(self.moved("t.csv", "o.csv", [f"x{j}" for j in range(30)], "b"), 0)
        else:
            self.assertRegex(said, "[Nn]othing to align|do not differ|Aligned|Reduced")

    # Location and scale moves each feature by itself, in any unit.
    def test_no_unit_dominates_a_correction_of_single_features(self):
        rows = [[str(1000 * float(u)), v, w, g] for u, v, w, g in two_groups(200)]
        self.write("t.csv", table([*"uvw", "g"], rows))
        for method in ("location-scale", "means"):
            done = self.call("fit", "t.csv", "--group", "g", "--method", method, "-o", "m.conflux", "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("dominates", done.stderr)

    def test_truth_12_the_worst_group_is_named(self):
        draw = random.Random(5)
        rows = [[f"{draw.gauss(0, 1):.5f}", f"{draw.gauss(3 if i % 3 == 2 else 0, 1):.5f}", f"site{i % 3}"]
                for i in range(600)]
        self.write("t.csv", table(["u", "v", "g"], rows))
        done = self.call("fit", "t.csv", "--group", "g", "--method", "means", "-o", "m.conflux", "--json")
        worst = json.loads(done.stdout)["summary"]["group_auc"]["worst"]
        self.assertRegex(worst["group"], "site[012]")
        self.assertIn("mean over 3 groups", done.stderr)
        self.assertIn(f"the highest is that of {worst['group']}", done.stderr)
        self.assertIn("highest: site", self.run_command("evaluate", "m.conflux", "t.csv"))
        found = json.loads(self.run_command("evaluate", "m.conflux", "t.csv", "--json"))
        self.assertRegex(found["judgement"]["worst_group"]["group"], "site[012]")

    def test_truth_13_the_interval_is_told(self):
        self.write("t.csv", table([*"uvw", "g"], two_groups(200)))
        done = self.call("fit", "t.csv", "--group", "g", "-o", "m.conflux", "--json")
        auc = json.loads(done.stdout)["summary"]["group_auc"]
        self.assertLess(auc["low"], auc["after"])
        self.assertGreater(auc["high"], auc["after"])
        self.assertIn("95 % interval", done.stderr)
        # So few rows do not show that the group cannot be predicted.
        self.assertNotIn("can no longer be predicted", done.stderr)

    def test_truth_14_what_was_not_measured_is_absent(self):
        self.write("t.csv", table(["u", "v", "g"], two_groups(4, columns=2)))
        found = self.summary("t.csv", "--group", "g", "--method", "means")
        self.assertEqual(found["judged_rows"], 0)
        self.assertIsNone(found["group_auc"]["before"])
        self.assertIsNone(found["neighbors_kept"])

    def test_truth_15_copied_columns_that_tell_the_group_are_named(self):
        rows = two_groups(300, more=lambda draw, group: [
            draw.choice(["north", "west"] if group == "a" else ["south", "west"]), draw.choice("xy")])
        self.write("t.csv", table([*"uvw", "g", "place", "shift"], rows))
        said = self.align("align", "t.csv", "--group", "g", "--features", "u,v,w", "-o", "o.csv")
        self.assertIn('column "place" is copied unchanged and tells the group', said)
        self.assertNotIn('column "shift" is copied', said)

    def test_truth_16_equal_shares_of_labels_are_not_called_different(self):
        rows = two_groups(400, shift=2, more=lambda draw, group: [])
        for i, row in enumerate(rows):
            row.append("mk"[i // 2 % 2])
        self.write("t.csv", table([*"uvw", "g", "kind"], rows))
        said = self.align("fit", "t.csv", "--group", "g", "--label", "kind", "--method", "inb", "--layers", 1,
                          "--strength", 0.1, "-o", "m.conflux")
        self.assertNotIn("proportions of labels differ", said)
        shares = json.loads(self.run_command("check", "t.csv", "--group", "g", "--label", "kind", "--json",
                                             "-q"))["labels"]
        self.assertIn("0.5", json.dumps(shares))

    def test_truth_17_a_few_rows_do_not_tell_kinds(self):
        self.write("t.csv", table([*"uvw", "g"], two_groups(60, shift=2)))
        said = self.align("check", "t.csv", "--group", "g")
        self.assertIn("The groups differ", said)
        self.assertNotIn("same clusters in similar proportions", said)

    def test_truth_18_labels_that_no_two_groups_share(self):
        rows = two_groups(200, more=lambda _, group: [f"only {group}"])
        self.write("t.csv", table([*"uvw", "g", "kind"], rows))
        for verb in ("align", "fit"):
            output = "o.csv" if verb == "align" else "m.conflux"
            said = self.align(verb, "t.csv", "--group", "g", "--label", "kind", "-o", output)
            self.assertIn("No label occurs in two groups", said)
            self.assertNotIn("more rows", said)
        self.assertEqual(self.moved("t.csv", "o.csv", "uvw", "b"), 0)

    def test_truth_19_strength_is_obeyed(self):
        self.write("t.csv", table([*"uvw", "g"], two_groups(300)))
        outputs = set()
        for strength in (0.1, 0.5, 1):
            self.run_command("align", "t.csv", "--group", "g", "--strength", strength, "-q", "-o", "o.csv")
            outputs.add(self.read("o.csv"))
        self.assertGreater(len(outputs), 1)

    # Rates touch 0 and 1 as pixels do, but no rate is like its neighbor.
    def test_truth_20_rates_are_no_pixels(self):
        draw = random.Random(2)
        rows = [[*(f"{min(1, max(0, draw.gauss(0.5, 0.35))):.4f}" for _ in range(30)), "ab"[i % 2]]
                for i in range(300)]
        self.write("t.csv", table([*(f"rate{j}" for j in range(30)), "g"], rows))
        self.assertNotIn("pixel", self.align("fit", "t.csv", "--group", "g", "--method", "means", "-o",
                                             "m.conflux"))

    def test_truth_21_rows_far_outside_the_fit_are_told(self):
        rows = two_groups(300)
        self.write("t.csv", table([*"uvw", "g"], rows))
        self.write("far.csv", table([*"uvw", "g"], [[float(row[0]) + 12, *row[1:]] for row in rows]))
        self.run_command("fit", "t.csv", "--group", "g", "--method", "nb", "-o", "m.conflux", "-q")
        for words in (["transform", "m.conflux", "far.csv", "-o", "o.csv"],
                      ["evaluate", "m.conflux", "far.csv"]):
            self.assertIn("far beyond the rows of the fit", self.call(*words).stderr)
        self.assertNotIn("far beyond", self.call("transform", "m.conflux", "t.csv", "-o", "p.csv").stderr)

    def test_truth_24_the_beginning_of_a_name_is_a_near_name(self):
        rows = two_groups(20, more=lambda draw, _: ["low"])
        self.write("t.csv", table([*"uvw", "g", "income-per-year"], rows))
        said = self.call("align", "t.csv", "--group", "g", "--label", "income", "-o", "o.csv").stderr
        self.assertIn('did you mean "income-per-year"?', said)


if __name__ == "__main__":
    unittest.main()
