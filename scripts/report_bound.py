#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report_bound.py [--machine=a770] [--mb=16] [--dt=f16,bf16,u8s8,f32]
[--attr-post-ops=TEXT --dir=fwd] SHAPES: for each problem, direction, type and hypothesis of the timing model the least cycles that
any kernel can take, so that a kernel is compared with what is possible there and
not with a peak. A Markdown table.

The least of a problem is the largest of these, each over all tiles of 8 to 64 rows and
columns whose sums fit in the registers:
  arithmetic  multiply-adds over the machine's rate, padding left out: of the systolic
              array; without one, f16's own, bytes as dp4a, bf16 as f32
  port        what a tile of m x n reads for each k of both tensors, through the
              data port by blocks; a fused pair may share one of them (dpasw)
  issue       one instruction a multiply-add instruction and one a message
  l2          what a core's share of the output needs of both tensors, once
  memory      source, weights, post-ops' right-hand sides and destination, once; a
              destination that a sum adds to is read, too
With several groups that have fewer input channels than a dpas multiplies at once,
arithmetic is the least of f32's multiply-adds, a lane an output channel, and of dpas
over as many groups as fill it, the others' weights being zero; port and l2 are then
what each tensor needs once.
Not counted: first loads, last stores, tiles that do not divide evenly."""
import argparse
import re
import sys
from math import ceil, prod, sqrt
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIMING = ROOT / "sim" / "timing"
MACHINES = ["a770", "max1550", "iris-xe"]
SIZE = {"f32": (4, 4), "f16": (2, 2), "bf16": (2, 2), "u8s8": (1, 1)}  # of source, destination
GRF_B = {"a770": 32, "max1550": 64, "iris-xe": 32}
TILES = (8, 16, 24, 32, 48, 64)
MESSAGE_B = 512  # at most


def table_rows(name):
    """[macro arguments] of a .def, strings and numbers."""
    text = (TIMING / name).read_text(encoding="utf-8")
    for macro, args in re.findall(r"^(XK_TM_\w+)\((.*)\)$", text, re.MULTILINE):
        yield macro, [a.strip().strip('"') for a in
                      re.findall(r'"[^"]*"|[^,]+', args)]


def words_of(path, macro):
    """[arguments] of a table's rows, without their quotes."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for args in re.findall(rf"^{macro}\((.*?)\)$", text, re.MULTILINE):
        yield [a.strip().strip('"') for a in args.split(",")]


def post_op_bytes(text, dims, dst_b):
    """What the steps read: the old destination once, right-hand sides by the dims
    of dst that they have."""
    syntax = {row[1]: row[3] for row in words_of("views/post_op.def", "XK_POST_OP")}
    masks = {row[0]: row[1] for row in
             words_of("include/xekern/words.def", "XK_MASK_WORD")}
    n_b, sums = 0, False
    for step in filter(None, text.lower().split("+")):
        kind, *words = step.split(":")
        kind = syntax.get(re.sub("^(eltwise|binary)_", "", kind)) or sys.exit(
            f"report_bound: post-op {step}: no kind has that name")
        sums |= kind == "SUM"
        if kind not in ("BINARY", "PRELU"):
            continue
        dtype = words.pop(0) if kind == "BINARY" else "f32"
        mask = words[0] if words else "common" if kind == "BINARY" else "per_oc"
        mask = masks.get(mask, mask).replace("UINT32_MAX", "-1")
        if not re.fullmatch(r"-?\d+", mask) or not re.match(r"[a-z]+\d", dtype):
            sys.exit(f"report_bound: post-op {step}: its type or mask is unknown")
        n_b += (int(re.search(r"\d+", dtype)[0]) // 8 *
                prod(n for i, n in enumerate(dims) if int(mask) >> i & 1))
    return n_b + sums * dst_b


def machine_of(name):
    """{row: value} of timing_table.def."""
    column = 1 + MACHINES.index(name)
    return {args[0]: int(args[column]) for macro, args in
            table_rows("timing_table.def") if macro == "XK_TM_FIELD"}


def hypotheses(name):
    """(hypothesis=value, row, value) that the machine may have but has not."""
    column, rows, nominal = 2 + MACHINES.index(name), {}, machine_of(name)
    for macro, args in table_rows("timing_hypothesis.def"):
        if macro == "XK_TM_HYPOTHESIS":
            rows[args[0]] = args[1:3]
        elif args[column] != "NONE":
            word, row = rows[args[0]]
            if nominal[row] != int(args[column]):
                yield f"{word}={args[1]}", row, int(args[column])


def fields(desc):
    """{"ic": 64, ...} of a problem as xkbench prints it."""
    return {k: int(v) for k, v in re.findall(r"([a-z]+)(\d+)", desc.split('n"')[0])}


