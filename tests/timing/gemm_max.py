# SPDX-License-Identifier: Apache-2.0
"""C = A B on a Data Center GPU Max, written by hand: f16 in, f32 out, A and C
with rows, B with rows too (transformed by its loads). It stands in for our best
kernel there as long as the generator does not do xehpc.

A group of 32 threads makes 256 x 256 of C, a thread 32 x 64, 32 of k at a time,
from 2D blocks. Each thread prefetches a 32nd of what the group needs AHEAD steps
later; beyond that, the four threads of an XVE hide each other's loads.
Arguments: A, B, C."""

GROUP_M, GROUP_N, STEP_K = 256, 256, 32
THREADS = 32
AHEAD = 3
LOAD = "0x03000203"   # 2D block, d16, 16 registers come
VNNI = "0x03000283"
PREFETCH = "0x02000203"
STORE = "0x02000407"  # d32
DPAS_TOKENS, LOAD_TOKENS = range(16), range(16, 22)
A, B, C = 16, 48, 128  # first registers


def wait(function, tokens):
    return f"sync.{function} (" + ",".join(f"${t}" for t in tokens) + ") {A@1}\n"


def header(reg, base, width_b, rows, x, y, block):
    """The registers of a 2D block's address: x and y are text."""
    return f"""(W) mov (16|M0) r{reg}.0<1>:ud 0x0:ud
(W) mov (1|M0) r{reg}.0<1>:uq r1.{base}<0;1,0>:uq {{A@1}}
(W) mov (1|M0) r{reg}.2<1>:ud {width_b - 1}:ud
(W) mov (1|M0) r{reg}.3<1>:ud {rows - 1}:ud
(W) mov (1|M0) r{reg}.4<1>:ud {width_b - 1}:ud
(W) mov (1|M0) r{reg}.5<1>:ud {x}
(W) mov (1|M0) r{reg}.6<1>:ud {y}
(W) mov (1|M0) r{reg}.7<1>:ud {block}:ud
"""


def block(width, height, n):
    return (width - 1) | (height - 1) << 8 | (n - 1) << 16


def begin(m, n, k):
    """r10: rows of C of this thread, r11: columns (dwords), headers r2..r7."""
    out = """(W) and (1|M0) r12.0<1>:ud r0.2<0;1,0>:ud 0x7:ud
(W) and (1|M0) r12.1<1>:ud r0.2<0;1,0>:ud 0x18:ud
(W) shl (1|M0) r12.2<1>:ud r0.6<0;1,0>:ud 8:ud
(W) shl (1|M0) r12.3<1>:ud r0.1<0;1,0>:ud 8:ud
(W) shl (1|M0) r12.0<1>:ud r12.0<0;1,0>:ud 5:ud {A@1}
(W) shl (1|M0) r12.1<1>:ud r12.1<0;1,0>:ud 3:ud
(W) add (1|M0) r10.0<1>:ud r12.0<0;1,0>:ud r12.2<0;1,0>:ud {A@1}
(W) add (1|M0) r11.0<1>:ud r12.1<0;1,0>:ud r12.3<0;1,0>:ud
(W) add (1|M0) r10.1<1>:ud r10.0<0;1,0>:ud 16:ud {A@1}
(W) add (1|M0) r11.1<1>:ud r11.0<0;1,0>:ud 32:ud
(W) sync.nop null {A@1}
"""
    for i in range(2):
        out += header(2 + i, 0, 2 * k, m, "0x0:ud", f"r10.{i}<0;1,0>:ud",
                      block(16, 16, 2))
    for i in range(4):
        out += header(4 + i, 1, 2 * n, k, f"r11.{i % 2}<0;1,0>:ud",
                      f"{16 * (i // 2)}:ud", block(16, 16, 2))
    out += """(W) and (1|M0) r12.4<1>:ud r0.2<0;1,0>:ud 0x1F:ud
(W) and (1|M0) r12.5<1>:ud r0.2<0;1,0>:ud 0x7:ud
(W) shl (1|M0) r12.4<1>:ud r12.4<0;1,0>:ud 3:ud {A@1}
(W) shl (1|M0) r12.5<1>:ud r12.5<0;1,0>:ud 5:ud
(W) add (1|M0) r12.4<1>:ud r12.4<0;1,0>:ud r12.2<0;1,0>:ud {A@1}
(W) add (1|M0) r12.5<1>:ud r12.5<0;1,0>:ud r12.3<0;1,0>:ud
(W) add (1|M0) r12.6<1>:ud r12.1<0;1,0>:ud %d:ud
(W) sync.nop null {A@1}
""" % (AHEAD * STEP_K)
    out += header(8, 0, 2 * k, m, f"{AHEAD * STEP_K}:ud", "r12.4<0;1,0>:ud",
                  block(32, 8, 1))
    out += header(9, 1, 2 * n, k, "r12.5<0;1,0>:ud", "r12.6<0;1,0>:ud",
                  block(32, 8, 1))
    for r in range(C, C + 128):
        out += f"(W) mov (16|M0) r{r}.0<1>:f 0x0:f\n"
    return out + f"(W) mov (1|M0) r13.0<1>:d {k // STEP_K}:d\n"


