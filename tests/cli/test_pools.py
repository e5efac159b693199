"""Large tables: a fit is content with a pool of rows, which are all that it keeps."""

import json
import subprocess
import sys
import unittest

import numpy as np

from support import COMMAND, CommandTest

OPTIONS = ("--method", "nb", "--fit-rows", "200")


class Pools(CommandTest):

    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(0)
        self.arrays = {name: generator.standard_normal((900, 3)) + shift
                       for name, shift in (("late", 1.0), ("early", 0.0))}
        for name, rows in self.arrays.items():
            np.save(self.folder / f"{name}.npy", rows)

    def write_table(self, rare=0):
        """The same rows in one table; the last few of each group have a label of their own."""
        lines = ["c0,c1,c2,group,kind"]
        for i in range(900):
            for name, rows in self.arrays.items():
                kind = "rare" if i >= 900 - rare else "common"
                lines.append(",".join(map(repr, map(float, rows[i]))) + f",{name},{kind}")
        self.write("t.csv", "\n".join(lines) + "\n")

    def info(self, model):
        return json.loads(self.run_command("info", model, "--json"))

    def moved(self, model):
        self.run_command("transform", model, "late.npy", "--from", "late", "-q", "-o", "z.npy",
                         "--force")
        return np.load(self.folder / "z.npy")

    def test_fewer_rows_are_fitted_others_judge_and_both_are_told(self):
        done = self.call("fit", "late.npy", "early.npy", *OPTIONS, "-o", "m.conflux")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("fitted on 400 of 1800 rows", "Fitted on 400 of 1800 rows",
                      "1400 test rows, kept from the fit, which had 400 others"):
            self.assertIn(words, done.stderr)
        shown = self.info("m.conflux")
        self.assertEqual(shown["groups"], {"late": 200, "early": 200})
        self.assertEqual(shown["given_rows"], {"late": 900, "early": 900})
        self.assertEqual(shown["options"]["fit_rows"], "200")
        self.assertIn("late (200 of 900 rows)", self.run_command("info", "m.conflux"))

    def test_a_report_knows_the_table_that_the_pool_was_drawn_from(self):
        self.run_command("fit", "late.npy", "early.npy", *OPTIONS, "-q", "-o", "m.conflux",
                         "--report", "drawn.html")
        self.run_command("report", "m.conflux", "late.npy", "early.npy", "-o", "all.html")
        np.save(self.folder / "late.npy", self.arrays["late"][:500])
        self.run_command("report", "m.conflux", "late.npy", "early.npy", "-o", "new.html")
        advice = b"Evaluate rows that the fit has not seen."
        told = [advice in self.read(name) for name in ("drawn.html", "all.html", "new.html")]
        self.assertEqual(told, [True, True, False])

    def test_the_draw_does_not_depend_on_how_rows_are_read(self):
        self.write_table()
        options = (*OPTIONS, "--scale", "none", "--repeats", "keep", "-q")
        self.run_command("fit", "late.npy", "early.npy", *OPTIONS, "-q", "-o", "arrays.conflux")
        self.run_command("fit", "t.csv", "--drop", "kind", *options, "-o", "whole.conflux")
        # With a limit of memory, a table is read in blocks.
        self.run_command("fit", "t.csv", "--drop", "kind", *options, "-o", "blocks.conflux",
                         "--max-memory", "1G")
        self.assertEqual(self.read("whole.conflux"), self.read("blocks.conflux"))
        np.testing.assert_array_equal(self.moved("arrays.conflux"), self.moved("whole.conflux"))

    def test_all_rows_can_be_asked_for(self):
        done = self.call("fit", "late.npy", "early.npy", "--method", "nb", "--fit-rows", "all",
                         "-o", "m.conflux")
        self.assertIn("fitted on 1800 rows", done.stderr)
        self.assertEqual(self.info("m.conflux")["given_rows"], {})
        done = self.call("fit", "late.npy", "early.npy", "--fit-rows", "most", "-o", "m.conflux")
        self.assertIn("a whole number, all or auto", done.stderr)

    def test_rare_labels_stay(self):
        self.write_table(rare=12)
        self.run_command("fit", "t.csv", "--label", "kind", *OPTIONS[2:], "-q", "--method", "inb",
                         "--layers", "2", "-o", "m.conflux")
        # By chance two or three of the twelve would be among the two hundred.
        self.assertGreater(self.info("m.conflux")["groups"]["late"], 205)

    def test_align_writes_every_row(self):
        self.write_table()
        done = self.call("align", "t.csv", "--drop", "kind", *OPTIONS, "-o", "a.csv",
                         "--model", "m.conflux")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a.csv: 1800 rows", done.stderr)
        self.assertIn("Fitted on 400 of 1800 rows", done.stderr)

    def measured(self, *words):
        """The largest resident size of a fit, in kilobytes, and what the fit said."""
        # A process of its own, whose only child is the fit.
        code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run([sys.executable, "-c", code, COMMAND, "fit", *words, "--force"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout.split()[-1]), done.stderr

    def peak(self, *words):
        return self.measured(*words, "-q", "-o", "m.conflux")[0]

    def stays_on_disk(self, *words):
        """Fits disk.conflux; the memory that the fit said it needs and what it took, in MB."""
        peak, said = self.measured(*words, "-o", "disk.conflux")
        self.assertIn("rows stay on disk: in memory the fit would need about", said)
        return float(said.split("it needs about ")[1].split(" MB")[0]), peak * 1024 / 1e6

    def test_memory_holds_the_pool_and_not_the_rows(self):
        peaks = []
        for rows in (100_000, 1_000_000):
            for m in range(2):
                out = np.lib.format.open_memmap(self.folder / f"g{m}.npy", "w+", np.float32,
                                                (rows, 20))
                out[:] = np.random.default_rng(m).standard_normal((1000, 20)).repeat(
                    rows // 1000, 0)
                out.flush()
                del out
            peaks.append(self.peak("g0.npy", "g1.npy", "--method", "nb"))
        # The rows themselves would take 144 MB more.
        self.assertLess(peaks[1], peaks[0] + 60_000)

    def test_the_memory_that_is_stated_is_the_memory_that_is_taken(self):
        for m in range(2):
            out = np.lib.format.open_memmap(self.folder / f"g{m}.npy", "w+", np.float32,
                                            (1_000_000, 8))
            out[:] = np.random.default_rng(m).standard_normal((1000, 8)).repeat(1000, 0) + m
            out.flush()
            del out
        words = ("g0.npy", "g1.npy", "--method", "inb", "--layers", "2", "--fit-rows", "all", "-j",
                 "2")
        done = self.call("fit", *words, "--max-memory", "100M", "-o", "m.conflux")
        self.assertEqual(done.returncode, 3)
        stated = float(done.stderr.split("needs about ")[1].split(" MB")[0])
        peak = self.peak(*words) * 1024 / 1e6
        self.assertLess(abs(stated / peak - 1), 0.15, f"stated {stated} MB, taken {peak} MB")

    def test_rows_stay_on_disk_where_memory_is_too_small(self):
        for m in range(2):
            out = np.lib.format.open_memmap(self.folder / f"g{m}.npy", "w+", np.float32,
                                            (400_000, 40))
            out[:] = np.random.default_rng(m).standard_normal((1000, 40)).repeat(400, 0) + m
            out.flush()
            del out
        words = ("g0.npy", "g1.npy", "--fit-rows", "all", "-j", "2", "--gate", "none")
        for method in (("nb",), ("gb",), ("inb", "--layers", "3")):
            chosen = (*words, "--method", *method)
            self.run_command("fit", *chosen, "-q", "--force", "-o", "memory.conflux")
            stated, peak = self.stays_on_disk(*chosen, "--max-memory", "140M")
            self.assertEqual(self.read("memory.conflux"), self.read("disk.conflux"), method)
            # In memory the fit would take 169 MB and more.
            self.assertLess(peak, 1.15 * stated, f"{method}: {stated} MB stated, {peak} taken")
            self.assertGreater(peak, 0.8 * stated, f"{method}: {stated} MB stated, {peak} taken")

    def write_large_tables(self):
        """Two groups of 150,000 rows in a text and in an array file; their first rows."""
        rows = np.random.default_rng(0).standard_normal((5_000, 20)).round(4)
        lines = [",".join(map("{:.4f}".format, row)) for row in rows]
        head = ",".join(f"x{j}" for j in range(20)) + ",batch\n"
        # Digits at the end make the numbers of every copy others.
        copies = [f"{line.replace(',', f'{k % 30},')}{k % 30},{'ab'[k // 30]}\n"
                  for k in range(60) for line in lines]
        (self.folder / "t.csv").write_text(head + "".join(copies))
        (self.folder / "first.csv").write_text(head + "".join(copies[:500]))
        np.savez(self.folder / "t.npz", X=np.vstack([rows * (1 + k / 99) for k in range(60)]),
                 batch=np.repeat(["a", "b"], 150_000))

    def test_rows_of_tables_are_written_to_disk_where_memory_is_too_small(self):
        self.write_large_tables()
        for source in (("t.csv", "--scale", "none"), ("t.npz", "--array", "X")):
            words = (*source, "--group", "batch", "--fit-rows", "all", "-j", "2", "--gate", "none",
                     "--method", "nb")
            self.run_command("fit", *words, "-q", "--force", "-o", "memory.conflux")
            stated, peak = self.stays_on_disk(*words, "--max-memory", "180M")
            self.assertLess(peak, 1.15 * stated, f"{source}: {stated} MB stated, {peak} taken")
            done = self.call("fit", *words, "--max-memory", "60M", "--force", "-o", "m.conflux")
            self.assertEqual(done.returncode, 3)
            self.assertIn("fit fewer rows", done.stderr)
        self.assertEqual(self.read("memory.conflux"), self.read("disk.conflux"))

    def test_text_that_is_written_to_disk_is_fitted_to_the_same_bits(self):
        self.write_large_tables()
        moved = []
        for limit in ("2G", "180M"):
            self.run_command("fit", "t.csv", "--scale", "none", "--group", "batch", "--fit-rows",
                             "all", "-j", "2", "--gate", "none", "--method", "inb", "--layers",
                             "2", "--max-memory", limit, "-q", "--force", "-o", "m.conflux")
            self.run_command("transform", "m.conflux", "first.csv", "-q", "--force", "-o",
                             "moved.csv")
            moved.append(self.read("moved.csv"))
        self.assertEqual(*moved)

    def test_rows_on_disk_are_complete(self):
        self.write_large_tables()
        with open(self.folder / "t.csv", "a") as file:
            file.write("," * 20 + "a\n")
        done = self.call("fit", "t.csv", "--group", "batch", "--fit-rows", "all", "--gate", "none",
                         "--method", "nb", "--max-memory", "180M", "-o", "m.conflux")
        self.assertEqual(done.returncode, 3)
        self.assertIn("line 300002: a cell is missing; rows that stay on disk", done.stderr)

    def test_what_needs_rows_in_memory_says_so(self):
        for m in range(2):
            np.save(self.folder / f"g{m}.npy", np.zeros((300_000, 40), np.float32) + m)
        words = ("fit", "g0.npy", "g1.npy", "--fit-rows", "all", "-o", "m.conflux")
        done = self.call(*words, "--max-memory", "120M")
        self.assertEqual(done.returncode, 3)
        self.assertIn("Rows can stay on disk with --gate none and one of the methods nb, inb",
                      done.stderr)
        done = self.call(*words, "--method", "nb", "--max-memory", "70M")
        self.assertEqual(done.returncode, 3)
        self.assertIn("this needs about 9", done.stderr)
        self.assertIn("fit fewer rows", done.stderr)


if __name__ == "__main__":
    unittest.main()
