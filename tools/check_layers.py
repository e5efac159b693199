#!/usr/bin/env python3
"""Checks who includes whom.

Each layer includes only the layers that CMakeLists.txt lets it use. Public headers include public
headers only, which users of the installed library have. Private headers are included by the parts
of this project that are built with it, and by nothing else: examples and clients see what users
see.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULE = re.compile(r"^conflux_add_layer\((\w+)(?:\s+USES\s+([\w\s]+))?\)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([\w./+-]+)[">]', re.M)
SOURCES = (".h", ".cc", ".cpp", ".hpp")
# Parts that are built together with the library and may look inside. A client is no such part.
INSIDERS = ("src", "apps", "tests", "studies", "bench", "python")
CLIENTS = ("tests/consumer", "examples")


def files_under(folder):
    """Return the sources of a folder, in order."""
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in SOURCES)


def includes_of(path):
    """Return the files that a source includes, as written."""
    return [name for _, name in INCLUDE.findall(path.read_text())]


def layer_of(name, rules):
    """Return the layer that an included file belongs to, or None."""
    first = name.removeprefix("conflux/").split("/")[0]
    return first if "/" in name and first in rules else None


def check_layers(rules):
    """Yield a sentence for every include that a layer may not have."""
    for layer, allowed in rules.items():
        for folder in ("include/conflux", "src"):
            for path in files_under(f"{folder}/{layer}"):
                for name in includes_of(path):
                    used = layer_of(name, rules)
                    if used is not None and used not in allowed:
                        yield f"{path.relative_to(ROOT)}: {layer} may not include {used}"


def check_public(rules):
    """Yield a sentence for every private header that users would have to see."""
    outside = [
        p.name for p in ROOT.iterdir()
        if p.is_dir() and p.name not in (*INSIDERS, "build", "out") and not p.name.startswith(".")
    ]
    for folder in (*outside, *CLIENTS):
        for path in files_under(folder):
            for quote, name in INCLUDE.findall(path.read_text()):
                private = layer_of(name, rules) is not None and not name.startswith("conflux/")
                missing = name.startswith("conflux/") and not (ROOT / "include" / name).exists()
                foreign = folder == "include" and quote == '"' and not name.startswith("conflux/")
                if private or missing or foreign:
                    yield f"{path.relative_to(ROOT)}: {name} is no public header"


def main() -> int:
    rules = {
        name: {name, *uses.split()}
        for name, uses in RULE.findall((ROOT / "CMakeLists.txt").read_text())
    }
    if not rules:
        print("CMakeLists.txt names no layers")
        return 1
    bad = [*check_layers(rules), *check_public(rules)]
    headers = len(files_under("include"))
    good = f"{len(rules)} layers include only what they may; {headers} public headers stand alone"
    print("\n".join(dict.fromkeys(bad)) if bad else good)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
