#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_post_ops.py XKBENCH [--all | --pairs]: post-ops on small convolutions in
xkbench's mode C, on the simulator with all checkers. Each row of post_op.def alone, each
that has a right-hand side with each broadcast, pairs of rows, scales and zero points,
and random chains, up to 32 long. Types of right-hand sides, bias and dst, layouts and
channel counts (with tails) go round. --all: with each type of dst, and all pairs.
--pairs: only the pairs, each with each type of dst. TAP: a line for each of the six, and
each failure."""
import argparse
import itertools
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from tap import Tap  # noqa: E402
from random_problems import run  # noqa: E402

# What a row needs beside its name: numbers, and steps in front, so that it stays
# within the range of numbers.
WORDS = {"relu": "relu:0.5", "linear": "linear:0.5:1", "clip": "clip:-20:100",
         "clip_v2": "clip_v2:-20:100", "clip_v2_dst": "clip_v2_dst:-9:50",
         "hardsigmoid": "hardsigmoid:0.25:0.5", "hardswish": "hardswish:0.125:0.5",
         "relu_dst": "relu_dst:0.25", "elu": "elu:0.5", "elu_dst": "elu_dst:0.5",
         "soft_relu": "soft_relu:1", "swish": "swish:1", "exp": "clip:-8:8+exp",
         "exp_dst": "clip:-8:8+exp_dst", "sqrt": "abs+sqrt", "sqrt_dst": "abs+sqrt_dst",
         "log": "clip:0.5:99+log", "pow": "clip:1:9+pow:1:-1.5"}
BINARY = ["add", "mul", "sub", "div", "min", "max", "ge", "gt", "le", "lt", "eq",
          "ne"]
ELTWISE = ["relu", "relu:0.5", "linear:0.5:1", "abs", "clip:-20:100", "square",
           "hardsigmoid:0.25:0.5", "hardswish:0.125:0.5", "round", "tanh",
           "logistic", "elu:0.5", "soft_relu:1", "swish:1", "mish", "gelu_tanh",
           "gelu_erf",
           # Those that leave the numbers' range soon, within bounds.
           "clip:-8:8+exp", "abs+sqrt", "clip:0.5:99+log", "clip:-4:4+pow:2:3",
           "clip:1:9+pow:1:-1.5"]
SUMS = ["sum", "sum:0.5", "sum:-2"]
# By benchdnn's names, and as bits of dims: mb 1, oc 2, oh 4, ow 8.
MASKS = ["common", "per_oc", "per_dim_0", "per_dim_01", "per_tensor", "4", "8",
         "12", "13", "14", "9", "6"]
RHS = ["f32", "f16", "bf16", "s8", "u8", "s32"]
TAGS = ["", "", "", ":axb", ":abx"]
TYPES = ["f32", "f16", "f16:f16:f32", "u8:s8:u8", "s8:s8:s8", "u8:s8:f32",
         "u8:s8:s32", "bf16", "bf16:bf16:f32", "u8:s8:f16", "s8:u8:bf16",
         "f32:f32:u8", "f16:f16:s8", "f32:f32:bf16", "bf16:bf16:s32",
         "f16:f16:f8_e5m2", "u8:s8:f8_e4m3", "bf16:bf16:f4_e2m1"]
SIZES = {"f32": 4, "s32": 4, "f16": 2, "bf16": 2, "s8": 1, "u8": 1}
LAYOUTS = ["any", "axb", "abx"]
# A comparison behind others may leave nearly nothing but zeros.
UNTRUSTED = 0.2


def right_hand_side(rng, kind, mask):
    if kind == "prelu":
        return f"prelu:{mask}"
    return f"{kind}:{rng.choice(RHS)}:{mask}{rng.choice(TAGS)}"


def post_op(rng, word):
    """A kind's word with the rest of what it needs."""
    if word in BINARY or word == "prelu":
        return right_hand_side(rng, word, rng.choice(MASKS))
    return word


def with_type(rng, dtype, word):
    """A sum may read dst as another type of its size, less a zero point."""
    dst = dtype.split(":")[-1]
    if word not in SUMS or rng.random() < 0.5:
        return word
    word = word if ":" in word else word + ":1"
    types = [t for t in SIZES if SIZES[t] == SIZES.get(dst)] or [dst]
    old = rng.choice(types)
    whole = dtype[0] in "su" and old[0] in "su"
    zero = rng.choice([0, 3, -2]) if whole else 0
    return f"{word}:{zero}:{old}"


def line(rng, dtype, ops):
    """A batch line: a small problem with these post-ops."""
    k = rng.choice([1, 1, 3])
    ops = [with_type(rng, dtype, op) for op in ops]
    sizes = (f"mb{rng.choice([1, 2, 3, 8, 17])}"
             f"ic{rng.choice([1, 3, 8, 16, 17, 32])}"
             f"ih{rng.randint(3, 8)}iw{rng.randint(3, 9)}"
             f"oc{rng.choice([1, 5, 8, 16, 24, 32, 33, 64])}"
             f"kh{k}kw{k}ph{k // 2}pw{k // 2}")
    return " ".join(["--dir=FWD_I", "--dt=" + dtype,
                     "--bia-dt=" + rng.choice(["undef"] + RHS),
                     "--stag=" + rng.choice(LAYOUTS),
                     "--dtag=" + rng.choice(LAYOUTS + ["aBx16b"]),
                     "--attr-post-ops=" + "+".join(ops), sizes])


