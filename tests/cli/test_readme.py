"""The commands of README.md and of the tutorials run as pasted, and print what the pages show.

    CONFLUX=build/release/apps/conflux/conflux tests/cli/test_readme.py --write

puts the present output into the pages.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
TUTORIAL = ROOT / "docs/tutorials/cells.md"
NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Figures may differ a little between kinds of processors.
TOLERANCE = 0.05


def part(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text):
    """Yield the language and the text of each block between fences."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)


def run_all(text, folder):
    """Run the shell blocks of a text, line by line, in a folder that has the examples.

    Returns pairs: what a block of output shows, and what the last command before it has printed.
    """
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "bin").mkdir()
    (folder / "bin" / "conflux").symlink_to(pathlib.Path(os.environ["CONFLUX"]).resolve())
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    pairs, printed, last = [], {}, ""
    for language, inside in blocks(text):
        if language == "":
            # README.md shows the output of `conflux align`, and runs more commands after it.
            pairs.append((inside, end_of(printed.get("align", last))))
        if language != "sh":
            continue
        printed = {}
        for line in inside.splitlines():
            done = subprocess.run(line, shell=True, cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                raise AssertionError(f"{line}: {done.stdout}")
            last = done.stdout
            printed[line.split()[1]] = last
    return pairs


def end_of(output):
    """The lines that follow the description of the columns, or all."""
    lines = output.splitlines(keepends=True)
    ends = [i for i, line in enumerate(lines) if re.match(r"(?:aligned\.csv|cells\.conflux): ", line)]
    return "".join(lines[ends[0] if ends else 0:])


def same(shown, printed):
    """Whether two texts are the same but for times and small differences of figures."""
    times = r"in \d+\.\d+ s"
    shown, printed = re.sub(times, "in T", shown), re.sub(times, "in T", printed)
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return all(abs(float(a) - float(b)) <= TOLERANCE * max(1, abs(float(a))) for a, b in pairs)


class Readme(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = README.read_text()

    def test_it_is_short(self):
        self.assertLessEqual(len(self.page.splitlines()), 120)

    def test_the_commands_run_and_print_what_is_shown(self):
        for shown, printed in run_all(part(self.page, "Try it"), self.folder):
            self.assertTrue(same(shown, printed), f"{shown}\nis shown, but this was printed:\n{printed}")
        self.assertTrue((self.folder / "report.html").stat().st_size > 10000)
        self.assertEqual(len((self.folder / "aligned.csv").read_text().splitlines()), 1201)

    def test_the_tutorial_runs_and_prints_what_is_shown(self):
        for shown, printed in run_all(TUTORIAL.read_text(), self.folder):
            self.assertTrue(same(shown, printed), f"{shown}\nis shown, but this was printed:\n{printed}")
        rows, back = ((self.folder / name).read_text().splitlines() for name in ("new.csv", "back.csv"))
        self.assertEqual(len(rows), len(back))
        for before, after in zip(rows[1:20], back[1:20]):
            for a, b in zip(before.split(",")[:20], after.split(",")):
                self.assertAlmostEqual(float(a), float(b), places=6)

    # A comparison that nothing can fail would let the page go stale.
    def test_other_words_and_other_figures_are_noticed(self):
        self.assertTrue(same("AUC 0.682, in 3.1 s", "AUC 0.683, in 9.9 s"))
        self.assertFalse(same("AUC 0.682", "AUC 0.782"))
        self.assertFalse(same("aligned: AUC 0.682", "reduced: AUC 0.682"))

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", self.page):
            self.assertTrue((ROOT / target).exists(), target)


def write():
    for path in (README, TUTORIAL):
        page = path.read_text()
        text = part(page, "Try it") if path == README else page
        with tempfile.TemporaryDirectory() as name:
            for shown, printed in run_all(text, pathlib.Path(name)):
                page = page.replace(f"```\n{shown}```", f"```\n{printed}```", 1)
        path.write_text(page)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
