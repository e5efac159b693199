"""Every call of the system fails in turn: the exit code says so, and older outputs stay whole.

A library of ours (tests/faults/fail_call.c) is preloaded and makes the n-th read, write, fsync, ...
of a command fail, for n = 1, 2, ... until no call is left. FAULT_STRIDE=1 tries every n; without it,
long runs of one call are tried at every third place behind the first twenty.
"""

import errno
import os
import pathlib
import shutil
import sys
import unittest

from support import GOLDEN, CommandTest

LIBRARY = os.environ.get("CONFLUX_FAIL_CALL", "")
STRIDE = int(os.environ.get("FAULT_STRIDE", "3"))
ERRORS = {"read": errno.EIO, "pread": errno.EIO, "write": errno.ENOSPC, "pwrite": errno.ENOSPC,
          "fsync": errno.EIO, "close": errno.EIO, "rename": errno.EACCES, "linkat": errno.EACCES,
          "open": errno.EMFILE, "fopen": errno.EMFILE, "fread": errno.EIO, "fwrite": errno.ENOSPC,
          "fflush": errno.ENOSPC, "ftruncate": errno.ENOSPC, "tmpfile": errno.EMFILE}
# Without these calls a command does well, too: what it reads is open for reading only, and files
# that it has no use for are looked at in passing.
MAY_SUCCEED = {"close", "open", "fopen", "read"}


@unittest.skipIf(not LIBRARY, "the library that makes calls fail is not built")
class Faults(CommandTest):

    def fails(self, name, place, words, rest=False):
        """Runs with a failing call; returns the run, and how many calls of that name there were."""
        counts = self.folder.parent / (self.folder.name + ".count")
        environment = os.environ | {"LD_PRELOAD": LIBRARY, "FAIL_COUNT": str(counts),
                                    "FAIL_CALL": f"{name}:{place}:{ERRORS[name]}"}
        if rest:
            environment["FAIL_REST"] = "1"
        done = self.call(*words, env=environment)
        calls = int(counts.read_text().split()[-1]) if counts.exists() else 0
        counts.unlink(missing_ok=True)
        return done, calls

    def check_all(self, source, output):
        """Transforms `source` into `output`, which is there, while one call after the other fails."""
        words = ["transform", "m", source, "-o", output, "-q", "-j", 1]
        self.run_command(*words)
        right = self.read(output)
        old = b"an older output" if output.endswith(".csv") else self.read(source)
        listed = sorted(os.listdir(self.folder))
        tried = 0
        for name in ERRORS:
            _, calls = self.fails(name, 0, words)
            for rest in (False, True):
                for place in [*range(1, min(20, calls) + 1), *range(21, calls + 1, STRIDE)]:
                    with self.subTest(call=name, place=place, rest=rest, output=output):
                        (self.folder / output).write_bytes(old)
                        done, _ = self.fails(name, place, words, rest)
                        tried += 1
                        self.judge(done, name, output, old, right, listed)
        return tried

    def judge(self, done, name, output, old, right, listed):
        self.assertGreaterEqual(done.returncode, 0, f"died of a signal: {done.stderr}")
        found = self.read(output)
        if done.returncode == 0:
            self.assertIn(name, MAY_SUCCEED, "a failing call went unnoticed")
            self.assertEqual(found, right, "exit 0, but the output is wrong")
        else:
            self.assertRegex(done.stderr, r"conflux: .*[.;]", "a sentence says what happened")
            # The new file may be there if only its folder could not be synced.
            self.assertTrue(found in (old, right), "the output is neither the old nor the new file")
        self.assertEqual(sorted(os.listdir(self.folder)), listed, "a stray file")

    def prepare(self, source, group, *options):
        if source.exists():
            shutil.copy(source, self.folder / source.name)
        done = self.call("fit", source.name, "--group", group, "--method", "nb", "-q", "-o", "m",
                         *options)
        if "built without" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def report(self, kind, tried):
        print(f"{kind}: {tried} runs with a failing call", file=sys.stderr)
        self.assertGreater(tried, 20)

    def test_2_h5ad_outputs(self):
        self.prepare(GOLDEN / "tables" / "cells.h5ad", "batch")
        self.report("h5ad", self.check_all("cells.h5ad", "out.h5ad"))

    @unittest.skip("libnetcdf 4.9 reads for ever when fread() fails while it opens a file")
    def test_3_netcdf_outputs(self):
        for name in ("climate.nc", "climate_classic.nc"):
            self.prepare(GOLDEN / "tables" / name, "lat", "--features", "tas,pr", "--force")
            self.report(name, self.check_all(name, "out.nc"))

    def test_text_outputs(self):
        self.make_moons(samples=60)
        self.prepare(pathlib.Path("moons.csv"), "group")
        self.report("csv", self.check_all("moons.csv", "out.csv"))


if __name__ == "__main__":
    unittest.main()
