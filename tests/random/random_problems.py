#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small convolutions through xkbench's mode C. TAP: one line for each
property's share of the problems, one for each problem. With --depth all are 3D.
With --device the kernels are for that product or stepping.
With --gradients they are BWD_D, BWD_W and BWD_WB, without attributes.
With --deconv they are deconvolutions: input and output exchanged, all directions,
with attributes and groups, and depthwise.
With --expect-failure (a generator with a planted bug) at least one problem must
be FAILED. With --few (a generator with few registers) problems may be refused
because no candidate fits, a tenth must not be. With --list only the problems are printed, for other tests. Shapes do
not depend on --types; destination type, layouts, direction, scale and post-ops
vary."""
import argparse
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

SHARE = 0.10  # least share of each property
DATA_TYPES = {
    "f32": ["f32"],
    "f16": ["f16", "f16:f16:f32"],
    "u8s8": ["u8s8", "u8:s8:s8", "u8:s8:s32", "u8:s8:f32", "s8s8", "s8u8",
             "u8u8", "s8:s8:u8", "s8:u8:s32", "u8:u8:f32"],
}
# src:wei:dst, by data and by weights.
GRADIENT_TYPES = {
    "BWD_D": ["f32", "f16", "f32:f16:f16", "bf16", "f32:bf16:bf16", "s8:s8:u8",
              "f32:s8:s8", "u8:s8:u8", "f8_e5m2", "f32:f8_e4m3:f16"],
    "BWD_W": ["f32", "f16", "f16:f32:f16", "bf16:f32:bf16", "bf16",
              "f8_e4m3:f8_e5m2:f8_e4m3", "f16:s32:f16"],
}
# All keep results exact in f32 except 0.3.
SCALES = ["", "", "", "common:0.5", "common:2.5", "common:-1", "common:0.3"]
LAYOUTS = ["any", "axb", "abx"]
BLOCKED = ["aBx4b", "aBx16b", "aBx32b", "Bxa4b", "Bxa16b", "Bxa32b"]
POST_OPS = ["", "", "relu", "sum", "sum:0.5+relu", "relu+sum:1.75",
            "sum:-2", "relu+sum:0.3+relu", "relu:0.5+clip:-40:200",
            "linear:0.5:3+abs"]
# Gradients take any layout.
ANY_ORDER = ["bax", "xba", "Axb16a", "BxA16b16a", "ABx8b16a",
             "BAx8a16b"]
MAX_MACS = 300_000
NO_FIT = re.compile(r" \(XK_ENOFIT: no candidate fits, of \d+ the last: plan: "
                    r"(\d+ registers of |"
                    r"(walk|slm)=[\w:]+: )")


def effective(p, axis):
    """Size of the dilated kernel along h or w."""
    return (p["k" + axis] - 1) * (p["d" + axis] + 1) + 1


def symmetric_out(p, axis):
    """The output size that equal padding at both ends would give."""
    room = p["i" + axis] + 2 * p["p" + axis] - effective(p, axis)
    return room // p["s" + axis] + 1


PROPERTIES = {
    "kh != kw": lambda p: p["kh"] != p["kw"],
    "sh != sw": lambda p: p["sh"] != p["sw"],
    "dilation": lambda p: p["dh"] > 0 or p["dw"] > 0,
    "asymmetric padding": lambda p: any(
        p["o" + a] != symmetric_out(p, a) for a in "hw"),
    "padding >= kernel": lambda p: any(
        p["p" + a] >= effective(p, a) for a in "hw"),
    "ic off multiples of 8 and 16": lambda p: p["ic"] % 8 != 0,
    "oc off multiples of 8 and 16": lambda p: p["oc"] % 8 != 0,
    "ow smaller than a tile (8)": lambda p: p["ow"] < 8,
    "mb > 1": lambda p: p["mb"] > 1,
}
DEPTH_PROPERTIES = {
    "kd != kh": lambda p: p["kd"] != p["kh"],
    "sd != sh": lambda p: p["sd"] != p["sh"],
    "dilated depth": lambda p: p["dd"] > 0,
    "asymmetric padding of depth": lambda p: p["od"] != symmetric_out(p, "d"),
    "mb > 1": lambda p: p["mb"] > 1,
}


def axis_sizes(rng, p, axis):
    """Input, kernel, stride, dilation, padding and output along h or w;
    False if they leave no output."""
    p["i" + axis] = rng.randint(1, 20)
    p["k" + axis] = rng.choice([1, 1, 2, 3, 3, 4, 5, 7])
    p["s" + axis] = rng.choice([1, 1, 1, 2, 2, 3])
    p["d" + axis] = rng.choice([0, 0, 0, 1, 2])
    wide = rng.random() < 0.15
    p["p" + axis] = (effective(p, axis) + rng.randint(0, 1) if wide
                     else rng.randint(0, p["k" + axis] // 2 + 1))
    behind = p["p" + axis]
    if rng.random() < 0.3:
        behind = rng.randint(0, behind + 2)
    room = p["i" + axis] + p["p" + axis] + behind - effective(p, axis)
    p["o" + axis] = room // p["s" + axis] + 1
    return room >= 0


def channels(rng):
    """A channel count: tails, powers of two, and 3."""
    return rng.choice([1, 3, rng.randint(1, 40), rng.randint(1, 40),
                       8 * rng.randint(1, 5), 16 * rng.randint(1, 4)])


def problem(rng, axes="hw"):
    """One problem within the size limit."""
    while True:
        p = {"mb": rng.choice([1, 1, 2, 3, 5, 8]), "ic": channels(rng),
             "oc": channels(rng)}
        if not all([axis_sizes(rng, p, a) for a in axes]):
            continue
        macs = p["mb"] * p["oc"] * p["ic"]
        for a in axes:
            macs *= p["o" + a] * p["k" + a]
        if macs <= MAX_MACS:
            return p


def text(p):
    """benchdnn's spelling."""
    axes = "dhw" if "id" in p else "hw"
    order = ["mb", "ic", *("i" + a for a in axes), "oc"]
    order += [kind + a for kind in "oksdp" for a in axes]
    return "".join(key + str(p[key]) for key in order)


