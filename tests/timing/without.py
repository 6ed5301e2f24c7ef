#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""without.py XKBENCH_WITHOUT MOST LIST [OPTION...]: modelled time of the problems of a
list, over the time without the rows of isa/workaround.def that the generator obeys. A
line for each setting: geometric mean, the most, kernels that differ.

OPTIONs are xkbench's, such as --mb=16; SETTING=... words choose some of SETTINGS.
Exit 1 if a geometric mean is above MOST, or if no kernel of any setting differs."""
import math
import os
import subprocess
import sys

SETTINGS = {"f16-any": ["--dt=f16", "--stag=any", "--dtag=any"],
            "f16-nhwc": ["--dt=f16", "--stag=axb", "--dtag=axb"],
            "u8s8-any": ["--dt=u8s8", "--stag=any", "--dtag=any"],
            "u8s8-nhwc": ["--dt=u8s8", "--stag=axb", "--dtag=axb"],
            "f32": ["--dt=f32", "--stag=axb", "--dtag=axb"]}


def timed(xkbench, what, options, listed):
    """[(problem, hash, ms)]."""
    env = os.environ | {"XK_WITHOUT": what}
    done = subprocess.run(
        [xkbench, "--mode=P", "--perf-template=row|%desc%|%chash%|%0ptime%",
         *options, f"--batch={listed}"], stdout=subprocess.PIPE, text=True,
        check=False, env=env)
    rows = [line.split("|")[1:] for line in done.stdout.splitlines()
            if line.startswith("row|")]
    if done.returncode or not rows:
        sys.exit(f"{xkbench}: {done.returncode}: {done.stdout[-1000:]}")
    return [(problem, code, float(ms)) for problem, code, ms in rows]


def main():
    """Command line."""
    xkbench, most, listed, *words = sys.argv[1:]
    chosen = [w.removeprefix("SETTING=") for w in words if w.startswith("SETTING=")]
    options = [w for w in words if not w.startswith("SETTING=")]
    differing = bad = 0
    for name in chosen or SETTINGS:
        with_it = timed(xkbench, "nothing", SETTINGS[name] + options, listed)
        less = timed(xkbench, "workarounds", SETTINGS[name] + options, listed)
        ratios = [(a[2] / b[2], a[0]) for a, b in zip(with_it, less, strict=True)]
        changed = sum(a[1] != b[1] for a, b in zip(with_it, less))
        mean = math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios))
        print(f"{name}: {len(ratios)} kernels, {changed} differ without workarounds; with "
              f"them {mean:.4f} of the time in the geometric mean, at most "
              f"{max(ratios)[0]:.4f} ({max(ratios)[1]})", flush=True)
        differing += changed
        bad += mean > float(most)
    if not differing:
        print("no kernel differs: this compares nothing")
    return 1 if bad or not differing else 0


if __name__ == "__main__":
    sys.exit(main())
