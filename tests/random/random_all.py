#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""random_all.py XKBENCH [--count=N] [--seed=S]: N problems of all generators of this
folder in turn: forward, gradients and deconvolutions in two and three dimensions,
groups forward and their gradients, and forward with random words of all options; in
xkbench's mode C with all checkers. TAP: each that is neither PASSED nor MISTRUSTED, and
a line for all."""
import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402
import random_groups  # noqa: E402
import random_options  # noqa: E402
import random_problems as problems  # noqa: E402


def drawn(rng):
    """A problem of two or three dimensions."""
    return problems.problem(rng, rng.choice(["hw", "hw", "dhw"]))


def forward(rng):
    return "--reset " + problems.batch_line(
        rng, drawn(rng), rng.choice(sorted(problems.DATA_TYPES)))


def gradient_of_groups(rng):
    """A gradient of one of the problems of several groups."""
    p = random_groups.problem(rng)
    direction = rng.choice(["BWD_D", "BWD_D", "BWD_W", "BWD_WB"])
    return " ".join([
        "--reset", "--dir=" + direction,
        "--dt=" + rng.choice(problems.GRADIENT_TYPES[direction[:5]]),
        "--wtag=" + random_groups.weights_tag(rng, p),
        "--stag=" + rng.choice(random_groups.ACTIVATIONS),
        "--dtag=" + rng.choice(random_groups.ACTIVATIONS), random_groups.text(p)])


KINDS = [
    forward,
    lambda rng: problems.gradient_line(rng, drawn(rng)),
    lambda rng: problems.deconv_line(rng, drawn(rng)),
    lambda rng: random_groups.batch_line(rng, random_groups.problem(rng)),
    gradient_of_groups,
    random_options.line,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("xkbench")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261127)
    args = parser.parse_args()
    rng, tap = random.Random(args.seed), Tap()
    print(f"# seed {args.seed}")
    lines = ["--conv " + KINDS[i % len(KINDS)](rng) for i in range(args.count)]
    kinds = problems.judge(args.xkbench, lines, tap, random_options.REFUSED.search)
    good = kinds["PASSED"] + kinds["MISTRUSTED"] + kinds["REFUSED"]
    weak = kinds["MISTRUSTED"] <= random_options.UNTRUSTED * args.count
    tap.check(good == args.count and weak, f"of {args.count} {dict(kinds)}",
              f"all must end as one of PASSED, MISTRUSTED, REFUSED, and at most "
              f"{100 * random_options.UNTRUSTED} percent be MISTRUSTED")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
