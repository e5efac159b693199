"""Runs the installed conflux command, whose path is in CONFLUX."""

import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = os.environ["CONFLUX"]
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


class CommandTest(unittest.TestCase):
    """A test with an empty folder of its own, in which commands run."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *words, stdin=None, env=None):
        return subprocess.run(
            [COMMAND, *map(str, words)], cwd=self.folder, input=stdin, capture_output=True,
            text=not isinstance(stdin, bytes), timeout=300, env=env)

    def run_command(self, *words, stdin=None):
        """Runs a command that must succeed, and returns what it printed."""
        done = self.call(*words, stdin=stdin)
        self.assertEqual(done.returncode, 0, f"conflux {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def make_moons(self, samples=200, seed=0, name="moons.csv"):
        self.run_command("generate", "moons", "--samples", samples, "--seed", seed, "-o", name)

    def fit_moons(self, *options, output="moons.conflux"):
        self.make_moons()
        self.run_command("fit", "moons.csv", "--layers", 8, "--strength", 0.5, "-o", output, *options)
