#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nest_text.py XK: the generator's nest as text (XK_DUMP=nest), behind the passes
that its plan names (XK_DUMP=plan), by `xk opt`, is the IR that the generator went
on with (XK_DUMP=ir), to the letter. TAP."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cli import Tap

OUTER = "walk=o:p slices=1 slm=0 nsub=16 n=16 prefetch=0"
# What is asked of xk gen, XK_SCHEDULE.
CASES = [
    (["mb2ic3ih32oc16oh16kh3sh2ph1"], ""),
    (["--dt=f16", "mb2ic20ih14oc40oh14kh3ph1"], ""),
    (["--dt=f16", "--stag=axb", "--dtag=axb", "mb2ic24ih14oc40oh14kh3ph1"], OUTER),
    (["--dt=f16", "mb2ic64ih14oc64oh14kh3ph1"],
     "walk=:po slices=1 slm=0 m=16 n=32"),
    (["--dt=u8s8", "mb2ic20ih14oc40oh14kh3ph1"], OUTER + " fma=dp4a simd=16 m=16 k=8"),
    (["--dt=u8s8", "mb2ic21ih7oc21oh7kh1"], OUTER),
    (["--formula", "A: f16[5,64,32]; B: f16[5,32,16]; "
      "C[b,m,n] += A[b,m,k] * B[b,k,n]"], ""),
    (["--formula", "A: f32[12,7]; B: f32[3,7,9]; C[x,n] += A[x+r-1,c] * B[r,c,n]"],
     ""),
]


def again(xk, arguments, schedule, folder):
    """An error, or None: the case's dumps, and the nest through xk opt."""
    env = dict(os.environ, XK_DUMP="plan,nest,ir", XK_DUMP_DIR=folder,
               XK_SCHEDULE=schedule)
    if not schedule:
        del env["XK_SCHEDULE"]
    made = subprocess.run([xk, "gen", *arguments, "-o", f"{folder}/k"], env=env,
                          capture_output=True, text=True, check=False)
    if made.returncode:
        return made.stderr
    files = {f.stem[3:]: f for f in Path(folder).glob("*/*.txt")}
    if "nest" not in files:
        return "it was not written as a nest"
    passes = [line for line in files["plan"].read_text().splitlines()
              if line.startswith("passes:")]
    done = subprocess.run(
        [xk, "opt", "--passes=" + passes[0].removeprefix("passes:"),
         str(files["nest"])], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    if done.stdout != files["ir"].read_text():
        return "the text is another"
    return None


def main():
    tap = Tap()
    for arguments, schedule in CASES:
        with tempfile.TemporaryDirectory() as folder:
            why = again(sys.argv[1], arguments, schedule, folder)
        tap.check(why is None, f"{' '.join(arguments)} {schedule}", why or "")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
