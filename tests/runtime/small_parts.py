#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""small_parts.py XKBENCH_PARTS XKBENCH LIST: the list's problems by a library that cuts
tensors above 64 KB into parts, compared with the reference and checked,
with several types and post-ops, forward and by data. TAP: all pass; half of them or more
have more code than as a whole, that of two parts at least (others' parts may be launches
of the same code)."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

SETTINGS = [["--dt=f32", "--dir=FWD_B"], ["--dt=f16", "--dir=FWD_B"],
            ["--dt=u8s8", "--dir=FWD_B", "--attr-zero-points=src:common:3"],
            ["--dt=f16", "--dir=FWD_D", "--attr-post-ops=sum+relu"],
            ["--dt=f32", "--dir=FWD_D", "--attr-post-ops=add:f32:per_tensor+relu"],
            ["--dt=f16", "--dir=BWD_D"], ["--dt=f32", "--dir=BWD_D"],
            ["--dt=f32", "--dir=BWD_W"], ["--dt=f16", "--dir=BWD_WB"],
            ["--dt=bf16:f32:bf16", "--dir=BWD_WB", "--attr-deterministic=true"]]


def figures(xkbench, words, path):
    """States, and instructions of each program's code."""
    out = subprocess.run([xkbench, "--perf-template=row %sinstr%", *words,
                          "--batch=" + path], stdout=subprocess.PIPE, text=True,
                         check=False).stdout
    return (re.findall(r"^\d+:([A-Z_]+.*)$", out, re.MULTILINE),
            [int(n) for n in re.findall(r"^row (\d+)$", out, re.MULTILINE)])


def main():
    tap, parts, whole, path = Tap(), sys.argv[1], sys.argv[2], sys.argv[3]
    for words in SETTINGS:
        states, some = figures(parts, words, path)
        bad = [s for s in states if not s.startswith("PASSED")]
        tap.check(states and not bad, f"{' '.join(words)}: {len(states)} PASSED",
                  "\n".join(bad) or "no problem had a state")
        alone = figures(whole, ["--mode=I", *words], path)[1]
        many = sum(a >= 2 * b for a, b in zip(some, alone))
        tap.check(len(alone) == len(some) == len(states) and many >= len(states) // 2,
                  f"{' '.join(words)}: {many} of {len(states)} have parts",
                  f"expected half; code of {len(some)} with small parts, of {len(alone)} whole")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
