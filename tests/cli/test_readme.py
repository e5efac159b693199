"""The commands of README.md run as pasted, and print what the page shows.

    CONFLUX=build/release/apps/conflux/conflux tests/cli/test_readme.py --write

puts the present output of `conflux align` into the page.
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
NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Figures may differ a little between kinds of processors.
TOLERANCE = 0.05


def part(text, title):
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def blocks(text, language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    return [inside for name, inside in found if name == language]


def run_all(commands, folder):
    """Run commands in a folder that has the examples; return what each printed."""
    (folder / "examples").symlink_to(ROOT / "examples")
    command = pathlib.Path(os.environ["CONFLUX"]).resolve()
    (folder / "bin").mkdir()
    (folder / "bin" / "conflux").symlink_to(command)
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    out = []
    for line in commands:
        done = subprocess.run(line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{line}: {done.stdout}")
        out.append(done.stdout)
    return out


def end_of(output):
    """The lines of `conflux align` from that which names the file."""
    lines = output.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if "aligned.csv" in line)
    return "".join(lines[first:])


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
        section = part(self.page, "Try it")
        printed = run_all(blocks(section, "sh")[0].splitlines(), self.folder)
        shown = blocks(section, "")[0]
        self.assertTrue(same(shown, end_of(printed[1])), f"{shown}\nis shown, but this was printed:\n{end_of(printed[1])}")
        self.assertTrue((self.folder / "report.html").stat().st_size > 10000)
        self.assertEqual(len((self.folder / "aligned.csv").read_text().splitlines()), 1201)

    # A comparison that nothing can fail would let the page go stale.
    def test_other_words_and_other_figures_are_noticed(self):
        self.assertTrue(same("AUC 0.682, in 3.1 s", "AUC 0.683, in 9.9 s"))
        self.assertFalse(same("AUC 0.682", "AUC 0.782"))
        self.assertFalse(same("aligned: AUC 0.682", "reduced: AUC 0.682"))

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", self.page):
            self.assertTrue((ROOT / target).exists(), target)


def write():
    page = README.read_text()
    section = part(page, "Try it")
    with tempfile.TemporaryDirectory() as name:
        printed = run_all(blocks(section, "sh")[0].splitlines()[:2], pathlib.Path(name))
    shown = blocks(section, "")[0]
    README.write_text(page.replace(section, section.replace(f"```\n{shown}```", f"```\n{end_of(printed[1])}```")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
