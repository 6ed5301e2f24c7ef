#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bound_share.py XKBENCH SHAPES [--dir=bwd_d] [--dt=f16] [--mb=16] [--tag=axb]: for each layer
the modelled time of xkbench's kernels, all launches together, and the share of it that
report_bound.py says is needed at least, nominally on a770; then the median and the least. --tag
is that of src and dst, "any" the library's choice. --timing=MACHINE is the model's
(a770:gather=component: under a hypothesis; the bound stays nominal)."""
import argparse
import re
import statistics
import sys
from pathlib import Path

from bench_rows import rows_of
from report_bound import Problem, fields, least_of

DIRECTIONS = {"fwd": "FWD_D", "bwd_d": "BWD_D", "bwd_w": "BWD_W"}
TYPES = {"fwd": "{0}:{0}:{0}", "bwd_d": "{0}:{0}:{0}", "bwd_w": "{0}:f32:{0}"}


def layers(path, mb):
    """(name, problem) of each line of a list."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not re.search(r"ic\d+", line) or line.startswith("#"):
            continue
        desc = re.sub(r"mb\d+", "", line.strip(), count=1)
        name = re.sub(r".*n\"|\"|\*\d+$", "", line.strip())
        yield name, f"mb{mb or fields(line).get('mb', 1)}{desc}"


def timed(args, desc):
    """Modelled ms and instructions a multiply; None: xkbench says no."""
    tag = [f"--stag={args.tag}", f"--dtag={args.tag}"]
    rows, _, _ = rows_of(
        args.xkbench,
        ["--mode=P", f"--dir={DIRECTIONS[args.dir]}",
         "--dt=" + TYPES[args.dir].format(args.dt), *tag, f"--timing={args.timing}",
         "--time-only=0"], "%ptime%|%xipf%", [desc])
    return tuple(map(float, rows[0])) if rows else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--dir", default="bwd_d", choices=DIRECTIONS)
    parser.add_argument("--dt", default="f16", choices=("f16", "bf16", "f32"))
    parser.add_argument("--mb", type=int, default=16)
    parser.add_argument("--tag", default="any")
    parser.add_argument("--timing", default="a770")
    args = parser.parse_args()
    shares = []
    print("| layer | us | at least | share | instructions a multiply |\n"
          "|---|--:|--:|--:|--:|")
    for name, desc in layers(args.shapes, args.mb):
        got = timed(args, desc)
        if not got:
            sys.exit(f"bound_share: xkbench made no kernel of {desc}")
        size = "f32" if args.dt == "f32" else "f16"
        least, _ = least_of("a770", Problem(desc, size, args.dir), size)
        shares.append(least / 1000 / got[0])
        print(f"| {name} | {got[0] * 1000:.1f} | {least:.1f} | {shares[-1]:.2f} | "
              f"{got[1]:.1f} |", flush=True)
    print(f"median {statistics.median(shares):.3f}, least {min(shares):.3f}, "
          f"of {len(shares)}")


if __name__ == "__main__":
    main()
