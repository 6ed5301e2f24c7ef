#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small convolutions of several groups through xkbench's mode C: one
channel a group on both sides (depthwise), on one side, a few, or many; one to
three dimensions; all types, layouts, scales, zero points and post-ops that count
channels over all groups. TAP: one line for each property's share of the problems,
one for each problem."""
import argparse
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from random_problems import axis_sizes, effective, run  # noqa: E402
from tap import Tap  # noqa: E402

SHARE = 0.08  # least share of each property
# Most of a u8 result is 0 where a zero point makes the sums negative: it proves little.
UNTRUSTED = 0.01
MAX_MACS = 150_000
TYPES = ["f32", "f32", "f16", "f16", "f16:f16:f32", "bf16", "bf16:bf16:f32",
         "u8s8", "u8:s8:s8", "u8:s8:s32", "u8:s8:f32", "s8s8", "s8:u8:s32",
         "u8:s8:f16", "s8:s8:bf16", "f16:f16:s8", "f32:f32:u8", "f8_e5m2:f8_e5m2:f32",
         "f8_e4m3:f8_e4m3:f8_e4m3", "f8_e5m2:f8_e4m3:f16", "f4_e2m1:f4_e2m1:f32"]
BIASES = ["f32", "f32", "f16", "bf16", "s32", "s8", "u8"]
ACTIVATIONS = ["any", "any", "axb", "axb", "abx", "aBx16b", "aBx32b", "aBx4b",
               "Bxa16b"]
WEIGHTS = ["any", "any", "any", "goihw", "gohwi", "hwigo", "goiwh", "Goihw16g",
           "gOIhw8o16i", "gOhwI16o16i", "giohw"]
SCALES = ["", "", "", "--attr-scales=wei:per_oc", "--attr-scales=src:common:2",
          "--attr-scales=wei:per_oc:f16+dst:common:0.5"]
ZERO_POINTS = ["", "", "", "dst:common:2", "dst:per_oc", "src:common:2",
               "src:per_dim_1", "wei:common:1", "src:common:1+wei:common:2+dst:per_oc"]
POST_OPS = ["", "", "relu", "sum", "add:f32:per_oc", "mul:bf16:per_oc",
            "sum:0.5+relu", "add:s8:per_tensor", "prelu:per_oc",
            "add:f16:per_oc+relu:0.5"]
INTEGERS = ("u8", "s8")


def group_sizes(rng):
    """Groups, channels of src and of dst in each."""
    kind = rng.choice(["depthwise", "depthwise", "multiplier", "narrow", "few",
                       "many"])
    g = rng.choice([2, 3, 4, 7, 8, 16, 24, 32, 33, 48, 64])
    if kind == "depthwise":
        return g, 1, 1
    if kind == "multiplier":
        return min(g, 24), 1, rng.choice([2, 3, 4, 5])
    if kind == "narrow":
        return min(g, 16), rng.choice([2, 3, 8, 17]), 1
    few = [rng.choice([2, 3, 4, 5, 6, 8]) for _ in range(2)]
    if kind == "few":
        return min(g, 32), *few
    return min(g, 4), rng.choice([16, 24, 32, 33]), rng.choice([16, 20, 32, 9])


def without_padding(p, axes):
    """Input that the filter never leaves."""
    for a in axes:
        p["p" + a] = 0
        p["i" + a] = (p["o" + a] - 1) * p["s" + a] + effective(p, a)


def problem(rng):
    """One problem within the size limit: sizes by benchdnn's keys."""
    while True:
        axes = rng.choice(["w", "hw", "hw", "dhw"])
        g, ic, oc = group_sizes(rng)
        p = {"g": g, "mb": rng.choice([1, 1, 2, 3, 8]), "ic": g * ic,
             "oc": g * oc}
        if not all([axis_sizes(rng, p, a) for a in axes]):
            continue
        if rng.random() < 0.2: # the kernel itself may sum weights then
            without_padding(p, axes)
        macs = p["mb"] * p["oc"] * ic
        for a in axes:
            macs *= p["o" + a] * p["k" + a]
        if macs <= MAX_MACS:
            return p


