#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""corrupt.py XKBENCH: an xkbench whose device returns one wrong byte must say
which: a value, the padding inside the destination, the guard behind it. TAP."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

PROBLEM = "mb1ic3ih5oc4kh3ph1"  # 4 x 5 x 5 results
SIZES = {"f32": 4, "f16": 2, "f16:f16:f32": 4, "u8s8": 1, "u8:s8:s8": 1,
         "u8:s8:s32": 4, "u8:s8:f32": 4}


def cases(size):
    """(layout, byte, message) for elements of so many bytes. In nhwc channel 3
    of row 1, column 2 is element (5 + 2) * 4 + 3; in blocks of 32 channels 4 to
    31 are padding."""
    top = size - 1  # the byte whose change no rounding hides
    return [
        ("nhwc", 100 * size + 4096, r"0:PASSED"),  # behind everything
        ("nhwc", 31 * size + top,
         r"FAILED \(errors:1 total:100 first at n0 c3 h1 w2: expected .*, got"),
        ("nhwc", 100 * size, rf"FAILED \(wrote behind dst: byte {100 * size} "),
        ("nhwc", 100 * size + 4095, r"FAILED \(wrote behind dst: byte"),
        ("aBcd32b", 32 * size + 4 * size + top,
         rf"FAILED \(dst padding is not zero: byte {36 * size + top}\)"),
        ("aBcd32b", 32 * 25 * size, r"FAILED \(wrote behind dst: byte"),
    ]


def main():
    tap = Tap()
    for types, size in SIZES.items():
        for post_ops in ("", "sum:2"):
            for tag, byte, pattern in cases(size):
                out = subprocess.run(
                    [sys.argv[1], "--dt=" + types, "--dtag=" + tag,
                     "--attr-post-ops=" + post_ops, PROBLEM],
                    env=dict(os.environ, XK_CORRUPT=str(byte)), text=True,
                    stdout=subprocess.PIPE, check=False).stdout
                tap.check(re.search(pattern, out),
                          f"{types} {post_ops or 'no sum'} {tag} byte {byte}",
                          out)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
