#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""loop_figures.py XKBENCH XK: %ipf%, %spf% and %grf% of xkbench against
counting in the text of `xk dis`. The innermost loop with multiply-adds of each
kernel has no branch inside, so its executed instructions are its instructions;
kernels without loops are counted whole. Where filter taps are skipped in
padding, those of the middle have no branch. TAP."""
import os
import re
import subprocess
import sys

from cli import Tap

# Type, XK_SCHEDULE, problem, whether the loop that multiplies is most of it.
MAD = ("fma=mad simd=16 k=4 tg=2x1 slm=0 walk=o:p slices=1 splits=1 "
       "addr=surface grf=128")
DPAS = "simd=8 walk=o:p slices=1 splits=1 addr=surface"
INNER = DPAS.replace("o:p", ":po")  # With SLM the taps are innermost.
CASES = [
    ("f32", f"{MAD} m=16 n=16 nsub=16 slots=2,1", "mb1ic256ih8oc32kh1", True),
    ("f32", f"{MAD} m=16 n=32 nsub=32 slots=1,1", "mb1ic128ih6oc32kh3ph1",
     True),
    ("f16", f"fma=dpas {DPAS} m=16 n=16 nsub=16 k=16 tg=2x1 slots=2,2 slm=0 "
     "grf=128", "mb1ic512ih8oc32kh1", True),
    ("f16", f"fma=dpasw {INNER} m=32 n=32 nsub=32 k=16 tg=2x2 slots=1,2 slm=3 "
     "grf=256", "mb1ic1024ih8oc64kh1", True),
    ("u8s8", f"fma=dpas {DPAS} m=32 n=16 nsub=16 k=32 tg=2x1 slots=1,1 slm=0 "
     "grf=256", "mb1ic512ih8oc32kh1", True),
    ("u8s8", f"{MAD.replace('mad', 'dp4a').replace('k=4', 'k=8')} m=16 n=16 "
     "nsub=16 slots=2,2", "mb1ic256ih8oc32kh1", True),
    ("f16", f"fma=dpas {DPAS} m=16 n=16 nsub=16 k=16 tg=1x1 slots=1,1 slm=0 "
     "grf=128", "mb1ic16ih4oc16kh1", False),
]
FMA = re.compile(r"\b(dpasw?\.|dp4a\b|mad \(\d+\|M\d+\) r[\d.]+<1>:(f|hf)\b)")
JUMP = re.compile(r"\b(jmpi|while|goto)\b.* L(\d+)\b")


def code(xk, dtype, schedule, problem):
    """[(offset, line)] of the instructions up to the end of the thread."""
    env = {**os.environ, "XK_SCHEDULE": schedule}
    zebin = subprocess.run([xk, "gen", "--dt=" + dtype, "--stag=axb",
                            "--dtag=axb", "-o", "-", problem], env=env,
                           capture_output=True, check=True).stdout
    text = subprocess.run([xk, "dis", "-"], input=zebin, check=True,
                          capture_output=True).stdout.decode()
    out = []
    for line in text.splitlines():
        if re.fullmatch(r"L\d+:", line):
            out.append(("label", line[:-1]))
        elif line and not line.startswith("//"):
            out.append(("inst", line))
            if "EOT" in line:
                break
    return out


def loops(lines):
    """Bodies of the backward jumps, as lists of instructions."""
    at = {text: i for i, (kind, text) in enumerate(lines) if kind == "label"}
    for i, (_, text) in enumerate(lines):
        jump = JUMP.search(text)
        head = at.get("L" + jump.group(2)) if jump else None
        if head is not None and head < i:
            yield [t for kind, t in lines[head:i + 1] if kind == "inst"]


def counted(lines, in_loop):
    """(instructions, syncs) for a multiply-add; None if the code is not what
    this test wants."""
    bodies = [b for b in loops(lines) if any(FMA.search(t) for t in b)]
    if in_loop != bool(bodies):
        return None
    body = min(bodies, key=len) if bodies else [
        t for kind, t in lines if kind == "inst"]
    if any(JUMP.search(t) for t in body[:-1]):
        return None
    n = sum(bool(FMA.search(t)) for t in body)
    return len(body) / n, sum("sync." in t for t in body) / n


def asked(xkbench, dtype, schedule, problem, mode):
    """The three figures as xkbench says them."""
    done = subprocess.run(
        [xkbench, "--dt=" + dtype, "--stag=axb", "--dtag=axb", "--mode=" + mode,
         "--schedule=" + schedule, "--perf-template=is %ipf% %spf% %grf% "
         "%sched%", problem], capture_output=True, text=True, check=False)
    line = re.search(r"^is (\S+) (\S+) (\d+) (.*)$", done.stdout, re.MULTILINE)
    if not line:
        return None, done.stdout
    return [float(x) for x in line.groups()[:3]], line.group(4)


def main():
    xkbench, xk = sys.argv[1:3]
    tap = Tap()
    for dtype, schedule, problem, in_loop in CASES:
        want = counted(code(xk, dtype, schedule, problem), in_loop)
        tap.line("" if want else "the code has not the loop that is wanted",
                 f"{dtype} {problem}: counted {want}")
        for mode in "CRP":
            got, said = asked(xkbench, dtype, schedule, problem, mode)
            good = want and got and all(
                abs(a - b) <= 1e-5 * b for a, b in zip(got, want))
            tap.line("" if good else f"got {got} {said}",
                     f"mode {mode}: the same ipf and spf")
            m, n, grf = (int(re.search(rf" {f}=(\d+)", " " + schedule)[1])
                         for f in ("m", "n", "grf"))
            tap.line("" if got and m * n // 8 < got[2] <= grf else f"got {got}",
                     f"mode {mode}: more registers than C, {m * n // 8}, at "
                     f"most {grf}")
    print(f"1..{tap.count}")
    return 1 if tap.bad else 0


if __name__ == "__main__":
    sys.exit(main())