def taps_inside(size, out, kernel, stride, pad, dilation):
    """Pairs of output and tap that touch no padding, of one dimension."""
    return sum(0 <= o * stride - pad + k * (1 + dilation) < size
               for o in range(out) for k in range(kernel))


DIRECTIONS = ("fwd", "bwd_d", "bwd_w")


class Problem:
    """As a product: m x n outputs, k of each, for a direction."""

    def __init__(self, desc, dtype, direction="fwd", post_ops=""):
        f = fields(desc)
        if "iw" not in f or "ow" not in f:
            sys.exit(f"report_bound: {desc}: want all sizes, as xkbench prints them "
                     "(%desc%)")
        g = {d: (f.get("i" + d, 1), f.get("o" + d, f.get("i" + d, 1)),
                 f.get("k" + d, 1), f.get("s" + d, 1), f.get("p" + d, 0),
                 f.get("d" + d, 0))
             for d in "dhw"}
        pixels_in = prod(v[0] for v in g.values())
        pixels_out = prod(v[1] for v in g.values())
        taps = prod(v[2] for v in g.values())
        inside = prod(taps_inside(*v) for v in g.values())
        mb, ic, oc = f["mb"], f["ic"], f["oc"]
        groups = f.get("g", 1)
        self.group_k = ic // groups if groups > 1 else 0
        self.macs = mb * ic * oc * inside // groups
        size, out_size = SIZE[dtype]
        touched = pixels_in if taps > 1 else pixels_out
        src, dst = mb * ic * touched, mb * oc * pixels_out
        wei = ic * oc * taps // groups
        self.m, self.n, self.out_b = {
            "fwd": (mb * pixels_out, oc, out_size),
            "bwd_d": (mb * pixels_in, ic, out_size),
            "bwd_w": (ic * taps, oc, 4)}[direction]
        self.k = self.macs / (self.m * self.n)
        self.size = size
        # By data all of src is written, also what no tap meets.
        all_src = mb * ic * pixels_in
        tensors = {"fwd": (src + wei, dst), "bwd_d": (dst + wei, all_src),
                   "bwd_w": (src + dst, wei)}[direction]
        self.read_b = tensors[0] * size
        dims = [mb, oc] + [v[1] for d, v in g.items() if "i" + d in f]
        self.memory_b = (self.read_b + tensors[1] * self.out_b +
                         post_op_bytes(post_ops, dims, dst * out_size))


