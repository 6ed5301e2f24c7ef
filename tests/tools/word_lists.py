#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""word_lists.py XKBENCH XK ROOT: the words of an option come from the table that
knows them. A wrong word is answered with the list; the help has the same words,
and no other text of the sources lists them, so that a new row of a table
appears in both without a second list that somebody types. TAP."""
import os
import re
import subprocess
import sys
import tempfile
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
STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FOLDERS = ("tools", "passes", "gen", "runtime")


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
            if len(here) >= most:
                found.append(f"{name}: {literal[:100]}")
    return found


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


def main():
    """Command line."""
    tools = dict(zip(("xkbench", "xk"), map(os.path.abspath, sys.argv[1:3])))
    root = Path(sys.argv[3]).resolve()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([tools["xk"], "gen", "-o", "k.zebin", FINE], check=True)
        judge_rows(tap, tools, root)
        os.chdir("/")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
