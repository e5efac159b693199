"""Reports that tests read, and tables to report on."""

import html.parser
import json
import re

import numpy as np

from support import CommandTest


class Page(html.parser.HTMLParser):
    """Elements, words and sections of a page, as a browser shows them."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.elements = 0
        self.kinds = {}
        self.words = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements += 1
        self.kinds[tag] = self.kinds.get(tag, 0) + 1

    def handle_data(self, data):
        self.words.append(data)

    def sections(self):
        return re.findall(r'<section id="q\d">.*?</section>', self.text, re.S)


class ReportTest(CommandTest):
    """A test that writes tables and reads reports on them."""

    def write_groups(self, name, groups, labels=None):
        """A table with a column of groups, of labels if there are some, and of features."""
        dim = len(groups[0][1][0])
        lines = [",".join([f"f{j}" for j in range(dim)] + ["batch"] + (["kind"] if labels else []))]
        for m, (group, rows) in enumerate(groups):
            for i, row in enumerate(rows):
                cells = [repr(float(x)) for x in row] + [group]
                lines.append(",".join(cells + ([labels[m][i]] if labels else [])))
        self.write(name, "\n".join(lines) + "\n")

    def write_fusing(self):
        """Two types far apart, one rare in the second batch, which is shifted: whole groups must
        fuse them to become alike."""
        random = np.random.default_rng(5)
        shares, groups, labels = (0.5, 0.05), [], []
        for m, share in enumerate(shares):
            kinds = ["mono" if random.random() < share else "tcell" for _ in range(500)]
            rows = random.normal(size=(500, 3))
            rows[:, 0] += [6.0 * (kind == "mono") for kind in kinds]
            rows[:, 1] += 1.5 * m
            groups.append((f"b{m}", rows))
            labels.append(kinds)
        self.write_groups("t.csv", groups, labels)

    def report(self, *words, name="r.html"):
        self.run_command("report", *words, "-o", name)
        return Page((self.folder / name).read_text())

    def verdict(self, *words):
        return json.loads(self.run_command("report", *words, "--json"))
