"""Several processes, started by mpirun, give the model of one."""

import os
import shutil
import subprocess
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

    def test_other_verbs_are_the_work_of_one(self):
        done = self.start(2, "check", "g0.npy", "g1.npy")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("check is the work of one", done.stderr)


if __name__ == "__main__":
    if not knows_mpi():
        print("skipped: the command was built without MPI")
        raise SystemExit(77)
    unittest.main()
