#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""habits.py ROOT [--update | --names]: what a tool can say about the
sources: format, parameters, lengths, sizes, names of static functions, commit messages.
tests/habits.txt has what was there before; it only shrinks: a row that is not needed any
more fails, --update takes such rows out and never adds one. --names prints, for each
folder, which part of its static functions has a name that a static function of another
file has too, and the names. TAP."""
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from layers import ALLOWED, FILE_LINES, PUBLIC_ONLY, QUOTED_OR_COMMENT, \
    long_functions

PARAMETERS = 6
FILE_B = 200 * 1000
SUBJECT = 72
# Messages of later commits are judged.
FIRST_COMMIT = "2ca319d81ead"
# Commits of main without a body; main's history is not rewritten.
NO_BODY = ("045ce02",)


def git(root, *words):
    """What git says, or None where there is no git or it fails."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], text=True,
                              capture_output=True, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout


def tracked(root):
    """Names of the files of the tree; those of builds are not among them."""
    listed = git(root, "ls-files")
    if listed is not None:
        return [n for n in listed.splitlines() if (root / n).is_file()]
    names = [p.relative_to(root) for p in sorted(root.rglob("*"))
             if p.is_file()]
    return [str(n) for n in names
            if not n.parts[0].startswith(("build", ".git"))]


def heads(text):
    """(number of its "{" line, head) of each function body in column 0."""
    plain = QUOTED_OR_COMMENT.sub(
        lambda m: "\n" * m.group(0).count("\n"), text).splitlines()
    for number, line in enumerate(plain):
        if not line.startswith("{"):
            continue
        first = number
        while first and plain[first - 1].strip() and not re.match(
                r"#|.*[;}]\s*$", plain[first - 1]):
            first -= 1
        yield number + 1, " ".join(plain[first:number])


def function(head):
    """(name, number of parameters) of a function's head."""
    found = re.search(r"(\w+)\s*\(", head)
    if not found:
        return "?", 0
    depth, commas = 0, 0
    for char in head[found.end():]:
        depth += (char == "(") - (char == ")")
        commas += char == "," and not depth
        if depth < 0:
            break
    return found.group(1), commas + 1


# OpenCL's and Level Zero's functions, which a fake driver defines: the parameters
# are the standards'.
FOREIGN = re.compile(r"(?:cl|ze)[A-Z]\w*$")


def c_findings(name, text):
    """Rows for habits.txt of one C file."""
    if name.endswith(".c") and text.count("\n") > FILE_LINES:
        yield f"lines {name}"
    by_line = {n: function(h) for n, h in heads(text)}
    for which, count in by_line.values():
        if count > PARAMETERS and not FOREIGN.match(which):
            yield f"parameters {name} {which}"
    for line, _ in long_functions(text):
        yield f"function {name} {by_line.get(line, ('?',))[0]}"


# A sentence that begins with "Of": what it is about comes last.
OF = re.compile(r"""(?:^\s*(?:/\*+|\*|//|;|\#+|\"{3}|-)?\s*|[.:!?]\s+(?:[*\#;]\s)?|
                    ^\s*(?:/\*+|\*|\#)\s.*[.:!?]\s*\n\s*[*\#]\s|\|\s)
                    (?:\*\*)?Of\s[a-z0-9`*]""", re.X | re.M)


def starts_with_of(root, names):
    """Rows of the files with such a sentence in a comment or a document."""
    ends = (".c", ".h", ".def", ".md", ".py", ".sh", ".ir", "meson.build",
            "Makefile")
    return {f"of {n}" for n in names if n.endswith(ends) and
            OF.search((root / n).read_text(encoding="utf-8"))}


STATIC = re.compile(r"^static\b[^;{}=()]*?\b(\w+)\s*\([^;{}]*\)\s*\n\{", re.M)


def shared_statics(root, names):
    """({folder: (static functions with a shared name, all)}, {name: files}) of the
    library and the tools; tests are programs of their own, and so is each example."""
    files, of = defaultdict(set), defaultdict(set)
    for name in names:
        folder = name.split("/")[0]
        if folder not in [*ALLOWED, *PUBLIC_ONLY] or not name.endswith((".c", ".h")):
            continue
        plain = QUOTED_OR_COMMENT.sub("", (root / name).read_text(encoding="utf-8"))
        for found in set(STATIC.findall(plain)):
            files[found].add(name)
            of[folder].add((found, name))
    shared = {f: sorted(n) for f, n in files.items() if len(n) > 1 and
              not all(m.startswith("examples/") for m in n)}
    counts = {folder: (sum(f in shared for f, _ in all_), len(all_))
              for folder, all_ in sorted(of.items())}
    return counts, shared


