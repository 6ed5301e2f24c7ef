#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""citations.py ROOT: a document that a file names exists here, and has the section
that is named. "isa.md 6.3", with a number, is docs/reference/isa.md: only those
documents number their sections. Links between documents exist too, and the tests that
rows of sim/core/known.def name. Files of this repository and names xk_... that documents
name are there, and so are the functions that docs/decisions.md names. TAP."""
import re
import sys
from pathlib import Path

import tap

KINDS = {".c", ".h", ".def", ".md", ".py", ".sh", ".build", ".rs", ".cl", ".ir"}
NAMED = re.compile(r"(?<![\w.*-])((?:[\w.-]+/)*)([\w-]+\.md)"
                   r"(?:,? (\d+(?:\.\d+)?)(?![\w.]*[\d%]))?")
# Documents of others, cited with where they are: names in a source column.
PUBLIC = {"DP4A.md", "BFI.md", "DWORD_ATOMIC.md",  # IGC, documentation/visa
          "ALLOCATIONS_GREATER_THAN_4GB.md",  # compute-runtime, its guide
          "OpenCLBuiltIn.md"}  # pti-gpu
OTHERS = re.compile(r"(documentation/|spec/|instructions/|BARRIER|DPASW?|LSC_UNT|"
                    r"4_visa_header|3_execution_model|\[DOC\]|NBARRIER)")


def files(root):
    """Text files of the tree without build folders."""
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix in KINDS and path.is_file() and not any(
                p.startswith(("build", ".")) for p in parts[:-1]):
            yield path


def sections(path):
    """The numbers in a document's headings."""
    return set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", path.read_text("utf-8"),
                          re.M))


def complaint(root, documents, path, match):
    """What is wrong with one citation, or nothing."""
    folder, name, number = match.groups()
    reference = root / "docs/reference" / name
    if number and reference.exists():
        return ("" if number in sections(reference) else
                f"docs/reference/{name} has no section {number}")
    if "shared/" in folder:
        return "the folder is outside of this repository"
    if number and folder.endswith("reference/"):
        return f"there is no docs/reference/{name}"
    return "" if name in documents else f"there is no document {name}"


def tests_of_table(root):
    """What is wrong with the tests that sim/core/known.def names for its rows, as
    "tests/FOLDER: NAME", and how many there are."""
    named = re.findall(r'"[^"]*\btests/(\w+): (\w+)"',
                       (root / "sim/core/known.def").read_text("utf-8"))
    return len(named), [
        f"sim/core/known.def: tests/{folder} has no test {name}"
        for folder, name in named if f"'{name}'" not in
        (root / "tests" / folder / "meson.build").read_text("utf-8")]


SOURCES = (".c", ".h", ".def", ".py", ".ir", ".sh", ".build", ".syms", ".txt")
# What stands for a name that the reader chooses.
ANY_NAME = re.compile(r"NAME|_$")


def absent_names(text, folders, is_file, words):
    """What a document names that is not there: files in the repository's folders, and
    xk_ names. folders: names at its top; is_file(path); words: of the sources."""
    paths = set(re.findall(r"(?<![\w/.-])(?:%s)/[\w/.-]*\.(?:c|h|def|py|sh|ir|txt)(?!\w|\.\w)"
                           % "|".join(folders), text))
    names = set(re.findall(r"\bxk_[a-z0-9_]+", text))
    return sorted(n for n in paths if not is_file(n) and not ANY_NAME.search(n)) + \
        sorted(n for n in names if n not in words and not ANY_NAME.search(n))


def documents_names(root):
    """What is wrong with the names in documents."""
    folders = [p.name for p in root.iterdir() if p.is_dir() and
               not p.name.startswith((".", "build"))]
    words = {"xk_dump"}  # the folder that XK_DUMP makes
    for path in root.rglob("*"):
        if path.suffix in SOURCES and path.relative_to(root).parts[0] in folders:
            words |= set(re.findall(
                r"\bxk_[a-z0-9_]+", path.read_text("utf-8", errors="replace")))
    wrong = []
    for path in [*root.glob("*.md"), *root.glob("docs/*.md")]:
        wrong += [f"{path.relative_to(root)}: {name}" for name in absent_names(
            path.read_text("utf-8"), folders, lambda n: (root / n).is_file(), words)]
    planted = absent_names("see lower/gone.c, jit/ir/message.cpp, passes/NAME.c, "
                           "lower/lower.c, xk_gone and xk_here", ["ir", "lower", "passes"],
                           lambda n: n == "lower/lower.c", {"xk_here"})
    if planted != ["lower/gone.c", "xk_gone"]:
        wrong.append(f"planted: {planted}")
    return wrong


def absent_functions(text, source_of):
    """Functions "`name` in `file`" of a table whose file has no such word; source_of:
    the text of a file, or nothing."""
    return sorted(f"{name} in {file}" for name, file in
                  re.findall(r"`(\w+)` in `([\w/]+\.[ch])`", text)
                  if not re.search(rf"\b{name}\b", source_of(file)))


def decisions(root):
    """What is wrong with docs/decisions.md, and how many functions it names."""
    def source_of(file):
        return (root / file).read_text("utf-8") if (root / file).is_file() else ""

    text = (root / "docs/decisions.md").read_text("utf-8")
    planted = absent_functions("`here` in `a/b.c`, `gone` in `a/b.c`, `x` in `a/gone.c`",
                               lambda file: "here(" if file == "a/b.c" else "")
    wrong = absent_functions(text, source_of)
    if planted != ["gone in a/b.c", "x in a/gone.c"]:
        wrong.append(f"planted: {planted}")
    return text.count("` in `"), wrong


def unnamed_documents(root):
    """Documents that README.md does not name, where a reader begins."""
    text = (root / "README.md").read_text("utf-8")
    return sorted(p.name for p in (root / "docs").glob("*.md")
                  if f"docs/{p.name}" not in text)


def main():
    root = Path(sys.argv[1]).resolve()
    documents = {p.name for p in files(root) if p.suffix == ".md"}
    wrong, count = [], 0
    for path in files(root):
        if path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        # A comment's next line goes on behind its " * ".
        for match in NAMED.finditer(re.sub(r"\n[ \t]*(\*|#|//) ", "\n  ", text)
                                    .replace("\n", " ")):
            before = match.string[max(0, match.start() - 40):match.end()]
            if OTHERS.search(before) or match.group(2) in PUBLIC:
                continue
            count += 1
            why = complaint(root, documents, path, match)
            if why:
                wrong.append(f"{path.relative_to(root)}: '{match.group(0)}': "
                             + why)
    number, absent = tests_of_table(root)
    gone = documents_names(root)
    n_named, lost = decisions(root)
    lost += [] if n_named >= 20 else [f"{n_named} functions, 20 at least"]
    out = tap.Tap()
    for found, name in (
            (wrong, f"{count} citations of documents, {len(wrong)} of what is not there"),
            ([] if count > 60 else [f"{count}, above 60 expected"],
             "citations were found"),
            (absent + ([] if number >= 10 else [f"{number} rows, 10 at least"]),
             f"{number} rows of what the simulator models name a test"),
            (gone, "documents name no file and no xk_ name that is not there"),
            (lost, f"the table of decisions names {n_named} functions, each is where it "
             "says"),
            (unnamed_documents(root), "README.md names each document of docs/")):
        out.line("\n".join(found), name)
    return out.end()


if __name__ == "__main__":
    sys.exit(main())
