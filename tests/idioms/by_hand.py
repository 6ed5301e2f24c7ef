#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""by_hand.py DESCRIBE XK: programs written by hand, and lines that describe must
and must not print for them, read off the text by hand. TAP."""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

END = """(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud
(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT,A@1}
"""
STORE = "(W) send.slm (1|M0) null r84 r75:8 0x0 0x0200F504 {$0}\n"
FENCE = "(W) send.slm (1|M0) r5 r0 null:0 0x0 0x0210011F {$3}\n"
WAIT = "(W) mov (8|M0) null<1>:ud r5.0<1;1,0>:ud {$3.dst}\n"
SIGNAL = """(W) mov (8|M0) r2.0<1>:ud 0x0:ud
(W) mov (2|M0) r2.10<1>:ub r0.11<0;1,0>:ub
(W) send.gtwy (1|M0) null r2 null:0 0x0 0x02000004 {A@1,$4}
"""
BAR = "(W) sync.bar null\n"
ADD = "(W) add (1|M0) r9.0<1>:d r8.0<0;1,0>:d 1:d\n"
GLOBAL = "(W) send.ugm (16|M0) null r94 r22:16 0x3000000 0x64004504 {$1}\n"
LAST = "(W) send.ugm (1|M0) r13 r0 null:0 0x0 0x0210651F {$2}\n"
LAST_WAIT = "(W) mov (8|M0) null<1>:ud r13.0<1;1,0>:ud {$2.dst}\n"
JUMP = "(W) jmpi 16\n"

CASES = [
    ("a fence between store and barrier",
     STORE + FENCE + WAIT + SIGNAL + BAR + END,
     ["barrier\tbefore it: store to SLM, fence",
      "barrier\tW sync.bar at once",
      "barrier\tW message SIMD1 {A@,$}",
      "barrier\tpayload: W mov(2) r:ub <- r:ub",
      "barrier\tpayload: W mov(8) r:ud <- imm:ud",
      "fence\tslm waited for by a read of it",
      "form\tstore slm flat a32 d32 x64 t SIMD1 df.df",
      "end\tW EOT to gtwy SIMD8 from r112 to r127 {A@}",
      "end\tpayload: W mov(8) r:ud <- r:ud (r0)",
      "end\tnone, no fence"],
     ["barrier\tbefore it: store to SLM, no fence"]),
    ("none", STORE + SIGNAL + BAR + END,
     ["barrier\tbefore it: store to SLM, no fence"],
     ["barrier\tbefore it: store to SLM, fence"]),
    ("the fence before the store", FENCE + WAIT + STORE + SIGNAL + BAR + END,
     ["barrier\tbefore it: store to SLM, no fence"], []),
    ("a fence that nobody waits for", STORE + FENCE + SIGNAL + BAR + END,
     ["fence\tslm waited for by nothing"], []),
    ("a fence waited for by its token", STORE + FENCE +
     "sync.nop null {$3.dst}\n" + SIGNAL + BAR + END,
     ["fence\tslm waited for by sync.nop {$.dst}"], []),
    ("a split barrier", SIGNAL + ADD + BAR + END,
     ["barrier\tW sync.bar later",
      "barrier\tbefore it: no store to SLM within reach"],
     ["barrier\tW sync.bar at once"]),
    ("a split barrier around a jump and a message",
     SIGNAL + JUMP + STORE + BAR + END,
     ["barrier\tW sync.bar later, messages between, a branch between"], []),
    ("no wait at all", SIGNAL + END, ["barrier\tno sync.bar"], []),
    ("a global store and its fence", GLOBAL + LAST + LAST_WAIT + END,
     ["end\tglobal stores, fence ugm flushtype6 tile cache 0 SIMD1, waited for by a read"
      " of it", "form\tstore ugm bti a32 d32 x8 SIMD16 df.df",
      "gather\tW store ugm SIMD16"],
     ["end\tglobal stores, no fence"]),
    ("a global store behind the fence", LAST + LAST_WAIT + GLOBAL + END,
     ["end\tglobal stores, no fence"], []),
    ("the other end of the file", END.replace("r112", "r240"),
     ["end\tW EOT to gtwy SIMD8 from r240 to r255 {A@}"], []),
    ("an end elsewhere", END.replace("r112", "r64"),
     ["end\tW EOT to gtwy SIMD8 from elsewhere {A@}"], []),
]


def lines_of(describe, xk, text, folder):
    source, code = Path(folder, "k.asm"), Path(folder, "k.bin")
    source.write_text(text)
    subprocess.run([xk, "asm", "-p", "xehpg", source, "-o", code], check=True)
    done = subprocess.run([describe], input=f"hand\txehpg\t{code}\n", check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()


def main():
    describe, xk = sys.argv[1:]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for n, (name, text, must, must_not) in enumerate(CASES, 1):
            got = lines_of(describe, xk, text, folder)
            wrong = [l for l in must if l not in got] + \
                ["not " + l for l in must_not if l in got]
            print(f"{'not ' if wrong else ''}ok {n} - {name}")
            for line in wrong:
                print("#", line)
            bad += bool(wrong)
    print(f"1..{len(CASES)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
