"""Laws between verbs: files that one writes and another reads."""

import csv
import json
import math
import os
import shlex
import subprocess
import sys
import unittest

import numpy as np

from support import COMMAND, GOLDEN, CommandTest


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Verbs(CommandTest):

    def largest_difference(self, a, b, columns=("x", "y")):
        first, second = rows_of(self.folder / a), rows_of(self.folder / b)
        self.assertEqual(len(first), len(second))
        return max(abs(float(p[c]) - float(q[c])) for p, q in zip(first, second) for c in columns)

    def test_inverse_undoes_transform(self):
        self.fit_moons()
        self.run_command("transform", "moons.conflux", "moons.csv", "-o", "latent.csv")
        self.run_command("inverse", "moons.conflux", "latent.csv", "-o", "back.csv")
        self.assertGreater(self.largest_difference("moons.csv", "latent.csv"), 0.1)
        self.assertLess(self.largest_difference("moons.csv", "back.csv"), 1e-9)

    def test_translation_is_transform_then_inverse(self):
        self.fit_moons()
        self.run_command("transform", "moons.conflux", "moons.csv", "-o", "latent.csv")
        self.run_command("inverse", "moons.conflux", "latent.csv", "--to", "1", "-o", "two_steps.csv")
        self.run_command("translate", "moons.conflux", "moons.csv", "--to", "1", "-o", "one_step.csv")
        self.assertLess(self.largest_difference("one_step.csv", "two_steps.csv"), 1e-9)

    def test_threads_and_repetition_do_not_change_bits(self):
        self.make_moons()
        outputs = []
        for threads in (1, 2, 3, 1):
            self.run_command("fit", "moons.csv", "--layers", 5, "-j", threads, "-o", "m.conflux")
            self.run_command("transform", "m.conflux", "moons.csv", "-j", threads, "-o", "z.npy")
            outputs.append(self.read("z.npy"))
        self.assertEqual(len(set(outputs)), 1)

    def test_a_fit_without_a_judge_moves_rows_alike_and_says_that_nothing_is_known(self):
        self.make_moons()
        for flags, model in ((), "judged.conflux"), (("--no-judge",), "unjudged.conflux"):
            said = self.call("fit", "moons.csv", *flags, "-o", model).stderr
            self.assertEqual("Not scored" in said, bool(flags))
            self.run_command("transform", model, "moons.csv", "-o", model + ".npy")
        self.assertEqual(self.read("judged.conflux.npy"), self.read("unjudged.conflux.npy"))

    def test_a_model_of_an_older_version_still_serves(self):
        shown = json.loads(self.run_command("info", GOLDEN / "model_v1.conflux", "--json"))
        self.assertEqual(shown["format_version"], 1)
        self.assertTrue(shown["finished"])
        self.assertGreater(len(shown["layers"]), 0)

    def test_rows_and_other_columns_stay_in_place(self):
        self.make_moons()
        lines = (self.folder / "moons.csv").read_text().splitlines()
        mixed = ["id,x,y,note,group"]
        for i, line in enumerate(lines[1:]):
            x, y, group = line.split(",")
            mixed.append(f'00{i},{x},{y},"a, ""{i}""",{group}')
        # Groups alternate, so that rows of a group are not neighbors.
        mixed[1:] = [row for pair in zip(mixed[1:201], mixed[201:]) for row in pair]
        self.write("mixed.csv", "\n".join(mixed) + "\n")
        self.run_command("fit", "mixed.csv", "--drop", "id", "--layers", 3, "-o", "m.conflux")
        self.run_command("transform", "m.conflux", "mixed.csv", "-o", "z.csv")
        before, after = rows_of(self.folder / "mixed.csv"), rows_of(self.folder / "z.csv")
        self.assertEqual(list(after[0]), ["id", "x", "y", "note", "group"])
        for p, q in zip(before, after):
            self.assertEqual([p[c] for c in ("id", "note", "group")],
                             [q[c] for c in ("id", "note", "group")])
            self.assertNotEqual(p["x"], q["x"])

    def test_one_file_per_group(self):
        self.make_moons()
        rows = (self.folder / "moons.csv").read_text().splitlines()
        for group, name in (("0", "monday.csv"), ("1", "tuesday.csv")):
            kept = [row.rsplit(",", 1)[0] for row in rows[1:] if row.endswith("," + group)]
            self.write(name, "\n".join(["x,y", *kept]) + "\n")
        self.run_command("fit", "monday.csv", "tuesday.csv", "--layers", 5, "--strength", 0.5, "-o", "m.conflux")
        shown = json.loads(self.run_command("info", "m.conflux", "--json"))
        self.assertEqual(shown["groups"], {"monday": 200, "tuesday": 200})
        self.run_command("translate", "m.conflux", "monday.csv", "--from", "monday", "--to",
                         "tuesday", "-o", "moved.csv")
        # The same rows with a group column give the same maps.
        self.run_command("fit", "moons.csv", "--layers", 5, "--strength", 0.5, "-o", "n.conflux")
        self.run_command("translate", "n.conflux", "moons.csv", "--to", "1", "-o", "all.csv")
        one = rows_of(self.folder / "moved.csv")
        other = [row for row in rows_of(self.folder / "all.csv") if row["group"] == "0"]
        self.assertEqual([row["x"] for row in one], [row["x"] for row in other])
        values = json.loads(self.run_command("evaluate", "m.conflux", "monday.csv", "tuesday.csv",
                                             "--metrics", "sliced_w2", "--json"))["metrics"]
        self.assertLess(values["sliced_w2"]["after"]["mean"],
                        0.05 * values["sliced_w2"]["before"]["mean"])

    def test_labels_are_no_features_and_controls_fit_alone(self):
        self.make_moons()
        rows = (self.folder / "moons.csv").read_text().splitlines()
        lines = ["x,y,group,kind,label"]
        lines += [f"{row},{'control' if i % 2 else 'case'},{i % 7}" for i, row in enumerate(rows[1:])]
        self.write("t.csv", "\n".join(lines) + "\n")
        self.run_command("fit", "t.csv", "--label", "label", "--fit-where", "kind=control",
                         "--layers", 3, "-o", "m.conflux")
        shown = json.loads(self.run_command("info", "m.conflux", "--json"))
        self.assertEqual(shown["features"], ["x", "y"])
        self.assertEqual(shown["label_column"], "label")
        self.assertEqual(shown["groups"], {"0": 100, "1": 100})
        self.run_command("transform", "m.conflux", "t.csv", "-o", "z.csv")
        self.assertEqual(len(rows_of(self.folder / "z.csv")), 400)

    def test_add_group_leaves_the_old_groups_alone(self):
        self.fit_moons()
        self.make_moons(seed=7, name="more.csv")
        text = (self.folder / "more.csv").read_text().splitlines()
        self.write("new.csv", "\n".join([text[0]] + [
            row[:-1] + "new" for row in text[1:] if row.endswith(",0")]) + "\n")
        self.run_command("add-group", "moons.conflux", "new.csv", "-o", "three.conflux")
        for model in ("moons", "three"):
            self.run_command("transform", f"{model}.conflux", "moons.csv", "-o", f"{model}.npy")
        self.assertEqual(self.read("moons.npy"), self.read("three.npy"))
        self.run_command("translate", "three.conflux", "new.csv", "--to", "1", "-o", "t.csv")
        # New rows of the first moon, as rows of the second, lie where the second moon is.
        xs = [float(row["x"]) for row in rows_of(self.folder / "t.csv")]
        self.assertAlmostEqual(sum(xs) / len(xs), 1, delta=0.15)

    def fit_densities(self, table, model):
        self.run_command("fit", table, "--method", "dd", "--layers", 6, "-o", model, "-q")

    def densities(self, model, table, *options):
        self.run_command("transform", model, table, "--log-density", "-o", "densities.csv", *options)
        rows = rows_of(self.folder / "densities.csv")
        self.assertEqual(list(rows[0])[-1], "log_density")
        return [float(row["log_density"]) for row in rows]

    def test_densities_integrate_to_one(self):
        self.make_moons(samples=500)
        self.fit_densities("moons.csv", "dd.conflux")
        step = 0.0173  # no multiple of the widths of bins
        grid = [(-2.5 + step * i, -2 + step * j) for i in range(340) for j in range(260)]
        self.write("grid.csv", "x,y\n" + "".join(f"{x},{y}\n" for x, y in grid))
        for group in ("0", "1"):
            logs = self.densities("dd.conflux", "grid.csv", "--from", group)
            # A grid this fine sees most of what 256 bins per feature show.
            self.assertAlmostEqual(sum(map(math.exp, logs)) * step * step, 1, delta=0.1)

    # Each row counts in its own group, wherever it stands in the table.
    def test_densities_follow_their_rows_and_change_with_the_unit(self):
        self.make_moons()
        header, *rows = (self.folder / "moons.csv").read_text().splitlines()
        mixed = [row for pair in zip(rows[:200], rows[200:]) for row in pair]
        self.write("mixed.csv", "\n".join([header, *mixed]) + "\n")
        doubled = []
        for row in rows:
            x, y, group = row.split(",")
            doubled.append(f"{2 * float(x)!r},{2 * float(y)!r},{group}")
        self.write("doubled.csv", "\n".join([header, *doubled]) + "\n")
        self.fit_densities("moons.csv", "dd.conflux")
        self.fit_densities("doubled.csv", "doubled.conflux")
        logs = self.densities("dd.conflux", "moons.csv")
        in_pairs = [log for pair in zip(logs[:200], logs[200:]) for log in pair]
        self.assertEqual(self.densities("dd.conflux", "mixed.csv"), in_pairs)
        # Twice as long and as wide: a quarter of the density.
        for one, other in zip(logs, self.densities("doubled.conflux", "doubled.csv")):
            self.assertAlmostEqual(one - math.log(4), other, delta=1e-9)
        self.densities("dd.conflux", "moons.csv")
        self.run_command("transform", "dd.conflux", "moons.csv", "-o", "plain.csv")
        self.assertEqual(self.largest_difference("plain.csv", "densities.csv"), 0)

    def test_a_target_group_stays_where_it_is(self):
        self.fit_moons("--target", "1")
        self.run_command("transform", "moons.conflux", "moons.csv", "-o", "z.csv")
        before, after = rows_of(self.folder / "moons.csv"), rows_of(self.folder / "z.csv")
        for p, q in zip(before, after):
            if p["group"] == "1":
                self.assertAlmostEqual(float(p["x"]), float(q["x"]), delta=1e-9)

    def test_evaluate_says_that_it_drew_rows(self):
        self.fit_moons()
        done = self.call("evaluate", "moons.conflux", "moons.csv", "--max-rows", 50, "--json")
        self.assertIn('50 of 200 rows, drawn with seed 0', done.stderr)
        self.assertEqual(json.loads(done.stdout)["rows"], {"0": 50, "1": 50})
        again = self.call("evaluate", "moons.conflux", "moons.csv", "--max-rows", 50, "--json")
        self.assertEqual(done.stdout, again.stdout)

    def test_evaluate_knows_every_metric(self):
        self.fit_moons()
        names = ("w2_exact paper_wd sinkhorn_divergence sliced_w2 max_sliced_w2 energy_distance "
                 "transport_cost round_trip").split()
        for space in ("translated", "shared"):
            shown = json.loads(self.run_command(
                "evaluate", "moons.conflux", "moons.csv", "--space", space, "--max-rows", 100,
                "--metrics", ",".join(names), "--json"))["metrics"]
            self.assertEqual(list(shown), names)
            for name in names[:-2]:
                self.assertLess(shown[name]["after"]["mean"], 0.2 * shown[name]["before"]["mean"])
        self.assertLess(shown["round_trip"]["largest"], 1e-12)

    def test_mixing_of_groups_and_labels(self):
        self.make_moons()
        rows = (self.folder / "moons.csv").read_text().splitlines()
        # The label is the half of the moon that a row lies on, which no alignment must forget.
        lines = ["x,y,group,label"]
        lines += [row + (",left" if float(row.split(",")[0]) < float(row[-1]) else ",right")
                  for row in rows[1:]]
        self.write("t.csv", "\n".join(lines) + "\n")
        self.run_command("fit", "t.csv", "--label", "label", "--layers", 20, "--strength", 0.5,
                         "-o", "m.conflux")
        shown = json.loads(self.run_command("evaluate", "m.conflux", "t.csv", "--label", "label",
                                            "--metrics", "ilisi,clisi", "--json"))["metrics"]
        self.assertLess(shown["ilisi"]["before"], 1.3)
        self.assertGreater(shown["ilisi"]["after"], 1.6)
        self.assertLess(shown["clisi"]["after"], 1.5)

    def write_mixtures(self, name="mixed.csv"):
        """Two clusters ten deviations apart, which the groups hold in different shares."""
        random = np.random.default_rng(0)
        lines = [",".join(f"x{j}" for j in range(6)) + ",group,kind"]
        for group, share in ("a", 0.9), ("b", 0.2):
            for i in range(300):
                kind = "far" if i < 300 * share else "near"
                row = random.normal(size=6) + 0.3 * (group == "b")
                row[:3] += 6 * (kind == "far")
                lines.append(",".join(map(repr, row)) + f",{group},{kind}")
        self.write(name, "\n".join(lines) + "\n")

    def test_check_tells_composition_and_what_to_do(self):
        self.write_mixtures()
        shown = json.loads(self.run_command("check", "mixed.csv", "--label", "kind", "--json"))
        self.assertTrue(shown["differ"])
        self.assertGreater(shown["prediction"]["auc"], 0.8)
        self.assertAlmostEqual(shown["labels"]["difference"]["value"], 0.7, places=2)
        self.assertEqual(shown["advice"], "gate label")
        text = self.run_command("check", "mixed.csv", "--drop", "kind")
        self.assertIn("--gate clusters", text)
        self.assertIn("proportions of clusters", text)
        # The command that is recommended works as it stands.
        for command in shown["command"], text.split("Next:\n")[1].splitlines()[0]:
            words = shlex.split(command)
            self.assertEqual(words[:3], ["conflux", "align", "mixed.csv"])
            self.run_command(*words[1:], "--layers", 2)
            self.assertTrue((self.folder / "aligned.csv").exists())

    def test_check_predicts_by_values_also_if_they_repeat(self):
        lines = [f"{(i * i) % 7 + (i % 3 == 0)},{i % 5},{'ab'[i % 2]}" for i in range(600)]
        self.write("counts.csv", "x,y,group\n" + "\n".join(lines) + "\n")
        spread, kept = (
            json.loads(self.run_command("check", "counts.csv", "--group", "group", "--json", "-q", *words))
            for words in ([], ["--repeats", "keep"])
        )
        self.assertEqual(spread["prediction"], kept["prediction"])

    def test_check_leaves_alike_groups_alone(self):
        random = np.random.default_rng(1)
        rows = [f"{x!r},{y!r},{i % 2}" for i, (x, y) in enumerate(random.normal(size=(200, 2)))]
        self.write("alike.csv", "\n".join(["x,y,group"] + rows) + "\n")
        text = self.run_command("check", "alike.csv")
        self.assertIn("do not differ beyond chance", text)
        self.assertNotIn("conflux align", text)

    def test_gates_keep_labels_apart_and_evaluate_warns_without_them(self):
        self.write_mixtures()
        for gate, mixed in ("none", True), ("label", False):
            self.run_command("fit", "mixed.csv", "--label", "kind", "--gate", gate, "--layers", 60,
                             "--strength", 0.5, "--validation-fraction", 0, "-o", "m.conflux")
            # The model knows its label column.
            done = self.call("evaluate", "m.conflux", "mixed.csv")
            self.assertEqual(done.returncode, 0)
            self.assertEqual("labels are mixed more" in done.stderr, mixed, done.stderr)
            self.assertIn("nearest row has the same label", done.stdout)
            for word in ("neighbors_kept", "clisi", "far", "near"):
                self.assertIn(word, done.stdout)

    def test_labels_of_one_file_per_group(self):
        for name in "ab":
            self.write(f"{name}.csv", "x,y,kind\n" + "".join(
                f"{i},{i % 7},{'odd' if i % 2 else 'even'}\n" for i in range(60)))
        shown = json.loads(self.run_command("check", "a.csv", "b.csv", "--label", "kind", "--json"))
        self.assertEqual(shown["labels"]["shares"]["a"], {"even": 0.5, "odd": 0.5})

    def test_units_and_repeated_values_are_found(self):
        random = np.random.default_rng(2)
        lines = ["age,income,group"]
        for group in (0, 1):
            lines += [f"{int(random.integers(20, 60)) + 3 * group},{1e6 * random.random()!r},{group}"
                      for _ in range(300)]
        self.write("t.csv", "\n".join(lines) + "\n")
        said = self.call("fit", "t.csv", "-o", "m.conflux", "--layers", 20).stderr
        self.assertIn("different units", said)
        self.assertIn("age: whole numbers", said)
        shown = json.loads(self.run_command("evaluate", "m.conflux", "t.csv", "--json"))["metrics"]
        self.assertLess(shown["round_trip"]["largest"], 1e-9)
        self.run_command("transform", "m.conflux", "t.csv", "-o", "z.csv")
        rows = [line.split(",") for line in (self.folder / "z.csv").read_text().splitlines()[1:]]
        self.assertEqual(len({row[0] for row in rows}), 600)
        kept = self.call("fit", "t.csv", "-o", "m.conflux", "--layers", 2, "--repeats", "keep")
        self.assertIn("can be predicted", kept.stderr)

    def test_memory_of_transform_does_not_grow_with_rows(self):
        self.fit_moons()
        peaks = []
        for rows in (200_000, 1_000_000):
            with open(self.folder / "long.csv", "w") as file:
                file.write("x,y,group\n")
                for start in range(0, rows, 1000):
                    file.write("".join(f"{(start + i) % 977 / 977},0.5,{i % 2}\n"
                                       for i in range(1000)))
            pid = os.posix_spawn(os.environ["CONFLUX"],
                                 ["conflux", "transform", str(self.folder / "moons.conflux"),
                                  str(self.folder / "long.csv"), "-q", "-o",
                                  str(self.folder / "z.csv")], os.environ)
            _, status, usage = os.wait4(pid, 0)
            self.assertEqual(status, 0)
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1], 1.25 * peaks[0] + 20_000)


