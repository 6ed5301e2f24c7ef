#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bound.py XKBENCH SHAPES TYPE: no kernel of ours is faster in the timing model
than scripts/report_bound.py allows, nominally and with the best hypothesis. TAP,
a line a layer."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]
from bench_rows import rows_of  # noqa: E402
from report_bound import Problem, bounds_of  # noqa: E402
from tap import Tap  # noqa: E402

SLACK = 1.005  # sampled waves


def main():
    xkbench, shapes, dtype = sys.argv[1:]
    tap = Tap()
    words = {"u8s8": "u8:s8:u8"}.get(dtype, dtype)
    rows, out, code = rows_of(
        xkbench, ["--mode=P", "--timing=:all", "--time-only=0", "--mb=16", "--dt=" + words],
        "%desc%|%0ptime%|%-ptime%", ["--batch=" + shapes])
    for desc, *times in rows:
        ours, best = (float(t) * 1e3 for t in times)
        allowed = bounds_of("a770", Problem(desc, dtype), dtype)
        least, any_least = allowed["nominal"], min(allowed.values())
        tap.check(ours * SLACK >= least and best * SLACK >= any_least,
                  f"{desc}: {ours:.1f} us of at least {least:.1f}, with the best "
                  f"hypothesis {best:.1f} of {any_least:.1f}",
                  "a predicted time is below the bound behind its 'of'")
    tap.check(len(rows) == 20 and code == 0, f"{len(rows)} layers", out)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
