#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""create_cost.py TREE [OTHER-TREE] [--query] [--lists=N] [--random=N] [--seed=N]
[--groups] [--batch=FILE] [--only-time]: instructions that a creation retires, counted
by valgrind, so that the machine's load does not matter, and its time, the least of
three runs: of N problems of the lists in each setting of kernels.py, of N random ones,
drawn with the seed, and of a file's, one a line; with --groups, instead of the first
two, of all problems of several groups in the lists, in each setting and in nchw. A
tree has build/tools/xkbench, or is an xkbench; both should be built alike. It prints a
table with median, 99th percentile and the worst of each tree, and the worst problems;
of two also the median, least and largest ratio of the other's instructions to the
first's. With --query the same of queries. With --only-time without instructions, which
take most of the time."""
import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/random"))
from kernels import LAYOUTS, TYPES, setting  # noqa: E402
from random_problems import batch_line, problem  # noqa: E402

AT_ONCE = 200  # problems of a process
DIMS = ("hw", "hw", "hw", "dhw")


def of_lists(folder, rng, count):
    """Batch lines."""
    found = sorted({re.sub(r'_?n".*', "", line.strip())
                    for path in folder.glob("*.txt")
                    for line in path.read_text(encoding="ascii").splitlines()
                    if line.startswith("g1m")})
    return [f"--reset {setting(dtype, layout)} {text}"
            for dtype in TYPES for layout in LAYOUTS
            for text in rng.sample(found, min(count, len(found)))]


def of_groups(folder):
    """Batch lines."""
    found = sorted({re.sub(r'_?n".*', "", line.strip())
                    for path in folder.glob("*.txt")
                    for line in path.read_text(encoding="ascii").splitlines()
                    if re.match(r"g\d", line) and not line.startswith("g1m")})
    return [f"--reset --dt={dtype} --stag={tag} --dtag={tag} {text}"
            for dtype in TYPES for tag in (*LAYOUTS.values(), "abx")
            for text in found]


def of_chance(rng, count):
    """Batch lines."""
    kinds = ("f32", "f16", "u8s8")
    return ["--reset " + batch_line(rng, problem(rng, rng.choice(DIMS)),
                                    rng.choice(kinds)) for _ in range(count)]


def run(words, lines, **more):
    """xkbench's output for the lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
        batch.write("\n".join(lines) + "\n")
        batch.flush()
        return subprocess.run([*words, "--mode=I", "--batch=" + batch.name],
                              stdout=subprocess.PIPE, text=True, check=False,
                              **more).stdout


def are_made(xkbench, lines):
    """Whether a kernel is made of each line."""
    states = re.findall(r"^\d+:([A-Z_]+)", run([xkbench], lines), re.MULTILINE)
    if len(states) != len(lines):
        sys.exit(f"create_cost: {xkbench}: {len(states)} of {len(lines)} problems")
    return [state == "INITIALIZED" for state in states]


def counts(xkbench, lines, function):
    """Instructions of each line's call of the function."""
    out = []
    for at in range(0, len(lines), AT_ONCE):
        some = lines[at:at + AT_ONCE]
        with tempfile.TemporaryDirectory() as folder:
            run(["valgrind", "-q", "--tool=callgrind",
                 f"--toggle-collect={function}", f"--dump-after={function}",
                 f"--callgrind-out-file={folder}/out", xkbench], some)
            dumps = [Path(folder) / f"out.{i + 1}" for i in range(len(some))]
            texts = [d.read_text(encoding="utf-8") for d in dumps if d.exists()]
        if len(texts) != len(some):
            sys.exit(f"create_cost: {xkbench}: {len(texts)} calls of {function} "
                     f"for {len(some)} problems")
        out += [int(re.search(r"^(?:summary|totals): (\d+)", t, re.M).group(1))
                for t in texts]
    return out


def times(xkbench, lines, symbol):
    """Milliseconds of each line, the least of three runs."""
    least = [float("inf")] * len(lines)
    timed = [line.replace("--reset", f"--reset --perf-template=time|%{symbol}%", 1)
             for line in lines]
    for _ in range(3):
        found = re.findall(r"^time\|([0-9.e+-]+)", run([xkbench], timed),
                           re.MULTILINE)
        if len(found) != len(lines):
            sys.exit(f"create_cost: {xkbench}: {len(found)} times of {len(lines)}")
        least = [min(a, float(b)) for a, b in zip(least, found)]
    return least


def describe(name, what, lines, found):
    """A row with the distribution; the worst problem."""
    order = sorted(found)
    late = order[min(len(order) - 1, int(0.99 * len(order)))]
    print(f"| {name} | {what} | {len(found)} | {statistics.median(order):.4g} "
          f"| {late:.4g} | {order[-1]:.4g} |")
    return (f"most {what} of {name}: "
            + lines[found.index(order[-1])].removeprefix("--reset "))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("tree", nargs="+", type=Path)
    parser.add_argument("--query", action="store_true")
    parser.add_argument("--lists", type=int, default=5)
    parser.add_argument("--random", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--batch", type=Path)
    parser.add_argument("--only-time", action="store_true")
    args = parser.parse_args()
    if len(args.tree) > 2:
        parser.error("want one tree or two")
    rng = random.Random(args.seed)
    folder = Path(__file__).resolve().parents[1] / "shapes"
    lines = of_groups(folder) if args.groups else \
        of_lists(folder, rng, args.lists) + of_chance(rng, args.random)
    if args.batch:
        lines += args.batch.read_text(encoding="ascii").splitlines()
    tools = [str(tree if tree.is_file() else tree / "build/tools/xkbench")
             for tree in args.tree]
    for tool in tools:
        lines = [x for x, made in zip(lines, are_made(tool, lines)) if made]
    function = "xk_conv_query" if args.query else "xk_conv_create"
    symbol = "qtime" if args.query else "ctime"
    print(f"{function}, seed {args.seed}\n\n"
          "| tree | of one problem | problems | median | 99th percentile | worst |\n"
          "|---|---|---|---|---|---|")
    worst = [describe(tool, "ms", lines, times(tool, lines, symbol))
             for tool in tools]
    found = []
    if not args.only_time:
        found = [[n / 1e6 for n in counts(tool, lines, function)] for tool in tools]
    worst += [describe(tool, "M instructions", lines, numbers)
              for tool, numbers in zip(tools, found)]
    print("\n" + "\n".join(worst))
    if len(found) == 2:
        ratios = [b / a for a, b in zip(*found)]
        worst = lines[ratios.index(max(ratios))].removeprefix("--reset ")
        print(f"second over first: median {statistics.median(ratios):.4f}, least "
              f"{min(ratios):.4f}, largest {max(ratios):.4f}\n    {worst}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
