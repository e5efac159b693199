#!/usr/bin/env python3
"""Checks that all places that state the version of conflux agree with CMakeLists.txt.

    tools/check_version.py

Python's package takes its version from CMakeLists.txt when it is built.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = {
    "CMakeLists.txt": r"project\(conflux VERSION ([\d.]+)",
    "CITATION.cff": r"(?m)^version: ([\d.]+)",
    "r/DESCRIPTION": r"(?m)^Version: ([\d.]+)",
    "CHANGELOG.md": r"(?m)^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$",
}


def main() -> int:
    found = {name: re.search(pattern, (ROOT / name).read_text()) for name, pattern in PLACES.items()}
    missing = [name for name, match in found.items() if match is None]
    versions = {name: match.group(1) for name, match in found.items() if match}
    if not missing and len(set(versions.values())) == 1:
        print(f"{len(versions)} files are of version {versions['CMakeLists.txt']}")
        return 0
    for name in missing:
        print(f"{name}: states no version")
    for name, version in versions.items():
        if version != versions.get("CMakeLists.txt"):
            print(f"{name}: version {version}, unlike CMakeLists.txt")
    return 1


if __name__ == "__main__":
    sys.exit(main())
