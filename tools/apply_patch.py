#!/usr/bin/env python3
"""Applies a patch to copies: apply_patch.py PATCH FROM TO.

Files that the patch names are read below FROM and written below TO. Lines may have moved since the
patch was made; what stands around a change must be there to the letter, in one place only.
"""

import pathlib
import re
import sys


def hunks_of(patch):
    """Yield the path of a file, the lines that a hunk takes away and those that it puts there."""
    for part in re.split(r"(?m)^--- .*\n\+\+\+ b/", patch)[1:]:
        path, _, rest = part.partition("\n")
        for hunk in re.split(r"(?m)^@@.*\n", rest)[1:]:
            lines = hunk.splitlines(keepends=True)
            yield (path, "".join(line[1:] for line in lines if line[0] in " -"),
                   "".join(line[1:] for line in lines if line[0] in " +"))


def main() -> int:
    patch, source, target = map(pathlib.Path, sys.argv[1:])
    texts = {}
    for path, old, new in hunks_of(patch.read_text()):
        if path not in texts:
            texts[path] = (source / path).read_text() if old else ""
        if old and texts[path].count(old) != 1:
            print(f"{patch.name} does not fit {path}: these lines are not there once:\n{old}"
                  "Correct the patch, and what CONTRIBUTING.md shows of it.")
            return 1
        texts[path] = texts[path].replace(old, new) if old else new
    for path, text in texts.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
