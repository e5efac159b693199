"""Every mistake is answered with the place, the value and the remedy, and the right exit code."""

import json
import os
import pty
import re
import subprocess
import unittest

from support import COMMAND, CommandTest

USAGE, DATA, FAILED = 2, 3, 1

# Arguments, exit code, and what the message must say.
MISTAKES = [
    ("", USAGE, ["which verb", "--help"]),
    ("fti", USAGE, ['no verb "fti"', 'did you mean "fit"?']),
    ("fit", USAGE, ["INPUT is required", "conflux fit --help"]),
    ("fit moons.csv", USAGE, ["--output is required", "--help"]),
    ("fit moons.csv -o m --layres 3", USAGE, ['"--layres"', 'did you mean "--layers"?']),
    ("fit moons.csv -o m --layers ten", USAGE, ['layers is "ten"', "whole number or auto"]),
    ("fit moons.csv -o m --layers 0", USAGE, ["layers is 0", "at least 1"]),
    ("fit moons.csv -o m --directions 3", USAGE, ["directions is 3", "2 columns", "at most 2"]),
    ("fit moons.csv -o m --strength 1.5", USAGE, ["strength is 1.5", "at most 1"]),
    ("fit moons.csv -o m --method inbb", USAGE, ['method is "inbb"', "nb|inb|rand-nb"]),
    ("fit moons.csv -o m --preset fast", USAGE, ["--preset", "fast", "auto"]),
    ("fit moons.csv -o m --weights 1,2,3", USAGE, ["3 entries", "2 groups", "one each"]),
    ("fit moons.csv -o m --weights 1,x", USAGE, ['weights is "1,x"', "uniform|size|LIST"]),
    ("fit moons.csv -o m --target 2", USAGE, ['no group "2"', '"0", "1"']),
    ("fit moons.csv -o m --unit-cube maybe", USAGE, ['unit_cube is "maybe"', "auto|on|off"]),
    ("fit moons.csv -o m --every 0 --checkpoint c", USAGE, ["--every", "at least 1"]),
    ("fit moons.csv -o m --max-memory lots", USAGE, ['--max-memory is "lots"', "500M"]),
    ("fit moons.csv -o m --max-memory 1k", DATA, ["needs about", "1.0 kB", "--max-memory"]),
    ("fit moons.csv -o m --group gruop", USAGE, ['no column "gruop"', 'did you mean "group"?']),
    ("fit nogroup.csv -o m", USAGE, ["nogroup.csv", "--group", '"x", "y"']),
    ("fit moons.csv -o m --features x,z", USAGE, ['no column "z"', '"x", "y", "group"']),
    ("fit moons.csv -o m --drop x,y", DATA, ["no column is left as a feature", "drop fewer"]),
    ("fit moons.csv -o m --features x,x", USAGE, ['"x" is named twice', "once"]),
    ("fit moons.csv -o m --fit-where kind", USAGE, ['"kind"', "COLUMN=VALUE"]),
    ("fit moons.csv -o m --fit-where group=3", DATA, ['no value "3"', '"0", "1"']),
    ("fit absent.csv -o m", FAILED, ["absent.csv", "No such file"]),
    ("fit moons.doc -o m", USAGE, ["moons.doc", ".csv", "name the format"]),
    ("fit moons.csv -o m --format xls", USAGE, ['no table format "xls"']),
    ("fit empty.csv -o m", DATA, ["empty.csv is empty", "names of its columns"]),
    ("fit headeronly.csv -o m", DATA, ["headeronly.csv", "no rows"]),
    ("fit missing.csv -o m --features x,y --missing refuse", DATA,
     ["missing.csv, line 3", '"x"', "is missing", "--missing auto"]),
    ("fit word.csv -o m --as x=number", DATA, ["word.csv, line 3", '"one"', "not a number"]),
    ("fit ragged.csv -o m", DATA, ["ragged.csv", "line 3", "2", "3"]),
    ("fit nameless.csv -o m", DATA, ["nameless.csv, line 3 has no group"]),
    ("fit onegroup.csv -o m", DATA, ["only one group", "at least 2"]),
    ("fit infinite.csv -o m", DATA, ["infinite.csv, line 3", '"x"', "inf"]),
    ("fit moons.csv moons.csv -o m", USAGE, ['two files are called "moons"', "rename"]),
    ("fit moons.csv -o folder/absent/m", FAILED, ["no folder folder/absent", "make it"]),
    ("fit moons.csv -o m --resume moons.conflux", DATA, ["finished model", "checkpoint"]),
    ("fit moons.csv -o m --resume moons.csv", DATA, ["moons.csv", "not a model"]),
    ("transform moons.conflux", USAGE, ["INPUT is required"]),
    ("transform absent.conflux moons.csv -o z.csv", FAILED, ["absent.conflux", "No such file"]),
    ("transform moons.csv moons.csv -o z.csv", DATA, ["moons.csv", "not a model"]),
    ("transform cut.conflux moons.csv -o z.csv", DATA, ["cut.conflux"]),
    ("transform flipped.conflux moons.csv -o z.csv", DATA, ["flipped.conflux", "restore a copy"]),
    ("transform moons.conflux nogroup.csv -o z.csv", USAGE, ['no column "group"', "--group",
                                                             "--from GROUP"]),
    ("transform moons.conflux narrow.csv -o z.csv", USAGE, ['no column "y"']),
    ("transform moons.conflux othergroup.csv -o z.csv", DATA, ["line 2", 'no group "7"',
                                                              "add-group"]),
    ("transform moons.conflux nogroup.csv --from 7 -o z.csv", USAGE, ['no group "7"', '"0", "1"']),
    ("transform moons.conflux infinite.csv -o z.csv", DATA, ["infinite.csv, line 3", '"x" is inf']),
    ("transform moons.conflux moons.csv -o z.doc", USAGE, ["z.doc", ".csv"]),
    ("transform moons.conflux moons.csv -o - --json", USAGE, ["standard output", "--json"]),
    ("transform moons.conflux moons.csv -o z.csv -j many", USAGE, ["--threads", "many"]),
    ("transform moons.conflux moons.csv -o z.csv --delimiter xx", USAGE, ["--delimiter", "tab"]),
    ("transform moons.conflux moons.csv -o z.csv --log-density", USAGE,
     ["moons.conflux", "inb", "--method dd"]),
    ("translate moons.conflux moons.csv -o z.csv", USAGE, ["--to is required"]),
    ("translate moons.conflux moons.csv --to 2 -o z.csv", USAGE, ['no group "2"']),
    ("inverse moons.conflux moons.csv --to 2 -o z.csv", USAGE, ['no group "2"']),
    ("add-group moons.conflux moons.csv -o m", USAGE, ["knows every group", "--name"]),
    ("add-group moons.conflux nogroup.csv --name 1 -o m", USAGE, ['"1"']),
    ("add-group moons.conflux nogroup.csv -o m", USAGE, ['no column "group"']),
    ("evaluate moons.conflux moons.csv --metrics w3", USAGE, ['no metric "w3"']),
    ("evaluate moons.conflux moons.csv --metrics w2_exat", USAGE, ['did you mean "w2_exact"?']),
    ("evaluate moons.conflux moons.csv --metrics clisi", USAGE, ["clisi", "--label"]),
    ("evaluate moons.conflux othergroup.csv", DATA, ['no group "7"', "add-group"]),
    ("evaluate moons.conflux moons.csv --space there", USAGE, ["--space"]),
    ("info absent.conflux", FAILED, ["absent.conflux", "No such file"]),
    ("info empty.csv", DATA, ["empty.csv"]),
    ("generate mons -o z.csv", USAGE, ["mons", "moons"]),
    ("generate moons -o z.csv --samples 0", USAGE, ["samples"]),
    ("check onegroup.csv", DATA, ["one group only", "at least two"]),
    ("check moons.csv --label lable", USAGE, ['no column "lable"']),
    ("check moons.csv --permutations 3", USAGE, ["--permutations"]),
    ("fit moons.csv --gate label -o m", USAGE, ["no labels", "gate clusters"]),
    ("fit moons.csv --gate auot -o m", USAGE, ["gate", "auto"]),
    ("fit moons.csv --method sinf --estimator histogram -o m", USAGE, ["sinf does not use it"]),
    ("fit moons.csv --method inb --tree-leaves 7 -o m", USAGE, ["choose auto or cascade or tree or tree-inb"]),
    ("convert moons.csv", USAGE, ["OUT is required"]),
    ("convert onlytext.csv z.npy", DATA, ["no column is numeric", "text format"]),
]

