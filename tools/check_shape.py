#!/usr/bin/env python3
"""Checks that functions stay short and that nothing is written twice.

No function has more than 60 lines, and no eight lines stand in two places to the letter. Blank lines,
comments, includes and lone brackets do not count as repeated; tables, which nobody reads from top to
bottom, may be long. Files may be as long as their one idea.
"""

import ast
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_LINES_OF_A_FUNCTION = 60
REPEATED_LINES = 8
ENDINGS = (".h", ".cc", ".inc", ".py", ".pyi", ".sh")

# Made by a program, which a test compares with them.
MADE = ("python/conflux/estimators.pyi",)
# Tables with a line or a few per entry.
TABLES = {
    ("studies/reproduce/experiments.cc", "experiments"),
    ("tests/storage/hostile_file_test.cc", "cases"),
    ("tests/tables/npy_test.cc", "Npy.EveryRefusalNamesThePlaceAndTheRemedy"),
    ("tests/tables/table_test.cc", "Table.EveryRefusalNamesThePlaceAndTheRemedy"),
}

COMMENTS_AND_TEXTS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
# The text before the bracket of a function: its name, its arguments and what may follow these.
FUNCTION = re.compile(
    r"([~\w:]+|operator\W+)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
    r"(?:\s*(?:const|noexcept|override|final|mutable|&&?|->[^={};]+))*(?:\s*:[^:].*)?\s*$", re.S)
NO_FUNCTION = re.compile(r"^\s*(?:(?:inline\s+)?namespace|struct|class|enum|union|extern|using)\b|=\s*$")
PASSED_OVER = re.compile(r"^(?://.*|#.*|[\W]*|import .*|from .* import .*|\"\"\".*)$")


def sources():
    """Return the files of the tree that people write."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\n") if listed.returncode == 0 else [
        str(p.relative_to(ROOT)) for p in ROOT.rglob("*")
        if not p.relative_to(ROOT).parts[0] in ("build", "out", ".git")]
    return sorted(n for n in names
                  if n.endswith(ENDINGS) and n not in MADE and (ROOT / n).is_file())


def blanked(text):
    """Return C++ with comments and texts replaced by blanks; lines stay where they are."""
    return COMMENTS_AND_TEXTS.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def name_of(found):
    """Return the name of a function; that of a test is made of its first two arguments."""
    name, arguments = found.group(1), found.group(2)
    is_test = name.startswith("TEST") or name == "RC_GTEST_PROP"
    return ".".join(word.strip() for word in arguments.split(",")[:2]) if is_test else name


def functions_of_cpp(text):
    """Yield name, first and last line of every function; lambdas belong to the function around."""
    text = re.sub(r"(?m)^\s*#.*$", "", blanked(text))
    open_brackets, line, head, head_line, function = 0, 1, "", 1, None
    for character in text:
        if character == "\n":
            line += 1
        if function is None and character in ";}" or character == "{":
            if character == "{":
                open_brackets += 1
                found = FUNCTION.search(head.strip()) if function is None else None
                if found and not NO_FUNCTION.search(head):
                    function = (name_of(found), head_line, open_brackets)
            else:
                open_brackets -= character == "}"
            head, head_line = "", 0
        elif character == "}":
            if open_brackets == function[2]:
                yield function[0], function[1], line
                function = None
            open_brackets -= 1
            head, head_line = "", 0
        elif function is None:
            if not head_line and not character.isspace():
                head_line = line
            head += character


def functions_of_python(text):
    """Yield name, first and last line of every function; what it says of itself does not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            words = node.body[0] if ast.get_docstring(node) is not None else None
            skipped = words.end_lineno - words.lineno + 1 if words else 0
            yield node.name, node.lineno + skipped, node.end_lineno


def functions_of(name, text):
    """Yield the functions of a file, if its language is known."""
    if name.endswith((".h", ".cc")):
        yield from functions_of_cpp(text)
    elif name.endswith(".py"):
        yield from functions_of_python(text)


def check_sizes(texts):
    """Yield a sentence for every function that is too long."""
    for name, text in texts.items():
        for function, first, last in functions_of(name, text):
            length = last - first + 1
            if length > MOST_LINES_OF_A_FUNCTION and (name, function) not in TABLES:
                yield (f"{name}:{first}: {function} has {length} lines; "
                       f"a function has at most {MOST_LINES_OF_A_FUNCTION}")


def check_tables(texts):
    """Yield a sentence for every exception that nothing needs any more."""
    for name, function in sorted(TABLES):
        if name not in texts or function not in {f for f, _, _ in functions_of(name, texts[name])}:
            yield f"tools/check_shape.py: TABLES names {name} {function}, which does not exist"


def check_repeats(texts):
    """Yield a sentence for every run of lines that stands twice."""
    seen, told = {}, {}
    for name, text in texts.items():
        lines = [(number, re.sub(r"\s+", " ", line.strip()))
                 for number, line in enumerate(text.split("\n"), 1)]
        lines = [(number, line) for number, line in lines if not PASSED_OVER.match(line)]
        for i in range(len(lines) - REPEATED_LINES + 1):
            window = lines[i:i + REPEATED_LINES]
            number, key = window[0][0], tuple(line for _, line in window)
            if key not in seen:
                seen[key] = (name, number, i)
                continue
            other, where, _ = seen[key]
            # Later windows of the same run say nothing new.
            run = (name, other, number - where)
            if told.get(run, -REPEATED_LINES) < i - REPEATED_LINES or run not in told:
                yield f"{name}:{number}: {REPEATED_LINES} lines stand at {other}:{where} as well"
            told[run] = i


def main() -> int:
    texts = {name: (ROOT / name).read_text() for name in sources()}
    bad = [*check_sizes(texts), *check_tables(texts), *check_repeats(texts)]
    functions = sum(1 for name, text in texts.items() for _ in functions_of(name, text))
    good = f"{functions} functions of {len(texts)} files are short; nothing is written twice"
    print("\n".join(bad) if bad else good)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
