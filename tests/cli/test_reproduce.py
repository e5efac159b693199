"""Tables and figures of the paper, on a few dozen rows."""

import json
import os
import random
import signal
import struct
import subprocess
import time
import unittest
import xml.etree.ElementTree
import zlib

import numpy
from support import COMMAND, CommandTest

FAILED, USAGE = 1, 2
TABLES = ["planar2", "planar4", "planar3", "mnist2", "fashion2", "mnist3", "fashion3", "mnist10",
          "fashion10"]
CURVES = ["convergence", "sinf-mnist", "sinf-fashion"]
SIDE = 28


def picture(label, generator):
    """A square whose place and size tell the class, on a dark ground."""
    size, left, top = 6 + label, 2 + label + generator.randrange(3), generator.randrange(8)
    rows = bytearray(SIDE * SIDE)
    for y in range(top, min(top + size, SIDE)):
        for x in range(left, min(left + size, SIDE)):
            rows[y * SIDE + x] = 200 + generator.randrange(56)
    return bytes(rows)


def grey_png(data):
    """Width, height and rows of an eight-bit gray PNG; every checksum must hold."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        checksum, = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert zlib.crc32(kind + body) == checksum, kind
        chunks[kind] = body
        at += 12 + length
    width, height, bits, color = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (bits, color) == (8, 0)
    raw = zlib.decompress(chunks[b"IDAT"])
    assert len(raw) == height * (width + 1)
    return width, height, [raw[y * (width + 1) + 1:(y + 1) * (width + 1)] for y in range(height)]


class Reproduce(CommandTest):

    def write_images(self):
        """Folders as tools/get_data.sh writes them, with made-up images."""
        generator = random.Random(0)
        for folder, parts in (("mnist", ("train", "t10k")), ("fashion-mnist", ("all",))):
            (self.folder / "data" / folder).mkdir(parents=True)
            for part in parts:
                labels = bytes(sorted(list(range(10)) * 80)
                               if part == "all" else list(range(10)) * 40)
                images = b"".join(picture(label, generator) for label in labels)
                stem = self.folder / "data" / folder / part
                stem.with_name(f"{part}-images-idx3-ubyte").write_bytes(
                    struct.pack(">4i", 0x803, len(labels), SIDE, SIDE) + images)
                stem.with_name(f"{part}-labels-idx1-ubyte").write_bytes(
                    struct.pack(">2i", 0x801, len(labels)) + labels)

    def reproduce(self, *words):
        return json.loads(self.run_command("reproduce", *words, "-o", "out", "--json", "-q"))

    def record(self, name):
        return json.loads(self.read(f"out/{name}.json"))

    def test_list_names_everything(self):
        lines = self.run_command("reproduce", "list").splitlines()
        self.assertEqual(sorted(line.split()[0] for line in lines), sorted(TABLES + CURVES))
        listed = json.loads(self.run_command("reproduce", "list", "--json"))
        self.assertEqual([each["name"] for each in listed], [line.split()[0] for line in lines])

    def test_everything_is_made_and_a_second_start_measures_nothing(self):
        self.write_images()
        first = self.reproduce("all", "--tiny")
        cells = list((self.folder / "out/cells").iterdir())
        self.assertEqual(first["measured_cells"], len(cells))
        for name in TABLES + CURVES:
            page = self.read(f"out/{name}.md").decode()
            self.assertIn(f"conflux reproduce {name}", page)
            record = self.record(name)
            for row in record["rows"]:
                self.assertIn(f"| {row['row']} |", page)
                self.assertGreater(len(row["runs"]), 0)
            for line in page.splitlines():
                if line.startswith("!["):
                    self.assertTrue((self.folder / "out" / line.split("(")[1][:-1]).exists(), line)
        for path in (self.folder / "out").glob("*.svg"):
            xml.etree.ElementTree.parse(path)
        self.assertEqual(self.reproduce("all", "--tiny")["measured_cells"], 0)

        # A grid of ten classes: 7 x 7 pixels twice as large and a border per tile.
        width, height, rows = grey_png(self.read("out/mnist10-nb.png"))
        self.assertEqual((width, height), (12 * 16 + 2, 10 * 16 + 2))
        self.assertEqual(set(rows[0]), {255})
        # An image that goes to its own class is the image again: column 2 + class, column 0.
        for digit in range(10):
            for y in range(16 * digit + 2, 16 * digit + 16):
                own = 16 * (2 + digit) + 2
                self.assertEqual(rows[y][2:16], rows[y][own:own + 14])
                self.assertEqual(rows[y][2:16:2], rows[y][3:16:2])
        self.assertGreater(max(max(row[2:16]) for row in rows[2:16]), 150)

    def test_a_network_that_is_given_looks_at_images_beside_the_published_fids(self):
        self.write_images()
        side, rng = SIDE // 4, numpy.random.default_rng(0)
        numpy.savez(self.folder / "seven.npz", **{
            "layers": numpy.array([f"x: image height={side} width={side}", "y: dense x weights=d"]),
            "d.weights": rng.standard_normal((side * side, 3)).astype("f4"), "d.bias": numpy.zeros(3, "f4")})
        words = ["mnist3", "--tiny", "--only", "nb", "--only", "gb"]
        self.assertEqual(self.reproduce(*words)["measured_cells"], 2)
        self.assertNotIn("## Features", self.read("out/mnist3.md").decode())
        # Cells without these distances are measured again, cells that have them are not.
        self.assertEqual(self.reproduce(*words, "--features-net", "seven.npz")["measured_cells"], 2)
        self.assertEqual(self.reproduce(*words, "--features-net", "seven.npz")["measured_cells"], 0)
        page = self.read("out/mnist3.md").decode()
        self.assertIn("Frechet, `seven`", page)
        self.assertIn("real against real", page)
        self.assertIn("(229.8, invalid)", page)
        self.assertIn("(176.3 *, invalid)", page)
        for row in self.record("mnist3")["rows"]:
            seen = row["runs"][0]["given_net"]
            self.assertGreater(seen["frechet"], 0)
            self.assertFalse(seen["ring"])
        # It looks at the first run of a row, and rows that it has not looked at are shown as well.
        words = ["mnist3", "--tiny", "--only", "dd", "--runs", 2]
        self.assertEqual(self.reproduce(*words)["measured_cells"], 2)
        words[words.index("dd")] = "nb"
        self.assertEqual(self.reproduce(*words, "--features-net", "seven.npz")["measured_cells"], 1)
        rows = {row["row"]: row["runs"] for row in self.record("mnist3")["rows"]}
        self.assertEqual(["given_net" in run for run in rows["nb"]], [True, False])
        self.assertEqual(["given_net" in run for run in rows["dd"]], [False, False])
        self.assertIn("Frechet, `seven`", self.read("out/mnist3.md").decode())

    def test_methods_that_change_places_are_told_with_the_pairs_that_do(self):
        self.write_images()
        words = ["mnist2", "--tiny", "--only", "nb", "--only", "gb", "--only", "dd"]
        side = SIDE // 4
        numpy.savez(self.folder / "mean.npz", **{
            "layers": numpy.array([f"x: image height={side} width={side}", "y: mean x"])})
        words += ["--features-net", "mean.npz"]
        self.reproduce(*words)
        # Published are nb 229.6, dd 166.3, gb 73.6; farther than nb is dd here by one pair of two.
        for label, pairs in {"nb": [5, 2], "dd": [4, 6], "gb": [1, 1]}.items():
            path = self.folder / f"out/cells/mnist2.mnist2.{label}.0.json"
            cell = json.loads(path.read_bytes())
            self.assertEqual(len(cell["given_net"]["frechet_of_pairs"]), 2)
            self.assertAlmostEqual(sum(cell["given_net"]["frechet_of_pairs"]) / 2, cell["given_net"]["frechet"])
            cell["given_net"].update(frechet=sum(pairs) / 2, frechet_of_pairs=pairs)
            path.write_text(json.dumps(cell))
        self.assertEqual(self.reproduce(*words)["measured_cells"], 0)
        page = self.read("out/mnist2.md").decode()
        self.assertIn("distances of `mean`: 0.50, over 3 methods. "
                      "`dd` is farther than `nb`, unlike the published, in 1 of 2 pairs. \n", page)

    def test_cyclegan_translates_but_has_no_way_back(self):
        self.write_images()
        self.reproduce("mnist2", "--tiny", "--only", "cyclegan", "--only", "nb")
        rows = {row["row"]: row["runs"][0] for row in self.record("mnist2")["rows"]}
        for name in ("round_trip", "tc"):
            self.assertNotIn(name, rows["cyclegan"])
        self.assertGreater(rows["cyclegan"]["two_translations"], 1e-3)
        self.assertLess(rows["nb"]["two_translations"], 1e-6)
        page = self.read("out/mnist2.md").decode()
        self.assertIn("there is no shared space", page)
        # Figures of networks do not stand without their size and cost.
        self.assertRegex(page, r"\| cyclegan \| .*; two hidden layers of \d+ \| \d+ steps \| [\d.]+ \|")
        # Two lines of tiles, originals and translations, where others have three.
        self.assertEqual(grey_png(self.read("out/mnist2-cyclegan.png"))[1], 2 * 16 + 2)
        self.assertEqual(grey_png(self.read("out/mnist2-nb.png"))[1], 3 * 16 + 2)
        before = rows["cyclegan"]["paper_wd_matrix"]
        (self.folder / "out/cells/mnist2.mnist2.cyclegan.0.json").unlink()
        self.reproduce("mnist2", "--tiny", "--only", "cyclegan", "--threads", 3)
        rows = {row["row"]: row["runs"][0] for row in self.record("mnist2")["rows"]}
        self.assertEqual(rows["cyclegan"]["paper_wd_matrix"], before)

    def test_a_lost_or_damaged_cell_is_measured_again_and_others_are_kept(self):
        self.reproduce("planar3", "--tiny")
        cells = sorted((self.folder / "out/cells").iterdir())
        before = {path: path.read_bytes() for path in cells}
        cells[0].unlink()
        cells[1].write_bytes(before[cells[1]][:50])
        self.assertEqual(self.reproduce("planar3", "--tiny")["measured_cells"], 2)
        for path in cells[2:]:
            self.assertEqual(path.read_bytes(), before[path])
        for path in cells[:2]:
            again, old = json.loads(path.read_bytes()), json.loads(before[path])
            self.assertEqual(again["paper_wd"], old["paper_wd"])

    def test_an_interrupted_run_keeps_its_cells(self):
        words = ["reproduce", "planar3", "--tiny", "--runs", "1000", "-o", "out", "-q"]
        process = subprocess.Popen([COMMAND, *words], cwd=self.folder, stderr=subprocess.PIPE)
        cells = self.folder / "out/cells"
        deadline = time.monotonic() + 60
        while not cells.exists() or len(list(cells.iterdir())) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"the same command goes on", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, -signal.SIGINT)
        for path in cells.glob("*.json"):
            self.assertIn("paper_wd", json.loads(path.read_bytes()))
        self.assertFalse((self.folder / "out/planar3.md").exists())

    def test_cells_of_another_scale_do_not_count(self):
        tiny = self.reproduce("planar3", "--tiny", "--runs", 1)["measured_cells"]
        self.assertEqual(self.reproduce("planar3", "--quick", "--runs", 1)["measured_cells"], tiny)

    def test_fewer_rows_of_each_group_are_said_and_have_cells_of_their_own(self):
        words = ["planar2", "--only", "nb", "--train-rows", 300, "--test-rows", 100]
        self.assertEqual(self.reproduce(*words)["measured_cells"], 3)
        page = self.read("out/planar2.md").decode()
        self.assertIn("--train-rows 300 --test-rows 100", page)
        self.assertIn("moons: 300 rows per group for the fit, 100 for the test", page)
        self.assertEqual(self.reproduce(*words)["measured_cells"], 0)
        words[-1] = 90
        self.assertEqual(self.reproduce(*words)["measured_cells"], 3)

    def test_rows_may_be_chosen(self):
        few = self.reproduce("planar3", "--tiny", "--only", "nb", "--only", "nb-inb")
        self.assertEqual(few["measured_cells"], 2)
        self.assertEqual([row["row"] for row in self.record("planar3")["rows"]], ["nb", "nb-inb"])
        self.assertEqual(self.reproduce("planar3", "--tiny", "--only", "dd")["measured_cells"], 1)
        self.assertEqual(len(self.record("planar3")["rows"]), 3)

    # The set is the paper's own, so that NB, which draws nothing, must meet the corrected figures.
    def test_published_figures_of_nb_are_met(self):
        self.reproduce("planar4", "--runs", 1, "--only", "nb", "--only", "auto")
        rows = {row["row"]: row for row in self.record("planar4")["rows"]}
        published, ours = rows["nb"]["published"], rows["nb"]["runs"][0]
        self.assertEqual(published["divisor_error"], 2)
        self.assertAlmostEqual(ours["paper_wd"] / (published["paper_wd"][0] / 2), 1, delta=0.01)
        self.assertAlmostEqual(ours["tc"] / published["tc"][0], 1, delta=0.002)
        self.assertEqual(ours["train_rows"], 633)
        page = self.read("out/planar4.md").decode()
        self.assertIn("0.2440 (printed 0.4880)", page)
        self.assertLess(rows["auto"]["runs"][0]["exact"], rows["nb"]["runs"][0]["exact"])

    def test_help_fits_a_terminal(self):
        lines = self.run_command("reproduce", "--help").splitlines()
        self.assertLessEqual(len(lines), 24)
        own = [line for line in lines if "--help-all" not in line]
        self.assertLessEqual(max(map(len, own)), 80)

    def program(self, name, text):
        """An environment whose first program of this name does what the text says."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("#!/bin/sh\n" + text)
        (folder / name).chmod(0o755)
        return os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}

    def test_absent_images_are_fetched(self):
        self.write_images()
        (self.folder / "data").rename(self.folder / "elsewhere")
        env = self.program(
            "bash", 'test "$1 $3" = "-c get_data.sh" && mkdir -p "$5" && cp -r "elsewhere/$4" "$5"')
        done = self.call("reproduce", "mnist2", "--tiny", "--only", "nb", "-o", "out",
                         "--data", "my data", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("my data/mnist: not there; fetching", done.stderr)
        self.assertEqual([path.name for path in (self.folder / "my data").iterdir()], ["mnist"])

    def test_what_cannot_be_fetched_is_told(self):
        env = self.program("npm", "echo no way to the registry >&2; exit 1\n")
        done = self.call("reproduce", "fashion10", "-o", "out", "--data", "x", env=env)
        self.assertEqual(done.returncode, FAILED)
        for part in ("no way to the registry", "x/fashion-mnist: images could not be fetched",
                     "get_data.sh fashion-mnist x", "--data"):
            self.assertIn(part, done.stderr)
        self.assertEqual(list((self.folder / "x").iterdir()), [])
        # A folder that is there is the user's own: nothing is put into it.
        (self.folder / "data" / "mnist").mkdir(parents=True)
        done = self.call("reproduce", "mnist2", "-o", "out", env=env)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn("data/mnist: no IDX files of images; remove the folder", done.stderr)
        self.assertNotIn("no way to the registry", done.stderr)

    def test_mistakes_are_answered(self):
        for words, code, parts in (
                (["mnist4", "-o", "out"], USAGE, ['"mnist4"', 'did you mean "mnist']),
                (["planar2"], USAGE, ["-o DIR"]),
                (["planar2", "-o", "out", "--runs", "0"], USAGE, ["--runs"]),
                (["planar2", "-o", "out", "--only", "imb"], USAGE, ['did you mean "inb"?']),
                ([], USAGE, ["NAME is required"])):
            done = self.call("reproduce", *words)
            self.assertEqual(done.returncode, code, done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)
            self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