class SinglePrecision(CommandTest):
    """Files of float32, one per group."""

    def peak(self, rows, features, *options):
        generator = np.random.default_rng(0)
        for m in range(2):
            np.save(self.folder / f"g{m}.npy",
                       generator.standard_normal((rows, features), dtype=np.float32) + m)
        words = [COMMAND, "fit", "g0.npy", "g1.npy", "--layers", "2", "-q", "-o", "m.conflux",
                 *options]
        code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-c", code, *words], cwd=self.folder, check=True,
                              capture_output=True)
        return 1024 * int(done.stdout)

    def test_memory_holds_the_data_once(self):
        empty = self.peak(500, 300, "--fit-rows", "all")
        data = 2 * 80000 * 300 * 4
        self.assertLess(self.peak(80000, 300, "--fit-rows", "all") - empty, 1.25 * data)

    def test_the_model_is_that_of_doubles_up_to_rounding(self):
        self.peak(800, 5, "--seed", "3")
        self.run_command("transform", "m.conflux", "g0.npy", "--from", "g0", "-o", "single.npy", "-q")
        for m in range(2):
            name = self.folder / f"g{m}.npy"
            np.save(name, np.load(name).astype("f8"))
        self.run_command("fit", "g0.npy", "g1.npy", "--layers", 2, "-q", "--seed", 3,
                         "-o", "double.conflux")
        self.run_command("transform", "double.conflux", "g0.npy", "--from", "g0", "-o",
                         "double.npy", "-q")
        apart = np.load(self.folder / "single.npy") - np.load(self.folder / "double.npy")
        self.assertLess(np.abs(apart).mean(), 1e-3)

    def test_checkpoints_and_memory_limits(self):
        self.peak(500, 5, "--checkpoint", "c.ckpt", "--every", "1")
        self.run_command("fit", "g0.npy", "g1.npy", "--layers", 2, "-q", "-o", "r.conflux",
                         "--resume", "c.ckpt")
        done = self.call("fit", "g0.npy", "g1.npy", "-o", "r.conflux", "--max-memory", "10k")
        self.assertEqual(done.returncode, 3)
        self.assertIn("of memory, and 10.0 kB are allowed; fit fewer rows", done.stderr)


if __name__ == "__main__":
    unittest.main()
