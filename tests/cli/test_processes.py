"""Several processes, started by mpirun, give the model of one."""

import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from support import COMMAND, CommandTest

MPIRUN = shutil.which("mpirun")
# Tests run as root in containers, and with more processes than cores.
WORDS = ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none")


def knows_mpi():
    """Whether the command was built with MPI."""
    env = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}
    done = subprocess.run([COMMAND, "info", "x"], env=env, capture_output=True, text=True)
    return "built without MPI" not in done.stderr


@unittest.skipUnless(MPIRUN, "there is no mpirun; install openmpi-bin")
class Processes(CommandTest):

    def setUp(self):
        super().setUp()
        generator = np.random.default_rng(0)
        for m in range(3):
            np.save(self.folder / f"g{m}.npy",
                    (generator.standard_normal((500 + 100 * m, 4)) + m).astype(np.float32))

    def start(self, count, *words):
        return subprocess.run(
            [MPIRUN, *WORDS, "-n", str(count), COMMAND, *map(str, words)], cwd=self.folder,
            capture_output=True, text=True, timeout=300)

    def test_any_number_of_processes_writes_the_model_of_one(self):
        words = ("fit", "g0.npy", "g1.npy", "g2.npy", "--fit-rows", 200, "--method", "inb",
                 "--layers", 3, "-j", 1)
        self.run_command(*words, "-o", "alone.conflux")
        for count in (1, 2, 3):
            done = self.start(count, *words, "-o", f"m{count}.conflux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read(f"m{count}.conflux"), self.read("alone.conflux"))
            # One of them speaks.
            self.assertEqual(done.stderr.count("fitted on 600 of 1800 rows"), 1)

    def test_an_error_ends_all_with_a_message(self):
        for words, part in ((("g0.npy", "none.npy"), "none.npy"), (("t.csv",), ".npy files only"),
                            (("g0.npy", "g1.npy", "--label", "c0"), ".npy files only")):
            self.write("t.csv", "x,group\n1,a\n2,b\n")
            done = self.start(2, "fit", *words, "-o", "m.conflux")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(part, done.stderr)

    def test_a_number_that_is_none_is_named_with_its_place(self):
        rows = np.load(self.folder / "g1.npy")
        rows[470, 2] = np.nan
        np.save(self.folder / "g1.npy", rows)
        # The row is in the share of the last of them.
        done = self.start(3, "fit", "g0.npy", "g1.npy", "g2.npy", "-o", "m.conflux")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('group 1 ("g1"): row 470, column 2', done.stderr)

    def test_methods_and_gates_have_the_bits_of_one(self):
        for words in (("nb",), ("gb",), ("tree", "--layers", 2), ("dd",),
                      ("inb", "--gate", "clusters", "--layers", 2)):
            words = ("fit", "g0.npy", "g1.npy", "g2.npy", "--fit-rows", 300, "--force", "-j", 1,
                     "--method", *words)
            self.run_command(*words, "-q", "-o", "alone.conflux")
            done = self.start(2, *words, "-o", "by2.conflux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("by2.conflux"), self.read("alone.conflux"), words)

    def test_all_rows_are_fitted_where_they_are(self):
        for words in (("inb", "--layers", 3, "--validation-fraction", 0.1), ("gb",)):
            words = ("fit", "g0.npy", "g1.npy", "g2.npy", "--fit-rows", "all", "--gate", "none",
                     "--force", "-j", 1, "--method", *words)
            self.run_command(*words, "-q", "-o", "alone.conflux")
            done = self.start(3, *words, "-o", "several.conflux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("fitted on 1800 rows"), 1)
            self.assertEqual(self.read("several.conflux"), self.read("alone.conflux"), words)

    def write_mixed(self):
        """Rows of three groups in no order, whole and in three parts, with a list of the groups."""
        generator = np.random.default_rng(1)
        groups = generator.integers(0, 3, 1500)
        rows = (generator.standard_normal((1500, 4)) + groups[:, None]).astype(np.float32)
        np.save(self.folder / "rows.npy", rows)
        np.save(self.folder / "batch.npy", np.array(["x", "y", "z"])[groups])
        self.write("obs.csv", "kind,batch\n" + "".join(
            f"{'uv'[i % 2]},{'xyz'[m]}\n" for i, m in enumerate(groups)))
        for k, (begin, end) in enumerate(((0, 700), (700, 701), (701, 1500))):
            np.save(self.folder / f"part{k}.npy", rows[begin:end])
        for m, name in enumerate("xyz"):
            own = rows[groups == m]
            np.save(self.folder / f"{name}.npy", own)
            np.save(self.folder / f"{name}_1.npy", own[:100])
            np.save(self.folder / f"{name}_2.npy", own[100:])
        return rows

    # A group array, by one table or by parts of it: a part of one row has no row of most groups.
    def test_groups_by_an_array_have_the_bits_of_one_process(self):
        self.write_mixed()
        parts = ("part0.npy", "part1.npy", "part2.npy")
        for words in (("--fit-rows", 200), ("--fit-rows", "all", "--gate", "none"),
                      ("--fit-rows", "all")):
            words = (*words, "--method", "inb", "--layers", 3, "--force", "-j", 1)
            self.run_command("fit", "rows.npy", "--meta", "batch.npy", *words, "-q", "-o",
                             "alone.conflux")
            for count, files in ((2, ("rows.npy",)), (3, parts)):
                done = self.start(count, "fit", *files, "--meta", "batch.npy", "--group", "batch",
                                  *words, "-o", "several.conflux")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.read("several.conflux"), self.read("alone.conflux"), words)
        # Labels of the same table; and a fit of files has the maps of the same groups.
        words = ("--fit-rows", 200, "--method", "inb", "--layers", 3, "--force", "-j", 1)
        meta = ("--meta", "obs.csv", "--group", "batch", "--label", "kind")
        self.run_command("fit", "rows.npy", *meta, *words, "-q", "-o", "alone.conflux")
        done = self.start(3, "fit", *parts, *meta, *words, "-o", "several.conflux")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("several.conflux"), self.read("alone.conflux"))

    def test_files_that_are_renamed_alike_are_one_group(self):
        self.write_mixed()
        parts = [f"{name}_{k}.npy" for name in "xyz" for k in (1, 2)]
        for words in (("--fit-rows", 200), ("--fit-rows", "all", "--gate", "none")):
            words = (*words, "--method", "inb", "--layers", 3, "--force", "-j", 1)
            self.run_command("fit", "x.npy", "y.npy", "z.npy", *words, "-q", "-o", "whole.conflux")
            rename = ("--rename", "*_1=*,*_2=*")
            self.run_command("fit", *parts, *rename, *words, "-q", "-o", "alone.conflux")
            self.assertEqual(self.read("alone.conflux"), self.read("whole.conflux"))
            done = self.start(3, "fit", *parts, *rename, *words, "-o", "several.conflux")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.read("several.conflux"), self.read("whole.conflux"))

    def test_parts_are_moved_and_measured_with_an_array_of_groups(self):
        self.write_mixed()
        meta = ("--meta", "batch.npy", "--group", "batch")
        self.run_command("fit", "rows.npy", *meta, "--method", "nb", "-q", "-o", "m.conflux")
        self.run_command("transform", "m.conflux", "rows.npy", *meta, "-q", "-o", "whole.npy")
        parts = ("part0.npy", "part1.npy", "part2.npy")
        for name in ("alone", "by2", "bad"):
            (self.folder / name).mkdir()
        self.run_command("transform", "m.conflux", *parts, *meta, "-q", "-o", "alone/")
        done = self.start(2, "transform", "m.conflux", *parts, *meta, "-o", "by2/")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("alone", "by2"):
            moved = [np.load(self.folder / name / part) for part in parts]
            np.testing.assert_array_equal(np.vstack(moved), np.load(self.folder / "whole.npy"))
        words = ("evaluate", "m.conflux", *parts, *meta, "--json", "--metrics", "energy_distance")
        self.assertEqual(self.start(2, *words).stdout, self.call(*words).stdout)
        # Rows of the list that no file has.
        done = self.start(2, "transform", "m.conflux", *parts[:2], *meta, "-o", "bad/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("process 1: batch.npy has 1500 rows and all up to part1.npy has 701",
                      done.stderr)

    def test_what_is_wrong_beside_an_array_of_groups_is_named(self):
        rows = self.write_mixed()
        rows[1234, 2] = np.nan
        np.save(self.folder / "bad.npy", rows)
        np.save(self.folder / "short.npy", np.arange(1000) % 3)
        names = np.load(self.folder / "batch.npy")
        names[77] = ""
        np.save(self.folder / "hole.npy", names)
        number = ("process 2: group ", "column 2 is nan (bad.npy, row 1234,")
        for words, parts in (
                (("bad.npy", "--meta", "batch.npy"), number),
                (("bad.npy", "--meta", "batch.npy", "--fit-rows", "all", "--gate", "none"), number),
                (("rows.npy", "--meta", "short.npy"), ("short.npy has 1000 rows", "1500")),
                (("rows.npy", "--meta", "hole.npy"), ("hole.npy, row 78 has no group",)),
                (("rows.npy", "--meta", "batch.npy", "--group", "nix"),
                 ('batch.npy: no column "nix"',)),
                (("rows.npy",), ("which column tells the groups?", "--meta"))):
            done = self.start(3, "fit", *words, "--method", "inb", "-o", "m.conflux")
            self.assertNotEqual(done.returncode, 0)
            for part in parts:
                self.assertIn(part, done.stderr)
            self.assertEqual(done.stderr.count("conflux: "), 1, done.stderr)

    def test_a_number_that_is_none_ends_all_where_rows_are(self):
        rows = np.load(self.folder / "g1.npy")
        rows[470, 2] = np.nan
        np.save(self.folder / "g1.npy", rows)
        begin = time.time()
        done = self.start(3, "fit", "g0.npy", "g1.npy", "g2.npy", "--fit-rows", "all", "--gate",
                          "none", "--method", "inb", "-o", "m.conflux")
        self.assertNotEqual(done.returncode, 0)
        self.assertLess(time.time() - begin, 10)
        self.assertIn('process 2: group 1 ("g1"): row 470, column 2', done.stderr)

    def test_a_fit_goes_on_after_a_kill_with_another_number_of_processes(self):
        for rows in (("--fit-rows", "200"), ("--fit-rows", "all", "--gate", "none")):
            self.go_on_after_a_kill(*rows)

    def go_on_after_a_kill(self, *rows):
        words = ("fit", "g0.npy", "g1.npy", "g2.npy", "--method", "inb", "-j", 1, *rows, "--force",
                 "--layers")
        self.run_command(*words, 30, "-q", "-o", "alone.conflux")
        (self.folder / "c.ckpt").unlink(missing_ok=True)
        # So many layers that it is killed on the way.
        started = subprocess.Popen(
            [MPIRUN, *WORDS, "-n", "3", COMMAND, *map(str, words), "30", "--checkpoint", "c.ckpt",
             "--every", "1", "-o", "m.conflux"], cwd=self.folder, stderr=subprocess.DEVNULL)
        while started.poll() is None and not (self.folder / "c.ckpt").exists():
            time.sleep(0.01)
        for child in subprocess.run(["pgrep", "-P", str(started.pid)], capture_output=True,
                                    text=True).stdout.split()[:1]:
            os.kill(int(child), signal.SIGKILL)
        started.wait()
        self.assertTrue((self.folder / "c.ckpt").exists())
        done = self.start(2, "fit", "--resume", "c.ckpt", "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("m.conflux"), self.read("alone.conflux"))

    def test_processes_share_the_files_that_are_moved(self):
        files = ("g0.npy", "g1.npy", "g2.npy")
        self.run_command("fit", *files, "--method", "nb", "-q", "-o", "m.conflux")
        for name in ("alone", "by2", "by4", "bad"):
            (self.folder / name).mkdir()
        self.run_command("transform", "m.conflux", *files, "-q", "-o", "alone/")
        for count in (2, 4):  # one of four has nothing to do
            done = self.start(count, "transform", "m.conflux", *files, "-o", f"by{count}/")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("1800 rows in"), 1)
            for name in files:
                self.assertEqual(self.read(f"by{count}/{name}"), self.read(f"alone/{name}"))
        done = self.start(2, "translate", "m.conflux", *files, "--to", "g1", "-o", "one.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("name one with -o FOLDER/", done.stderr)
        # A file that the second of them cannot read ends both.
        self.write("broken.npy", "no array")
        done = self.start(2, "transform", "m.conflux", "g0.npy", "broken.npy", "-o", "bad/")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("process 1: ", done.stderr)
        self.assertIn("broken.npy", done.stderr)

    def test_evaluate_measures_what_one_process_measures(self):
        files = ("g0.npy", "g1.npy", "g2.npy")
        self.run_command("fit", *files, "--method", "nb", "-q", "-o", "m.conflux")
        self.write("t.csv", "c0,c1,c2,c3,group\n" + "".join(
            f"{i % 7},{i % 5},{i / 9},{i},g{i % 3}\n" for i in range(60)))
        for words in (files, ("t.csv", "--group", "group")):
            words = ("evaluate", "m.conflux", *words, "--json", "--metrics",
                     "energy_distance,w2_exact")
            alone = self.call(*words)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            done = self.start(3, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, alone.stdout)
        done = self.start(2, "evaluate", "m.conflux", "none.npy")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.npy", done.stderr)

    def share(self, *sites):
        """Starts one process for each site, with words of its own."""
        words = []
        for site in sites:
            words += [*(":" if words else ""), "-n", "1", COMMAND, "fit", *site, "--share",
                      "summaries", "--knots", "20", "-j", "1"]
        return subprocess.run([MPIRUN, *WORDS, *words], cwd=self.folder, capture_output=True,
                              text=True, timeout=300)

    def test_sites_that_keep_their_rows_meet_in_one_space(self):
        done = self.share(("g0.npy", "--method", "nb", "-o", "s0.conflux"),
                          ("g1.npy", "g2.npy", "--method", "nb", "-o", "s1.conflux"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_command("fit", "g0.npy", "g1.npy", "g2.npy", "--method", "nb", "--knots", "20",
                         "-q", "-o", "all.conflux")
        for name, site in (("g0", "s0"), ("g1", "s1"), ("g2", "s1")):
            for model in (site, "all"):
                self.run_command("transform", f"{model}.conflux", f"{name}.npy", "-q", "-o",
                                 f"{name}_{model}.npy")
            np.testing.assert_allclose(np.load(self.folder / f"{name}_{site}.npy"),
                                       np.load(self.folder / f"{name}_all.npy"), atol=1e-5)
        # An error at one site ends all.
        done = self.share(("g0.npy", "--method", "nb", "-o", "t0.conflux"),
                          ("none.npy", "--method", "nb", "-o", "t1.conflux"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("process 1: ", done.stderr)
        self.assertIn("none.npy", done.stderr)

    def test_other_verbs_are_the_work_of_one(self):
        done = self.start(2, "check", "g0.npy", "g1.npy")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("check runs in one", done.stderr)


if __name__ == "__main__":
    if not knows_mpi():
        print("skipped: the command was built without MPI")
        raise SystemExit(77)
    unittest.main()
