#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""word_lists.py XKBENCH XK ROOT: the words of an option come from the table that
knows them. A wrong word is answered with the list; the help has the same words,
and no other text of the sources lists them, so that a new row of a table
appears in both without a second list that somebody types. No two arrays of the
sources have three words in common. TAP."""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"
# A tool with a wrong word, whose help has the words (None: they have no help),
# and the file with the table.
ROWS = [
    ("checks", ["xk", "run", "--check=?"], ["xk", "run"], "sim/"),
    ("types of arguments", ["xk", "run", "k.zebin", "xk_conv", "?:1", "?:1",
                            "?:1", "?:1"], ["xk", "run"],
     "tools/xk/run_arg.c"),
    ("checks of vgpu", ["xk", "vgpu", "--check=?"], ["xk", "vgpu"], "sim/"),
    ("machines", ["xk", "run", "--timing=?"], ["xk", "run"], "sim/"),
    ("machines of vgpu", ["xk", "vgpu", "--timing=?"], ["xk", "vgpu"], "sim/"),
    ("platforms", ["xk", "dis", "--platform=?"], ["xk", "dis"],
     "tools/problem/words.c"),
    ("platforms of vgpu", ["xk", "vgpu", "--platform=?"], ["xk", "vgpu"],
     "tools/problem/words.c"),
    ("directions", ["xk", "gen", "--dir=?"], ["xk", "gen"],
     "tools/problem/words.c"),
    ("types", ["xk", "gen", "--dt=?"], ["xk", "gen"], "tools/problem/words.c"),
    ("post-ops", ["xk", "gen", "--attr-post-ops=?"], ["xk", "gen"],
     "tools/problem/words.c"),
    ("engines", ["xkbench", "--engine=?"], ["xkbench"], "runtime/device.c"),
    ("modes", ["xkbench", "--mode=?"], ["xkbench"], "tools/xkbench/options.c"),
    ("passes", ["XK_PASSES=-?", "xk", "gen", FINE], None, "passes/pipeline.c"),
    ("stages", ["XK_DUMP=?", "xk", "gen", FINE], None, "gen/trace.c"),
]
# Texts that may have a table's words, with the reason.
MAY_HAVE = [
    ("gen/ir_kernel.c", "ir: value %s is", "types that a value of a program has"),
    ("ir/verify.c", "send: argument 1 must", "types that offsets have"),
    ("lower/reduce.c", "reduce: to %s", "types that a reduction writes"),
    ("isa/encode_alu.c", "bfn: condition", "conditions, not post-ops"),
    ("isa/parse_options.c", "a pipe A, F", "pipes, not modes of xkbench"),
]
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FOLDERS = ("base", "layout", "ir", "simplify", "views", "conv", "schedule",
           "plan", "lower", "passes", "isa", "binary", "codegen", "gen",
           "container", "sim", "vgpu", "runtime", "tools", "examples")

# An array of words is one if three of its texts are words.
ARRAY = re.compile(r"=\s*\{")
WORD = re.compile(r'"([\w-]{2,})"')
FEW = 3
# Pairs of files whose arrays may share words, with the reason.
OPTIONS = "each verb says which options it has"
KEYS = "rows of facts about platforms, not a list of them"
REBUILT = "the kinds of a message, as plan and printed plan call them"
MAY_SHARE = [
    ("tools/xk/*", "tools/xk/*", OPTIONS),
    ("tools/xk/*", "tools/xkbench/options.c", OPTIONS),
    ("tools/xk/*", "tools/xkbench/template.c", "options, and columns"),
    ("isa/platform.c", "vgpu/*", KEYS),
    ("vgpu/replay.c", "vgpu/virtual_device.c", KEYS),
    ("isa/parse_core.c", "layout/dtype.c",
     "types of registers, and types of elements"),
    ("base/launch_list.c", "isa/parse_core.c",
     "types of a value in a file, and types of registers"),
    ("base/launch_list.c", "layout/dtype.c",
     "types of a value in a file, and types of elements"),
    ("layout/dtype.c", "tools/xk/run_arg.c",
     "types of elements, and types of what a user writes into a buffer"),
    ("isa/parse_core.c", "tools/xk/run_arg.c",
     "types of registers, and types of what a user writes into a buffer"),
    ("base/launch_list.c", "tools/xk/run_arg.c",
     "types of a value in a file, and types of what a user writes into a buffer"),
    ("isa/format.c", "sim/check/check_init.c",
     "register files, and where the simulator keeps them"),
    ("isa/opcode.c", "tools/xkbench/meaning.c",
     "functions of an instruction, and of a post-op's text"),
    ("plan/*", "plan/*", REBUILT),
    ("ir/tiles_text.c", "plan/plan_print.c",
     "functions of tiles, and what a plan multiplies with"),
]


def run(tools, words):
    """stdout and stderr of `[NAME=VALUE] TOOL ARGUMENT...`."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("XK_DUMP")}
    if "=" in words[0]:
        name, value = words[0].split("=", 1)
        env[name] = value
        words = words[1:]
    done = subprocess.run([tools[words[0]]] + words[1:], text=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.stdout


def known_words(answer):
    """The words of "... is none of a, b, c", of "... no stage: a, b, c"."""
    listed = re.search(r"(?:none of|no pass:|no stage:) (.*)", answer)
    if not listed:
        return []
    words = [w.split()[0] for w in listed.group(1).split(", ")]
    return [w for w in words if w != "with"]


def typed_twice(root, words, home):
    """Texts of the sources, but for the table's file, with three of the words,
    or with both."""
    found, most = [], min(len(words), 3)
    for path in sorted(p for f in FOLDERS for p in (root / f).rglob("*.[ch]")):
        name = str(path.relative_to(root))
        if name.startswith(home):
            continue
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        for literal in STRINGS.findall(text):
            here = {w for w in words if
                    re.search(rf"(?<![\w-]){re.escape(w)}(?![\w-])", literal)}
            may = any(name == file and begins in literal
                      for file, begins, _ in MAY_HAVE)
            if len(here) >= most and not may:
                found.append(f"{name}: {literal[:100]}")
    return found


def word_arrays(text):
    """(line, words) of each array in a C source with three words."""
    plain = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for found in ARRAY.finditer(plain):
        depth, end = 0, found.end() - 1
        for end in range(found.end() - 1, len(plain)):
            depth += (plain[end] == "{") - (plain[end] == "}")
            if not depth:
                break
        words = set(WORD.findall(plain[found.end():end]))
        if len(words) >= FEW:
            yield plain.count("\n", 0, found.start()) + 1, words


def arrays_twice(root):
    """Texts of the pairs of arrays that share words, and of the rows of
    MAY_SHARE that no pair needs."""
    arrays, found, needed = [], [], set()
    for path in sorted(p for f in FOLDERS for p in (root / f).rglob("*.[ch]")):
        name = str(path.relative_to(root))
        arrays += [(name, *a) for a in word_arrays(
            path.read_text(encoding="utf-8"))]
    for (one, line, words), (other, at, more) in itertools.combinations(
            arrays, 2):
        shared = words & more
        if len(shared) < FEW:
            continue
        rows = [r for r in MAY_SHARE if fnmatch(one, r[0])
                and fnmatch(other, r[1])]
        needed.update(rows)
        if not rows:
            found.append(f"{one}:{line} and {other}:{at}: "
                         f"{' '.join(sorted(shared))}")
    return found, [" ".join(r[:2]) for r in MAY_SHARE if r not in needed]


def judge_arrays(tap, root):
    """The tree, and a tree with a planted list."""
    found, stale = arrays_twice(root)
    tap.line("\n".join(found), "no two arrays list the same words")
    tap.line("\n".join(stale), "every pair that may is there")
    with tempfile.TemporaryDirectory() as name:
        planted = Path(name)
        for where, text in (
                ("conv/a.c", 'static const char *const a[] = '
                 '{"FWD_D", "FWD_B", "FWD_I"};\n'),
                ("sim/core/b.c", 'struct row b[] = {{"FWD_I", 1}, '
                 '{"FWD_D", 2}, {"FWD_B", 3}};\n'),
                ("gen/c.c", 'const char *c[] = {"FWD_I", "FWD_D", "other"};\n'
                 '/* = {"FWD_D", "FWD_B", "FWD_I"} */\n')):
            path = planted / where
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = arrays_twice(planted)[0]
        tap.line("" if len(found) == 1 and "sim/core/b.c:1" in found[0]
                 else "\n".join(found) or "nothing was found",
                 "a planted list is found, and only it")


def judge_rows(tap, tools, root):
    """Three lines a row, two where there is no help."""
    for name, wrong, helps, home in ROWS:
        words = known_words(run(tools, wrong))
        tap.line("" if len(words) > 1 else run(tools, wrong),
                 f"{name}: a wrong word is answered with {' '.join(words)}")
        if helps:
            text = run(tools, helps + ["--help"])
            missing = [w for w in words if not re.search(
                rf"(?<![\w-]){re.escape(w)}(?![\w-])", text)]
            tap.line(" ".join(missing), f"{name}: all are in the help")
        tap.line("\n".join(typed_twice(root, words, home)),
                 f"{name}: no other text lists them")


def table_of(text, heading):
    """The cells of the rows of the first table behind a heading."""
    lines = text.split(heading, 1)[1].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|---"))
    for line in lines[first + 1:]:
        if not line.startswith("|"):
            return
        yield [c.strip() for c in line.strip("|").split("|")]


def judge_hardware(tap, tools, root):
    """docs/devices.md says which devices and which machine a platform has. The tools
    say it when a device or a machine is another platform's."""
    rows = list(table_of((root / "docs/devices.md").read_text(encoding="utf-8"),
                         "## Words for hardware"))
    every = known_words(run(tools, ["xk", "dis", "--platform=?"]))
    tap.line("" if sorted(every) == sorted(r[0] for r in rows) else " ".join(every),
             "docs/devices.md has a row for each platform")
    machines = dict(re.findall(r"([\w-]+) \((\w+)\)", run(
        tools, ["xkbench", "--mode=P", "--timing=?", FINE])))
    for platform, devices, machine, product, virtual in rows:
        Path("c.asm").write_text("(W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud\n")
        run(tools, ["xk", "asm", "-p", platform, "c.asm", "-o", "c.bin"])
        other = next(r[1] for r in rows if r[0] != platform).split(", ")[0]
        said = run(tools, ["xk", "lint", "-p", platform, f"--device={other}", "c.bin"])
        words = said.strip().split("'s: ")[-1].split(", ")
        found = [w for w in words if not re.search(r"-[a-d]\d$", w)]
        tap.line("" if found == devices.split(", ") else said,
                 f"{platform} has the devices {devices}")
        mine = [m for m, p in machines.items() if p == platform]
        tap.line("" if mine == [machine] else " ".join(mine),
                 f"{platform} has the machine {machine}")
        tap.line("" if {product, virtual} <= set(words) else said,
                 f"{product} and {virtual} are devices of {platform}")


def main():
    """Command line."""
    tools = dict(zip(("xkbench", "xk"), map(os.path.abspath, sys.argv[1:3])))
    root = Path(sys.argv[3]).resolve()
    tap = Tap()
    judge_arrays(tap, root)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([tools["xk"], "gen", "-o", "k.zebin", FINE], check=True)
        judge_rows(tap, tools, root)
        judge_hardware(tap, tools, root)
        os.chdir("/")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
