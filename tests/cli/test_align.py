"""conflux align: look, fit, judge on unseen rows, write the aligned table."""

import json
import shlex
import signal
import subprocess
import time
import unittest

import numpy as np

from support import COMMAND, CommandTest


class Align(CommandTest):

    def write_table(self, name="t.csv", rows=400, shift=2.0, seed=0):
        """Two groups, the second one shifted in x; whole numbers, a category and a name to carry."""
        random = np.random.default_rng(seed)
        lines = ["x,y,n,color,site,id"]
        for i in range(2 * rows):
            site = "ab"[i % 2]
            x, y = random.normal(size=2)
            lines.append(f"{x + shift * (site == 'b')!r},{y!r},{int(random.integers(0, 9))},"
                         f"{random.choice(['red', 'green', 'blue'])},{site},00{i}")
        self.write(name, "\n".join(lines) + "\n")

    def column(self, table, name):
        lines = (self.folder / table).read_text().splitlines()
        place = lines[0].split(",").index(name)
        return [line.split(",")[place] for line in lines[1:]]

    def test_the_table_is_aligned_and_the_summary_tells_how_well(self):
        self.write_table()
        done = self.call("align", "t.csv", "--group", "site", "-o", "aligned.csv",
                         "--model", "m.conflux")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        for words in ("The groups differ", "aligned.csv: 800 rows in the shared space",
                      "Scores: 800 rows", "160 test rows, kept from the fit, and the 640 others",
                      "neighbors", "Moved most: x", "layer"):
            self.assertIn(words, done.stderr)
        # A column that is no feature keeps its spelling, and rows keep their order.
        self.assertEqual(self.column("aligned.csv", "id"), self.column("t.csv", "id"))
        # The model does what align did.
        self.run_command("transform", "m.conflux", "t.csv", "-o", "again.csv")
        self.assertEqual(self.read("again.csv"), self.read("aligned.csv"))
        x = np.array(self.column("aligned.csv", "x"), dtype=float)
        self.assertLess(abs(x[::2].mean() - x[1::2].mean()), 0.2)

    def test_the_record_holds_the_figures(self):
        self.write_table()
        shown = json.loads(self.run_command("align", "t.csv", "--group", "site", "-o", "a.csv",
                                            "--model", "m.conflux", "--json"))
        summary = shown["summary"]
        self.assertGreater(summary["group_auc"]["before"], 0.85)
        self.assertLess(summary["group_auc"]["after"], summary["group_auc"]["before"] - 0.15)
        self.assertEqual(summary["unseen_rows"], 800)
        self.assertIn("x", summary["moved_most"])
        self.assertEqual((shown["output"], shown["rows"]), ("a.csv", 800))
        self.assertTrue(shown["check"]["differ"])
        kept = json.loads(self.run_command("info", "m.conflux", "--json"))
        self.assertEqual(kept["summary"], summary)

    def test_rows_can_be_written_as_rows_of_a_group(self):
        self.write_table()
        self.run_command("align", "t.csv", "--group", "site", "--to", "b", "-o", "as_b.csv")
        sites = self.column("t.csv", "site")
        for name in ("n", "color"):
            then, now = self.column("t.csv", name), self.column("as_b.csv", name)
            self.assertEqual([a for a, s in zip(then, sites) if s == "b"],
                             [a for a, s in zip(now, sites) if s == "b"])
        self.assertLessEqual(set(self.column("as_b.csv", "color")), {"red", "green", "blue"})
        x = np.array(self.column("as_b.csv", "x"), dtype=float)
        self.assertAlmostEqual(x[::2].mean(), 2, delta=0.2)
        before = np.array(self.column("t.csv", "x"), dtype=float)
        np.testing.assert_allclose(x[1::2], before[1::2], atol=1e-9)
        done = self.call("align", "t.csv", "--group", "site", "--to", "c", "-o", "z.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn('"c"', done.stderr)

    def test_alike_groups_are_left_as_they_are(self):
        self.write_table(shift=0)
        done = self.call("align", "t.csv", "--group", "site", "-o", "aligned.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left as they are", done.stderr)
        for name in ("x", "y", "n", "color", "site", "id"):
            self.assertEqual(self.column("aligned.csv", name), self.column("t.csv", name))

    def test_named_labels_are_protected_and_it_is_said(self):
        self.write_table()
        for words, gate in ([], "label"), (["--gate", "none"], "none"):
            done = self.call("align", "t.csv", "--group", "site", "--label", "color", *words,
                             "--layers", 3, "-o", "a.csv", "--model", "m.conflux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("aligned within their" in done.stderr, gate == "label", done.stderr)
            self.assertEqual("within labels the group" in done.stderr, gate == "label", done.stderr)
            options = json.loads(self.run_command("info", "m.conflux", "--json"))["options"]
            self.assertEqual(options["gate"], gate)
        # Methods without gates do not fail for it, and a fit says the same.
        self.run_command("fit", "t.csv", "--group", "site", "--label", "color", "--method", "nb",
                         "-o", "m.conflux")
        said = self.call("fit", "t.csv", "--group", "site", "--label", "color", "--layers", 3,
                         "-o", "m.conflux").stderr
        self.assertIn("aligned within their", said)

    def test_fits_by_clusters_say_how_sure_their_matching_is(self):
        random = np.random.default_rng(3)
        lines = ["batch," + ",".join(f"x{j}" for j in range(6))]
        for batch, shift, kinds in ("a", 0, [0]), ("b", 0.6, [1]), ("both", -0.5, [0, 1]):
            for i in range(200):
                row = random.normal(size=6) + shift
                row[:3] += 8 * kinds[i % len(kinds)]
                lines.append(",".join([batch, *map(str, row)]))
        self.write("t.csv", "\n".join(lines) + "\n")
        said = self.call("fit", "t.csv", "--group", "batch", "-o", "m.conflux").stderr
        for text in said, self.run_command("info", "m.conflux"):
            for words in ("a: ", "b: ", "both: "):
                self.assertRegex(text, rf"\n  {words}\d+ % of its rows are in clusters that match")
            self.assertIn("Matched only through other groups: a and b", text)
            self.assertRegex(text, r"Cluster 1: \d+ % of a, \d+ % of b")
        whole = self.call("fit", "t.csv", "--group", "batch", "--gate", "none", "-o", "n.conflux")
        self.assertNotIn("in clusters that match", whole.stderr)

    def write_shifted_types(self, known):
        """Types in a row; group b is shifted by as much as they are apart. `known` says which rows
        have a label, by their number."""
        random = np.random.default_rng(3)
        lines = [",".join([*(f"x{j}" for j in range(12)), "site", "type"])]
        for i in range(1200):
            site = "ab"[i % 2]
            kind = random.choice(4, p=[.4, .3, .2, .1] if site == "a" else [.1, .2, .3, .4])
            row = random.normal(size=12) + 3 * (kind + (site == "b"))
            lines.append(",".join([*map(str, row), site, f"t{kind}" if known(i) else ""]))
        self.write("t.csv", "\n".join(lines) + "\n")

    def test_labels_of_some_rows_steer_and_it_is_said(self):
        self.write_shifted_types(lambda i: i % 20 < 2)
        words = ["t.csv", "--group", "site", "--label", "type"]
        checked = self.run_command("check", *words)
        self.assertIn("Labels of 10 % of the rows are known and guide the matching", checked)
        self.assertIn("--label type", checked)
        done = self.call("align", *words, "-o", "a.csv", "--model", "m.conflux")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("guide which clusters the other rows are aligned in", done.stderr)
        self.assertIn("within clusters, which follow the labels of 10 % of the rows", done.stderr + done.stdout)
        self.assertIn("within clusters", done.stderr + done.stdout)
        shown = json.loads(self.run_command("evaluate", "m.conflux", "t.csv", "--json"))
        transfer = shown["judgement"]["label_transfer"]
        self.assertLess(transfer["before"], 0.6)
        self.assertGreater(transfer["after"], 0.8)

    def test_a_file_without_the_column_of_labels_has_none(self):
        self.write_shifted_types(lambda i: True)
        names = ["x0", "x1", "x2", "type"]
        rows = list(zip(*(self.column("t.csv", name) for name in [*names, "site"])))
        for name, site, width in ("a", "a", 4), ("b", "b", 3), ("c", "b", 3):
            lines = [",".join(row[:width]) for row in [names, *rows] if row[-1] in (site, "type")]
            self.write(f"{name}.csv", "\n".join(lines))
        said = self.call("fit", "a.csv", "b.csv", "--label", "type", "--layers", 3, "-o", "m.conflux")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("some rows have a \"type\"", said.stderr + said.stdout)
        self.run_command("evaluate", "m.conflux", "b.csv", "a.csv")
        refused = self.call("fit", "b.csv", "c.csv", "--label", "type", "-o", "n.conflux")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("no file has a \"type\"", refused.stderr)

    def test_a_column_without_any_label_is_taken_for_none(self):
        self.write_shifted_types(lambda i: False)
        said = self.call("fit", "t.csv", "--group", "site", "--label", "type", "--layers", 3, "-o",
                         "m.conflux")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("no row has a \"type\"", said.stderr)

    def test_results_to_standard_output_and_quiet(self):
        self.write_table()
        words = ["align", "t.csv", "--group", "site", "--layers", 3, "-q"]
        done = self.call(*words, "-o", "-")
        self.run_command(*words, "-o", "a.csv")
        self.assertEqual(done.stdout, self.read("a.csv").decode())
        self.assertNotIn("The groups differ", done.stderr)
        refused = self.call(*words, "-o", "-", "--json")
        self.assertEqual(refused.returncode, 2)

    def test_no_input_is_overwritten_and_nothing_is_lost(self):
        self.write_table()
        before = self.read("t.csv")
        for words in (["-o", "t.csv"], ["-o", "a.csv", "--model", "t.csv"],
                      ["-o", "a.csv", "--model", "a.csv"], ["-o", "none/a.csv"],
                      ["-o", "a.csv", "--unseen", "1"], ["-o", "a.csv", "--unseen", "x"]):
            done = self.call("align", "t.csv", "--group", "site", *words)
            self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertEqual(self.read("t.csv"), before)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["t.csv"])
        pipe = self.call("align", "-", "-o", "a.csv", stdin="x,group\n1,a\n2,b\n")
        self.assertEqual(pipe.returncode, 2)
        self.assertIn("pipe", pipe.stderr)

    def test_groups_of_another_table(self):
        self.write_table()
        lines = (self.folder / "t.csv").read_text().splitlines()
        self.write("rows.csv", "\n".join(",".join(line.split(",")[:4]) for line in lines) + "\n")
        self.write("meta.csv", "\n".join(",".join(line.split(",")[4:]) for line in lines) + "\n")
        words = ["--group", "site", "--layers", 3, "-q"]
        self.run_command("align", "rows.csv", "--meta", "meta.csv", *words, "-o", "a.csv")
        self.run_command("align", "t.csv", *words, "-o", "b.csv")
        for name in ("x", "n", "id"):
            self.assertEqual(self.column("a.csv", name), self.column("b.csv", name))

    def test_one_file_per_group(self):
        random = np.random.default_rng(3)
        for name, shift in ("p", 0), ("q", 2):
            np.save(self.folder / f"{name}.npy", random.normal(size=(300, 4)) + shift)
        self.run_command("align", "p.npy", "q.npy", "-o", "both.npz")
        both = np.load(self.folder / "both.npz")
        self.assertEqual(both["X"].shape, (600, 4))
        # After a shift of 2, the remaining difference could be chance in each feature of so few
        # rows.
        self.assertLess(abs(both["X"][:300].mean() - both["X"][300:].mean()), 0.2)

    def test_a_signal_ends_it_without_a_trace(self):
        self.write_table(rows=3000)
        process = subprocess.Popen(
            [COMMAND, "align", "t.csv", "--group", "site", "-o", "a.csv", "--layers", "3000",
             "--validation-fraction", "0", "-q"],
            cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -signal.SIGINT, error)
        self.assertIn("interrupted", error)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["t.csv"])


