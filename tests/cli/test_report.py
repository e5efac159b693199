"""conflux report: one offline page with the right verdict, and figures that others confirm."""

import json
import os
import pathlib
import pty
import re
import subprocess
import unittest

import numpy as np

from reporting import Page, ReportTest
from support import COMMAND


class Report(ReportTest):

    def test_the_page_is_one_small_offline_file(self):
        self.fit_moons()
        page = self.report("moons.conflux", "moons.csv")
        self.assertNotRegex(page.text, r"https?:|//[a-z]|<script|<link|<img|@import|url\(")
        self.assertLess(len(page.text), 3e6)
        self.assertLess(page.elements, 6000)
        sections = page.sections()
        self.assertEqual(len(sections), 8)
        for number, section in enumerate(sections, start=1):
            # A sentence above, then a picture, or a table for rows.
            self.assertRegex(section, r"<h2>%d\. [^<]+</h2>\s*<p>[^<]{10,}</p>" % number)
            self.assertRegex(section, r"<svg" if number < 8 else r"<table>")
        for picture in re.findall(r"<svg.*?</svg>", page.text, re.S):
            self.assertRegex(picture, r'^<svg viewBox="[^"]+" role="img"><title>[^<]+</title><desc>')
        self.assertIn("values of", page.text)

    def test_bytes_do_not_depend_on_threads(self):
        self.fit_moons()
        for threads in (1, 2):
            self.report("moons.conflux", "moons.csv", "-j", threads, name=f"{threads}.html")
        self.assertEqual(self.read("1.html"), self.read("2.html"))
        self.assertEqual(self.run_command("report", "moons.conflux", "moons.csv", "--json", "-j", 1),
                         self.run_command("report", "moons.conflux", "moons.csv", "--json", "-j", 2))

    def test_names_cannot_do_anything(self):
        evil = "<img src=x onerror=alert(1)>"
        random = np.random.default_rng(0)
        lines = ["a<b>,\"c\"\"&'d\",batch,kind"]
        for i in range(120):
            x, y = random.normal(size=2)
            group = (evil, "]]></style><script>")[i % 2]
            lines.append(f"{x + (i % 2)!r},{y!r},{group},{('<b>x', '&amp;')[i % 3 == 0]}")
        self.write("t.csv", "\n".join(lines) + "\n")
        self.run_command("fit", "t.csv", "--group", "batch", "--method", "nb", "-o", "m.conflux")
        page = self.report("m.conflux", "t.csv", "--label", "kind")
        self.assertEqual(set(page.kinds) - {
            "html", "head", "meta", "title", "style", "body", "header", "p", "h1", "span", "dl",
            "div", "dt", "dd", "strong", "ol", "ul", "li", "pre", "code", "nav", "a", "main",
            "section", "h2", "figure", "svg", "desc", "g", "line", "rect", "circle", "path", "text",
            "figcaption", "details", "summary", "table", "tr", "th", "td", "footer",
            "fieldset", "legend", "input", "label"}, set())
        self.assertIn(evil, "".join(page.words))
        self.assertIn("&lt;img src=x onerror=alert(1)&gt;", page.text)

    def test_rows_can_be_kept_out(self):
        self.fit_moons()
        page = self.report("moons.conflux", "moons.csv", "--rows", 0)
        self.assertIn("no values of rows", page.text)
        self.assertIn("--rows 0", page.sections()[2])
        shown = self.verdict("moons.conflux", "moons.csv", "--rows", 0)
        self.assertNotIn("view", shown)
        self.assertEqual(shown["data"]["rows_inside"], 0)
        some = self.verdict("moons.conflux", "moons.csv", "--rows", 50)
        self.assertEqual(len(some["view"]["before"]), 50)

    def test_figures_are_those_of_check_and_evaluate(self):
        self.write_fusing()
        self.run_command("fit", "t.csv", "--group", "batch", "--label", "kind", "-o", "m.conflux")
        shown = self.verdict("m.conflux", "t.csv")
        checked = json.loads(self.run_command("check", "t.csv", "--group", "batch", "--label", "kind",
                                              "--json"))
        self.assertEqual(shown["check"]["auc"], checked["prediction"]["auc"])
        self.assertEqual(shown["check"]["sentences"], checked["sentences"])
        for feature in shown["features"]:
            self.assertEqual(feature["before"], {
                name: checked["features"][feature["name"]][name] for name in feature["before"]})
        judged = json.loads(self.run_command("evaluate", "m.conflux", "t.csv", "--json"))["judgement"]
        for name in ("verdict", "group_auc", "group_auc_within_labels", "energy", "ilisi", "clisi",
                     "label_transfer", "sentences", "warnings"):
            self.assertEqual(shown["judgement"][name], judged[name], name)
        near = shown["neighborhoods"]
        self.assertEqual(near["clusters"], [each["label"] for each in judged["neighborhoods"]])
        for name in ("rows", "before", "after"):
            self.assertEqual(near[name], [each[name] for each in judged["neighborhoods"]], name)

    def test_a_model_remembers_what_was_found_and_tells_of_new_rows(self):
        self.write_fusing()
        self.run_command("align", "t.csv", "--group", "batch", "--label", "kind", "-o", "a.csv",
                         "--model", "m.conflux")
        known = json.loads(self.run_command("info", "m.conflux", "--json"))
        checked = json.loads(self.run_command("check", "t.csv", "--group", "batch", "--label", "kind",
                                              "--json"))
        for name in ("differ", "p_value", "overlap", "sentences"):
            self.assertEqual(known["check"][name], checked[name], name)
        self.assertEqual(known["check"]["auc"], checked["prediction"]["auc"])
        self.assertEqual(known["check"]["rows"], 1000)
        self.assertEqual([each["label"] for each in known["neighborhoods"]], ["mono", "tcell"])
        for each in known["neighborhoods"]:
            self.assertAlmostEqual(sum(each["after"]), 1)
        text = self.run_command("info", "m.conflux")
        self.assertIn("before the fit: ", text)
        self.assertRegex(text, r"tcell +\d+ % -> \d+ % of its label")
        # Rows without labels are told what the fit knows of labels, and of the rows before it.
        lines = (self.folder / "t.csv").read_text().splitlines()
        self.write("new.csv", "\n".join(line.rpartition(",")[0] for line in lines[:-1]) + "\n")
        shown = self.verdict("m.conflux", "new.csv")
        self.assertEqual(shown["fit"]["check"], known["check"])
        self.assertEqual(shown["fit"]["neighborhoods"], known["neighborhoods"])
        self.assertTrue(shown["neighborhoods"]["of_fit"])
        sections = self.report("m.conflux", "new.csv").sections()
        self.assertIn("rows before the fit", sections[0])
        self.assertIn("These rows have no labels.", sections[4])
        self.assertIn("tcell", sections[4])
        # Who fits without looking first has nothing to remember.
        self.run_command("fit", "t.csv", "--group", "batch", "--drop", "kind", "-o", "f.conflux")
        known = json.loads(self.run_command("info", "f.conflux", "--json"))
        self.assertIsNone(known["check"])
        self.assertEqual(known["neighborhoods"], [])

    def test_fused_types_are_named_and_a_gate_keeps_them_apart(self):
        self.write_fusing()
        self.run_command("fit", "t.csv", "--group", "batch", "--label", "kind", "--gate", "none",
                         "--method", "inb", "--layers", 20, "-o", "fused.conflux")
        fused = self.verdict("fused.conflux", "t.csv")
        self.assertIn(fused["verdict"], ("aligned", "reduced"))
        self.assertTrue(fused["cautions"])
        self.assertTrue(any("mixed" in s and "mono" in s and "tcell" in s
                            for s in fused["sentences"]), fused["sentences"])
        self.assertTrue(any("--label kind" in a["command"] for a in fused["advice"]))
        self.assertFalse(any("transform" in a["command"] for a in fused["advice"]))
        self.run_command("fit", "t.csv", "--group", "batch", "--label", "kind", "-o", "gated.conflux")
        gated = self.verdict("gated.conflux", "t.csv")
        self.assertIn(gated["verdict"], ("aligned", "reduced"))
        self.assertEqual(gated["neighborhoods"]["fused"], [])
        self.assertFalse(any("mixed" in s for s in gated["sentences"]))

    def test_groups_that_have_nothing_in_common_are_looked_at(self):
        random = np.random.default_rng(6)
        near = [("a", random.normal(size=(300, 3))), ("b", random.normal(size=(300, 3)) + 0.7)]
        far = [near[0], ("b", random.normal(size=(300, 3)) + [12, 0, -8])]
        for groups, overlap in ((near, True), (far, False)):
            self.write_groups("t.csv", groups)
            self.run_command("align", "t.csv", "--group", "batch", "-o", "a.csv", "--model", "m.conflux")
            shown = self.verdict("m.conflux", "t.csv")
            self.assertIn(shown["verdict"], ("aligned", "reduced"))
            self.assertEqual(bool(shown["cautions"]), not overlap, shown["cautions"])
            said = [s for s in shown["sentences"] if "cannot tell a shift" in s]
            self.assertEqual(len(said), 0 if overlap else 1, shown["sentences"])

    def test_shuffled_groups_leave_nothing_to_align(self):
        random = np.random.default_rng(1)
        rows = random.normal(size=(600, 4))
        self.write_groups("t.csv", [("a", rows[:300]), ("b", rows[300:])])
        self.run_command("fit", "t.csv", "--group", "batch", "-o", "m.conflux")
        self.assertEqual(self.verdict("m.conflux", "t.csv")["verdict"], "nothing to align")

    def test_many_groups_of_noise_are_matched_noise(self):
        random = np.random.default_rng(2)
        self.write_groups("t.csv", [(f"g{m}", random.normal(size=(100, 5))) for m in range(40)])
        self.run_command("fit", "t.csv", "--group", "batch", "--method", "inb", "--layers", 20,
                         "--validation-fraction", 0, "-o", "m.conflux")
        before = os.times()
        page = self.report("m.conflux", "t.csv")
        # Nothing grows with the square of the number of groups: a hundred take less than a minute.
        self.assertLess(os.times().children_user - before.children_user, 30)
        self.assertIn("elow chance", page.text)
        self.assertLess(len(page.text), 3e6)
        self.assertLess(page.elements, 6000)

    def test_pages_of_wide_tables_stay_small(self):
        random = np.random.default_rng(4)
        self.write_groups("t.csv", [(name, random.normal(size=(60, 800)) + shift)
                                    for name, shift in (("a", 0), ("b", 1))])
        self.run_command("fit", "t.csv", "--group", "batch", "--method", "nb", "-o", "m.conflux")
        page = self.report("m.conflux", "t.csv")
        self.assertLess(len(page.text), 3e6)
        self.assertLess(page.elements, 6000)
        self.assertEqual(len(page.sections()), 8)

    def test_new_rows_are_not_taken_for_those_of_the_fit(self):
        self.fit_moons()
        self.make_moons(seed=1, name="new.csv")
        self.assertTrue(self.verdict("moons.conflux", "moons.csv")["data"]["fitted_rows"])
        self.assertFalse(self.verdict("moons.conflux", "new.csv")["data"]["fitted_rows"])

    def test_rows_of_the_fit_are_known_even_with_missing_cells(self):
        # A fit draws what is missing, a report expects it: the rows look different to them.
        random = np.random.default_rng(3)
        lines = ["x,y,job,batch"]
        for i in range(400):
            x, y = random.normal(size=2) + i % 2
            job = ("", "cook", "clerk")[random.integers(3)]
            lines.append(f"{'' if i % 7 == 0 else repr(x)},{y!r},{job},{'ab'[i % 2]}")
        self.write("t.csv", "\n".join(lines) + "\n")
        lines[5] = lines[5].replace(lines[5].split(",")[1], "0.25")
        self.write("other.csv", "\n".join(lines) + "\n")
        for verb in ("fit", "align"):
            words = ["--group", "batch", "--model" if verb == "align" else "-o", "m.conflux"]
            self.run_command(verb, "t.csv", *words, *(["-o", "a.csv"] if verb == "align" else []))
            self.assertTrue(self.verdict("m.conflux", "t.csv")["data"]["fitted_rows"])
            self.assertFalse(self.verdict("m.conflux", "other.csv")["data"]["fitted_rows"])

    def test_fit_and_align_write_the_same_page(self):
        self.make_moons()
        for words in (("fit", "moons.csv", "-o", "m.conflux"),
                      ("align", "moons.csv", "--group", "group", "-o", "a.csv", "--model",
                       "m.conflux")):
            self.run_command(*words, "--report", "short.html")
            self.report("m.conflux", "moons.csv", name="long.html")
            self.assertEqual(self.read("short.html"), self.read("long.html"))
        done = self.call("fit", "-", "-o", "m.conflux", "--report", "r.html", stdin="x")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("pipe", done.stderr)
        done = self.call("fit", "moons.csv", "-o", "m.conflux", "--report", "m.conflux")
        self.assertNotEqual(done.returncode, 0)

    def test_a_terminal_shows_the_worst_feature_before_and_after(self):
        self.make_moons()
        words = [COMMAND, "fit", "moons.csv", "--layers", "5", "-o", "m.conflux"]
        shown = self.on_terminal(words)
        self.assertRegex(shown, r"before +after\r\n0 .*[▁▂▃▄▅▆▇█].*\r\n1 .*[▁▂▃▄▅▆▇█]")
        self.assertNotIn("█", self.on_terminal(words + ["-q"]))
        self.assertNotIn("█", self.call(*words[1:]).stderr)

    def on_terminal(self, words):
        """Return the output at a terminal."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(words, cwd=self.folder, stderr=theirs) as process:
            os.close(theirs)
            seen = b""
            while True:
                try:
                    more = os.read(ours, 1 << 16)
                except OSError:
                    break
                if not more:
                    break
                seen += more
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        return seen.decode()

    def test_a_long_table_is_sampled_as_it_streams_by(self):
        self.fit_moons()
        self.make_moons(samples=160_000, seed=1, name="long.csv")
        shown = self.verdict("moons.conflux", "long.csv", "--rows", 100)
        self.assertEqual(shown["data"]["rows"], 320_000)
        self.assertEqual([group["rows"] for group in shown["groups"]], [160_000, 160_000])
        self.assertEqual(shown["data"]["rows_looked_at"], [10_000, 10_000])
        self.assertFalse(shown["data"]["fitted_rows"])
        # Rows of all parts of the table are there: group 0 comes first, and its moon is whole.
        view = np.array(shown["view"]["before"])
        self.assertGreater(np.ptp(view[:, 0]), 2.5)
        self.assertGreater(np.ptp(view[:, 1]), 1.2)

    def peak_of_report(self, *words):
        """The largest memory of a report, in bytes."""
        with subprocess.Popen([COMMAND, "report", *map(str, words), "-q"], cwd=self.folder) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return 1024 * usage.ru_maxrss

    def test_neither_memory_nor_the_page_grow_with_the_number_of_rows(self):
        # Both tables are longer than the sample that is kept; whoever held the longer one would
        # need 77 MB more. studies/report_study.py measures ten million rows.
        random = np.random.default_rng(3)
        peaks, sizes = {}, {}
        for rows in (300, 200_000, 1_000_000):
            (self.folder / str(rows)).mkdir()
            files = [f"{rows}/{name}.npy" for name in "ab"]
            for k, name in enumerate(files):
                np.save(self.folder / name,
                        random.standard_normal(size=(rows, 6), dtype=np.float32) + np.float32(k))
            if rows == 300:
                self.run_command("fit", *files, "--method", "nb", "-o", "m.conflux")
            else:
                peaks[rows] = self.peak_of_report("m.conflux", *files, "-o", f"{rows}.html")
                page = Page((self.folder / f"{rows}.html").read_text())
                sizes[rows] = (len(page.text), page.elements)
                self.assertIn(f"20000 of {2 * rows} rows", page.text)
        self.assertLess(peaks[1_000_000], peaks[200_000] + 40e6)
        self.assertLess(peaks[1_000_000], 500e6)
        for few, many in zip(sizes[200_000], sizes[1_000_000]):
            self.assertLess(many, 1.05 * few)
        self.assertLess(sizes[1_000_000][0], 3e6)
        self.assertLess(sizes[1_000_000][1], 6000)

    def test_every_member_of_the_facts_is_documented(self):
        described = (pathlib.Path(__file__).parents[2] / "docs/report.md").read_text()
        self.write_fusing()
        self.run_command("fit", "t.csv", "--group", "batch", "--label", "kind", "-o", "m.conflux")
        shown = self.verdict("m.conflux", "t.csv")
        self.assertEqual(shown["version"], 1)
        for name in shown:
            self.assertIn(f"`{name}`", described, name)
        for part in ("data", "fit", "reach", "neighborhoods"):
            for name in shown[part]:
                self.assertIn(f"`{name}`", described, f"{part}.{name}")
        # The record holds each of these by its name.
        for name in ("stop", "held_out_at_start", "layers", "clusters"):
            self.assertIn(name, shown["fit"])
        self.assertIsNotNone(shown["reach"]["fitted_most"])
        self.run_command("fit", "t.csv", "--group", "batch", "--drop", "kind", "--gate", "clusters",
                         "--layers", 3, "-o", "clusters.conflux")
        matched = self.verdict("clusters.conflux", "t.csv")["fit"]["clusters"]["groups"]
        self.assertEqual([len(group["shares"]) > 1 for group in matched], [True, True])

    def test_new_rows_are_measured_by_those_of_the_fit(self):
        random = np.random.default_rng(8)
        for name, shift in (("fit", 0), ("alike", 0), ("apart", 2)):
            self.write_groups(f"{name}.csv", [(g, random.normal(size=(400, 3)) + 2 * k + shift)
                                              for k, g in enumerate("ab")])
        self.run_command("fit", "fit.csv", "--group", "batch", "--method", "inb", "-o", "m.conflux")
        alike = self.verdict("m.conflux", "alike.csv")
        apart = self.verdict("m.conflux", "apart.csv")
        self.assertLess(alike["reach"]["beyond_fitted"], 0.1)
        self.assertGreater(apart["reach"]["beyond_fitted"], 0.2)
        self.assertFalse(any("outside the training range" in s for s in alike["sentences"]))
        self.assertTrue(any("outside the training range" in s for s in apart["sentences"]), apart["sentences"])
        self.assertIn("of the training rows are to its left",
                      self.report("m.conflux", "alike.csv").sections()[5])

    def test_rows_that_are_images_are_shown_as_images(self):
        random = np.random.default_rng(9)
        lines = [",".join(f"pixel{j}" for j in range(36)) + ",batch"]
        for i in range(160):
            pixels = np.round(8 + 3 * random.normal(size=36) + 2 * (i % 2), 2)
            lines.append(",".join(map(str, pixels)) + f",{'ab'[i % 2]}")
        self.write("t.csv", "\n".join(lines) + "\n")
        self.run_command("fit", "t.csv", "--group", "batch", "--method", "nb", "-o", "m.conflux")
        page = self.report("m.conflux", "t.csv")
        # Two rows, each as two groups.
        self.assertEqual(page.sections()[7].count('viewBox="0 0 6 6"'), 4)
        self.assertLess(page.elements, 6000)
        self.assertNotIn('viewBox="0 0 6 6"', self.report("m.conflux", "t.csv", "--rows", 0,
                                                           name="none.html").text)

    def test_parts_found_without_labels_are_clusters(self):
        self.fit_moons()
        section = self.report("moons.conflux", "moons.csv").sections()[4]
        self.assertIn("cluster 1", section)
        self.assertNotIn("cell", re.sub(r'class="[^"]*"', "", section))

    def test_long_files_that_are_groups_are_sampled_as_well(self):
        random = np.random.default_rng(2)
        for folder, rows in (("few", 300), ("many", 150_000)):
            (self.folder / folder).mkdir()
            for k, name in enumerate("ab"):
                np.save(self.folder / folder / f"{name}.npy", random.normal(size=(rows, 3)) + k)
        self.run_command("fit", "few/a.npy", "few/b.npy", "--method", "nb", "-o", "m.conflux")
        shown = self.verdict("m.conflux", "many/a.npy", "many/b.npy", "--rows", 100)
        self.assertEqual([group["rows"] for group in shown["groups"]], [150_000, 150_000])
        self.assertEqual(shown["data"]["rows_looked_at"], [10_000, 10_000])
        # All rows of short ones are looked at, and known to be those of the fit.
        shown = self.verdict("m.conflux", "few/a.npy", "few/b.npy")
        self.assertEqual(shown["data"]["rows_looked_at"], [300, 300])
        self.assertTrue(shown["data"]["fitted_rows"])

    def test_refusals_say_what_to_do(self):
        self.fit_moons()
        done = self.call("report", "moons.conflux", "moons.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("-o report.html", done.stderr)
        done = self.call("report", "moons.conflux", "moons.csv", "-o", "moons.csv")
        self.assertNotEqual(done.returncode, 0)
        done = self.call("report", "moons.conflux", "moons.csv", "-o", "moons.conflux")
        self.assertNotEqual(done.returncode, 0)
        self.write("other.csv", "a,b,group\n1,2,0\n3,4,1\n")
        self.write("empty.csv", "x,y,group\n")
        for table, page, sentence in (
                ("other.csv", "r.html", 'no column "x"; the columns are "a", "b", "group"'),
                ("empty.csv", "r.html", "there are no rows"), ("none.csv", "r.html", "check the path"),
                ("moons.csv", "no/r.html", "there is no folder no")):
            done = self.call("report", "moons.conflux", table, "-o", page)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(sentence, done.stderr)
        self.assertFalse((self.folder / "r.html").exists())


if __name__ == "__main__":
    unittest.main()
