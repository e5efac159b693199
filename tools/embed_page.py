#!/usr/bin/env python3
"""Writes a C++ source that holds the files of a page: embed_page.py OUTPUT FILE..."""

import pathlib
import sys

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
SOURCE = """// Made of the files of the page; change these.

#include "report/page.h"

#include "serve/page.h"

namespace conflux::app {{

const std::vector<PagePart>& page_parts() {{
  static const std::vector<PagePart> parts = {{
{parts}
      // Parts of reports look as they do in files.
      {{"/report.css", "text/css; charset=utf-8", page_style()}},
  }};
  return parts;
}}

}}  // namespace conflux::app
"""


def part(path):
    """Return the lines of one file; a compiler may refuse texts above 64 kB in one piece."""
    address = "/" if path.name == "index.html" else "/" + path.name
    pieces = path.read_text().splitlines(keepends=True)
    text = "\n".join(f'R"~~({"".join(pieces[i:i + 100])})~~"' for i in range(0, len(pieces), 100))
    return f'      {{"{address}", "{TYPES[path.suffix]}; charset=utf-8",\n{text}}},'


def main():
    """Write the source."""
    output, *files = map(pathlib.Path, sys.argv[1:])
    output.write_text(SOURCE.format(parts="\n".join(map(part, files))))


if __name__ == "__main__":
    main()
