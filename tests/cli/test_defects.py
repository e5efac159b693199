"""Damage that once was possible, one test for each kind, in order of harm.

What the failing calls of the system do to outputs is in test_faults.py, whether rows come back in
test_round_trip.py.
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from support import COMMAND, GOLDEN, CommandTest

FAILED, USAGE, DATA, NOT_BACK = 1, 2, 3, 4


class Defects(CommandTest):

    def files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes()
                for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()}

    def refused(self, words, part, code=USAGE, stdin=None):
        """The command ends with this code and a sentence; every file stays as it was."""
        before = self.files()
        done = subprocess.run([COMMAND, *map(str, words)], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, stdin=stdin)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        self.assertIn(part, done.stderr)
        self.assertEqual(self.files(), before, words)

    def write_table(self, name, values, groups, names=None):
        names = names or [f"x{j}" for j in range(values.shape[1])]
        rows = [",".join([*(repr(float(v)) for v in row), f"g{g}"]) for row, g in zip(values, groups)]
        self.write(name, "\n".join([",".join([*names, "site"]), *rows]) + "\n")

    def small(self, name="t.csv", rows=120, columns=3, change=None):
        random = np.random.default_rng(1)
        groups = np.arange(rows) % 2
        values = random.standard_normal((rows, columns)) + groups[:, None]
        if change:
            change(values)
        self.write_table(name, values, groups)
        return values

    # An input became JSON, with exit code 0.
    def test_1_no_result_replaces_what_the_command_reads(self):
        self.small()
        self.write("meta.csv", "note\n" + "a\n" * 120)
        self.write("c.json", "{}")
        (self.folder / "link.csv").symlink_to("t.csv")
        os.link(self.folder / "t.csv", self.folder / "hard.csv")
        self.run_command("fit", "t.csv", "--group", "site", "--method", "nb", "-q", "-o", "m",
                         "--checkpoint", "ck", "--every", 1)
        fit = ["t.csv", "--group", "site", "--meta", "meta.csv", "--columns", "c.json", "--force"]
        for name in ("t.csv", "./t.csv", "link.csv", "hard.csv", "meta.csv", "c.json"):
            self.refused(["check", *fit, "--write-columns", name], "is an input")
            self.refused(["fit", *fit, "-o", name], "is an input")
            self.refused(["fit", *fit, "-o", "new", "--checkpoint", name], "is an input")
            self.refused(["fit", *fit, "-o", "new", "--report", name], "is an input")
            for flag in ("-o", "--model", "--checkpoint", "--report", "--watch", "--final"):
                rest = [] if flag == "-o" else ["-o", "new.csv"]
                self.refused(["align", *fit, *rest, flag, name], "is an input")
        for name in ("m", "t.csv", "meta.csv"):
            model = ["m", "t.csv", "--meta", "meta.csv", "--force"]
            self.refused(["report", *model, "-o", name], "is an input")
            self.refused(["transform", *model, "-o", name], "is an input")
            self.refused(["add-group", *model, "--name", "x", "-o", name], "is an input")
        with open(self.folder / "t.csv") as table:
            self.refused(["convert", "--format", "csv", "-", "t.csv"], "is an input", stdin=table)

    def test_1_files_beside_the_input_stay(self):
        self.write("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 4\n")
        self.write("barcodes.tsv", "c1\nc2\n")
        self.write("genes.tsv", "g1\ng2\n")
        for name in ("barcodes.tsv", "genes.tsv"):
            self.refused(["convert", "matrix.mtx", name, "--force"], "is an input")

    def test_1_files_of_another_kind_are_replaced_by_force_only(self):
        self.small()
        self.run_command("fit", "t.csv", "--group", "site", "--method", "nb", "-q", "-o", "m")
        self.write("other.csv", "a,b\n1,2\n")
        self.write("c.json", "{}")
        self.write("page.html", "<!doctype html><p>mine</p>")
        fit = ["t.csv", "--group", "site"]
        for name in ("other.csv", "c.json", "m"):
            self.refused(["fit", *fit, "-o", "new", "--report", name], "--force")
            self.refused(["report", "m", "t.csv", "-o", name], "--force" if name != "m" else "input")
        for name in ("other.csv", "page.html", "m"):
            self.refused(["check", *fit, "--write-columns", name], "--force")
            self.refused(["align", *fit, "-o", "new.csv", "--final", name], "--force")
        for name in ("m", "c.json", "page.html"):
            self.refused(["convert", "t.csv", name, "--output-format", "csv"], "--force")
        self.run_command("check", *fit, "--write-columns", "page.html", "--force")
        self.run_command("check", *fit, "--write-columns", "page.html")

    def test_1_two_results_are_two_files(self):
        self.small()
        (self.folder / "folder").mkdir()
        for other in ("new.csv", "./new.csv", "folder/../new.csv"):
            for flag in ("--model", "--report", "--checkpoint", "--final", "--watch"):
                self.refused(["align", "t.csv", "--group", "site", "-o", "new.csv", flag, other],
                             "two results")

    def test_1_folders_of_pictures_stay(self):
        (self.folder / "a").mkdir()
        picture = b"P5 2 2 255\n"
        for k in range(8):
            (self.folder / "a" / f"{k}.pgm").write_bytes(picture + bytes([k, 40 * (k % 5), 90, 7 * k]))
        done = self.call("convert", "a", "a.csv")
        if done.returncode != 0:
            self.skipTest(done.stderr)
        self.refused(["convert", "a", "a/0.pgm", "--output-format", "csv", "--force"], "a")

    # Everything that the command can be told is in its help.
    def test_1_no_flag_is_hidden(self):
        text = self.run_command("align", "--help-all")
        for flag in ("--watch", "--final", "--shown-as"):
            self.assertIn(flag, text)

    # A value beyond what maps can hold was fitted, and info called the model damaged.
    def test_4_models_that_are_written_can_be_read(self):
        for factor in (1e100, 1e150, 1e160, 1e300, 1e-300, 1e-160):
            def scale(values):
                values[:, 0] *= factor
            self.small(change=scale)
            for method in ("auto", "nb", "gb", "inb"):
                done = self.call("fit", "t.csv", "--group", "site", "--method", method, "-q", "-o", "m",
                                 "--force")
                if done.returncode == 0:
                    self.run_command("info", "m")
                    self.run_command("transform", "m", "t.csv", "-o", "z.csv", "-q")
                else:
                    self.assertEqual(done.returncode, DATA, done.stderr)
                    self.assertIn('"x0"', done.stderr, "the column is named")

    # 1e12 + N(0, 1) lost four digits of its spread, and nobody was told.
    def test_6_columns_whose_digits_a_table_cannot_hold_stay(self):
        for offset in (1e8, 1e12, 1e14):
            def add(values):
                values[:, 0] += offset
            self.small(change=add)
            done = self.call("fit", "t.csv", "--group", "site", "-o", "m", "--force", "--no-judge")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("x0", done.stderr)
            self.assertRegex(done.stderr, "x0: copied unchanged.*subtract")
            self.run_command("transform", "m", "t.csv", "-o", "z.csv", "-q")
            was, now = ([line.split(",")[0] for line in self.read(name).decode().splitlines()]
                        for name in ("t.csv", "z.csv"))
            self.assertEqual(was, now)
            self.refused(["fit", "t.csv", "--group", "site", "-o", "n", "--as", "x0=number"],
                         "x0", DATA)
        def little(values):
            values[:, 0] += 1e5
        self.small(change=little)
        self.assertNotIn("subtract", self.call("fit", "t.csv", "--group", "site", "-o", "m", "--force",
                                               "--no-judge").stderr)

    def test_6_whole_numbers_above_2_53_stay(self):
        random = np.random.default_rng(0)
        cells = [str(2**53 + 1 + 2 * int(n)) for n in random.integers(0, 10**12, 120)]
        self.write("t.csv", "big,x,site\n" + "".join(
            f"{cell},{random.standard_normal():.4f},g{i % 2}\n" for i, cell in enumerate(cells)))
        done = self.call("fit", "t.csv", "--group", "site", "-o", "m", "--no-judge")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_command("transform", "m", "t.csv", "-o", "z.csv", "-q")
        self.assertEqual([line.split(",")[0] for line in self.read("z.csv").decode().splitlines()[1:]],
                         cells)

    def test_6_round_trip_is_in_spreads(self):
        def add(values):
            values[:, 0] += 1e5
        self.small(change=add)
        self.run_command("fit", "t.csv", "--group", "site", "--method", "inb", "-o", "m", "-q")
        found = json.loads(self.run_command("evaluate", "m", "t.csv", "--metrics", "round_trip", "--json"))
        # A rounding error at 1e5 is 1.5e-11, and the spread about 1.
        text = json.dumps(found)
        self.assertIn("round_trip", text)

    # "0 groups have at least 3 rows".
    def test_7_a_thousand_groups_are_checked_and_fitted(self):
        random = np.random.default_rng(0)
        groups = np.repeat(np.arange(1000), 50)
        values = random.standard_normal((50_000, 4)) + 0.7 * random.standard_normal((1000, 4))[groups]
        lines = [f"{a:.4f},{b:.4f},{c:.4f},{d:.4f},s{g}" for (a, b, c, d), g in zip(values, groups)]
        self.write("t.csv", "\n".join(["a,b,c,d,site", *lines]) + "\n")
        found = json.loads(self.run_command("check", "t.csv", "--group", "site", "--json"))
        self.assertTrue(found["differ"])
        self.run_command("fit", "t.csv", "--group", "site", "--method", "means", "-o", "m", "-q")
        self.run_command("info", "m")

    def wide(self, columns, rows=60):
        random = np.random.default_rng(0)
        values = random.standard_normal((rows, columns))
        values[1::2] += 0.5
        lines = [",".join([*(f"{v:.3f}" for v in row), f"g{i % 2}"]) for i, row in enumerate(values)]
        self.write("t.csv", "\n".join([",".join([*(f"c{j}" for j in range(columns)), "site"]), *lines]))

    # 60 x 10,000 was not done after four minutes, and took 3.2 GB.
    def test_8_wide_tables_are_checked(self):
        self.wide(10_000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.run_command("check", "t.csv", "--group", "site", "-q")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime - before.ru_utime, 60)
        self.assertLess(after.ru_maxrss, 1_200_000)

    def signal_after(self, seconds, *words):
        """Seconds from a signal to the end of the command."""
        process = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder,
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        if process.poll() is not None:
            return 0.0
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        error = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -signal.SIGTERM, error)
        self.assertIn("interrupted", error)
        return time.monotonic() - begin

    # Inside one decomposition nothing is heard, and the command ended after five seconds without a
    # word. A busy machine may take longer than the second that a quiet one needs.
    def test_9_signals_end_long_steps(self):
        self.wide(1500)
        for method, after in (("gb", 1.5), ("gb-inb", 2.5)):
            took = self.signal_after(after, "fit", "t.csv", "--group", "site", "--method", method,
                                     "-q", "-o", "m")
            self.assertLess(took, 4)
            self.assertEqual(sorted(os.listdir(self.folder)), ["t.csv"])

    # The temporary copy of an h5ad file was readable by everybody, and stayed after a kill.
    def test_10_copies_of_tables_are_private_and_go(self):
        shutil.copy(GOLDEN / "tables" / "cells.h5ad", self.folder)
        done = self.call("fit", "cells.h5ad", "--group", "batch", "--method", "nb", "-q", "-o", "m")
        if "built without" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "tmp").mkdir()
        done = self.call("transform", "m", "cells.h5ad", "-o", "z.h5ad", "-q",
                         env=os.environ | {"TMPDIR": str(self.folder / "tmp")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["cells.h5ad", "m", "tmp", "z.h5ad"])
        self.assertEqual(os.listdir(self.folder / "tmp"), [])

    # The new model had replaced the old one although its table could not be written.
    def test_12_model_and_table_are_replaced_together(self):
        self.small()
        words = ["align", "t.csv", "--group", "site", "--method", "nb", "-q", "--model", "m", "-o"]
        self.run_command(*words, "z.csv")
        old = self.read("m"), self.read("z.csv")
        self.small(rows=130)
        line = 'ulimit -f 2; trap "" XFSZ; exec "$0" "$@"'
        done = subprocess.run(["bash", "-c", line, COMMAND, *words, "z.csv"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertEqual((self.read("m"), self.read("z.csv")), old)

    # "INPUT is required".
    def test_13_a_resumed_fit_takes_other_flags(self):
        self.small()
        self.run_command("fit", "t.csv", "--group", "site", "--method", "inb", "--layers", 6,
                         "--checkpoint", "ck", "--every", 2, "-o", "m", "-q", "-j", 1)
        for words in (["-j", 2], ["-o", "n"], ["--every", 3], ["--report", "r.html"],
                      ["--threads=2", "--output=n2"]):
            done = self.call("fit", "--resume", "ck", *words)
            self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        self.assertTrue((self.folder / "r.html").exists())
        for name in ("n", "n2"):
            self.run_command("transform", name, "t.csv", "-o", name + ".npy")
        self.run_command("transform", "m", "t.csv", "-o", "m.npy")
        self.assertEqual(self.read("n.npy"), self.read("m.npy"))
        self.assertEqual(self.read("n2.npy"), self.read("m.npy"))

    def test_14_a_nul_does_not_cut_a_sentence_off(self):
        self.write("t.csv", "x,y,site\n1,2,a\n3\0z,4,b\n" + "5,6,a\n7,8,b\n" * 20)
        done = self.call("fit", "t.csv", "--group", "site", "-o", "m", "--as", "x=number")
        self.assertEqual(done.returncode, DATA)
        self.assertRegex(done.stderr, r"line 3.*\\x00.*[.;]")

    def test_14_a_missing_folder_for_temporary_files_is_named(self):
        self.small()
        self.run_command("fit", "t.csv", "--group", "site", "--method", "nb", "-q", "-o", "m")
        done = self.call("transform", "m", "t.csv", "-o", "z.npz", "-q",
                         env=os.environ | {"TMPDIR": "/nonexistent"})
        self.assertNotIn("filesystem error", done.stderr)
        if done.returncode != 0:
            self.assertIn("TMPDIR", done.stderr)

    # A fit on two threads gave a file with another header.
    def test_14_threads_leave_no_trace_in_models(self):
        self.small()
        for threads in (1, 2):
            self.run_command("fit", "t.csv", "--group", "site", "--method", "inb", "--layers", 3, "-q",
                             "-j", threads, "-o", f"m{threads}")
        self.assertEqual(self.read("m1"), self.read("m2"))

    # The same rows, a second later.
    def test_14_h5ad_outputs_have_the_same_bytes_every_time(self):
        shutil.copy(GOLDEN / "tables" / "cells.h5ad", self.folder)
        done = self.call("fit", "cells.h5ad", "--group", "batch", "--method", "nb", "-q", "-o", "m")
        if "built without" in done.stderr:
            self.skipTest(done.stderr)
        self.run_command("transform", "m", "cells.h5ad", "-o", "a.h5ad", "-q")
        time.sleep(1.1)
        self.run_command("transform", "m", "cells.h5ad", "-o", "b.h5ad", "-q")
        self.assertEqual(self.read("a.h5ad"), self.read("b.h5ad"))

    # Rows moved by a quarter of their spread, and the summary said "a by 0".
    def test_14_tiny_units_are_measured_in_spreads(self):
        for factor in (1e-300, 1e-60):
            def shrink(values):
                values *= factor
            self.small(change=shrink)
            done = self.call("fit", "t.csv", "--group", "site", "-o", "m")
            if factor == 1e-300:
                self.assertEqual(done.returncode, DATA)
                self.assertRegex(done.stderr, '"x0".*multiply')
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"Moved most: x. by 0\.[1-9]")


if __name__ == "__main__":
    unittest.main()
