#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include "..." against the folder table of the design: who may
include whom, and that no two sources have the same base name. Warns, without
failing, about functions over 60 lines and files over 1200. TAP, one line a
folder and one for the names."""
import re
import sys
from collections import defaultdict
from pathlib import Path

# Besides its own headers, base and include/xekern (except where noted), a
# folder may include literally these.
ALL = ("base layout ir simplify views conv schedule plan lower passes isa "
       "binary codegen").split()
ALLOWED = {
    "base": [],
    "layout": [],
    "ir": ["layout"],
    "simplify": ["ir"],
    "views": ["simplify", "ir", "layout"],
    "conv": ["views", "layout"],
    "schedule": ["views", "layout", "isa"],
    "plan": ["schedule", "views", "simplify", "ir", "layout", "isa"],
    "lower": ["plan", "views", "simplify", "ir", "layout"],
    "passes": ["simplify", "ir", "layout", "isa"],
    "isa": [],
    "binary": ["isa"],
    "codegen": ["ir", "layout", "isa", "binary"],
    "gen": ALL,
    "container": ["isa"],
    "sim": ["isa", "container"],
    "vgpu": ["sim", "container", "isa"],
    "runtime": ["sim", "container", "isa"],
}
PUBLIC_ONLY = ["tools", "examples"]  # not even base
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
QUOTED_OR_COMMENT = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# Names that stand twice already; no more of them.
TWICE = set("asm.c asm.h eval.c eval.h ocl.h suites.h tcases.h "
            "test_driver.c test_rules.c test_types.c".split())
FUNCTION_LINES = 60
FILE_LINES = 1200


def folder_of(header):
    """The folder that an include names; public headers are xekern/..."""
    return "include/xekern" if header.startswith("xekern/") else \
        header.split("/")[0]


def violations(root, folder, may):
    """Texts of the includes in folder that the table does not allow."""
    found = []
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        for header in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if "/" not in header or folder_of(header) not in may:
                found.append(f"{path.relative_to(root)}: {header}")
    return found


def same_names(root, folders):
    """Texts of the base names that more than one source has."""
    places = defaultdict(list)
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            places[path.name].append(str(path.relative_to(root)))
    return [f"{name}: {', '.join(paths)}" for name, paths in places.items()
            if len(paths) > 1 and name not in TWICE]


def long_functions(text):
    """(first line, length) of each function body over the limit. Expects the
    brace style of .clang-format: bodies begin and end in column 0."""
    plain = QUOTED_OR_COMMENT.sub(
        lambda m: "\n" * m.group(0).count("\n"), text)
    start, found = None, []
    for number, line in enumerate(plain.splitlines(), 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start - 1 > FUNCTION_LINES:
                found.append((start, number - start - 1))
            start = None
    return found


def warnings(root, folders):
    """Sizes that the style asks to split."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root)
            if text.count("\n") > FILE_LINES:
                yield f"{name}: {text.count(chr(10))} lines"
            for line, length in long_functions(text):
                yield f"{name}:{line}: function of {length} lines"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    rules = {f: [f, "base", "include/xekern"] + may
             for f, may in ALLOWED.items()}
    rules.update({f: [f, "include/xekern"] for f in PUBLIC_ONLY})
    rules["include/xekern"] = ["include/xekern"]
    present = [f for f in rules if (root / f).is_dir()]
    bad = 0
    print(f"1..{len(present) + 1}")
    for number, folder in enumerate(present, 1):
        found = violations(root, folder, rules[folder])
        bad += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {folder} includes "
              "what the design allows")
        for text in found:
            print(f"# {text}")
    found = same_names(root, present + ["tests"])
    bad += bool(found)
    print(f"{'not ok' if found else 'ok'} {len(present) + 1} - base names are "
          "unique")
    for text in found:
        print(f"# {text}")
    for text in warnings(root, present + ["tests"]):
        print(f"# warning: {text}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
