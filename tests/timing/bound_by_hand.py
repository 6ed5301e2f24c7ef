#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bound_by_hand.py: the cycles that scripts/report_bound.py asks for a layer whose
arithmetic is the limit, on each machine and in each type, beside those of the units
that the machine has, from its data sheet; and the multiply-adds of layers with depth, strides
and dilation, padding left out. TAP."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]
from report_bound import Problem, least_cycles, machine_of, row_of  # noqa: E402
from tap import Tap  # noqa: E402

LAYER = "mb16ic1024ih14iw14oc1024oh14ow14kh1kw1sh1sw1ph0pw0"
MACS = 16 * 1024 * 1024 * 14 * 14
# XVEs times multiply-adds of each in a cycle: mad 8 or 16 lanes, the array's 128 or
# 512 bytes by 4, dp4a 32; Iris Xe has no array, and mads of f16 are twice those of f32
UNITS = {
    ("a770", "f32"): 512 * 8, ("a770", "f16"): 512 * 64, ("a770", "bf16"): 512 * 64,
    ("a770", "u8s8"): 512 * 128,
    ("max1550", "f32"): 448 * 16, ("max1550", "f16"): 448 * 256,
    ("max1550", "bf16"): 448 * 256, ("max1550", "u8s8"): 448 * 512,
    ("iris-xe", "f32"): 96 * 8, ("iris-xe", "f16"): 96 * 16, ("iris-xe", "bf16"): 96 * 8,
    ("iris-xe", "u8s8"): 96 * 32,
}
# In one row, outputs 0 to 3 at distance 2, taps 0, 3 and 6 behind them less 2 of padding:
# 0 meets 1 and 4 (of -2, 1, 4), 1 all of 0, 3, 6; 2 has 2, 5, 8; 3 has 4, 7 of 4, 7, 10
INSIDE = {
    "mb1ic1iw10oc1ow4kw3sw2pw2dw2": 2 + 3 + 3 + 2,
    "mb2ic3ih1iw10oc5oh1ow4kh1kw3sh1sw2ph0pw2dh0dw2": 2 * 3 * 5 * 10,
    "mb1ic1id10ih1iw4oc1od4oh1ow4kd3kh1kw1sd2sh1sw1pd2ph0pw0dd2dh0dw0": 10 * 4,
}


def main():
    tap = Tap()
    for layer, macs in INSIDE.items():
        got = Problem(layer, "f16").macs
        tap.check(got == macs, f"{layer}: {got} multiply-adds", f"expected {macs}")
    for (name, dtype), macs in UNITS.items():
        p = Problem(LAYER, dtype)
        limits = least_cycles(name, machine_of(name), p, dtype)
        tap.check(abs(limits["arithmetic"] / (MACS / macs) - 1) < 1e-9,
                  f"{name} {dtype}: {limits['arithmetic']:.0f} cycles of arithmetic",
                  f"expected {MACS / macs:.0f}")
        us, cycles, what, _ = row_of(name, p, dtype)
        tap.check(int(cycles) == round(max(limits.values())) and what in limits,
                  f"{name} {dtype}: at least {us} us, {cycles} cycles, {what}",
                  f"expected the largest of {limits}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