def rows():
    """A word for each row of post_op.def."""
    text = (ROOT / "views/post_op.def").read_text(encoding="utf-8")
    found = re.findall(r'^XK_POST_OP\(\w+,\s*"(\w+)"', text, re.MULTILINE)
    return [WORDS.get(name, name) for name in found]


def alone(rng, every):
    """Each row; each type of dst, or one after the other."""
    types = itertools.cycle(TYPES)
    for word in rows():
        for dtype in TYPES if every else [next(types)]:
            yield line(rng, dtype, [post_op(rng, word)])


def all_pairs(rng, _):
    """Each row behind each, with each type of dst."""
    types = list({t.split(":")[-1]: t for t in TYPES}.values())
    for a, b in itertools.product(rows(), rows()):
        for dtype in types:
            yield line(rng, dtype, [post_op(rng, a), post_op(rng, b)])


def broadcasts(rng, every):
    """Each kind, each broadcast; each type of dst, or one after the other."""
    types = itertools.cycle(TYPES)
    for kind in BINARY + ["prelu"]:
        for mask in MASKS:
            for dtype in TYPES if every else [next(types)]:
                yield line(rng, dtype, [right_hand_side(rng, kind, mask)])


def pairs(rng, every):
    """One row of post_op.def behind another, with any type of dst."""
    both = list(itertools.product(rows(), rows()))
    for a, b in both if every else rng.sample(both, 100):
        yield line(rng, rng.choice(TYPES), [post_op(rng, a), post_op(rng, b)])


def quants(rng, every):
    """Scales and zero points of src, wei and dst around a post-op or two."""
    words = BINARY[:4] + ELTWISE[:5] + SUMS
    for i in range(300 if every else 60):
        scales = [rng.choice(["", "src:common:0.25", "src:host_scalar:0.5"]),
                  rng.choice(["", "wei:common:0.125:f16", "wei:per_oc",
                              "wei:per_oc:bf16", "wei:host_scalar:0.3"]),
                  rng.choice(["", "dst:common:2", "dst:per_oc:f16",
                              "dst:host_scalar:0.7"])]
        zero = rng.choice(["", "dst:common:3", "dst:per_oc", "dst:per_oc:s8",
                           "dst:common:2:u8", "dst:host_scalar:-2"])
        ops = [post_op(rng, rng.choice(words)) for _ in range(i % 3)]
        yield " ".join(["--attr-scales=" + "+".join(filter(None, scales)),
                        "--attr-zero-points=" + zero,
                        line(rng, rng.choice(TYPES), ops)])


def chains(rng, every):
    """Random ones; one in ten is long."""
    words = BINARY + ["prelu", "add", "mul"] + ELTWISE + SUMS
    for i in range(400 if every else 60):
        n = rng.randint(7, 32) if i % 10 == 0 else rng.randint(2, 6)
        ops = [post_op(rng, rng.choice(words)) for _ in range(n)]
        yield line(rng, rng.choice(TYPES), "+".join(ops).split("+")[:32])


def loops(rng, every):
    """Runs of functions that are too long for each vector, between steps that read."""
    functions = ELTWISE[9:17]
    readers = BINARY[:4] + ["prelu"] + SUMS
    for _ in range(200 if every else 30):
        ops = []
        for _ in range(rng.randint(1, 3)):
            ops += [post_op(rng, rng.choice(readers))] * rng.randint(0, 1)
            ops += rng.choices(functions, k=rng.randint(1, 5))
        ops += [post_op(rng, rng.choice(readers))] * rng.randint(0, 1)
        yield line(rng, rng.choice(TYPES), ops)


def judge(tap, name, lines, out, code):
    """All passed, but for few whose data proves nothing."""
    states = re.findall(r"^\d+:([A-Z_]+)(.*)$", out, re.MULTILINE)
    for state, rest in states:
        if state not in ("PASSED", "MISTRUSTED"):
            tap.check(False, f"{state}{rest}",
                      "its state is neither PASSED nor MISTRUSTED")
    weak = sum(state == "MISTRUSTED" for state, _ in states)
    tap.check(len(states) == len(lines) and code == 0 and
              weak <= UNTRUSTED * len(lines),
              f"{name}: {len(states)} of {len(lines)} ran, {weak} not trusted, "
              f"exit code {code}",
              f"all must run, exit with 0, and at most {100 * UNTRUSTED} percent be MISTRUSTED")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--seed", type=int, default=20261125)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    tap = Tap()
    print(f"# seed {args.seed}")
    kinds = (("rows", alone), ("broadcasts", broadcasts), ("pairs", pairs),
             ("scales", quants), ("chains", chains), ("loops", loops))
    for name, make in [("pairs", all_pairs)] if args.pairs else kinds:
        lines = list(make(rng, args.all))
        judge(tap, name, lines, *run(args.xkbench, lines))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
