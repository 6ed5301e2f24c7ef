#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""residual.py XKBENCH: what post-ops read counts in %ibytes%, in %eff% and in the
bound of scripts/report_bound.py. Bytes are calculated by hand here. Each row's
memory is the limit, so its least time is that of its bytes. TAP."""
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]
from report_bound import Problem, least_of  # noqa: E402
from tap import Tap  # noqa: E402

MEMORY_B_S = 560e9  # of an A770's data sheet
SHAPE = "ic64ih56iw56_oc256oh56ow56_kh1kw1_sh1sw1_ph0pw0_dh0dw0"
DST_E = 4 * 256 * 56 * 56
SRC_WEI_E = 4 * 64 * 56 * 56 + 64 * 256
# post-ops, types, bytes of an element of each tensor, what the post-ops read
ROWS = [
    ("", "f16", 2, 0),
    ("relu", "f16", 2, 0),
    ("sum", "f16", 2, 2 * DST_E),
    ("sum:0.5+gelu_erf+sum", "f16", 2, 2 * DST_E),  # one old destination
    ("add:f32:per_tensor", "f16", 2, 4 * DST_E),
    ("binary_mul:bf16:per_oc+add:u8:0", "f16", 2, 2 * 256 + 1),
    ("sub:s8:12+prelu:per_oc", "f16", 2, 56 * 56 + 4 * 256),
    ("sum+max:f16:per_dim_01", "f32", 4, 4 * DST_E + 2 * 4 * 256),
]


def main():
    tap = Tap()
    for post_ops, dtype, elem_b, more_b in ROWS:
        want_b = elem_b * (SRC_WEI_E + DST_E) + more_b
        done = subprocess.run(
            [sys.argv[1], "--mode=P", "--dir=FWD_D", "--time-only=0", "--mb=4", "--dt=" + dtype,
             f"--attr-post-ops={post_ops}",
             "--perf-template=@%ibytes% %obytes% %ptime% %eff%", SHAPE],
            stdout=subprocess.PIPE, text=True, check=True)
        ibytes, obytes, ms, eff = map(float, done.stdout.split("\n@")[1].split()[:4])
        tap.check(ibytes + obytes == want_b and obytes == elem_b * DST_E,
                  f"{dtype} {post_ops}: {ibytes:.0f} bytes read, {obytes:.0f} "
                  f"written, {want_b} in all",
                  f"expected {want_b - elem_b * DST_E} and {elem_b * DST_E}")
        told_b = eff * ms * 1e-3 * MEMORY_B_S
        tap.check(abs(told_b / want_b - 1) < 2e-3 and eff < 1,
                  f"{dtype} {post_ops}: efficiency {eff} counts {told_b:.0f} bytes",
                  f"expected {want_b} within 0.2 percent, and an efficiency below 1")
        p = Problem(f"mb4{SHAPE}", dtype, "fwd", post_ops)
        least_ms = least_of("a770", p, dtype)[0] / 1e3
        tap.check(p.memory_b == want_b and least_ms <= ms,
                  f"{dtype} {post_ops}: the bound counts {p.memory_b} bytes, "
                  f"{least_ms:.4f} ms of {ms:.4f}",
                  f"expected {want_b} bytes, and a bound that is no more than the time")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
