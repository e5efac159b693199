#!/usr/bin/env python3
"""Checks that each layer includes only the layers that CMakeLists.txt lets it use."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULE = re.compile(r"^conflux_add_layer\((\w+)(?:\s+USES\s+([\w\s]+))?\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+["<](?:conflux/)?(\w+)/[\w./-]+[">]', re.M)


def main() -> int:
    rules = {
        name: {name, *uses.split()}
        for name, uses in RULE.findall((ROOT / "CMakeLists.txt").read_text())
    }
    if not rules:
        print("CMakeLists.txt names no layers")
        return 1
    bad = []
    for layer, allowed in rules.items():
        for folder in (ROOT / "include/conflux" / layer, ROOT / "src" / layer):
            for path in sorted(folder.rglob("*.[hc]*")):
                for used in INCLUDE.findall(path.read_text()):
                    if used in rules and used not in allowed:
                        bad.append(f"{path.relative_to(ROOT)}: {layer} may not include {used}")
    print("\n".join(bad) if bad else f"{len(rules)} layers include only what they may")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