def print_names(root):
    """The table of --names, which may go into a pipe that ends early."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    counts, shared = shared_statics(root, tracked(root))
    for folder, (some, every) in counts.items():
        print(f"{folder:10} {some:4} of {every:4}: {100 * some / every:4.1f} %")
    some, every = (sum(c[k] for c in counts.values()) for k in (0, 1))
    print(f"{'all':10} {some:4} of {every:4}: {100 * some / every:4.1f} %")
    print("\n".join(shared_names(shared)))


def shared_names(shared):
    """A text for each name that several files have."""
    return [f"{name}: {' '.join(files)}" for name, files in sorted(shared.items())]


# The problem's words, of which nothing behind conv/ has heard: a contraction has
# indices, places of K, rows and columns.
PROBLEM = re.compile(r"(?:^|[^a-z])(?:taps?|images?|pixels?|channels?)(?![a-z])", re.I)
BEHIND_CONV = ("views/", "schedule/", "plan/", "lower/", "passes/", "gen/", "codegen/")


def problem_words(root, names):
    """Rows of the files behind conv/ that have such a word."""
    return {f"problem {n}" for n in names if n.startswith(BEHIND_CONV) and
            PROBLEM.search((root / n).read_text(encoding="utf-8"))}


def unformatted(root, names):
    """Rows of the files that clang-format would change."""
    done = subprocess.run(["clang-format-14", "--dry-run", *names], cwd=root,
                          capture_output=True, text=True, check=False)
    found = re.findall(r"^([^\s:]+):\d+:\d+: warning: code should be",
                       done.stderr, re.MULTILINE)
    return {f"format {name}" for name in found}


def commit_findings(root):
    """Commits with a long subject or without a body; None: nothing to judge."""
    log = git(root, "log", "--no-merges", "--format=%h%x00%s%x00%b%x01",
              f"{FIRST_COMMIT}..HEAD")
    if log is None:
        return None
    found = []
    for entry in log.split("\x01"):
        if not entry.strip():
            continue
        commit, subject, body = entry.strip().split("\x00")
        if len(subject) >= SUBJECT:
            found.append(f"{commit}: a subject of {len(subject)} characters")
        if not body.strip() and not commit.startswith(NO_BODY):
            found.append(f"{commit}: no body that says why")
    return found


def read_rows(path):
    """The rows of habits.txt without their reasons, in order."""
    return [line.partition(":")[0].strip()
            for line in path.read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("#")]


def all_findings(root):
    """{kind: rows found}; a kind that could not be judged is None."""
    names = tracked(root)
    sources = [n for n in names if n.endswith((".c", ".h"))]
    found = {k: set() for k in ("lines", "parameters", "function")}
    for name in sources:
        text = (root / name).read_text(encoding="utf-8")
        for row in c_findings(name, text):
            found[row.split()[0]].add(row)
    found["size"] = {f"size {n}" for n in names
                     if (root / n).stat().st_size > FILE_B}
    found["of"] = starts_with_of(root, names)
    found["problem"] = problem_words(root, names)
    found["format"] = (unformatted(root, sources)
                       if shutil.which("clang-format-14") else None)
    return found


def update(path, stale):
    """Takes the rows out."""
    kept = [line for line in path.read_text(encoding="utf-8").splitlines()
            if line.partition(":")[0].strip() not in stale]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


def planted():
    """What a tree with two static functions of one name, of four, is judged wrongly."""
    with tempfile.TemporaryDirectory() as name:
        root, wrong = Path(name), []
        (root / "base").mkdir()
        for file, text in (("a.c", "static int\ntwice(int a)\n{\n}\n"
                            "static void once(void)\n{\n}\n"),
                           ("b.c", "static int twice(void)\n{\n}\n"
                            "static int other(struct a *p, void (*f)(int))\n{\n}\n"
                            "/*\nstatic void once(void)\n{\n} */\n"
                            "static int once(void);\n")):
            (root / "base" / file).write_text(text, encoding="utf-8")
        files = ["base/a.c", "base/b.c"]
        if shared_statics(root, files)[0] != {"base": (2, 4)}:
            wrong.append(f"counted: {shared_statics(root, files)}")
        if shared_names(shared_statics(root, files)[1]) != ["twice: base/a.c base/b.c"]:
            wrong.append("twice is not named with its files")
        return wrong + planted_words(root)


def planted_words(root):
    """What is judged wrongly of files with such a word, or with a part of one."""
    wrong = []
    for folder in BEHIND_CONV + ("conv/",):
        (root / folder).mkdir()
        for text, bad in (("int n_taps;", True), ("/* IMAGE_B */", True),
                          ("a pixel's", True), ("channel(s)", True),
                          ("stapled tapes", False), ("imagery", False)):
            name = folder + "a.h"
            (root / name).write_text(text, encoding="utf-8")
            if bool(problem_words(root, [name])) != (bad and folder != "conv/"):
                wrong.append(f"{name}: {text}")
    return wrong


def report(number, title, wrong):
    """One TAP line; wrong is None for what could not be judged."""
    skip = " # SKIP git or clang-format 14 is not here" if wrong is None else ""
    print(f"{'not ok' if wrong else 'ok'} {number} - {title}{skip}")
    for text in sorted(wrong or []):
        print(f"# {text}")
    return bool(wrong)


def main():
    """Command line."""
    root = Path(sys.argv[1]).resolve()
    path = root / "tests/habits.txt"
    if "--names" in sys.argv:
        return print_names(root)
    known, found = set(read_rows(path)), all_findings(root)
    stale = {row for row in known
             if found.get(row.split()[0], set()) is not None
             and row not in found.get(row.split()[0], set())}
    if "--update" in sys.argv:
        update(path, stale)
        stale = set()
    print(f"1..{len(found) + 4}")
    bad = False
    for number, (kind, rows) in enumerate(found.items(), 1):
        new = None if rows is None else rows - known
        bad |= report(number, f"{kind}: no more than tests/habits.txt has", new)
    bad |= report(len(found) + 1, "tests/habits.txt has no row too many", stale)
    bad |= report(len(found) + 2, "commit messages", commit_findings(root))
    bad |= report(len(found) + 3, "no two static functions share a name",
                  shared_names(shared_statics(root, tracked(root))[1]))
    bad |= report(len(found) + 4, "planted names are found", planted())
    return bad


if __name__ == "__main__":
    sys.exit(main())
