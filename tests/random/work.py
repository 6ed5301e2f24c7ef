#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""work.py XKBENCH: creation of a program is bounded, in units of work (base/budget.h),
which no load changes. Problems whose best tiles have the longest code: candidates
that cost too much are given up early enough that a smaller one, or the last resort,
is made within the bound; several kernels share it. TAP: one line for each problem."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

MOST = 60_000
# With two lost codes as the only bound they took 107,000 to 139,000 units.
PROBLEMS = (
    "--dir=FWD_D --dt=u8:s8:u8 --stag=abx --wtag=any --dtag=axb "
    "--attr-post-ops=relu+sum:0.300000012 "
    "mb7_ic65id24ih9iw7_oc176od14oh5ow6_kd3kh5kw2_sd2sh1sw1_pd3ph0pw0_dd0dh0dw0",
    "--deconv --dir=FWD_D --dt=u8:u8:u8 --stag=axb --wtag=abx --dtag=Bxa16b "
    "--attr-post-ops=relu+sum:0.5+relu "
    "mb32_ic95ih7iw44_oc40oh16ow44_kh3kw5_sh3sw1_ph3pw1_dh0dw0",
    "--dir=FWD_D --dt=u8:s8:s8 --stag=abx --wtag=any --dtag=any "
    "--attr-oscale=common:2.5 --attr-post-ops=relu+sum:-1+relu "
    "mb4_ic144ih29iw57_oc288oh29ow61_kh2kw3_sh1sw1_ph1pw3_dh1dw0",
    "--dir=FWD_D --dt=s8:s8:f32 --stag=abx --wtag=any --dtag=Bxa32b "
    "mb24_ic131ih15iw11_oc240oh42ow11_kh1kw3_sh1sw1_ph12pw0_dh0dw0",
    "--dir=FWD_B --dt=s8:s8:f32 --stag=abx --wtag=any --dtag=aBx4b "
    "--attr-oscale=common:0.125 --attr-post-ops=sum:0.300000012 "
    "mb16_ic114ih56iw5_oc512oh46ow6_kh11kw2_sh1sw1_ph0pw1_dh0dw0",
    "--dir=BWD_D --dt=s8:s8:u8 --stag=aBx4b --wtag=aBCx16b16c --dtag=axb "
    "g12mb16_ic12ih12iw12_oc1644oh11ow7_kh3kw1_sh1sw4_ph3pw9_dh2dw0",
    # Where each kernel had a bound of its own they took 76,000 to 152,000 units.
    "--dir=BWD_D --dt=s32:u8:s8 --stag=aBx16b --wtag=any --dtag=abx "
    "mb32_ic48ih24iw14_oc192oh42ow3_kh3kw11_sh1sw3_ph10pw2_dh0dw0",
    "--deconv --dir=FWD_B --dt=u8:s8:f32 --stag=aBx16b --wtag=AxB8a16b "
    "--dtag=Bxa16b --attr-oscale=common:2.5 "
    "mb3_ic66ih15iw1_oc448oh44ow11_kh3kw4_sh3sw15_ph0pw3_dh0dw2",
    "--deconv --dir=FWD_B --dt=f16:f16:f16 --stag=aBx4b --wtag=xba --dtag=axb "
    "--attr-oscale=common:0.300000012 --attr-post-ops=relu+relu "
    "mb24_ic320id17ih5iw6_oc141od17oh1ow15_kd3kh3kw7_sd1sh1sw4_pd2ph3pw7_dd0dh0dw0",
)


def main():
    xkbench = os.path.abspath(sys.argv[1])
    tap = Tap()
    for options in PROBLEMS:
        done = subprocess.run([xkbench, "--mode=I", *options.split()], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "XK_VERBOSE": "1"})
        found = re.search(r", (\d+) units of work, ", done.stderr)
        took = int(found.group(1)) if found else 0
        tap.check(0 < took <= MOST, f"at most {MOST} units: {options}",
                  f"{took} units\n{done.stdout}{done.stderr}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