def text(p):
    """benchdnn's spelling."""
    axes = [a for a in "dhw" if "i" + a in p]
    order = ["g", "mb", "ic", *("i" + a for a in axes), "oc"]
    order += [kind + a for kind in "oksdp" for a in axes]
    return "".join(key + str(p[key]) for key in order)


def weights_tag(rng, p):
    """A tag of weights with as many dims as the problem has."""
    tag = rng.choice(WEIGHTS)
    if "hw" not in tag and "wh" not in tag:
        return tag
    axes = "".join(a for a in "dhw" if "i" + a in p)
    return tag.replace("hw", axes).replace("wh", axes[::-1])


def schedule(rng, p, whole):
    """Products of one channel's bytes are mad of f32, or dp4a of four rows: the
    library seldom chooses the first."""
    taps = p.get("kd", 1) * p.get("kh", 1) * p["kw"]
    if not whole or p["ic"] != p["g"] or taps > 9 or rng.random() < 0.5:
        return ""
    return "--schedule=fma=lanes+k=" + rng.choice("14")


def batch_line(rng, p):
    """A batch line with every setting that these problems vary."""
    types = rng.choice(TYPES)
    whole = types.startswith(INTEGERS)
    zero = rng.choice(ZERO_POINTS) if whole else ""
    bias = rng.random() < 0.5
    return " ".join(word for word in [
        "--reset", "--dir=" + ("FWD_B" if bias else "FWD_D"), "--dt=" + types,
        bias and "--bia-dt=" + rng.choice(BIASES),
        rng.choice(SCALES), zero and "--attr-zero-points=" + zero,
        schedule(rng, p, whole and not re.search("src|wei", zero)),
        "--attr-post-ops=" + rng.choice(POST_OPS),
        "--wtag=" + weights_tag(rng, p), "--stag=" + rng.choice(ACTIVATIONS),
        "--dtag=" + rng.choice(ACTIVATIONS), text(p)] if word)


# What lines say, beside what their problems are.
SAID = {
    "8- or 4-bit floats": lambda line: re.search("=f[84]", line),
    "a bias that is not f32": lambda line: re.search("bia-dt=(?!f32)", line),
}
PROPERTIES = {
    "one channel a group": lambda p: p["ic"] == p["oc"] == p["g"],
    "a multiplier": lambda p: p["ic"] == p["g"] < p["oc"],
    "one channel of dst a group": lambda p: p["oc"] == p["g"] < p["ic"],
    "several channels a group": lambda p: min(p["ic"], p["oc"]) > p["g"],
    "an odd number of groups": lambda p: p["g"] % 2,
    "1D": lambda p: "ih" not in p,
    "3D": lambda p: "id" in p,
    "a stride": lambda p: p["sw"] > 1,
    "dilation": lambda p: p["dw"] > 0,
    "no padding": lambda p: not any(p.get("p" + a, 0) for a in "dhw"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench", nargs="?")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    problems = [problem(rng) for _ in range(args.count)]
    lines = [batch_line(rng, p) for p in problems]
    if args.list:
        print("\n".join(lines))
        return 0
    print(f"# seed {args.seed}, {args.count} problems")
    tap = Tap()
    for name, holds in PROPERTIES.items():
        share = sum(map(bool, map(holds, problems))) / len(problems)
        tap.check(share >= SHARE, f"{100 * share:.1f} percent have: {name}",
                  f"expected {100 * SHARE} percent")
    for name, says in SAID.items():
        share = sum(map(bool, map(says, lines))) / len(lines)
        tap.check(share >= SHARE, f"{100 * share:.1f} percent have: {name}",
                  f"expected {100 * SHARE} percent")
    out, code = run(args.xkbench, lines)
    states = re.findall(r"^\d+:([A-Z_]+)(.*)$", out, re.MULTILINE)
    for state, rest in states:
        tap.check(state in ("PASSED", "MISTRUSTED"), f"{state}{rest}",
                  "its state is neither PASSED nor MISTRUSTED")
    weak = sum(state == "MISTRUSTED" for state, _ in states)
    tap.check(weak <= UNTRUSTED * args.count, f"{weak} results proved little",
              f"at most {100 * UNTRUSTED} percent may be MISTRUSTED")
    tap.check(len(states) == args.count and code == 0,
              f"all {args.count} ran, exit code {code}",
              f"{len(states)} answers\n{out[-1000:]}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