class RecommendedCommands(CommandTest):
    """Commands that check recommends are complete and run as printed, for every type of input."""

    def follow(self, *words):
        shown = json.loads(self.run_command("check", *words, "--json"))
        command = shlex.split(shown["command"])
        self.assertEqual(command[:2], ["conflux", "align"])
        self.run_command(*command[1:], "--layers", 2)
        return self.folder / command[command.index("-o") + 1]

    def write_rows(self, name, shifts, separator=",", header=True, rows=150):
        random = np.random.default_rng(5)
        lines = [separator.join(["x", "y y", "lab", "g"])] if header else []
        for group, shift in shifts.items():
            for i in range(rows):
                x, y = random.normal(size=2) + shift
                lines.append(separator.join([repr(x), repr(y), "st"[i % 2], group]))
        self.write(name, "\n".join(lines) + "\n")

    def test_tables(self):
        self.write_rows("my table.csv", {"a": 0, "b": 2})
        self.assertTrue(self.follow("my table.csv", "--group", "g").exists())
        self.follow("my table.csv", "--group", "g", "--label", "lab")
        self.follow("my table.csv", "--group", "g", "--features", "x,y y")
        self.follow("my table.csv", "--group", "g", "--drop", "lab", "--scale", "normal")
        self.follow("my table.csv", "--group", "g", "--where", "lab=s")

    def test_other_formats(self):
        self.write_rows("t.tsv", {"a": 0, "b": 2}, "\t")
        self.assertEqual(self.follow("t.tsv", "--group", "g").name, "aligned.tsv")
        self.write_rows("bare.csv", {"a": 0, "b": 2}, header=False)
        self.follow("bare.csv", "--no-header", "--group", "c3", "--drop", "c2")
        self.write_rows("semi.txt", {"a": 0, "b": 2}, ";")
        self.follow("semi.txt", "--format", "csv", "--delimiter", ";", "--group", "g")

    def test_several_files_and_arrays(self):
        self.write_rows("one.csv", {"a": 0})
        self.write_rows("two.csv", {"b": 2})
        self.follow("one.csv", "two.csv", "--drop", "g")
        random = np.random.default_rng(6)
        for name, shift in ("p", 0), ("q", 2):
            np.save(self.folder / f"{name}.npy", random.normal(size=(150, 3)) + shift)
        self.assertEqual(self.follow("p.npy", "q.npy").name, "aligned.npz")
        self.write_rows("aligned.csv", {"a": 0, "b": 2})
        self.assertEqual(self.follow("aligned.csv", "--group", "g").name, "aligned_aligned.csv")

    def test_a_pipe_gets_a_command_for_a_pipe(self):
        self.write_rows("t.csv", {"a": 0, "b": 2})
        text = (self.folder / "t.csv").read_text()
        shown = json.loads(self.run_command("check", "-", "--group", "g", "--json", stdin=text))
        words = shlex.split(shown["command"])
        self.assertEqual(words[:3], ["conflux", "fit", "-"])
        self.run_command(*words[1:], "--layers", 2, stdin=text)


if __name__ == "__main__":
    unittest.main()
