#!/usr/bin/env python3
"""Makes the documentation a folder of pages that need no network: make_site.py CONFLUX GALLERY SITE.

Markdown becomes HTML by pandoc, formulas become MathML. Links between documents lead to their pages,
and a link that leads nowhere is an error. GALLERY holds reports that make_gallery.py wrote.
"""

import html
import html.parser
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAVIGATION = [("index.html", "conflux"), ("docs/command.html", "Command"), ("docs/python.html", "Python"),
              ("reference.html", "Reference"), ("gallery/index.html", "Gallery"),
              ("docs/is_it_safe.html", "Is it safe?"), ("docs/index.html", "All pages")]
# Four kinds of pages, by the names of their files; all others are explanations.
KINDS = {"Tutorials": r"README|docs/tutorials/", "How to": r"docs/(?:fields/|what_should_stay|serve|processes)",
         "Reference": r"docs/(?:command|python|r|cpp|methods|formats|columns|report|verdicts|glossary|file_format)\.md",
         "Results": r"docs/(?:results/|performance)", "Project": r"CHANGELOG|CONTRIBUTING|docs/(?:decisions/|release)"}
# Tables of so many columns have smaller letters.
WIDE = 9
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{up}site.css">
</head>
<body>
<a class="skip" href="#content">to the text</a>
<nav aria-label="site"><ul>{navigation}</ul></nav>
<main id="content">
{body}
</main>
<footer>conflux {version}. This page needs no network.</footer>
</body>
</html>
"""


def documents():
    """Return the pages of the site by the Markdown files that they are made of."""
    out = {"README.md": "index.html"}
    for path in [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        name = path.relative_to(ROOT).as_posix()
        out[name] = name.removesuffix(".md") + ".html"
    return out


def pandoc(text):
    """Return Markdown as a fragment of HTML."""
    text = re.sub(r"^( *)```math\n(.*?)^ *```", r"\1$$\n\2\1$$", text, flags=re.M | re.S)
    return subprocess.run(["pandoc", "--from", "gfm+tex_math_dollars", "--to", "html5", "--mathml",
                           "--no-highlight", "--wrap=none"],
                          input=text, capture_output=True, text=True, check=True).stdout


def shell_lines(words):
    """Return what a command prints."""
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


class Site:
    """Pages under way."""

    def __init__(self, command, folder):
        self.command = command
        self.folder = folder
        self.pages = documents()
        self.version = shell_lines([command, "--version"]).split()[1]

    def write(self, name, title, body):
        """Write one page with what all pages have."""
        up = "../" * name.count("/")
        items = "".join(
            f'<li><a href="{up}{page}"{" aria-current=page" if page == name else ""}>{text}</a></li>'
            for page, text in NAVIGATION)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(title=html.escape(title), up=up, navigation=items, body=body,
                                    version=self.version))

    def linked(self, source, match):
        """Return an element with a link, which leads to the page or file that is meant."""
        element, name, address, text = match.group(0), match.group(1), match.group(2), match.group(3)
        if re.match(r"[a-z]+:|#|//", address):
            return element
        path, _, fragment = html.unescape(address).partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        here = posixpath.dirname(self.pages[source])
        if target in self.pages:
            found = self.pages[target]
        elif (ROOT / target).is_dir() and target.startswith("docs"):
            found = "docs/index.html"
        elif (ROOT / target).is_file() and target.startswith(("docs/", "examples/")):
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / target, self.folder / target)
            found = target
        else:
            # Sources are not part of the site; their names are.
            return text if (ROOT / target).exists() and name == "href" else element
        new = posixpath.relpath(found, here or ".") + ("#" + fragment if fragment else "")
        return element.replace(f'{name}="{address}"', f'{name}="{html.escape(new)}"', 1)

    def document(self, source):
        """Make the page of one Markdown file."""
        body = pandoc((ROOT / source).read_text())
        body = re.sub(r'<a (href)="([^"]*)"[^>]*>(.*?)</a>', lambda m: self.linked(source, m), body,
                      flags=re.S)
        body = re.sub(r'<img (src)="([^"]*)"([^>]*)>', lambda m: self.linked(source, m), body)
        self.write(self.pages[source], title_of(body), reachable(body))

    def contents(self):
        """Make the list of all pages."""
        parts = {name: [] for name in [*KINDS, "Explanation"]}
        for source, page in self.pages.items():
            name = next((name for name, pattern in KINDS.items() if re.match(pattern, source)), "Explanation")
            title = title_of((self.folder / page).read_text())
            parts[name].append(f'<li><a href="{posixpath.relpath(page, "docs")}">{html.escape(title)}</a></li>')
        body = "<h1>All pages</h1>" + "".join(
            f"<h2>{name}</h2><ul>{''.join(items)}</ul>" for name, items in parts.items())
        self.write("docs/index.html", "All pages", body)

    def reference(self):
        """Make the page with the help of every verb."""
        verbs = re.findall(r"^  ([a-z][a-z-]*)  ", shell_lines([self.command, "--help"]), re.M)
        body = ('<h1>Reference</h1><p><a href="docs/methods.html">Methods</a>, <a href="docs/formats.html">formats</a>, '
                '<a href="docs/verdicts.html">verdicts</a>, <a href="docs/cpp.html">C++ and C</a> (every header in '
                '<code>cpp/index.html</code> of this site), <a href="docs/python.html">Python</a>, '
                '<a href="docs/r.html">R</a>, and every verb with all its options:</p><ul>')
        body += "".join(f'<li><a href="#{verb}">conflux {verb}</a></li>' for verb in verbs) + "</ul>"
        for verb in verbs:
            text = html.escape(shell_lines([self.command, verb, "--help-all"]))
            body += f'<h2 id="{verb}">conflux {verb}</h2><pre>{text}</pre>'
        self.write("reference.html", "Reference", reachable(body))

    def gallery(self, folder):
        """Make the page of reports."""
        made = json.loads((folder / "gallery.json").read_text())
        body = ("<h1>Gallery</h1><p>Reports as <code>conflux report</code> writes them: one offline file each. "
                "Figures are those of this build.</p>")
        for kind, heading in (("real", "Real data"), ("bad", "Bad on purpose")):
            body += f'<h2>{heading}</h2><ul class="cards">'
            for each in made:
                if each["kind"] != kind:
                    continue
                body += f'<li><h3>{html.escape(each["title"])}</h3><p>{html.escape(each["about"])}</p>'
                if each.get("verdict"):
                    shutil.copyfile(folder / each["file"], self.folder / "gallery" / each["file"])
                    body += (f'<p><strong>{html.escape(each["verdict"])}</strong>: {html.escape(each["sentence"])}</p>'
                             f'<p><a href="{each["file"]}">the report on {html.escape(each["title"])}</a></p>'
                             f"<pre>{command_text(each['command'])}</pre>")
                else:
                    body += f'<p class="look">▲ not made: {html.escape(each["missing"])}</p>'
                body += "</li>"
            body += "</ul>"
        self.write("gallery/index.html", "Gallery", reachable(body))


def command_text(command):
    """Return a command whose lines do not break between the dash of an option and its letter."""
    return re.sub(r"(?<= )-[^ ]+", r'<span class="option">\g<0></span>', html.escape(command))


def title_of(body):
    """Return the words of the first heading."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
    return html.unescape(re.sub(r"<[^>]+>", "", found.group(1))).strip() if found else "conflux"


