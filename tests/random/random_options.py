#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_options.py XKBENCH [--count=N] [--seed=S]: N random small convolutions, each
with random words of all options, in xkbench's mode C on the simulator with all
checkers. TAP: each that is neither PASSED nor MISTRUSTED, and a line for all."""
import argparse
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402
from random_problems import judge  # noqa: E402

INT_SRC, INT_WEI = ["u8", "s8"], ["s8", "u8", "s8", "u8", "s4", "u4"]
F8 = ["f8_e5m2", "f8_e4m3"]
SMALL = F8 + ["f4_e2m1"]
FLOATS = ["f32", "f16", "bf16"]
DST = ["f32", "f16", "bf16", "s32", "s8", "u8"] + SMALL
RHS = ["f32", "f16", "bf16", "s8", "u8", "s32", "s4", "u4"] + SMALL
# The last ones reach kernels by way of copies.
LAYOUTS = ["any", "any", "any", "axb", "axb", "abx", "bax", "aBx8b"]
WEIGHTS = ["any", "any", "any", "axb", "abx", "xba", "bax", "ABx4a8b"]
ELTWISE = ["relu", "relu:0.5", "linear:0.5:1", "abs", "clip:-20:100", "tanh", "swish:1",
           "clip_v2:-20:100", "hardsigmoid:0.25:0.5", "hardswish:0.25:0.5", "square",
           "round", "exp", "logistic", "elu:1", "soft_relu:1", "mish", "gelu_tanh",
           "gelu_erf", "pow:2:2"]
BINARY = ["add", "mul", "sub", "min", "max", "ge", "gt", "le", "lt", "eq", "ne"]
# They allow kernels something, or change nothing.
FREE = ["--attr-fpmath=bf16", "--attr-fpmath=tf32:true", "--attr-acc-mode=relaxed",
        "--attr-acc-mode=any", "--attr-deterministic=true", "--attr-scratchpad=user",
        "--alg=auto", "--ctx-exe=2", "--impl=v2", "--mb=1"]
DEVICES = ["dg2-g10", "dg2-g11", "dg2-g12", "dg2-g10-c0", "dg2-g10-a0", "dg2-g11-b1"]
ROUNDING = ["", "", "dst:environment", "dst:stochastic", "dst:stochastic:12345"]
FLOAT_DST = FLOATS + F8
# A result that is 0 nearly everywhere, or the same, proves little.
UNTRUSTED = 0.2
# What is refused: a deconvolution with zero points has several launches a class, and
# strides part the two halves of a byte.
REFUSED = re.compile(r"\(.*(more than \d+ launches|more classes than)(?=.*--deconv )|"
                     r"\(copy: (gaps between elements of four bits)(?=.*--strides)")


def axis(rng, name, most):
    """One spatial dim: its keys; the effective filter fits into the padded input."""
    size, taps = rng.randint(1, most), rng.choice([1, 1, 2, 3, 3, 5])
    gap, stride = rng.choice([0, 0, 0, 1, 2]), rng.choice([1, 1, 1, 2, 3])
    reach = (taps - 1) * (gap + 1) + 1
    pad = rng.choice([0, 0, 1, 2, reach - 1, reach])
    pad = max(pad, (reach - size + 1) // 2, 0)
    return (f"i{name}{size}k{name}{taps}s{name}{stride}d{name}{gap}p{name}{pad}"
            f"o{name}{(size + 2 * pad - reach) // stride + 1}")


def sizes(rng):
    names = rng.choice(["hw", "hw", "hw", "w", "dhw"])
    channels = [1, 3, 4, 8, 15, 16, 17, 32, 48, 64, 96]
    groups = rng.choice([1, 1, 1, 2, 3, 4, 16])
    if groups > 1: # a few channels, or one, of each
        channels = [groups * n for n in (1, 1, 2, 3, 4, 8)]
    g = f"g{groups}" if groups > 1 else ""
    return (f"{g}mb{rng.choice([1, 1, 2, 3, 9])}ic{rng.choice(channels)}"
            f"oc{rng.choice(channels)}" +
            "".join(axis(rng, n, 4 if len(names) == 3 else 9) for n in names))


def types(rng):
    if rng.random() < 0.6:
        return rng.choice(INT_SRC), rng.choice(INT_WEI), rng.choice(DST)
    if rng.random() < 0.4: # types that meet in a third one
        return (rng.choice(FLOATS + SMALL),
                rng.choice(FLOATS + SMALL + ["s8", "u8", "s4", "u4"]), rng.choice(DST))
    t = rng.choice(FLOATS)
    return t, t, rng.choice(DST)


def quants(rng, whole):
    """Words of scales and of zero points."""
    scales = [rng.choice(["", "", "src:common:0.25", "src:host_scalar:0.5"]),
              rng.choice(["", "", "wei:common:0.125:f16", "wei:per_oc:bf16", "wei:per_oc:e8m0", "wei:per_oc:f8_e4m3",
                          "wei:host_scalar:0.5"]),
              rng.choice(["", "", "dst:common:2", "dst:per_oc:f16"])]
    zero = [rng.choice(["", "dst:common:3", "dst:per_oc:s8", "dst:host_scalar:-2"])]
    if whole:
        zero += [rng.choice(["", "src:common:3", "src:common:-100", "src:common:7:u8",
                             "src:common:-3:s8", "src:host_scalar:11",
                             "src:per_dim_1", "src:per_dim_1:u8", "src:per_dim_1:s8"]),
                 rng.choice(["", "", "wei:common:2", "wei:common:-1:s8",
                             "wei:host_scalar:5"])]
    return (["--attr-scales=" + "+".join(filter(None, scales))] +
            ["--attr-zero-points=" + "+".join(filter(None, zero))])


def post_op(rng):
    kind = rng.choice(["sum", "sum:0.5", "binary", "binary", "prelu", "elt", "elt"])
    if kind == "elt":
        return rng.choice(ELTWISE)
    if kind == "binary":
        return (f"{rng.choice(BINARY)}:{rng.choice(RHS)}:"
                f"{rng.choice(['common', 'per_oc', 'per_tensor', 'per_dim_01'])}")
    return "prelu:per_oc" if kind == "prelu" else kind


def exchanged(text):
    """The sizes of a deconvolution: what was the output is the input."""
    other = {"i": "o", "o": "i"}
    return re.sub(r"([io])([dhw])(?=\d)", lambda m: other[m[1]] + m[2], text)


def strides(rng, dims):
    """Strides of any order of the dims, in elements, with gaps."""
    found, reach = [0] * len(dims), 1
    for d in rng.sample(range(len(dims)), len(dims)):
        found[d] = reach + rng.choice([0, 0, 0, 1, 3])
        reach += found[d] * (dims[d] - 1)
    return "x".join(map(str, found))


def layout_words(rng, sizes_text):
    """A tag for each tensor, or strides in its place."""
    n = {k: int(v) for k, v in re.findall(r"([a-z]+)(\d+)", sizes_text)}
    g, axes = n.get("g", 1), [a for a in "dhw" if "k" + a in n]
    dims = {"s": [n["mb"], n["ic"]] + [n["i" + a] for a in axes],
            "w": [g] * (g > 1) + [n["oc"] // g, n["ic"] // g] + [n["k" + a] for a in axes],
            "d": [n["mb"], n["oc"]] + [n["o" + a] for a in axes]}
    tags = {"s": LAYOUTS, "w": WEIGHTS, "d": LAYOUTS}
    given = [t for t in dims if rng.random() < 0.5] if rng.random() < 0.15 else []
    words = [f"--{t}tag={rng.choice(tags[t])}" for t in tags if t not in given]
    if given:
        words.append("--strides=" + ":".join(
            strides(rng, dims[t]) if t in given else "" for t in dims))
    return words


def line(rng):
    src, wei, dst = types(rng)
    deconv = rng.random() < 0.15
    ops = [post_op(rng) for _ in range(rng.choice([0, 0, 1, 1, 2, 3, 5, 12]))]
    free = [f for f in FREE if not (deconv and "alg" in f)]
    problem = exchanged(sizes(rng)) if deconv else sizes(rng)
    return " ".join([f"--{'de' if deconv else ''}conv --reset --dir=" + rng.choice(["FWD_I", "FWD_D", "FWD_B"]),
                     f"--dt={src}:{wei}:{dst}",
                     "--bia-dt=" + rng.choice(["undef"] + RHS),
                     *layout_words(rng, problem)] +
                    quants(rng, src in INT_SRC) +
                    ["--attr-rounding-mode=" +
                     (rng.choice(ROUNDING) if dst in FLOAT_DST else "")] +
                    ["--attr-post-ops=" + "+".join(ops)] +
                    rng.sample(free, rng.choice([0, 0, 1, 2])) +
                    ["--device=" + rng.choice(DEVICES)] * (rng.random() < 0.15) +
                    [problem])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261125)
    args = parser.parse_args()
    rng, tap = random.Random(args.seed), Tap()
    print(f"# seed {args.seed}")
    kinds = judge(args.xkbench, [line(rng) for _ in range(args.count)], tap, REFUSED.search)
    good = kinds["PASSED"] + kinds["MISTRUSTED"] + kinds["REFUSED"]
    tap.check(good == args.count and kinds["MISTRUSTED"] <= UNTRUSTED * args.count,
              f"of {args.count} {dict(kinds)}",
              f"all must end as one of PASSED, MISTRUSTED, REFUSED, and at most "
              f"{100 * UNTRUSTED} percent be MISTRUSTED")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
