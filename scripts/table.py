#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of make bench: xkbench's lines on stdin, each printed when it comes;
then medians, goals, and what the columns mean. Exit code 1: a problem failed."""
import statistics
import sys
import time

COLUMNS = [  # title, width, format, factor, goal of the median, meaning
    ("problem", -20, "{}", None, "goal", "the layer's name; \"*4\": the network has four such layers"),
    ("Gops", 6, "{:.4f}", 1, "", "its operations, 10^9; a multiply-add is two"),
    ("query ms", 8, "{:.4f}", 1, "< 0.1",
     "to answer whether the problem is supported, best of all runs"),
    ("gen ms", 6, "{:.2f}", 1, "< 3", "to generate the kernel, best"),
    ("avg ms", 6, "{:.2f}", 1, "< 3", "the same, average"),
    ("heap KiB", 8, "{:.0f}", 1 / 1024, "< 16384",
     "memory at the peak of generating"),
    ("code B", 6, "{:.0f}", 1, "", "bytes of machine code"),
    ("thr/grp", 7, "{:.0f}", 1, ">= 4", "hardware threads in a thread group"),
    ("groups", 6, "{:.0f}", 1, "", "thread groups of the launch"),
    ("st/FMA", 6, "{:.2f}", 1, "",
     "instructions for each multiply-add instruction, in the code"),
    ("ex/FMA", 6, "{:.2f}", 1, "<= 2.0", "the same, as executed"),
    ("pred ms", 7, "{:.4f}", 1, "",
     "time on an Arc A770 as the timing model predicts it; not measured"),
    ("eff %", 5, "{:.1f}", 100, "",
     "of the A770's limit (arithmetic or memory) that this time reaches"),
    ("sim s", 5, "{:.2f}", 1 / 1000, "",
     "this machine's time to execute the kernel on the simulator"),
]


def cells(fields):
    """One line's fields as numbers in the table's units."""
    return [fields[0].removeprefix("resnet_50:")] + [
        float(f) * c[3] for f, c in zip(fields[1:], COLUMNS[1:])]


def line(values):
    """Text of one table line."""
    out = []
    for column, text in zip(COLUMNS, values):
        width = column[1]
        out.append(text.ljust(-width) if width < 0 else text.rjust(width))
    return "  ".join(out)


def formatted(row):
    """A row's values through the columns' formats."""
    return [c[2].format(v) for c, v in zip(COLUMNS, row)]


def main():
    start = time.monotonic()
    rows, others = [], []
    print(line([c[0] for c in COLUMNS]), flush=True)
    for text in sys.stdin:
        text = text.rstrip("\n")
        fields = text.split("|")
        if text.startswith("Output"):
            continue
        if len(fields) == len(COLUMNS):
            rows.append(cells(fields))
            print(line(formatted(rows[-1])), flush=True)
        else:
            others.append(text)
    if rows:
        columns = list(zip(*rows))
        medians = ["median"] + [statistics.median(c) for c in columns[1:]]
        print(line(formatted(medians)))
        print(line([c[4] for c in COLUMNS]))
        print()
        for column in COLUMNS:
            print(f"{column[0]:10}{column[5]}")
    for text in others:
        print(text)
    seconds = time.monotonic() - start
    print(f"whole list: {seconds:.1f} s on this machine (goal: < 90)")
    return 0 if rows and others and "failed:0" in others[-1] else 1


if __name__ == "__main__":
    sys.exit(main())
