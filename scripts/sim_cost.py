#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sim_cost.py TREE [OTHER] [--limit=PERCENT]: user-mode instructions that
the simulator retires in xk_launch, counted by valgrind (callgrind), so that neither the
machine's load nor missing hardware counters matter: one launch of each of the kernels
below, without checks and with --check=all. A tree has build/tools/xk, or is an
xk; both should be built alike. The first tree generates the kernels, so that both execute
the same bytes. With two trees it prints the ratio of the other's instructions to the
first's, and fails where a sum is more than the limit above 1."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Name, options and problem: what the generator's kernels spend their time with.
KERNELS = [
    ("f32 3x3", ["--dt=f32"], "mb1ic64ih14oc64kh3ph1"),
    ("f16 3x3", ["--dt=f16"], "mb1ic64ih14oc64kh3ph1"),
    ("f16 1x1", ["--dt=f16"], "mb1ic256ih14oc64kh1"),
    ("u8s8 3x3", ["--dt=u8s8"], "mb1ic64ih14oc64kh3ph1"),
]
CHECKS = ("none", "all")


def program(tree):
    """The tree's xk."""
    return tree if tree.is_file() else tree / "build/tools/xk"


def generate(xk, folder, name, words, problem):
    """A kernel's file, and the words that launch it."""
    path = folder / (name.replace(" ", "_") + ".zebin")
    told = subprocess.run([xk, "gen", *words, "--info", "-o", path, problem],
                          capture_output=True, text=True, check=True).stdout
    sizes = re.search(r"groups (\d+) (\d+) (\d+), local (\d+) (\d+) (\d+)",
                      told).groups()
    grid = ["--groups", ",".join(sizes[:3]), "--local", ",".join(sizes[3:])]
    n_b = dict(re.findall(r"^tensor (\w+): \w+ \w+, (\d+) bytes", told, re.M))
    args = re.search(r"^arguments (.*)", told, re.M).group(1).split()
    return path, ["xk_conv"] + [f"buf:zero:{n_b[a]}" for a in args], grid


def count(xk, folder, launch, checks):
    """Instructions of xk_launch."""
    path, words, grid = launch
    out = folder / "callgrind.out"
    done = subprocess.run(
        ["valgrind", "-q", "--tool=callgrind", "--toggle-collect=xk_launch",
         f"--callgrind-out-file={out}", xk, "run", "--threads", "1",
         *grid, f"--check={checks}", path, *words],
        capture_output=True, text=True, check=False)
    found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M) \
        if out.exists() else None
    if done.returncode or not found or not int(found.group(1)):
        sys.exit(f"sim_cost: {xk} run {path.name}: {done.stderr or done.stdout}")
    return int(found.group(1))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("tree", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, default=3.0)
    args = parser.parse_args()
    if len(args.tree) > 2:
        parser.error("want one tree or two")
    programs = [program(t) for t in args.tree]
    above = False
    print("| kernel | checks | " + " | ".join(
        f"M instructions of {t}" for t in args.tree) + " | ratio |")
    print("|---|---|" + "---|" * (len(args.tree) + 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        launches = [(k[0], generate(programs[0], folder, *k)) for k in KERNELS]
        for checks in CHECKS:
            sums = [0] * len(programs)
            for kernel, launch in launches:
                found = [count(p, folder, launch, checks)
                         for p in programs]
                sums = [a + b for a, b in zip(sums, found)]
                print(row(kernel, checks, found), flush=True)
            print(row("sum", checks, sums), flush=True)
            above |= sums[-1] > sums[0] * (1 + args.limit / 100)
    return above


def row(kernel, checks, found):
    """A line of the table."""
    ratio = f"{found[1] / found[0]:.3f}" if len(found) > 1 else ""
    return f"| {kernel} | {checks} | " + " | ".join(
        f"{n / 1e6:.2f}" for n in found) + f" | {ratio} |"


if __name__ == "__main__":
    sys.exit(main())
