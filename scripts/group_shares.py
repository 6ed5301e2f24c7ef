#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""group_shares.py XKBENCH XK SHAPES [--dt=f16,u8s8] [--tag=any,axb] [--nominal] [--only=TEXT]: the modelled times of convolutions of several groups,
nominally and under each hypothesis of the timing model. Markdown tables.

Depthwise layers (those of MobileNet v1 and v2 in the folder SHAPES, and two of EfficientNet) stand beside a copy: of a copy's time, in
which as many bytes are read and written as the layer reads and writes, which part the layer's own time is. The copy is a kernel of this
script, 16 bytes a work item. Layers of 32 groups stand beside the bound of report_bound.py under the same hypothesis, and beside the
same layer with one group. --tag is the layout of source and destination, "any" the library's choice. Fails where, nominally, the median
of depthwise layers is below MEDIAN or one of them below LEAST, or a layer of 32 groups below GROUPED_LEAST or slower than one group."""
import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_rows import rows_of, us_of
from bound_share import layers
from report_bound import Problem, bounds_of

MACHINE = "a770"
MB = 16
LISTS = ("mobilenet_v1_dw.txt", "mobilenet_v2.txt")
DEPTHWISE = ("g144mb16ic144ih56oc144oh28kh5sh2ph2",
             "g672mb16ic672ih14oc672oh14kh5ph2")
GROUPED = ("g32mb16ic128ih56oc128oh56kh3ph1", "g32mb16ic256ih28oc256oh28kh3ph1")
TYPES = {"f16": "f16:f16:f16", "u8s8": "u8:s8:u8"}
COPY = """kernel copy simd 16 (src: ptr.global, dst: ptr.global, g: group_x < {groups}, t: thread < 8) {{
    alloc r: grf[256]
    let o: s32 = (g * 8 + t) * 256
    send.load.global.a64.d32x64.block(&src[0], o, &r[0], true)
    send.store.global.a64.d32x64.block(&dst[0], o, &r[0], true)
}}
"""
COPY_GROUP_B = 2048  # of 8 threads
MEDIAN, LEAST, GROUPED_LEAST = 0.90, 0.75, 0.80


def run(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout


def whole(desc):
    """With the widths that xkbench takes from the heights."""
    if re.search(r"iw\d", desc):
        return desc
    return re.sub(r"([iokspd])h(\d+)", r"\1h\2\1w\2", desc)


def kernel_times(args, desc, dtype, tag):
    """{hypothesis: us}, "nominal" among them."""
    rows, _, _ = rows_of(
        args.xkbench,
        ["--mode=P", "--time-only=0", "--dir=FWD_D", f"--dt={TYPES[dtype]}",
         f"--stag={tag}", f"--dtag={tag}",
         f"--timing={MACHINE}" + ("" if args.nominal else ":all")],
        "%ptime%|%hypotheses%", [desc])
    if not rows:
        sys.exit(f"group_shares: xkbench made no kernel of {desc}")
    return us_of(*rows[0])


class Copies:
    """Times of copies, each made once."""

    def __init__(self, xk, folder):
        self.xk, self.folder, self.known = xk, Path(folder), {}

    def times(self, total_b, names):
        """{hypothesis: us} of one that reads and writes so many bytes."""
        groups = -(-total_b // 2 // COPY_GROUP_B)
        if groups not in self.known:
            text, file = self.folder / "copy.ir", self.folder / "copy.zebin"
            text.write_text(COPY.format(groups=groups), encoding="utf-8")
            run([self.xk, "gen", f"--from={text}", "-o", file])
            self.known[groups] = {name: self.time(file, groups, name)
                                  for name in names}
        return self.known[groups]

    def time(self, file, groups, name):
        machine = MACHINE if name == "nominal" else f"{MACHINE}:{name}"
        buffer = f"buf:zero:{groups * COPY_GROUP_B}"
        out = run([self.xk, "run", f"--timing={machine}", "--check=none",
                   file, f"src={buffer}", f"dst={buffer}"])
        found = re.search(r"timing for .*?: ([\d.]+) us", out)
        if not found:
            sys.exit(f"group_shares: xk run {file}: no time of the copy")
        return float(found[1])


def print_summary(title, shares):
    """Median and least under each hypothesis."""
    print(f"\n{title}\n\n| hypothesis | median | least |\n|---|--:|--:|")
    for name in shares[0]:
        of_it = [s[name] for s in shares]
        print(f"| {name} | {statistics.median(of_it):.3f} | {min(of_it):.3f} |")


def depthwise(args, copies, dtype, tag):
    rows = [(desc, desc) for desc in DEPTHWISE]
    for name in LISTS:
        rows += [row for row in layers(args.shapes / name, MB) if "dw" in row[0]]
    shares = []
    print(f"\nDepthwise, {dtype}, {tag}\n\n| layer | us | copy, us | share |\n"
          "|---|--:|--:|--:|")
    for name, desc in rows:
        if args.only not in desc:
            continue
        us = kernel_times(args, desc, dtype, tag)
        problem = Problem(whole(desc), dtype)
        copy = copies.times(int(problem.memory_b), us)
        shares.append({h: copy[h] / us[h] for h in us})
        print(f"| {name} | {us['nominal']:.2f} | {copy['nominal']:.2f} | "
              f"{shares[-1]['nominal']:.3f} |", flush=True)
    if not shares:
        return True
    print_summary("Share of the copy", shares)
    nominal = [s["nominal"] for s in shares]
    return statistics.median(nominal) >= MEDIAN and min(nominal) >= LEAST


def grouped(args, dtype, tag):
    shares, good = [], True
    print(f"\nGroups, {dtype}, {tag}\n\n| layer | us | bound, us | share | "
          "one group, us |\n|---|--:|--:|--:|--:|")
    for desc in GROUPED:
        if args.only not in desc:
            continue
        us = kernel_times(args, desc, dtype, tag)
        one = kernel_times(args, re.sub(r"^g\d+", "", desc), dtype, tag)
        least = bounds_of(MACHINE, Problem(whole(desc), dtype), dtype)
        shares.append({h: least.get(h, least["nominal"]) / us[h] for h in us})
        print(f"| {desc} | {us['nominal']:.2f} | {least['nominal']:.2f} | "
              f"{shares[-1]['nominal']:.3f} | {one['nominal']:.2f} |", flush=True)
        slower = [h for h in us if us[h] > one[h]]
        good &= ("nominal" not in slower and
                 shares[-1]["nominal"] >= GROUPED_LEAST)
        if slower:
            print(f"| slower than one group with {', '.join(slower)} | | | | |")
    if shares:
        print_summary("Share of the bound", shares)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("xk")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--dt", default="f16,u8s8")
    parser.add_argument("--tag", default="any,axb")
    parser.add_argument("--nominal", action="store_true",
                        help="no hypotheses: much faster")
    parser.add_argument("--only", default="", help="problems with this text")
    args = parser.parse_args()
    wrong = [t for t in args.dt.split(",") if t not in TYPES]
    if wrong:
        parser.error(f"--dt={wrong[0]}: types are {', '.join(TYPES)}")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        copies = Copies(args.xk, folder)
        for dtype in args.dt.split(","):
            for tag in args.tag.split(","):
                good &= depthwise(args, copies, dtype, tag)
                good &= grouped(args, dtype, tag)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