def reachable(body):
    """Return a fragment in which all that may be wider than a screen can be scrolled by keys."""
    # A head without words is none.
    body = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", body)
    body = re.sub(r'(<math display="block".*?</math>)', r'<span class="scroll" tabindex="0">\1</span>', body,
                  flags=re.S)
    body = re.sub(r"<pre(?=[ >])", '<pre tabindex="0"', body)
    body = re.sub(r"<td[^>]*>[^<]*</td>", lambda cell: unbroken(cell.group()), body)
    count = iter(range(1, 10_000))

    def framed(table):
        wide = " wide" if table.group().partition("</tr>")[0].count("<th") >= WIDE else ""
        return (f'<div class="scroll{wide}" tabindex="0" role="region" aria-label="table {next(count)}">'
                f"{table.group()}</div>")

    return re.sub(r"<table.*?</table>", framed, body, flags=re.S)


def unbroken(cell):
    """Return a cell in which a line breaks neither within a number nor after the sign of its error."""
    return re.sub(r"± ", "±\u00a0", re.sub(r"(?<=\d)e-(?=\d)", "e\u2011", cell))


class Links(html.parser.HTMLParser):
    """Where a page leads, what it loads, and the names of its places."""

    def __init__(self, text):
        super().__init__()
        self.leads, self.loads, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.places.add(value)
            elif name == "href" and tag == "a":
                self.leads.append(value)
            elif name in ("src", "href"):
                self.loads.append(value)


def broken_links(folder):
    """Yield a sentence for every link that leads nowhere, all that needs a network, and broken tables."""
    pages = {path: Links(path.read_text()) for path in folder.rglob("*.html")}
    for path, links in pages.items():
        name = path.relative_to(folder)
        # A table that lacks its line of dashes comes out as a paragraph of bars.
        if "<p>|" in path.read_text():
            yield f"{name}: a table is broken"
        for address in links.loads:
            if re.match(r"https?:|//", address):
                yield f"{name}: loads {address}"
        for address in links.leads + links.loads:
            if re.match(r"[a-z]+:", address):
                continue
            file, _, place = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.is_file():
                yield f"{name}: {address} does not exist"
            elif place and target in pages and place not in pages[target].places:
                yield f"{name}: {address} is no place there"


def main():
    """Make the site, then look for links that lead nowhere."""
    command, gallery, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "gallery").mkdir(parents=True)
    shutil.copyfile(ROOT / "docs/site/site.css", folder / "site.css")
    site = Site(command, folder)
    for source in site.pages:
        site.document(source)
    site.reference()
    site.gallery(gallery)
    site.contents()
    broken = list(broken_links(folder))
    print("\n".join(broken) if broken else f"{folder}: {len(list(folder.rglob('*.html')))} pages")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
