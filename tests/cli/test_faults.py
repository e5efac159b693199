"""Every call of the system fails in turn: the exit code says so, and older outputs stay whole.

A library of ours (tests/faults/fail_call.c) is preloaded and makes the n-th read, write, fsync, ...
of a command fail, for n = 1, 2, ... until no call is left, alone and with all later ones. Every verb
that writes and every format that is written is tried. FAULT_STRIDE=1 tries every n; without it, the
first eight calls of a name are tried and then every seventh. The numbers of runs are printed.
"""

import errno
import os
import pathlib
import shutil
import sys
import unittest

from support import GOLDEN, CommandTest

LIBRARY = os.environ.get("CONFLUX_FAIL_CALL", "")
STRIDE = int(os.environ.get("FAULT_STRIDE", "7"))
ALL = STRIDE == 1
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

    def check_all(self, words, outputs, old=b"an older output", without=(), may=MAY_SUCCEED):
        """Runs `words`, which replace the older `outputs`, while one call after the other fails."""
        self.may = may
        words = [*words, "-q", "-j", 1] if words[0] not in ("generate",) else [*words, "-q"]
        before = [old if isinstance(old, bytes) else old[k] for k in range(len(outputs))]
        for name, bytes_before in zip(outputs, before):
            (self.folder / name).write_bytes(bytes_before)
        self.run_command(*words)
        right = [self.read(name) for name in outputs]
        listed = sorted(os.listdir(self.folder))
        tried = 0
        for name in ERRORS:
            if name in without:
                continue
            _, calls = self.fails(name, 0, words)
            first = 20 if ALL else 8
            for rest in (False, True):
                for place in [*range(1, min(first, calls) + 1), *range(first + 1, calls + 1, STRIDE)]:
                    with self.subTest(call=name, place=place, rest=rest, words=words):
                        for output, bytes_before in zip(outputs, before):
                            (self.folder / output).write_bytes(bytes_before)
                        done, _ = self.fails(name, place, words, rest)
                        tried += 1
                        self.judge(done, name, outputs, before, right, listed)
        return tried

    def judge(self, done, name, outputs, before, right, listed):
        self.assertGreaterEqual(done.returncode, 0, f"died of a signal: {done.stderr}")
        found = [self.read(output) for output in outputs]
        if done.returncode == 0:
            self.assertEqual(found, right, "exit 0, but the output is wrong")
            self.assertIn(name, self.may, "a failing call went unnoticed")
        else:
            self.assertRegex(done.stderr, r"conflux: .*[.;]", "a sentence says what happened")
            for output, now, old, new in zip(outputs, found, before, right):
                # The new file may be there if only its folder could not be synced.
                self.assertTrue(now in (old, new), f"{output} is neither the old nor the new file")
            # Several outputs are all old or all new, or the message says which are.
            if len(outputs) > 1 and found not in (before, right):
                for output, now, new in zip(outputs, found, right):
                    if now == new:
                        self.assertIn(output, done.stderr, "replaced alone without a word")
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
        self.report("h5ad", self.check_all(["transform", "m", "cells.h5ad", "-o", "out.h5ad"],
                                           ["out.h5ad"], self.read("cells.h5ad")))

    # The library may do without a call; what it has written is read back in any case.
    # libnetcdf 4.9 reads for ever when fread() fails while it opens a file of the classic format.
    def test_3_netcdf_outputs(self):
        for name in ("climate.nc", "climate_classic.nc"):
            self.prepare(GOLDEN / "tables" / name, "lat", "--features", "tas,pr", "--force")
            self.report(name, self.check_all(["transform", "m", name, "-o", "out.nc"], ["out.nc"],
                                             self.read(name), without=["fread"],
                                             may=set(ERRORS)))

    def test_formats(self):
        self.make_moons(samples=60)
        self.prepare(pathlib.Path("moons.csv"), "group")
        for name in ("out.csv", "out.tsv.gz", "out.csv.zst", "out.npy", "out.npz", "out.fcs"):
            self.report(name, self.check_all(["transform", "m", "moons.csv", "-o", name, "--force"],
                                             [name]))

    def test_verbs(self):
        self.make_moons(samples=60)
        self.prepare(pathlib.Path("moons.csv"), "group")
        model = self.read("m")
        self.run_command("transform", "m", "moons.csv", "-o", "z.csv")
        self.write("new.csv", (self.folder / "moons.csv").read_text().replace(",0\n", ",new\n"))
        fit = ["moons.csv", "--group", "group", "--method", "nb", "--no-judge"]
        for words, outputs, old in (
                (["inverse", "m", "z.csv", "-o", "b.csv"], ["b.csv"], b"an older output"),
                (["translate", "m", "moons.csv", "--to", "1", "-o", "b.csv"], ["b.csv"], b"older"),
                (["convert", "moons.csv", "out.csv"], ["out.csv"], b"an older output"),
                (["fit", *fit, "-o", "m2"], ["m2"], model),
                (["add-group", "m", "new.csv", "-o", "m2"], ["m2"], model),
                (["align", *fit, "-o", "a.csv", "--model", "a.m"], ["a.csv", "a.m"], [b"old", model]),
                (["check", "moons.csv", "--group", "group", "--write-columns", "c.json"], ["c.json"],
                 b"{}"),
                (["report", "m", "moons.csv", "-o", "r.html"], ["r.html"], b"<!doctype html>older")):
            with self.subTest(words):
                self.report(words[0], self.check_all(words, outputs, old))


if __name__ == "__main__":
    unittest.main()
