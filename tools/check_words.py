#!/usr/bin/env python3
"""Checks the words of comments, messages and documentation.

    tools/check_words.py [FILE...]      all files that git knows, if none are named
    tools/check_words.py --self-test    shows that every rule can fail

The rules, which docs/glossary.md and CONTRIBUTING.md explain:

- no coined word where the field has one;
- no comment or message that begins with "Of" or "What", unless a question mark ends its sentence;
- American spelling.

A line of a document that quotes a program or a name between backticks is not read there.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is refused, and what to write instead.
COINED = {
    r"made? alike": "aligned",
    r"aligned as wholes?": "aligned globally",
    r"like with like": "within clusters, or within labels",
    r"(?:lie|lies|lying) apart": "separate clusters",
    r"kinds? of rows?": "cluster, class",
    r"random deals?": "random assignment",
    r"(?:dealt|deals) at random": "random assignment",
    r"deals? of (?:the )?(?:rows|groups)": "random assignment",
    r"guess(?:es|ed|ing)? (?:the|which|a) group": "predict the group",
    r"carried along": "copied unchanged",
    r"gives? away|given away": "importance",
    r"what rows show": "class of each row",
    r"flatters|(?:may|would|to) flatter|flatter it": "scores are optimistic",
    r"names? the random streams?": "random seed",
    r"(?<!a )journeys?": "path",
    r"is said|was said|are said|were said": "printed, reported, warned",
    r"nobody can tell": "name the subject: who or what is not known",
}
BRITISH = {
    r"\w*colour\w*": "color", r"neighbour\w*": "neighbor", r"centre[ds]?|centring": "center", r"grey\w*": "gray",
    r"\w*behaviour\w*": "behavior", r"favour\w*": "favor", r"label(?:led|ling)": "labeled", r"model(?:led|ling)": "modeled",
    r"judgment": "judgement, as the code has it", r"\w+(?:al|ar|er|im|an|on|in)is(?:e|ed|es|ing|ation|ations)": "-ize",
    r"catalogue\w*": "catalog", r"metres?": "meter", r"licence": "license", r"artefacts?": "artifact", r"whilst": "while",
}
# Words of English that end like British ones, and names of others.
AMERICAN = {"noise", "poise", "raise", "otherwise", "precise", "concise", "promise", "premise", "advise", "advised", "comprise", "comprises",
            "comprised", "excise", "minimise", "supervised", "unsupervised", "televised", "improvised", "compromise", "compromised",
            "compromises", "promised", "promises", "promising", "surmise", "likewise", "anise"} - {"minimise"}
PROSE = re.compile(r"(?<![\w/`-])(?:" + "|".join(f"(?:{word})" for word in [*COINED, *BRITISH]) + r")(?![\w/`-])", re.I)
BEGINS = re.compile(r"^(?:Of|What)\s(?!(?:to do|is new)\b)")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
# Data, sources of others, and the two files that name the words.
SKIPPED = re.compile(r"^(?:tests/golden/|tests/fuzz/seeds/|examples/.*\.csv|docs/glossary\.md|tools/check_words\.py|docs/results/|"
                     r"LICENSE|.*\.(?:json|svg|png|patch)$)")


def comments(text, marks):
    """Yield every comment with the number of its first line; lines that follow each other are one."""
    block, first = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        match = re.match(rf"^\s*(?:{marks})[ !<]*(.*)$", line)
        if match and match.group(1):
            first = first or number
            block.append(match.group(1))
            continue
        if block:
            yield first, " ".join(block)
        block, first = [], 0
        tail = re.search(rf"\s(?:{marks})<?\s+(\S.*)$", line)
        if tail and "://" not in tail.group(0):
            yield number, tail.group(1)


def literals(text):
    """Yield string literals of C++ that are sentences, with the numbers of their lines."""
    for match in LITERAL.finditer(text):
        joined = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match.group(0)))
        if joined.count(" ") > 2:
            yield text.count("\n", 0, match.start()) + 1, joined


def docstrings(text):
    for match in re.finditer(r'"""(.+?)"""', text, re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(1).strip()


def paragraphs(text):
    text = re.sub(r"```.*?```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.S)
    number = 1
    for part in text.split("\n\n"):
        yield number, re.sub(r"`[^`]*`", "``", part)
        number += part.count("\n") + 2


def passages(name, text):
    """Yield (line, text, whether it may not begin with Of or What)."""
    if name.endswith((".cc", ".h", ".inc", ".c")):
        yield from ((n, part, True) for n, part in comments(text, "///?|\\*"))
        if not name.startswith(("tests/", "bench/")):
            yield from ((n, part, True) for n, part in literals(text))
    elif name.endswith((".py", ".R")):
        yield from ((n, part, True) for n, part in comments(text, "#'?"))
        yield from ((n, part, not name.startswith("studies/")) for n, part in docstrings(text))
    elif name.endswith(".md"):
        yield from ((n, part, False) for n, part in paragraphs(text))


def remedy(word):
    for pattern, better in [*COINED.items(), *BRITISH.items()]:
        if re.fullmatch(pattern, word, re.I):
            return better
    return "another word"


def faults(name, text):
    """Yield (line, sentence) for every breach of a rule."""
    for line, passage, strict in passages(name, text):
        for match in PROSE.finditer(passage):
            if match.group(0).lower() not in AMERICAN:
                yield line, f"\"{match.group(0)}\"; write {remedy(match.group(0))}"
        sentence = re.split(r"(?<=[.:;])\s", passage)[0]
        if strict and BEGINS.match(passage) and "?" not in sentence:
            yield line, f"begins with \"{sentence[:40]}\"; name the subject first"


def self_test():
    """Every rule refuses what it should, and lets pass what it should."""
    bad = ["// Rows are made alike here.", "// Of all rows, some.", "// What a row holds.", "// The colour of a group.",
           "// It is normalised before.", 'throw InvalidData("Of these rows none is known; give more.");',
           "// Rows that lie apart are kept.", "// Groups are aligned\n// as wholes here."]
    good = ["// Rows are aligned.", "// What is the group of a row? The nearest one's.", "// A precise color, otherwise noise.",
            "// He likes deals.", 'f("of rows")', "// Colors of https://colour.example/x are not read."]
    ok = all(list(faults("x.cc", text)) for text in bad) and not any(list(faults("x.cc", text)) for text in good[:-1])
    ok &= bool(list(faults("x.md", "The centre."))) and not list(faults("x.md", "`centre` is a name."))
    ok &= bool(list(faults("x.py", '"""What a user says."""')))
    print("every rule can fail" if ok else "a rule does not do what it should")
    return 0 if ok else 1


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    known = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if known.returncode != 0 and not sys.argv[1:]:
        print("these sources are no git repository, so nothing was checked")
        return 77
    names = sys.argv[1:] or known.stdout.splitlines()
    count = 0
    for name in names:
        path = ROOT / name
        if SKIPPED.match(name) or not path.is_file():
            continue
        for line, sentence in faults(name, path.read_text(encoding="utf-8", errors="replace")):
            print(f"{name}:{line}: {sentence}.")
            count += 1
    if count == 0:
        print(f"the words of {len(names)} files are those of their readers")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
