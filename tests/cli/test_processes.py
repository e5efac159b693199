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
        for words, part in ((("g0.npy", "none.npy"), "none.npy"), (("t.csv",), "arrays only"),
                            (("g0.npy", "g1.npy", "--label", "c0"), "arrays only")):
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
                      ("inb", "--gate", "kinds", "--layers", 2)):
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
        # What is wrong at one site ends all.
        done = self.share(("g0.npy", "--method", "nb", "-o", "t0.conflux"),
                          ("none.npy", "--method", "nb", "-o", "t1.conflux"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("process 1: ", done.stderr)
        self.assertIn("none.npy", done.stderr)

    def test_other_verbs_are_the_work_of_one(self):
        done = self.start(2, "check", "g0.npy", "g1.npy")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("check is the work of one", done.stderr)


if __name__ == "__main__":
    if not knows_mpi():
        print("skipped: the command was built without MPI")
        raise SystemExit(77)
    unittest.main()
