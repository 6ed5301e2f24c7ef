#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""field_table.py XKBENCH DOCUMENT [--check]: the table of a schedule's fields between two marks of
a document, as `xkbench --help` has them; --check: whether it is there, TAP."""
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "random")]
from schedule_table import fields  # noqa: E402
from tap import Tap  # noqa: E402

BEGIN, END = "<!-- fields of a schedule -->\n", "<!-- end of fields -->\n"


def table(xkbench):
    """A row a field."""
    rows = ["| field | values | meaning |", "|---|---|---|"]
    for f in fields(xkbench).values():
        form = " ".join(f.values) if f.words else f"N{f.between}N" if f.between else "N"
        rows.append(f"| `{f.name}` | {form} | {f.meaning} |")
    return "\n".join(rows) + "\n"


def main():
    xkbench, document, *rest = sys.argv[1:]
    path, tap = Path(document), Tap()
    text = path.read_text(encoding="utf-8")
    marked = re.compile(re.escape(BEGIN) + ".*" + re.escape(END), re.S)
    new, n = marked.subn(lambda _: BEGIN + table(xkbench) + END, text)
    if rest == ["--check"]:
        why = "".join(difflib.unified_diff(text.splitlines(True), new.splitlines(True),
                                           str(path), "xkbench --help", n=0))
        tap.check(n == 1 and new == text, f"{path.name} has the fields of a schedule as they are",
                  f"{why}write it again: scripts/field_table.py {xkbench} {path}" if n == 1 else
                  f"the marks {BEGIN.strip()} and {END.strip()} are there {n} times, not once")
        return tap.end()
    if n != 1:
        sys.exit(f"field_table: {document} does not have the marks once")
    path.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
