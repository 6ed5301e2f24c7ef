#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of make bench, from xkbench's lines on stdin. st/FMA and ex/FMA are
static and executed instructions per FMA instruction; sim s is host time."""
import statistics
import sys

COLUMNS = [  # title, width, format, goal for the median
    ("problem", -20, "{}", "goal"),
    ("Gops", 6, "{:.4f}", ""),
    ("query ms", 8, "{:.4f}", "< 0.1"),
    ("gen ms", 6, "{:.2f}", "< 3"),
    ("avg ms", 6, "{:.2f}", "< 3"),
    ("heap KiB", 8, "{:.0f}", "< 16384"),
    ("code B", 6, "{:.0f}", ""),
    ("thr/grp", 7, "{:.0f}", ">= 4"),
    ("groups", 6, "{:.0f}", ""),
    ("st/FMA", 6, "{:.2f}", ""),
    ("ex/FMA", 6, "{:.2f}", "<= 2.0"),
    ("sim s", 5, "{:.2f}", ""),
]


def cells(fields):
    """One line's fields as numbers in the table's units."""
    name = fields[0].removeprefix("resnet_50:")
    row = [name] + [float(f) for f in fields[1:]]
    row[5] /= 1024
    row[11] /= 1000
    return row


def line(values):
    """Text of one table line."""
    out = []
    for (_, width, _, _), text in zip(COLUMNS, values):
        out.append(text.ljust(-width) if width < 0 else text.rjust(width))
    return "  ".join(out)


def formatted(row):
    """A row's values through the columns' formats."""
    return [c[2].format(v) for c, v in zip(COLUMNS, row)]


def main():
    rows, others = [], []
    for text in sys.stdin.read().splitlines():
        fields = text.split("|")
        if len(fields) == len(COLUMNS) and not text.startswith("Output"):
            rows.append(cells(fields))
        elif not text.startswith("Output"):
            others.append(text)
    print(line([c[0] for c in COLUMNS]))
    for row in rows:
        print(line(formatted(row)))
    if rows:
        columns = list(zip(*rows))
        medians = ["median"] + [statistics.median(c) for c in columns[1:]]
        print(line(formatted(medians)))
        print(line([c[3] for c in COLUMNS]))
    for text in others:
        print(text)
    seconds = float(sys.argv[1])
    print(f"whole list: {seconds:.1f} s on this machine (goal: < 90)")
    return 0 if rows and others and "failed:0" in others[-1] else 1


if __name__ == "__main__":
    sys.exit(main())
