#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attribute_share.py XKBENCH SHAPES [--mb=16] [--tags=any,axb] [--only=WORD]
[--timing=a770]: by how much an attribute lowers the share of its bound that a
convolution reaches in the timing model, all launches together: with a zero point of
src, with scales per channel, with an f16 bias, with a residual. The bound
(report_bound.py) counts the residual's bytes. A line for each attribute, type and
layout: the median over the layers, the worst layer, and how many lose more than the
limit; then the medians and the worst under each hypothesis of the model, whose times
are compared with each other. A positive number is a loss, in percent of the share
without the attribute."""
import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from bench_rows import rows_of, us_of  # noqa: E402
from bound_share import layers  # noqa: E402
from report_bound import Problem, least_of  # noqa: E402

# Name, type of report_bound.py, words of xkbench, post-ops, limit in percent.
PLAIN = {"f16": "--dir=FWD_D --dt=f16", "u8s8": "--dir=FWD_D --dt=u8s8"}
CASES = [
    ("zero point of src", "u8s8", "--attr-zero-points=src:common:3", "", 10),
    ("scales of weights", "u8s8", "--attr-scales=wei:per_oc", "", 3),
    ("scales of weights", "f16", "--attr-scales=wei:per_oc", "", 3),
    ("scales of src, weights, dst", "u8s8",
     "--attr-scales=src:common:0.25+wei:per_oc+dst:common:2", "", 3),
    ("f16 bias", "u8s8", "--bia-dt=f16", "", 3),
    ("f16 bias", "f16", "--bia-dt=f16", "", 3),
    ("residual", "u8s8", "", "sum", 3),
    ("residual", "f16", "", "sum", 3),
    ("residual as add", "f16", "", "add:f16:per_tensor", 3),
]


def measure(args, problems, words):
    """{hypothesis: us} of each layer, "nominal" among them."""
    rows, out, _ = rows_of(
        args.xkbench,
        ["--mode=P", "--time-only=0", f"--timing={args.timing}:all", *words],
        "%ptime%|%hypotheses%", problems)
    if len(rows) != len(problems):
        sys.exit(f"attribute_share: {' '.join(words)}: no kernel of some layer\n"
                 f"{out[-600:]}")
    return [us_of(*row) for row in rows]


def losses(problems, size, post_ops, plain, made):
    """{hypothesis: [percent of each layer]}."""
    out = {}
    for desc, without, got in zip(problems, plain, made):
        before = least_of("a770", Problem(desc, size), size)[0]
        bound = least_of("a770", Problem(desc, size, "fwd", post_ops), size)[0]
        for name, us in got.items():
            share = (bound / us) / (before / without[name])
            out.setdefault(name, []).append(100 * (1 - share))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("xkbench")
    parser.add_argument("shapes", type=Path)
    parser.add_argument("--mb", type=int, default=16)
    parser.add_argument("--tags", default="any,axb")
    parser.add_argument("--only", default="", help="attributes whose name has it")
    parser.add_argument("--timing", default="a770")
    args = parser.parse_args()
    names, problems = zip(*layers(args.shapes, args.mb))
    print("| attribute | type | layout | limit, % | median | worst | layer | above the "
          "limit | hypotheses: median, worst |\n|---|---|---|--:|--:|--:|---|--:|---|")
    for tag in args.tags.split(","):
        layout, plain = [f"--stag={tag}", f"--dtag={tag}"], {}
        for name, size, words, post_ops, limit in CASES:
            if args.only not in name:
                continue
            if size not in plain:
                plain[size] = measure(args, problems, PLAIN[size].split() + layout)
            more = words.split() + ["--attr-post-ops=" + post_ops] * bool(post_ops)
            made = measure(args, problems, PLAIN[size].split() + layout + more)
            lost = losses(problems, size, post_ops, plain[size], made)
            all_of = lost.pop("nominal")
            worst = max(all_of)
            other = ", ".join(f"{k} {statistics.median(v):.1f}, {max(v):.1f}"
                              for k, v in lost.items())
            print(f"| {name} | {size} | {tag} | {limit} | "
                  f"{statistics.median(all_of):.1f} | {worst:.1f} | "
                  f"{names[all_of.index(worst)]} | {sum(x > limit for x in all_of)} of "
                  f"{len(all_of)} | {other} |", flush=True)


if __name__ == "__main__":
    main()
