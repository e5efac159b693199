"""Faults of real tables: each is corrected with a message, or refused with a remedy."""

import json
import re
import unittest

import numpy as np

from support import CommandTest

USAGE, DATA = 2, 3


def table(rows=120, extra=(), separator=",", decimal=".", seed=0, group="site"):
    """Two sites, four features in unlike units; `extra` are (name, function of row) columns."""
    random = np.random.default_rng(seed)
    names = ["age", "income", "rain", "color", group, *(name for name, _ in extra)]
    lines = [separator.join(names)]
    for i in range(rows):
        site = i % 2
        cells = [
            str(int(random.integers(20, 60)) + 5 * site),
            f"{1000 * (20 + 5 * site + 4 * random.standard_normal()):.3f}",
            "0" if random.random() < 0.5 else f"{random.exponential() + 0.1:.4f}",
            ("red", "green", "blue")[int(random.integers(0, 2)) + site],
            ("north", "south")[site],
            *(make(i) for _, make in extra),
        ]
        lines.append(separator.join(cell.replace(".", decimal) for cell in cells))
    return "\n".join(lines) + "\n"


def spoiled(line, column, value, **options):
    """The table with one cell changed; lines count from 1, the header included."""
    lines = table(**options).splitlines()
    cells = lines[line - 1].split(",")
    cells[column] = value
    lines[line - 1] = ",".join(cells)
    return "\n".join(lines) + "\n"


FIT = "fit t.csv --group site -o m --layers 3"

# Name, the table t.csv, the command, the exit code, and the message.
ANSWERED = [
    ("word among numbers", spoiled(43, 1, "n.a.x"), FIT, DATA,
     ["t.csv, line 43", '"income"', '"n.a.x"', "--as"]),
    ("comma instead of a point in one cell", spoiled(10, 1, '"20311,5"'), FIT, DATA,
     ["t.csv, line 10", "income"]),
    ("infinity", spoiled(7, 1, "inf"), FIT, DATA, ["t.csv, line 7", '"income"', "inf"]),
    ("line with a cell too few", table().replace(",red,north", ",north", 1), FIT, DATA,
     ["t.csv, line", "cell"]),
    ("group missing in a row", spoiled(5, 4, ""), FIT, DATA, ["t.csv, line 5", "no group"]),
    ("group column misspelled", table(), "fit t.csv --group sight -o m", USAGE,
     ['no column "sight"', "site"]),
    ("group column not named", table(), "fit t.csv -o m", USAGE, ["--group", '"age"']),
    ("group column that names rows", table(extra=[("patient", lambda i: f"p{i}")]),
     "fit t.csv --group patient -o m", DATA, ['"patient"', "single row", "--group"]),
    ("only one group", table().replace("south", "north"), FIT, DATA, ["one group"]),
    ("missing cells refused", spoiled(9, 0, ""), FIT + " --missing refuse", DATA,
     ["t.csv, line 9", '"age"', "--missing auto"]),
    ("unknown word for a column", table(), FIT + " --as age=hole", USAGE, ['"hole"', "whole"]),
    ("unknown column in --as", table(), FIT + " --as agee=whole", USAGE, ['"agee"', '"age"']),
    ("support that the data leaves", table(), FIT + " --support age=unit", DATA,
     ['"age"', "unit"]),
    ("nonsense as support", table(), FIT + " --support age=big", USAGE, ['"big"', "positive"]),
    ("unknown pattern", table(), FIT + " --features PC*", USAGE, ['"PC*"']),
    ("two columns of one name", table().replace("income", "age", 1), FIT, DATA, ["age", "rename"]),
    ("empty file", "", FIT, DATA, ["t.csv", "empty"]),
    ("header only", table().splitlines()[0] + "\n", FIT, DATA, ["t.csv", "no rows"]),
    ("meta of another length", table(), FIT + " --meta short.csv", DATA,
     ["short.csv", "2 rows", "120", "--meta-key"]),
    ("key that repeats", table(), FIT + " --key age", DATA, ["t.csv, line", '"age"', "--key"]),
    ("key that is no column", table(), FIT + " --key pid", USAGE, ['"pid"']),
    ("model and table swapped", table(), "transform t.csv good -o z.csv", USAGE,
     ["t.csv is no model", "good is one", "model first"]),
    ("table as the model, model nowhere", table(), "transform t.csv t.csv -o z.csv", DATA, ["t.csv"]),
    ("infinity in transform", spoiled(7, 1, "-inf"), "transform good t.csv -o z.csv", DATA,
     ["t.csv, line 7", '"income"', "-inf"]),
    ("word among numbers in transform", spoiled(8, 0, "old"), "transform good t.csv -o z.csv", DATA,
     ["t.csv, line 8", "age", '"old"']),
    ("column lost in transform", table().replace("income", "wages", 1),
     "transform good t.csv -o z.csv", USAGE, ["t.csv", '"income"']),
    ("group that is new", table().replace("south", "west"), "transform good t.csv -o z.csv", DATA,
     ["t.csv, line 3", '"west"', "add-group"]),
    ("output over the input", table(), "transform good t.csv -o t.csv", USAGE,
     ["t.csv is an input", "another file"]),
    ("model over the input", table(), "fit t.csv --group site -o t.csv", USAGE, ["t.csv is an input"]),
    ("model over another kind of file", table(), "fit t.csv --group site -o short.csv", USAGE,
     ["short.csv", "--force"]),
    ("no folder for the output", table(), "fit t.csv --group site -o lost/m", 1,
     ["there is no folder lost"]),
    ("key of meta not found", table(extra=[("pid", lambda i: f"p{i}")]),
     FIT + " --meta keyed.csv --meta-key pid", DATA, ["t.csv, line", '"p2"', "keyed.csv"]),
    ("numbers in one file and text in another", table(), "fit t.csv words.csv --group site -o m", DATA,
     ['"age"', "t.csv", "words.csv, line 2", '"old"']),
    ("verb that is none", table(), "help transfrom", USAGE, ['"transfrom"', "transform"]),
    ("category for an array", spoiled(4, 3, "violet"), "transform good t.csv -o z.npy", DATA,
     ["t.csv, line 4", "violet", ".csv"]),
    ("label that is the group", table(), FIT + " --label site", USAGE, ['"site"', "cannot be the label"]),
    ("text among categories asked for as numbers", table(), FIT + " --as color=number", DATA,
     ['"color"', "not a number"]),
]


