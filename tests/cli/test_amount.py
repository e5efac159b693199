"""How far rows are moved (--amount), what each amount leaves (--curve), and weights of rows."""

import csv
import json
import random
import unittest

from support import CommandTest


class Days(CommandTest):

    def make_days(self, name="days.csv", rows=600, weights=False):
        """Two days of which the second is shifted, spread and bent; the label follows y."""
        draw = random.Random(7)
        lines = ["x,y,day,kind" + (",weight" if weights else "")]
        for i in range(rows):
            second = i % 2
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            x = 1.5 * a + 1 + 0.3 * a * a if second else a
            y = b - second + 0.5 * second * a
            kind = "up" if b + draw.gauss(0, 0.7) > 0 else "down"
            weight = f",{1 + 3 * (a > 0)}" if weights else ""
            lines.append(f"{x:.9f},{y:.9f},{'b' if second else 'a'},{kind}{weight}")
        self.write(name, "\n".join(lines) + "\n")

    def numbers(self, name):
        with open(self.folder / name, newline="") as file:
            return [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]

    def largest_gap(self, one, other):
        return max(abs(a - b) for p, q in zip(one, other) for a, b in zip(p, q))

    def fit(self, *words):
        self.run_command("fit", "days.csv", "--group", "day", "--drop", "kind", "--no-judge", *words,
                         "-o", "m.conflux")


class Amount(Days):

    def test_ends_are_exact_and_every_amount_returns(self):
        self.make_days()
        for method in ("location-scale", "gb", "nb", "inb", "conditional"):
            self.fit("--method", method)
            self.run_command("transform", "m.conflux", "days.csv", "--amount", "0", "-o", "none.csv")
            self.assertEqual(self.numbers("none.csv"), self.numbers("days.csv"), method)
            self.run_command("transform", "m.conflux", "days.csv", "-o", "all.csv")
            self.run_command("transform", "m.conflux", "days.csv", "--amount", "1", "-o", "one.csv")
            self.assertEqual(self.read("all.csv"), self.read("one.csv"), method)
            self.run_command("transform", "m.conflux", "days.csv", "--amount", "0.3", "-o", "some.csv")
            self.assertGreater(self.largest_gap(self.numbers("some.csv"), self.numbers("days.csv")), 0.05)
            self.run_command("inverse", "m.conflux", "some.csv", "--amount", "0.3", "-o", "back.csv")
            self.assertLess(self.largest_gap(self.numbers("back.csv"), self.numbers("days.csv")), 1e-9, method)

    def test_a_fit_with_an_amount_is_the_same_fit(self):
        self.make_days()
        self.fit("--method", "inb", "--layers", "5")
        self.run_command("transform", "m.conflux", "days.csv", "--amount", "0.5", "-o", "later.csv")
        self.run_command("transform", "m.conflux", "days.csv", "-o", "all.csv")
        self.fit("--method", "inb", "--layers", "5", "--amount", "0.5")
        self.run_command("transform", "m.conflux", "days.csv", "-o", "fitted.csv")
        self.assertEqual(self.read("later.csv"), self.read("fitted.csv"))
        self.run_command("transform", "m.conflux", "days.csv", "--amount", "1", "-o", "full.csv")
        self.assertEqual(self.read("all.csv"), self.read("full.csv"))

    def test_the_group_is_harder_to_predict_the_more_rows_move(self):
        self.make_days(rows=1200)
        self.make_days("new.csv", rows=1000)
        self.fit("--method", "inb")
        found = json.loads(self.run_command("evaluate", "m.conflux", "new.csv", "--label", "kind",
                                            "--curve", "--metrics", "transport_cost", "--json"))
        curve = found["curve"]
        self.assertEqual([point["amount"] for point in curve], [k / 10 for k in range(11)])
        aucs = [point["group_auc"] for point in curve]
        self.assertGreater(aucs[0], 0.75)
        self.assertLess(aucs[-1], 0.58)
        for before, after in zip(aucs, aucs[1:]):
            self.assertLess(after, before + 0.02)  # half of the chance band of 1,000 rows
        moves = [point["moved"] for point in curve]
        self.assertEqual(moves[0], 0)
        self.assertEqual(moves, sorted(moves))
        self.assertGreater(min(point["label_auc"] for point in curve), 0.7)
        table = self.run_command("evaluate", "m.conflux", "new.csv", "--curve", "--metrics", "transport_cost")
        self.assertIn("amount", table)

    def test_align_says_that_rows_are_moved_in_part(self):
        self.make_days()
        told = self.run_command("align", "days.csv", "--group", "day", "--drop", "kind", "--method",
                                "location-scale", "--amount", "0.5", "-o", "out.csv", "--model", "m.conflux")
        shown = told + self.run_command("info", "m.conflux")
        self.assertIn("0.5 of their way", shown)
        self.run_command("report", "m.conflux", "days.csv", "--curve", "-o", "r.html")
        self.assertIn("--amount", (self.folder / "r.html").read_text())

    def test_messages_name_the_remedy(self):
        self.make_days(rows=100)
        self.fit("--method", "dd", "--layers", "2")
        for words, part in ((("--amount", "1.5"), "from 0"), (("--amount", "half"), "from 0"),
                            (("--amount", "0.5"), "leave the amount at 1")):
            done = self.call("transform", "m.conflux", "days.csv", *words, "-o", "z.csv")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)


class RowWeights(Days):

    # A row of weight 4 is four rows: the maps are those of the table that repeats it.
    def test_rows_count_by_their_weights(self):
        self.make_days(rows=300, weights=True)
        with open(self.folder / "days.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        lines = ["x,y,day,kind,weight"]
        for row in rows:
            lines += [",".join(row.values())] * int(row["weight"])
        self.write("repeated.csv", "\n".join(lines) + "\n")
        words = ("--group", "day", "--method", "means", "--no-judge", "--repeats", "keep")
        self.run_command("fit", "days.csv", *words, "--drop", "kind", "--row-weights", "weight", "-o", "w.conflux")
        self.run_command("fit", "repeated.csv", *words, "--drop", "kind,weight", "-o", "r.conflux")
        self.run_command("fit", "days.csv", *words, "--drop", "kind,weight", "-o", "u.conflux")
        for name in "wru":
            self.run_command("transform", f"{name}.conflux", "days.csv", "-o", f"{name}.csv")
        weighted, repeated, unweighted = (self.numbers(f"{name}.csv") for name in "wru")
        self.assertLess(self.largest_gap(weighted, repeated), 1e-9)
        self.assertGreater(self.largest_gap(weighted, unweighted), 0.05)

    def test_messages_name_row_and_remedy(self):
        self.make_days(rows=40, weights=True)
        for column, part in (("kind", "holds text"), ("wieght", 'did you mean "weight"')):
            done = self.call("fit", "days.csv", "--group", "day", "--row-weights", column, "-o", "m.conflux")
            self.assertIn(done.returncode, (2, 3), done.stderr)
            self.assertIn(part, done.stderr)
        text = self.read("days.csv")
        text = text.decode() if isinstance(text, bytes) else text
        self.write("bad.csv", text.rstrip("\n") + "\n0.1,0.2,a,up,-1\n")
        done = self.call("fit", "bad.csv", "--group", "day", "--row-weights", "weight", "-o", "m.conflux")
        self.assertIn("line 42", done.stderr)


if __name__ == "__main__":
    unittest.main()