def lanes_of(machine, dtype):
    """Multiply-adds of an XVE in a cycle, and of one instruction."""
    if dtype == "f32" or not machine["xmx_row_cyc"]:
        lanes = {"f16": machine["lanes_f16"],
                 "u8s8": 4 * machine["lanes_dp4a"]}.get(dtype, machine["lanes_f32"])
        return lanes, 2 * lanes
    width = machine["lanes_f32"]  # channels of dpas: 8, xehpc 16
    each = width * 8 * (4 // SIZE[dtype][0])
    return each / machine["xmx_row_cyc"], 8 * each


def is_small(p, dtype):
    """Whether a group has less K than a dpas."""
    return 0 < p.group_k < 32 // SIZE[dtype][0]


def arithmetic(machine, p, dtype):
    """Cycles of an XVE's multiplies, and their instructions."""
    rate, each = lanes_of(machine, dtype)
    if not is_small(p, dtype) or not machine["xmx_row_cyc"]:
        return p.macs / rate, p.macs / each
    plain, lanes = lanes_of(machine, "f32")
    filled = p.macs * (32 // SIZE[dtype][0]) / p.group_k
    if dtype == "f32" or p.macs / plain < filled / rate:
        return p.macs / plain, p.macs / lanes
    return filled / rate, filled / each


def port_cycles(name, machine, p, dtype):
    """The best tile's reads; accumulators have 7/8 of the registers."""
    if is_small(p, dtype):
        rate = min(machine["port_b"], machine["l1_lines_cyc"] * machine["line_b"])
        return p.read_b / rate / machine["cores"]
    room = 256 * GRF_B[name] * 7 // 8
    rate = min(machine["port_b"], machine["l1_lines_cyc"] * machine["line_b"])
    pairs = machine["fused"] == 2 and machine["xmx_row_cyc"]
    shared = 2 if pairs and dtype != "f32" else 1
    best = min(1 / m + 1 / (n * shared) for m in TILES for n in TILES
               if m * n * 4 <= room)
    return best * p.m * p.n * p.k * p.size / rate / machine["cores"]


def l2_cycles(machine, p):
    """A core's outputs as near to a square as the tensors are."""
    cores = machine["cores"]
    if p.group_k:
        rate = min(machine["l2_core_b"], machine["l2_total_b"] / cores)
        return p.read_b / cores / (rate * machine["l2_percent"] / 100)
    side = min(sqrt(p.m * p.n / cores), p.m, p.n)
    other = p.m * p.n / cores / side
    per_core = (side + other) * p.k * p.size
    rate = min(machine["l2_core_b"], machine["l2_total_b"] / cores)
    reuse = min(1.0, p.read_b / max(1.0, per_core * cores))
    least = per_core * max(reuse, 1 / cores)
    return least / (rate * machine["l2_percent"] / 100)


def clock_mhz(machine, dtype):
    """While the kernel runs."""
    part = 1 if dtype == "f32" else machine["xmx_clock_percent"] / 100
    return machine["clock_mhz"] * part


def least_cycles(name, machine, p, dtype):
    """{what: cycles}."""
    xves = machine["cores"] * machine["xves"]
    cycles, instructions = arithmetic(machine, p, dtype)
    messages = p.read_b / MESSAGE_B
    memory_b = (machine["memory_mbps"] * machine["memory_percent"] / 100 /
                clock_mhz(machine, dtype))
    return {"arithmetic": cycles / xves,
            "port": port_cycles(name, machine, p, dtype),
            "issue": (instructions + messages) / xves / machine["issue_width"],
            "l2": l2_cycles(machine, p),
            "memory": p.memory_b / memory_b}


def bound(desc, dtype, ideal_cycles):
    """The part of the arithmetic's limit that can be reached at most, nominally
    on a770; ideal_cycles: those of the multiply-adds that touch no padding."""
    machine = machine_of("a770")
    limits = least_cycles("a770", machine, Problem(desc, dtype), dtype)
    return ideal_cycles / max(ideal_cycles, *limits.values())


def least_of(name, problem, dtype, machine=None):
    """us, and the limit that they come from; machine: rows instead of those of the
    machine of that name."""
    machine = machine or machine_of(name)
    limits = least_cycles(name, machine, problem, dtype)
    what = max(limits, key=limits.get)
    return limits[what] / clock_mhz(machine, dtype), what


def bounds_of(name, problem, dtype):
    """{"nominal": us, "hypothesis=value": us, ...}."""
    machine = machine_of(name)
    us = {"nominal": least_of(name, problem, dtype)[0]}
    for words, row, value in hypotheses(name):
        us[words] = least_of(name, problem, dtype, {**machine, row: value})[0]
    return us


def row_of(name, problem, dtype):
    """Nominal limit in us and in cycles, its cause, then what each hypothesis makes of
    it."""
    us = bounds_of(name, problem, dtype)
    nominal = us.pop("nominal")
    moved = [f"{words} {other / nominal:.2f}" for words, other in us.items()
             if abs(other / nominal - 1) > 0.005]
    cycles = nominal * clock_mhz(machine_of(name), dtype)
    return (f"{nominal:.1f}", f"{cycles:.0f}", least_of(name, problem, dtype)[1],
            ", ".join(moved))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--machine", default="a770", choices=MACHINES)
    parser.add_argument("--mb", type=int)
    parser.add_argument("--dt", default="f16,u8s8,f32")
    parser.add_argument("--dir", default="fwd,bwd_d,bwd_w")
    parser.add_argument("--attr-post-ops", default="")
    parser.add_argument("shapes", type=Path)
    args = parser.parse_args()
    if args.attr_post_ops and args.dir != "fwd":
        parser.error(f"--attr-post-ops={args.attr_post_ops} needs --dir=fwd: "
                     "gradients have no post-ops")
    print("| layer | direction | type | at least, us | cycles | limit | with another "
          "value, times |\n|---|---|---|--:|--:|---|---|")
    for line in args.shapes.read_text(encoding="utf-8").splitlines():
        if not re.search(r"ic\d+", line) or line.startswith("#"):
            continue
        desc = re.sub(r"mb\d+", "", line.strip(), count=1)
        mb = args.mb or fields(line).get("mb", 1)
        name = re.sub(r".*n\"|\"|\*\d+$", "", line.strip())
        for direction in args.dir.split(","):
            for dtype in args.dt.split(","):
                if direction not in DIRECTIONS or dtype not in SIZE:
                    parser.error(f"--dir={direction} --dt={dtype}: directions "
                                 f"are {', '.join(DIRECTIONS)}, types "
                                 f"{', '.join(SIZE)}")
                p = Problem(f"mb{mb}{desc}", dtype, direction,
                            args.attr_post_ops)
                print(f"| {name} | {direction} | {dtype} | "
                      f"{' | '.join(row_of(args.machine, p, dtype))} |")


if __name__ == "__main__":
    main()
