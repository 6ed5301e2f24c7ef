#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""citations.py ROOT: a document that a file names exists here, and has the section
that is named. "isa.md 6.3", with a number, is docs/reference/isa.md: only those
documents number their sections. Links between documents exist too, and the tests that
rows of sim/core/known.def name. TAP."""
import re
import sys
from pathlib import Path

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
    print("\n".join("# " + w for w in wrong))
    print(f"{'not ok' if wrong else 'ok'} 1 - {count} citations of documents, "
          f"{len(wrong)} of what is not there")
    print(f"{'ok' if count > 60 else 'not ok'} 2 - citations were found")
    number, absent = tests_of_table(root)
    bad = absent or number < 10
    print("\n".join("# " + a for a in absent))
    print(f"{'not ok' if bad else 'ok'} 3 - {number} rows of what the simulator "
          f"models name a test, {len(absent)} none that is there")
    print("1..3")
    return 1 if wrong or bad or count <= 60 else 0


if __name__ == "__main__":
    sys.exit(main())