def step():
    """The loads, the next step's places, and 32 dpas."""
    out = "LOOP:\n" + wait("allrd", DPAS_TOKENS)
    for i in range(6):
        reg, desc = (A + 16 * i, LOAD) if i < 2 else (B + 16 * (i - 2), VNNI)
        out += f"(W) send.ugm (1|M0) r{reg} r{2 + i} null:0 0x0 {desc} {{${16 + i}}}\n"
    for i in range(2):
        out += f"(W) send.ugm (1|M0) null r{8 + i} null:0 0x0 {PREFETCH} {{${22 + i}}}\n"
    for i in range(8):
        at = 5 if i in (0, 1, 6) else 6
        out += (f"(W) add (1|M0) r{2 + i}.{at}<1>:ud r{2 + i}.{at}<0;1,0>:ud "
                f"{STEP_K}:ud {{${16 + i}.src}}\n")
    out += "(W) add (1|M0) r13.0<1>:d r13.0<0;1,0>:d -1:d\n"
    out += ("(W) cmp (1|M0) (gt)f0.0 null<1>:d r13.0<0;1,0>:d 0:d {I@1}\n")
    out += wait("allwr", LOAD_TOKENS)
    for half in range(2):
        for j in range(4):      # 16 columns
            for i in range(4):  # 8 rows
                c = C + 32 * j + 8 * i
                b = B + 32 * half + 8 * j
                a = A + 16 * (i // 2) + 8 * half + 4 * (i % 2)
                out += (f"(W) dpas.8x8 (16|M0) r{c}:f r{c}:f r{b}:hf r{a}.0:hf "
                        f"{{${4 * j + i}}}\n")
    return out + "(W&f0.0) jmpi LOOP\n"


def end(m, n):
    out = wait("allwr", DPAS_TOKENS)
    for j in range(4):
        for i in range(4):
            reg = 16 + 4 * j + i
            out += (f"(W) add (1|M0) r14.{reg - 16}<1>:ud r11.0<0;1,0>:ud {16 * j}:ud\n"
                    f"(W) add (1|M0) r15.{reg - 16}<1>:ud r10.0<0;1,0>:ud {8 * i}:ud\n")
    out += "(W) sync.nop null {A@1}\n"
    for j in range(4):
        for i in range(4):
            reg = 16 + 4 * j + i
            out += header(reg, 2, 4 * n, m, f"r14.{reg - 16}<0;1,0>:ud",
                          f"r15.{reg - 16}<0;1,0>:ud", block(16, 8, 1))
            out += (f"(W) send.ugm (1|M0) null r{reg} r{C + 32 * j + 8 * i}:8 0x0 "
                    f"{STORE} {{A@1,${4 * j + i}}}\n")
    return out + ("(W) mov (16|M0) r127.0<1>:ud r0.0<1;1,0>:ud\n"
                  "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}\n")


def text(m, n, k):
    """m, n: multiples of 256, k: of 32."""
    return begin(m, n, k) + step() + end(m, n)
