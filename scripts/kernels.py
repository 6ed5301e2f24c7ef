#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels.py XKBENCH SHAPES-FOLDER OUT [--time [BEFORE]]: makes the kernels of all
lists in f32, f16 and u8s8, with channels innermost and in the library's own layouts, and
writes a line for each: setting, problem, hash of the code, static instructions, modelled
time in ms, schedule. The time is that of two waves a core, and takes minutes; it is
taken from the file BEFORE where that has the same code. Else it is "-". --timing=MACHINE is the
model's (a770:gather=component: under a hypothesis).
kernels.py --compare A B: which of two such files' kernels differ, and how; the time of all, and of
those that differ."""
import argparse
import collections
import math
import re
import sys
from pathlib import Path

from bench_rows import rows_of

TYPES = ("f32", "f16", "u8s8")
LAYOUTS = {"nhwc": "axb", "any": "any"}
FIELDS = ("setting", "problem", "hash", "instructions", "ms", "schedule")
SHOWN = 40  # differences


def setting(dtype, layout):
    """xkbench's options."""
    tag = LAYOUTS[layout]
    return f"--dt={dtype} --stag={tag} --dtag={tag}"


def all_rows(xkbench, mode, fields, arguments):
    """Fields of each problem of the arguments, all of which xkbench must make, and its
    last line."""
    rows, out, code = rows_of(xkbench, mode, fields, arguments)
    closing = out.splitlines()[-1:] or [""]
    passed = re.match(r"tests:\d+ passed:(\d+) ", closing[0])
    if not passed or int(passed.group(1)) != len(rows):
        sys.exit(f"kernels: xkbench ended with {code}\n" + out[-2000:])
    return rows, closing[0]


def made(xkbench, folder):
    """Rows of FIELDS without times, and what xkbench counted in each setting."""
    rows, counts = [], []
    for dtype in TYPES:
        for layout in LAYOUTS:
            some, count = all_rows(
                xkbench, ["--mode=I"], "%desc%|%chash%|%sinstr%|%sched%",
                [setting(dtype, layout),
                 *(f"--batch={path}" for path in sorted(folder.glob("*.txt")))])
            rows += [dict(zip(FIELDS, (f"{dtype} {layout}", problem, code, n, "-",
                                       schedule), strict=True))
                     for problem, code, n, schedule in some]
            counts.append(f"{dtype} {layout}: {count}")
    return rows, counts


def add_times(args, rows, before):
    """Sets the time of rows, those of the same code in before without modelling."""
    missing = []
    for key, row in keyed(rows).items():
        had = before.get(key)
        if had and had["hash"] == row["hash"]:
            row["ms"] = had["ms"]
        if row["ms"] == "-":
            missing.append(row)
    if not missing:
        return
    machine = ["--timing=" + args.timing] if args.timing else []
    times, _ = all_rows(
        args.make[0], ["--mode=P", "--time-only=2", *machine], "%chash%|%0ptime%",
        [f"{setting(*r['setting'].split())} {r['problem']}"
         for r in missing])
    for row, (code, ms) in zip(missing, times, strict=True):
        if code != row["hash"]:
            sys.exit(f"kernels: {row['problem']} was made twice and differs")
        row["ms"] = ms


def keyed(rows):
    """{(setting, problem's name or else sizes, how often it was there before): row}: a
    later xkbench may print sizes differently."""
    out, seen = {}, collections.Counter()
    for row in rows:
        sizes, _, name = row["problem"].partition('n"')
        key = (row["setting"], name.rstrip('"') or sizes)
        out[key + (seen[key],)] = row
        seen[key] += 1
    return out


def read(path):
    """The same of a file."""
    lines = Path(path).read_text(encoding="ascii").splitlines()
    return keyed([dict(zip(FIELDS, line.split("|"), strict=True))
                  for line in lines])


def difference(a, b):
    """A differing kernel, as text."""
    change = "" if a["schedule"] == b["schedule"] else (
        f"\n    {a['schedule']}\n    {b['schedule']}")
    time = "" if "-" in (a["ms"], b["ms"]) else (
        f", {a['ms']} to {b['ms']} ms")
    return (f"{a['setting']} {a['problem']}: {a['instructions']} to "
            f"{b['instructions']} instructions{time}{change}")


def times(a, b, keys):
    """Time of b over that of a where both have one, and the kernel."""
    return [(float(b[k]["ms"]) / float(a[k]["ms"]), f"{k[0]} {k[1]}")
            for k in keys if "-" not in (a[k]["ms"], b[k]["ms"])]


def compare(a, b):
    """Prints the differences; exit code 1 if there are any."""
    both = [k for k in a if k in b]
    differing = [k for k in both if a[k]["hash"] != b[k]["hash"]]
    only = [("only in the first", [k for k in a if k not in b]),
            ("only in the second", [k for k in b if k not in a])]
    print(f"{len(both) - len(differing)} identical, {len(differing)} differing")
    for k in differing[:SHOWN]:
        print(difference(a[k], b[k]))
    if len(differing) > SHOWN:
        print(f"... and {len(differing) - SHOWN} more")
    for where, keys in only:
        for k in keys:
            print(f"{where}: {k[0]} {k[1]}")
    for keys in (both, differing):
        ratios = times(a, b, keys)
        if ratios:
            mean = math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios))
            worst, who = max(ratios)
            print(f"modelled time of {len(ratios)}{'' if keys is both else ' differing'}, "
                  f"second over first: geometric mean {mean:.6f}, worst {worst:.4f} ({who})")
    return 1 if differing or any(keys for _, keys in only) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"))
    parser.add_argument("--time", nargs="?", const="", metavar="BEFORE")
    parser.add_argument("--timing", default="", metavar="MACHINE")
    parser.add_argument("make", nargs="*", metavar="XKBENCH SHAPES OUT")
    args = parser.parse_args()
    if args.compare and not args.make:
        return compare(*map(read, args.compare))
    if args.compare or len(args.make) != 3:
        parser.error("want XKBENCH SHAPES OUT, or --compare A B")
    xkbench, folder, out = args.make
    rows, counts = made(xkbench, Path(folder))
    if args.time is not None:
        add_times(args, rows, read(args.time) if args.time else {})
    Path(out).write_text("".join("|".join(r[f] for f in FIELDS) + "\n"
                                 for r in rows), encoding="ascii")
    print("\n".join(counts))
    print(f"wrote {out}: {len(rows)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