def batch_line(rng, p, types):
    """A batch line with every setting that the random problems vary. Sums without
    signs get no negative scale: nearly all of the result would be zero."""
    direction = rng.choice(["FWD_D", "FWD_B"])
    dtype = rng.choice(DATA_TYPES[types])
    unsigned = dtype == "u8u8" or dtype.startswith("u8:u8")
    scales = [s for s in SCALES if not unsigned or "-" not in s]
    return " ".join([
        "--dir=" + direction, "--dt=" + dtype,
        "--attr-oscale=" + rng.choice(scales),
        "--attr-post-ops=" + rng.choice(POST_OPS),
        "--wtag=" + rng.choice(["any", "any", "abx", "axb", "xba"]),
        "--stag=" + rng.choice(LAYOUTS + BLOCKED),
        "--dtag=" + rng.choice(LAYOUTS + BLOCKED), text(p)])


def gradient_line(rng, p):
    """The same of a gradient, which has no attributes."""
    direction = rng.choice(["BWD_D", "BWD_D", "BWD_W", "BWD_WB"])
    dtype = rng.choice(GRADIENT_TYPES[direction[:5]])
    bias = rng.choice(["", "", " --bia-dt=f32"]) if direction == "BWD_WB" else ""
    g = rng.choice([1, 1, 2, 3, 8])
    p = side_by_side(rng, p)
    p = p | {"ic": p["ic"] // g * g or g, "oc": p["oc"] // g * g or g}
    return " ".join([
        "--reset", "--dir=" + direction, "--dt=" + dtype + bias,
        "--wtag=" + rng.choice(["any", "any", "abx", "axb", "bax"] +
                               ANY_ORDER * (g == 1)),
        "--stag=" + rng.choice(LAYOUTS * 2 + BLOCKED + ANY_ORDER),
        "--dtag=" + rng.choice(LAYOUTS * 2 + BLOCKED + ANY_ORDER),
        (f"g{g}" if g > 1 else "") + text(p)])


DECONV_TYPES = ["f32", "f16", "f16:f16:f32", "bf16", "bf16:bf16:f32", "u8s8",
                "u8:s8:f32", "s8:s8:s32", "f32:f32:s8", "f8_e5m2", "u8:s4:s8",
                "f16:f8_e4m3:f16"]
DECONV_GRADIENT_TYPES = {
    "BWD_D": ["f32", "f16", "bf16", "f32:bf16:bf16", "f32:s8:u8", "f8_e4m3"],
    "BWD_W": ["f32", "f16", "f16:f32:f16", "bf16:f32:bf16"],
}
DECONV_POST_OPS = ["", "relu", "sum", "sum:0.5+relu", "add:f32:per_oc",
                   "add:f32:15", "mul:f16:per_tensor", "relu+add:f32:common",
                   "prelu:per_oc", "linear:0.5:3+abs", "add:s8:8+sum",
                   "add:bf16:per_dim_01"]


def deconv_attributes(rng, dtype):
    """What follows the sum, in types whose results stay exact."""
    ints = dtype[:2] in ("u8", "s8")
    words = ["--attr-post-ops=" + rng.choice(DECONV_POST_OPS)]
    if rng.random() < 0.2:
        words.append("--attr-oscale=" + rng.choice(SCALES))
    if ints and rng.random() < 0.5:
        words.append("--attr-scales=" + rng.choice(
            ["src:common:0.5+wei:per_oc", "wei:common:2", "dst:per_oc:f32"]))
    if ints and rng.random() < 0.5:
        words.append("--attr-zero-points=" + rng.choice(
            ["dst:common:3", "dst:per_oc", "dst:host_scalar:-2", "src:common:2",
             "src:per_dim_1+dst:common:-1", "wei:common:-1",
             "src:host_scalar:3+wei:host_scalar:2"]))
    return words


def side_by_side(rng, p):
    """One in six has filters of whole strides, with padding on both sides or none."""
    if rng.random() >= 0.17:
        return p
    p = dict(p)
    for a in [a for a in "dhw" if "i" + a in p]:
        p["s" + a] = rng.randint(1, 3)
        p["k" + a] = p["s" + a] * rng.randint(1, 2)
        front, behind = rng.choice([(0, 0), (0, 0), (1, 1), (1, 0), (0, 1)])
        reach = (p["o" + a] - 1) * p["s" + a] + p["k" + a]
        front, behind = (front, behind) if reach > 2 else (0, 0)
        p["d" + a], p["p" + a] = 0, front
        p["i" + a] = reach - front - behind
    return p


def deconv_line(rng, p):
    """A deconvolution whose window moves over what was the input."""
    direction = rng.choice(["FWD_D", "FWD_B", "FWD_B", "BWD_D", "BWD_W",
                            "BWD_WB"])
    forward = direction[:3] == "FWD"
    dtype = rng.choice(DECONV_TYPES if forward else
                       DECONV_GRADIENT_TYPES[direction[:5]])
    bias = rng.choice(["", " --bia-dt=f32"]) if direction == "BWD_WB" else ""
    g = rng.choice([1, 1, 1, 2, 3, 8])
    p = side_by_side(rng, p)
    p = p | {"ic": p["oc"] // g * g or g, "oc": p["ic"] // g * g or g}
    if rng.random() < 0.1:
        g = p["ic"] = p["oc"] = min(p["ic"], p["oc"])
    p |= {b + a: p[c + a] for a in "dhw" if "i" + a in p
          for b, c in (("i", "o"), ("o", "i"))}
    return " ".join([
        "--reset", "--deconv", "--dir=" + direction, "--dt=" + dtype + bias,
        "--wtag=" + rng.choice(["any", "any", "abx", "axb", "bax"] +
                               ANY_ORDER * (g == 1)),
        "--stag=" + rng.choice(LAYOUTS * 2 + BLOCKED + ANY_ORDER),
        "--dtag=" + rng.choice(LAYOUTS * 2 + BLOCKED + ANY_ORDER),
        *(deconv_attributes(rng, dtype) if forward else []),
        (f"g{g}" if g > 1 else "") + text(p)])


def for_device(line, device):
    """The line with the option; --reset forgets what stands before it."""
    if not device:
        return line
    head, reset, rest = line.rpartition("--reset")
    return f"{head}{reset} --device={device} {rest}"


def run(xkbench, lines):
    """xkbench's output for the lines, and its exit code."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        done = subprocess.run([xkbench, "--batch=" + batch.name], text=True,
                              stdout=subprocess.PIPE, check=False)
    return done.stdout, done.returncode


def judge(xkbench, lines, tap, refused=lambda rest: None):
    """Runs the lines, 500 a process; a TAP line for each that fails. States of all;
    REFUSED is UNIMPLEMENTED that is to be so: where refused finds the reason in the rest
    of the line. These are printed."""
    kinds, reasons = Counter(), Counter()
    for first in range(0, len(lines), 500):
        out, _ = run(xkbench, lines[first:first + 500])
        for state, rest in re.findall(r"^\d+:([A-Z_]+)(.*)$", out, re.MULTILINE):
            reason = refused(rest) if state == "UNIMPLEMENTED" else None
            if reason:
                state = "REFUSED"
                reasons[reason[reason.lastindex]] += 1
            kinds[state] += 1
            if state not in ("PASSED", "MISTRUSTED", "REFUSED"):
                tap.check(False, f"{state}{rest}",
                          "its state is none of PASSED, MISTRUSTED, REFUSED")
        print(f"# {min(first + 500, len(lines))} of {len(lines)}: {dict(kinds)}",
              flush=True)
    for reason, n in sorted(reasons.items()):
        print(f"# refused, {n}: {reason}")
    return kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench", nargs="?")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--types", choices=DATA_TYPES, default="f32")
    parser.add_argument("--seed", type=int, default=20261120)
    parser.add_argument("--expect-failure", action="store_true")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--depth", action="store_true")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--deconv", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--device")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    axes = "dhw" if args.depth else "hw"
    properties = DEPTH_PROPERTIES if args.depth else PROPERTIES
    if args.list:
        print("\n".join(text(problem(rng, axes)) for _ in range(args.count)))
        return 0
    print(f"# seed {args.seed}, {args.count} problems, {args.types}")
    problems = [problem(rng, axes) for _ in range(args.count)]
    tap = Tap()
    for name, holds in properties.items():
        share = sum(map(holds, problems)) / len(problems)
        tap.check(share >= SHARE, f"{100 * share:.1f} percent have: {name}",
                  f"expected {100 * SHARE} percent")
    batch = [gradient_line(rng, p) if args.gradients
             else deconv_line(rng, p) if args.deconv
             else batch_line(rng, p, args.types) for p in problems]
    out, code = run(args.xkbench, [for_device(line, args.device) for line in batch])
    states = re.findall(r"^\d+:([A-Z_]+)(.*)$", out, re.MULTILINE)
    if args.expect_failure:
        failed = sum(state == "FAILED" for state, _ in states)
        tap.check(failed > 0, f"the planted bug makes {failed} problems fail", out[-1000:])
        return tap.end()
    refused = [bool(args.few and NO_FIT.match(rest)) for _, rest in states]
    for (state, rest), no_fit in zip(states, refused):
        tap.check(state == "PASSED" or no_fit, f"{state}{rest}", "its state is not PASSED")
    if args.few:
        tap.check(0 < sum(refused) <= 0.9 * args.count,
                 f"{sum(refused)} of {args.count} did not fit",
                 "expected some, and 90 percent at most")
        code = 0
    tap.check(len(states) == args.count and code == 0,
             f"all {args.count} ran, exit code {code}",
             f"{len(states)} answers\n{out[-1000:]}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
