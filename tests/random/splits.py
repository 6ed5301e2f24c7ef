#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums over K in parts of groups of their own (splits=N), through xkbench's mode C (all checkers
on): every direction, type and layout, with what may follow a sum; and what is refused, by which
words. TAP: one line a type, layout and number of parts."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import Tap  # noqa: E402

# All have an index of K that 2 and 4 divide, and one that 3 does.
PROBLEMS = ["mb2ic64ih9oc48oh9kh3ph1", "mb3ic24ih5oc20oh5kh3ph1", "mb1ic48ih7oc12oh4kh3sh2ph1",
            "mb1ic48id3oc8od3kd3pd1", "mb1ic192iw5oc17ow5kw3pw1"]
AFTER = ["--attr-post-ops=", "--attr-post-ops=sum:0.5+add:f32:per_oc+relu+prelu:per_oc",
         "--attr-post-ops=gelu_erf+add:f32:per_tensor"]
SCALES = ["--attr-scales=", "--attr-scales=src:common:2+wei:per_oc+dst:common:4"]
FORWARD = ["f32", "f16", "bf16", "u8s8", "s8s8", "u8:s8:s32", "u8:s8:f32", "f16:f16:f32"]
BACK = ["f32", "f16", "bf16", "f32:bf16:bf16", "u8:s8:s8"]
REFUSED = [
    (["--dt=u8s8", "--attr-zero-points=src:common:1"], "mb2ic64ih9oc48oh9kh3ph1", "splits=2",
     "splits=2: there are sums of zero points"),
    (["--dt=u8s8"], "g2mb2ic64ih9oc48oh9kh3ph1", "splits=2", "splits=2: there are several groups"),
    (["--dir=BWD_D"], "mb2ic64ih9oc48oh3kh3sh2dh1ph0", "splits=2",
     "splits=2: there are several classes"),
    ([], "mb2ic64ih9oc48oh9kh3ph1", "splits=5", "splits=5: no index of K is so many parts"),
    ([], "mb2ic64ih9oc48oh9kh3ph1", "splits=0", "splits=0, need 1 to 255"),
]
# Whole, unless it is asked for: enough places of C for all threads, groups, f32 forward and by
# data. Split: few places, much K (docs/measurements.md).
NHWC = ["--stag=axb", "--wtag=axb", "--dtag=axb"]
CHOSEN = [
    (True, ["--dt=f16", *NHWC], "mb1ic128ih768oc3oh768kh3ph1"),
    (True, ["--dt=f16", *NHWC], "g2mb1ic1024ih7oc32oh7kh3ph1"),
    (True, ["--dt=f32"], "mb1ic2048ih7oc512oh7kh1"),
    (True, ["--dt=f32", "--dir=BWD_D"], "mb1ic16ih7oc512oh7kh1"),
    (False, ["--dt=f16", *NHWC], "mb1ic512ih7oc16oh7kh3ph1"),
    (False, ["--dt=bf16", "--attr-post-ops=sum:2+relu"], "mb1ic512ih7oc16oh7kh3ph1"),
    (False, ["--dt=u8s8", *NHWC], "mb1ic4096ih1oc64kh1"),
    (False, ["--dt=f16", "--dir=BWD_D", *NHWC], "mb1ic16ih7oc512oh7kh3ph1"),
    (False, ["--dt=f16", "--dir=BWD_W"], "mb16ic16ih56oc16oh56kh1"),
]


def run(xkbench, args, schedule):
    """What xkbench says of each problem, and how many launches it is."""
    done = subprocess.run(
        [xkbench, "--mode=C", *args], env=dict(os.environ, XK_SCHEDULE=schedule),
        text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return re.findall(r"^\d+:(.*)$", done.stdout, re.M)


def forward(t, xkbench):
    for dtype in FORWARD:
        for layout in ("any", "axb", "abx"):
            for i, parts in enumerate((2, 3, 4)):
                after, scales = AFTER[i], SCALES[i % 2]
                said = run(xkbench, ["--dir=FWD_B", f"--dt={dtype}", f"--stag={layout}",
                                     f"--dtag={layout}", after, scales, *PROBLEMS],
                           f"splits={parts}")
                wrong = [line[:300] for line in said if not line.startswith("PASSED")]
                wrong += ["not all were run"] if len(said) != len(PROBLEMS) else []
                t.line("\n".join(wrong), f"forward {dtype} {layout} splits={parts}")


def backward(t, xkbench):
    problems = [p for p in PROBLEMS if "sh2" not in p]
    for dtype in BACK:
        for layout in ("any", "axb", "abx"):
            said = run(xkbench, ["--dir=BWD_D", f"--dt={dtype}", f"--stag={layout}",
                                 f"--dtag={layout}", *problems[:1], *problems[3:]], "splits=3")
            said += run(xkbench, ["--dir=BWD_D", f"--dt={dtype}", f"--stag={layout}",
                                  f"--dtag={layout}", *problems[:3]], "splits=2")
            wrong = [line[:300] for line in said if not line.startswith("PASSED")]
            t.line("\n".join(wrong), f"by data {dtype} {layout}")
    said = run(xkbench, ["--deconv", "--dir=FWD_B", "--dt=f16", AFTER[1],
                         "mb1ic128ih7oc16oh7kh3ph1"], "splits=4")
    said += run(xkbench, ["--dir=BWD_WB", "--dt=f16,f32", "mb4ic16ih8oc16oh8kh3ph1"], "splits=4")
    wrong = [line[:300] for line in said if not line.startswith("PASSED")]
    t.line("\n".join(wrong), "a deconvolution, and by weights")
    said = run(xkbench, ["--attr-post-ops=relu", "mb1ic304ih3oc16oh3kh1"], "splits=38")
    t.line("" if said and said[0].startswith("PASSED") else str(said)[:400],
           "each of 38 parts is read by an operation of its own")


def main():
    t = Tap()
    forward(t, sys.argv[1])
    backward(t, sys.argv[1])
    for args, problem, schedule, words in REFUSED:
        said = run(sys.argv[1], [*args, problem], schedule)
        good = len(said) == 1 and words in said[0]
        t.line("" if good else str(said)[:400], f"refused: {words}")
    for whole, args, problem in CHOSEN:
        said = subprocess.run(
            [sys.argv[1], "--mode=I", "--perf-template=%sched%", *args, problem], text=True,
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
        good = (" splits=1 " in said.split(";")[0]) == whole and "splits=" in said
        t.line("" if good else said[:400], f"{'whole' if whole else 'split'}: {problem}")
        if not whole:
            said = run(sys.argv[1], [*args, problem], "")
            good = len(said) == 1 and "PASSED" in said[0]
            t.line("" if good else str(said)[:400], f"right: {problem}")
    sys.exit(t.end())


if __name__ == "__main__":
    main()
