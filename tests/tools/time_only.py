#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""time_only.py XKBENCH: with --time-only=0, where tensors hold nothing and no
value is computed, mode P predicts the time and the cycles that it predicts
without. Each row with and without post-ops, so that times are of more than one
kernel. TAP: one line a row, and one for how many cycles differ between rows."""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

SLM = ("--schedule=fma=dpasw+simd=8+m=16+n=32+nsub=32+k=16+tg=4x2+slices=1"
       "+walk=:po+slots=1,2+slm=3+addr=surface+grf=256")
DOTS = SLM.replace("k=16", "k=32")
ROWS = [
    (["--dt=f16", SLM], "mb2ic64ih8oc64kh3ph1"),
    (["--dt=f16", SLM.replace("slm=3", "slm=2"), "--stag=axb", "--dtag=axb"],
     "mb2ic64ih8oc64kh3ph1"),
    (["--dt=f16", "--stag=axb", "--dtag=axb"], "mb2ic96ih9oc40kh3sh2ph1"),
    (["--dt=f16"], "mb2ic128ih14oc64kh1"),
    (["--dt=f32"], "mb1ic64ih8oc64kh1"),
    (["--dt=f32", "--stag=axb", "--dtag=axb"], "mb1ic3ih20oc32kh3sh2ph1"),
    (["--dt=u8s8", DOTS], "mb2ic64ih8oc64kh3ph1"),
    (["--dt=u8s8", "--stag=axb", "--dtag=axb"], "mb3ic70ih7oc33kh1"),
]


def predicted(xkbench, words):
    """(time, cycles) as printed; None: no prediction."""
    done = subprocess.run([xkbench, "--mode=P", "--perf-template=at %ptime% "
                           "%cycles% end", *words], text=True,
                          stdout=subprocess.PIPE, check=False)
    found = re.search(r"^at ([\d.e+-]+) (\d+) end$", done.stdout, re.MULTILINE)
    if done.returncode or not found or not int(found.group(2)):
        return None
    return found.groups()


def main():
    tap, seen = Tap(), set()
    for options, problem in ROWS:
        for more in ([], ["--dir=FWD_B", "--attr-post-ops=sum+relu"]):
            words = [*options, *more, problem]
            whole = predicted(sys.argv[1], words)
            alone = predicted(sys.argv[1], ["--time-only=0", *words])
            seen.add(whole)
            tap.check(whole is not None and whole == alone,
                      f"{' '.join(words)}: {whole}, with --time-only=0 {alone}",
                      "the two differ" if whole else "no prediction")
    tap.check(len(seen) > len(ROWS), f"{len(seen)} different times",
              f"expected more than {len(ROWS)}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