FILES = {
    "nogroup.csv": "x,y\n1,2\n3,4\n",
    "empty.csv": "",
    "headeronly.csv": "x,y,group\n",
    "missing.csv": "x,y,group\n1,2,0\n,4,1\nNA,5,0\n",
    "word.csv": "x,y,group\n1,2,0\none,4,1\n",
    "ragged.csv": "x,y,group\n1,2,0\n3,4\n",
    "nameless.csv": "x,y,group\n1,2,0\n3,4,\n",
    "onegroup.csv": "x,y,group\n1,2,0\n3,4,0\n",
    "infinite.csv": "x,y,group\n1,2,0\ninf,4,1\n1,2,0\n3,4,1\n",
    "narrow.csv": "x,group\n1,0\n2,1\n",
    "othergroup.csv": "x,y,group\n1,2,7\n3,4,0\n",
    "onlytext.csv": "name\nanna\nbert\n",
    "moons.doc": "x,y,group\n1,2,0\n",
}


class Messages(CommandTest):

    def setUp(self):
        super().setUp()
        self.fit_moons()
        for name, text in FILES.items():
            self.write(name, text)
        model = self.read("moons.conflux")
        (self.folder / "cut.conflux").write_bytes(model[:len(model) // 2])
        flipped = bytearray(model)
        flipped[-5] ^= 1
        (self.folder / "flipped.conflux").write_bytes(flipped)

    def test_every_mistake_is_answered(self):
        before = sorted(os.listdir(self.folder))
        for words, code, fragments in MISTAKES:
            with self.subTest(words):
                done = self.call(*words.split())
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertTrue(done.stderr.startswith("conflux: "), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                for fragment in fragments:
                    self.assertIn(fragment, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), before, "debris")

    def test_logs_and_results_do_not_mix(self):
        done = self.call("fit", "moons.csv", "--method", "inb", "--layers", "3", "-o", "m.conflux",
                         "-v", "--json", "--log-format", "json")
        events = [json.loads(line) for line in done.stderr.splitlines()]
        layers = [event for event in events if event.get("event") == "layer"]
        self.assertEqual(len(layers), 3)
        self.assertEqual(json.loads(done.stdout)["layers"], 3)
        # Warnings are always shown; a fit that works has none.
        quiet = self.call("fit", "moons.csv", "--method", "inb", "--layers", "20", "--strength", "0.5",
                          "--validation-fraction", "0", "-o", "m.conflux", "-q")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))
        plain = self.call("fit", "moons.csv", "--method", "inb", "--layers", "3", "-o", "m.conflux")
        self.assertNotIn("\r", plain.stderr)

    def test_terminals_see_progress(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([COMMAND, "fit", "moons.csv", "--layers", "3", "-o", "m"],
                                   cwd=self.folder, stderr=theirs)
        os.close(theirs)
        seen = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
        process.wait()
        os.close(ours)
        self.assertIn(b"layer 2/3", seen)
        self.assertIn(b"s left", seen)

    def test_every_verb_has_help_that_fits_a_screen_and_an_example(self):
        verbs = re.findall(r"^  ([a-z-]+) ", self.run_command("--help"), re.MULTILINE)
        self.assertEqual(len(verbs), 14)
        for verb in verbs:
            text = self.run_command(verb, "--help")
            self.assertIn(f"example: conflux {verb} ", text)
            self.assertLess(len(text.splitlines()), 56, verb)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            everything = self.run_command(verb, "--help-all")
            for line in text.splitlines():
                self.assertIn(line, everything)

    def test_manual_and_completion_know_all_options(self):
        manual = self.run_command("--man")
        completion = self.run_command("--bash-completion")
        for words in ("fit", "--validation\\-fraction", "--fit\\-where", "add\\-group", "EXIT STATUS"):
            self.assertIn(words.replace("--", "\\-\\-"), manual)
        script = completion + (
            "\nCOMP_WORDS=(conflux fit --chec); COMP_CWORD=2; _conflux; echo ${COMPREPLY[@]}"
            "\nCOMP_WORDS=(conflux tran); COMP_CWORD=1; _conflux; echo ${COMPREPLY[@]}")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["--checkpoint", "transform", "translate"])

    def test_version(self):
        self.assertRegex(self.run_command("--version"), r"^conflux \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
