"""Fits that are stopped: politely, and by force."""

import os
import random
import signal
import subprocess
import time
import unittest

from support import COMMAND, CommandTest

# A fit that lasts about a second, so that there is something to stop.
FIT = ["fit", "moons.csv", "--layers", "400", "--validation-fraction", "0", "-j", "1", "-q"]


class Interruption(CommandTest):

    def start(self, *options):
        return subprocess.Popen([COMMAND, *FIT, *options], cwd=self.folder, stderr=subprocess.PIPE,
                                text=True)

    def wait_for(self, name):
        deadline = time.monotonic() + 30
        while not (self.folder / name).exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def bits(self, model):
        self.run_command("transform", model, "moons.csv", "-o", "z.npy")
        return self.read("z.npy")

    def test_a_resumed_fit_has_the_bits_of_an_uninterrupted_one(self):
        self.make_moons(samples=1000)
        self.run_command(*FIT, "-o", "whole.conflux")
        process = self.start("--checkpoint", "c", "--every", "3", "-o", "m.conflux")
        self.wait_for("c")
        process.send_signal(signal.SIGINT)
        error = process.communicate()[1]
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("--resume c", error)
        self.assertEqual(sorted(os.listdir(self.folder)), ["c", "moons.csv", "whole.conflux"])
        # Options come from the checkpoint; those that differ are refused.
        refused = self.call("fit", "moons.csv", "--resume", "c", "--layers", "7", "-o", "m.conflux")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("layers is 7", refused.stderr)
        self.run_command("fit", "moons.csv", "--resume", "c", "-j", "2", "-o", "m.conflux")
        self.assertEqual(self.bits("m.conflux"), self.bits("whole.conflux"))

    def test_checkpoints_belong_to_their_data(self):
        self.make_moons()
        self.run_command(*FIT, "--checkpoint", "c", "-o", "m.conflux")
        self.make_moons(seed=1)
        done = self.call("fit", "moons.csv", "--resume", "c", "-o", "m.conflux")
        self.assertEqual(done.returncode, 3)
        self.assertIn("other data", done.stderr)

    def test_an_interrupted_transform_leaves_nothing(self):
        self.fit_moons()
        with open(self.folder / "long.csv", "w") as file:
            file.write("x,y,group\n" + "0.5,0.5,0\n" * 3_000_000)
        before = sorted(os.listdir(self.folder))
        process = subprocess.Popen(
            [COMMAND, "transform", "moons.conflux", "long.csv", "-o", "z.csv", "-j", "1"],
            cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    # An old model and an old checkpoint are replaced whole or not at all. Only a new file that was
    # still on its way may stay behind, under its temporary name.
    def test_killed_fits_never_harm_a_file(self):
        self.make_moons(samples=1000)
        self.run_command(*FIT, "--checkpoint", "c", "-o", "m.conflux")
        generator = random.Random(0)
        for _ in range(int(os.environ.get("CONFLUX_KILLS", "20"))):
            process = self.start("--checkpoint", "c", "--every", "1", "-o", "m.conflux")
            time.sleep(generator.uniform(0, 0.4))
            process.kill()
            process.communicate()
            for name in ("m.conflux", "c"):
                self.run_command("info", name)
            for left in self.folder.glob("*.partial"):
                left.unlink()
            self.assertEqual(sorted(os.listdir(self.folder)), ["c", "m.conflux", "moons.csv"])


if __name__ == "__main__":
    unittest.main()