class Mishaps(CommandTest):
    def fit(self, text, *options, command=FIT):
        self.write("t.csv", text)
        done = self.call(*command.split(), *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def features(self):
        return {line.split(":")[0]: line for line in
                json.loads(self.run_command("info", "m", "--json"))["columns"]}

    def test_are_answered(self):
        self.assertGreaterEqual(len(ANSWERED), 30)
        self.write("short.csv", "kind\na\nb\n")
        self.write("keyed.csv", "pid,kind\np0,a\np1,b\n")
        self.write("words.csv", "age,income,rain,color,site\nold,1.5,0,red,north\n")
        self.fit(table())
        (self.folder / "m").rename(self.folder / "good")
        for name, text, command, code, words in ANSWERED:
            with self.subTest(name):
                self.write("t.csv", text)
                done = self.call(*command.split())
                self.assertEqual(done.returncode, code, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_byte_order_mark_and_windows_lines(self):
        self.fit("\ufeff" + table().replace("\n", "\r\n"))
        self.assertIn("age", self.features())

    def test_semicolons_and_decimal_commas(self):
        said = self.fit(table(separator=";", decimal=","))
        self.assertIn("semicolons", said)
        self.assertIn("decimal commas", said)
        self.assertIn("numbers", self.features()["income"])

    def test_tabs_in_a_csv_file(self):
        self.assertIn("separated by tabs", self.fit(table(separator="\t")))
        self.assertEqual(set(self.features()), {"age", "income", "rain", "color"})

    def test_numbers_in_disguise_are_told(self):
        for cell in '"1,0{:03}"', "{}%", "$ {}.50", "-{} €":
            with self.subTest(cell):
                said = self.fit(table(extra=[("pay", lambda i: cell.format(i // 3))]), "--force")
                self.assertRegex(said, "pay: copied unchanged.*write them plainly")
        said = self.fit(table(extra=[("day", lambda i: f"2024-{i // 3:03}")]), "--force")
        self.assertRegex(said, "day: copied unchanged, a text with 40 different values\n")

    def test_groups_that_are_spelled_in_two_ways_are_told(self):
        text = table().replace("south", "North", 9)
        self.assertIn('groups "north" and "North" differ by case or spaces only', self.fit(text))
        self.assertNotIn("differ by case", self.fit(table(), "--force"))

    def test_wrong_units_of_a_group_are_told(self):
        lines = table().splitlines()
        for i, line in enumerate(lines[1:], 1):
            cells = line.split(",")
            if cells[4] == "south":
                cells[1] = str(1000 * float(cells[1]))
            lines[i] = ",".join(cells)
        said = self.fit("\n".join(lines) + "\n")
        self.assertIn('"income"', said)
        self.assertIn('"south"', said)
        self.assertIn("unit", said)
        self.assertNotIn("unit?", self.fit(table(), "--force"))

    def test_standard_output(self):
        self.fit(table())
        self.assertEqual(self.run_command("transform", "m", "t.csv", "-o", "-").splitlines()[0],
                         "age,income,rain,color,site")

    def test_resume_needs_nothing_else(self):
        self.write("t.csv", table())
        # Rows that are left out in turn choose the number of layers, or nobody does.
        for chosen, planned in ((range(5, 13), []), ([12], ["--validation-fraction", 0])):
            self.run_command(*FIT.split()[:-1], 12, "--checkpoint", "c", "--every", 5, "--force", *planned)
            model = (self.folder / "m").read_bytes()
            (self.folder / "m").unlink()
            self.run_command("fit", "--resume", "c")
            first, second = (json.loads(self.run_command("info", each, "--json"))["layers"]
                             for each in ("m", "c"))
            self.assertIn(len(first), chosen)
            self.assertEqual(len(second), len(first) // 5 * 5)
            self.run_command("transform", "m", "t.csv", "-o", "a.csv", "--force")
            (self.folder / "m").write_bytes(model)
            self.run_command("transform", "m", "t.csv", "-o", "b.csv", "--force")
            self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())

    def test_help_of_a_verb(self):
        self.assertEqual(self.run_command("help", "fit"), self.run_command("fit", "--help"))

    def test_a_key_gives_the_same_bits_in_any_order(self):
        text = table(extra=[("pid", lambda i: f"p{i:03}")])
        self.fit(text, "--key", "pid")
        lines = text.splitlines()
        self.write("turned.csv", "\n".join([lines[0], *reversed(lines[1:])]) + "\n")
        self.run_command("transform", "m", "t.csv", "-o", "a.csv")
        self.run_command("transform", "m", "turned.csv", "-o", "b.csv")
        a, b = ((self.folder / name).read_text().splitlines()[1:] for name in ("a.csv", "b.csv"))
        self.assertEqual(a, b[::-1])

    def test_meta_by_key(self):
        rows = table(extra=[("pid", lambda i: f"p{i}")]).splitlines()
        self.write("x.csv", "\n".join(",".join(r.split(",")[j] for j in (0, 1, 2, 5)) for r in rows) + "\n")
        self.write("meta.csv", "pid,site\n" + "\n".join(
            ",".join(r.split(",")[j] for j in (5, 4)) for r in reversed(rows[1:])) + "\n")
        self.run_command("fit", "x.csv", "--meta", "meta.csv", "--meta-key", "pid", "--group", "site",
                         "--layers", 3, "-o", "m")
        sizes = json.loads(self.run_command("info", "m", "--json"))["groups"]
        self.assertEqual(set(sizes), {"north", "south"})

    def test_rows_of_one_patient_count_once_in_a_check(self):
        random = np.random.default_rng(3)
        lines = ["a,b,c,d,arm,patient_id"]
        for patient in range(300):
            arm = ("old", "new")[random.integers(2)]
            values = random.standard_normal(4)
            for _ in range(4):
                cells = values + 0.3 * random.standard_normal(4)
                lines.append(",".join(f"{each:.4f}" for each in cells) + f",{arm},{patient}")
        self.write("trial.csv", "\n".join(lines) + "\n")
        found = json.loads(self.run_command("check", "trial.csv", "--group", "arm", "--json"))
        self.assertFalse(found["differ"], found["sentences"])
        self.assertEqual(found["repeated_rows"], 900)
        self.assertIn('One row per "patient_id"', found["sentences"][1])
        aligned = self.call("align", "trial.csv", "--group", "arm", "-o", "aligned.csv")
        self.assertIn("nothing to align", aligned.stderr + aligned.stdout)

    def test_ids_and_index_columns_are_carried_along_and_said(self):
        lines = table(extra=[("patient_id", lambda i: str(1000 + 7 * i))]).splitlines()
        text = "\n".join([("," if i == 0 else f"{i - 1},") + line for i, line in enumerate(lines)])
        said = self.fit(text + "\n")
        self.assertIn("numbers the rows", said)
        self.assertIn("copied unchanged", self.features()["patient_id"])

    def test_missing_cells_stay_where_they_are(self):
        self.fit(spoiled(9, 0, "NA"))
        self.run_command("transform", "m", "t.csv", "-o", "z.csv")
        self.run_command("inverse", "m", "z.csv", "-o", "b.csv")
        for name in ("z.csv", "b.csv"):
            rows = [line.split(",") for line in (self.folder / name).read_text().splitlines()]
            missing = [(i, j) for i, row in enumerate(rows) for j, cell in enumerate(row) if not cell]
            self.assertEqual(missing, [(8, 0)])

    def test_numbers_for_missing_cells_stay_and_are_said(self):
        text = "\n".join(re.sub("^[^,]*", "-999", line) if i in (3, 8, 20) else line
                         for i, line in enumerate(table().splitlines())) + "\n"
        self.assertIn("-999 is taken for a missing cell", self.fit(text))
        self.run_command("transform", "m", "t.csv", "-o", "z.csv")
        self.run_command("inverse", "m", "z.csv", "-o", "b.csv")
        self.run_command("translate", "m", "t.csv", "--to", "north", "-o", "y.csv")
        for name in ("z.csv", "b.csv", "y.csv"):
            cells = [line.split(",")[0] for line in (self.folder / name).read_text().splitlines()]
            self.assertEqual([i for i, cell in enumerate(cells) if cell == "-999"], [3, 8, 20])

    def test_there_and_back_is_equal_and_translations_are_valid(self):
        text = table(400)
        said = self.fit(text)
        for word in ("whole numbers", "3 categories", "never negative", "different units"):
            self.assertIn(word, said)
        self.run_command("transform", "m", "t.csv", "-o", "z.csv")
        self.run_command("inverse", "m", "z.csv", "-o", "b.csv")
        old = [line.split(",") for line in text.splitlines()[1:]]
        new = [line.split(",") for line in (self.folder / "b.csv").read_text().splitlines()[1:]]
        for before, after in zip(old, new):
            self.assertEqual(before[0], after[0])
            self.assertEqual(before[3:], after[3:])
            for j in (1, 2):
                self.assertAlmostEqual(float(before[j]), float(after[j]), delta=1e-5)
        self.run_command("translate", "m", "t.csv", "--to", "north", "-o", "n.csv")
        north = {row[0] for row in old if row[4] == "north"}
        for line in (self.folder / "n.csv").read_text().splitlines()[1:]:
            age, _, rain, color, _ = line.split(",")
            self.assertIn(age, north)
            self.assertGreaterEqual(float(rain), 0)
            self.assertIn(color, ("red", "green"))

    def test_a_category_that_is_new_is_kept_and_said(self):
        self.fit(table())
        self.write("new.csv", spoiled(4, 3, "violet"))
        done = self.call("translate", "m", "new.csv", "--to", "south", "-o", "n.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"violet"', done.stderr)
        self.assertIn("violet", (self.folder / "n.csv").read_text().splitlines()[3])
        self.run_command("transform", "m", "new.csv", "-o", "z.csv")
        self.assertIn("new:violet", (self.folder / "z.csv").read_text().splitlines()[3])
        self.run_command("inverse", "m", "z.csv", "-o", "b.csv")
        colors = [line.split(",")[3] for line in (self.folder / "b.csv").read_text().splitlines()]
        self.assertEqual(colors, [line.split(",")[3] for line in spoiled(4, 3, "violet").splitlines()])

    def test_values_that_the_fit_has_not_seen_return(self):
        self.fit(table())
        rows = ["age,income,rain,color,site", "37.5,1e6,-0.25,red,north", "150,-3,,blue,south",
                ",20000,0.00005,,north", "0,,1000,green,south"]
        self.write("new.csv", "\n".join(rows) + "\n")
        self.run_command("transform", "m", "new.csv", "-o", "z.csv")
        self.run_command("inverse", "m", "z.csv", "-o", "b.csv")
        back = [line.split(",") for line in (self.folder / "b.csv").read_text().splitlines()]
        for old, new in zip((row.split(",") for row in rows[1:]), back[1:]):
            self.assertEqual(old[3:], new[3:])
            for before, after in zip(old[:3], new[:3]):
                self.assertEqual(before == "", after == "")
                if before:
                    limit = 1e-9 * max(1, abs(float(before)))
                    self.assertAlmostEqual(float(before), float(after), delta=limit)

    def test_files_as_groups_and_other_names_later(self):
        rows = table().splitlines()
        for name, word in (("north_c", "north"), ("south_c", "south"), ("north_p", "north")):
            self.write(name + ".csv", "\n".join([rows[0], *(r for r in rows if word in r)]) + "\n")
        self.run_command("fit", "north_c.csv", "south_c.csv", "--drop", "site", "--layers", 3, "-o", "m",
                         "--rename", "north_c=north,south_c=south")
        self.run_command("translate", "m", "north_p.csv", "--rename", "north_p=north", "--to", "south",
                         "-o", "n.csv")
        done = self.call("translate", "m", "north_p.csv", "--to", "south", "-o", "n.csv")
        self.assertIn("--rename north_p=GROUP", done.stderr)

    def test_arrays_take_their_groups_from_meta(self):
        np.savez(self.folder / "x.npz", X=np.random.default_rng(0).standard_normal((40, 3)))
        self.write("meta.csv", "batch\n" + "\n".join("ab"[i % 2] for i in range(40)) + "\n")
        self.run_command("fit", "x.npz", "--meta", "meta.csv", "--group", "batch", "--method", "inb",
                         "--layers", 2, "-o", "m")
        self.assertEqual(set(json.loads(self.run_command("info", "m", "--json"))["groups"]), {"a", "b"})

    def test_meta_crossed_groups_and_patterns(self):
        rows = table().splitlines()
        self.write("x.csv", "\n".join(",".join(row.split(",")[:3]) for row in rows) + "\n")
        kinds = [row.split(",")[4] + "," + "ab"[i // 60 % 2] for i, row in enumerate(rows[1:])]
        self.write("meta.csv", "site,half\n" + "\n".join(kinds) + "\n")
        self.run_command("fit", "x.csv", "--meta", "meta.csv", "--group", "site,half", "--features", "age:rain",
                         "--layers", 3, "-o", "m")
        groups = json.loads(self.run_command("info", "m", "--json"))["groups"]
        self.assertEqual(set(groups), {"north+a", "south+a", "north+b", "south+b"})

    def test_a_draft_of_the_columns_is_read_again(self):
        self.write("t.csv", table())
        self.run_command("check", "t.csv", "--group", "site", "--write-columns", "c.json")
        draft = json.loads((self.folder / "c.json").read_text())
        self.assertEqual(draft["age"]["as"], "whole")
        draft["age"]["as"] = "ignore"
        self.write("c.json", json.dumps(draft))
        self.run_command(*FIT.split(), "--columns", "c.json")
        self.assertIn("copied unchanged", self.features()["age"])

    def test_a_new_group_brings_its_values(self):
        self.fit(table())
        self.write("west.csv", table().replace("north", "west").replace("blue", "green"))
        self.run_command("add-group", "m", "west.csv", "-o", "m2")
        self.run_command("translate", "m2", "t.csv", "--to", "west", "-o", "w.csv")


if __name__ == "__main__":
    unittest.main()
