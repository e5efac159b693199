#!/usr/bin/env python3
"""Checks that CONTRIBUTING.md tells the truth about the tree.

The patch it shows is the one that the tests compile, every path that it names exists, and the table
of places names only what stands in the files beside it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATCH = "tests/toy_kind/shift_kind.patch"
FOLDERS = ("apps", "cmake", "docs", "examples", "include", "python", "src", "studies", "tests", "tools")


def check_patch(text):
    """Yield a sentence if the patch on the page is not the one of the tests."""
    shown = re.findall(r"```diff\n(.*?)```", text, re.S)
    if shown != [(ROOT / PATCH).read_text()]:
        yield f"the patch that is shown is not {PATCH}; copy it from there"


def paths_of(text):
    """Return the paths among what stands between backticks; placeholders are not paths."""
    tokens = re.findall(r"`([\w./-]+)`", text)
    return [t for t in tokens if t.split("/")[0] in FOLDERS and "/" in t and "NAME" not in t]


def names_of(text):
    """Return types, constants and functions among what stands between backticks."""
    return re.findall(r"`([A-Za-z]\w*)(?:\(\))?`", text)


def check_table(text):
    """Yield a sentence for every name that is not in the files of its row."""
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]*`[^|]*) \|$", text)
    if len(rows) < 8:
        yield f"the table of places has {len(rows)} rows; it had 8"
    for topic, places in rows:
        paths = [ROOT / path for path in paths_of(places)]
        sources = "".join(path.read_text() for path in paths if path.is_file())
        if not paths:
            yield f"{topic}: no path is named"
        for name in names_of(places):
            if not re.search(rf"\b{name}\b", sources):
                yield f"{topic}: {name} does not stand in the files that are named with it"


def main() -> int:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    plain = re.sub(r"```.*?```", "", text, flags=re.S)
    paths = paths_of(plain)
    bad = [*check_patch(text), *check_table(plain)]
    bad += [f"{path} does not exist" for path in paths if not (ROOT / path).exists()]
    for sentence in bad:
        print(f"CONTRIBUTING.md: {sentence}.")
    if not bad:
        print(f"CONTRIBUTING.md names {len(paths)} paths that exist and shows the patch of the tests")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
