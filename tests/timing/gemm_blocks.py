# SPDX-License-Identifier: Apache-2.0
"""C = A B on a Data Center GPU Max, assembler of any tile: f16 in and f32 out, or s8
and s32, all by rows, A and B by 2D block loads without copies, prefetched into L1: the
structure of those kernels of oneDNN's GEMM catalog that have no copies. Slices
of K are not added up: each has a C of its own. Arguments: A, B, C."""
import struct

from gemm_tile import FORMATS, Lines, Tile

PLATFORM, LANES = "xehpc", 16
DESC = {"f16": (0x02000203, 0x02000283), "s8": (0x02000003, 0x02000083)}
STORE = 0x02000407  # 2D blocks: loads by element, plain and transformed; of d32
HEADERS = 2


class Shape(Tile):
    """`more`: k that is prefetched ahead."""

    @property
    def ahead(self):
        return self.more


def block(width, height, n=1):
    return (width - 1) | (height - 1) << 8 | (n - 1) << 16


def shift(n):
    assert n & (n - 1) == 0, n
    return n.bit_length() - 1


def wait(function, tokens):
    return f"sync.{function} (" + ",".join(f"${t}" for t in tokens) + ") {A@1}\n"


class Text(Lines):
    """The kernel of a shape for M x N x K."""

    def __init__(self, shape, m, n, k):
        super().__init__()
        s = self.s = shape
        self.size = (m, n, k)
        group_m, group_n = s.group()
        assert not (m % group_m or n % group_n or k % (s.step * s.threads[2]))
        self.heights = [16] * (s.rows // 16) + [s.rows % 16] * (s.rows % 16 > 0)
        self.repeat = min(8, s.rows)
        self.phases = s.step // s.unit
        self.wide = min(32, s.columns)          # columns of a load of B
        self.n_a = len(self.heights) * s.step // (2 * s.unit)
        self.n_b = s.columns // self.wide
        c_regs = s.rows * s.columns // 16
        a_regs = s.rows * s.step * s.elem_b // 64
        b_regs = s.columns // 2
        self.places()
        room = s.grf - self.a - c_regs - a_regs - 1  # the last one ends it
        self.held = min(self.phases, room // b_regs)
        assert self.held > 0, (s, room, b_regs)
        self.b = self.a + a_regs
        self.c = self.b + self.held * b_regs
        self.b_regs = b_regs
        self.tokens(c_regs)

    def places(self):
        """Headers: A's, B's of each phase, then of both prefetches."""
        self.head_b = HEADERS + self.n_a
        self.head_p = self.head_b + self.n_b * self.phases
        self.tmp = self.head_p + 2
        self.a = self.tmp + 3

    def tokens(self, c_regs):
        n = self.n_a + self.n_b * self.held + 2
        most = 32 if self.s.grf > 128 else 16
        self.load_token = most - n
        self.dpas_tokens = range(min(self.load_token, 16, c_regs))

    def coordinates(self):
        """tmp.0: row of C, .1: column, .2: first k; .4: thread of its slice,
        .6, .7: the group's row and column."""
        s, t = self.s, self.tmp
        m, n, k = s.threads
        group_m, group_n = s.group()
        self.scalar("and", f"r{t}.3", "r0.2<0;1,0>:ud", f"{m * n * k - 1}:ud")
        self.scalar("and", f"r{t}.4", self.at(t, 3), f"{m * n - 1}:ud")
        self.scalar("and", f"r{t}.0", self.at(t, 3), f"{m - 1}:ud")
        self.scalar("shr", f"r{t}.1", self.at(t, 4), f"{shift(m)}:ud")
        self.scalar("shr", f"r{t}.5", self.at(t, 3), f"{shift(m * n)}:ud")
        self.scalar("mul", f"r{t}.0", self.at(t, 0), f"{s.rows}:uw")
        self.scalar("mul", f"r{t}.1", self.at(t, 1), f"{s.columns}:uw")
        self.scalar("mul", f"r{t}.2", self.at(t, 5), f"{self.size[2] // k}:uw")
        self.scalar("mul", f"r{t}.6", "r0.6<0;1,0>:ud", f"{group_m}:uw")
        self.scalar("mul", f"r{t}.7", "r0.1<0;1,0>:ud", f"{group_n}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), self.at(t, 6))
        self.scalar("add", f"r{t}.1", self.at(t, 1), self.at(t, 7))

    def header(self, reg, argument, width_b, height, shape):
        """All but its place."""
        self.put(f"(W) mov (16|M0) r{reg}.0<1>:ud 0x0:ud")
        self.put(f"(W) mov (1|M0) r{reg}.0<1>:uq r1.{argument}<0;1,0>:uq {{A@1}}")
        for i, value in ((2, width_b - 1), (3, height - 1), (4, width_b - 1),
                         (7, shape)):
            self.put(f"(W) mov (1|M0) r{reg}.{i}<1>:ud {value}:ud")

    def loads(self):
        """Headers of the loads; A's by pieces of 32 of k and 16 rows."""
        s, t = self.s, self.tmp
        m, n, k = self.size
        reg = HEADERS
        for part in range(s.step // (2 * s.unit)):
            for i, h in enumerate(self.heights):
                self.header(reg, 0, s.elem_b * k, m, block(s.unit, h, 2))
                self.scalar("add", f"r{reg}.5", self.at(t, 2), f"{2 * s.unit * part}:ud")
                self.scalar("add", f"r{reg}.6", self.at(t, 0), f"{16 * i}:ud")
                reg += 1
        for phase in range(self.phases):
            for j in range(self.n_b):
                self.header(reg, 1, s.elem_b * n, k,
                            block(16, s.unit, self.wide // 16))
                self.scalar("add", f"r{reg}.5", self.at(t, 1),
                            f"{self.wide * j}:ud")
                self.scalar("add", f"r{reg}.6", self.at(t, 2), f"{s.unit * phase}:ud")
                reg += 1

    def spread(self, reg, lanes, rows, row_base, column_base):
        """Places of this thread's part: `rows` of `lanes` lines side by side."""
        s, t = self.s, self.tmp
        threads = s.threads[0] * s.threads[1]
        each = max(1, rows * lanes // threads)
        down = rows // each
        self.scalar("and", f"r{t + 1}.0", self.at(t, 4), f"{down - 1}:ud")
        self.scalar("mul", f"r{t + 1}.0", self.at(t + 1, 0), f"{each}:uw")
        self.scalar("shr", f"r{t + 1}.1", self.at(t, 4), f"{shift(down)}:ud")
        self.scalar("and", f"r{t + 1}.1", self.at(t + 1, 1), f"{lanes - 1}:ud")
        self.scalar("shl", f"r{t + 1}.1", self.at(t + 1, 1),
                    f"{shift(64 // s.elem_b)}:ud")
        self.scalar("add", f"r{reg}.5", self.at(t + 1, 1), column_base)
        self.scalar("add", f"r{reg}.6", self.at(t + 1, 0), row_base)
        return each

    def prefetches(self):
        s, t, reg = self.s, self.tmp, self.head_p
        m, n, k = self.size
        group_m, group_n = s.group()
        self.scalar("add", f"r{t + 1}.2", self.at(t, 2), f"{s.ahead}:ud")
        line = 64 // s.elem_b
        for r, argument, width, height in ((reg, 0, k, m), (reg + 1, 1, n, k)):
            self.header(r, argument, s.elem_b * width, height, 0)
        each = self.spread(reg, max(1, s.step // line), group_m, self.at(t, 6),
                           self.at(t + 1, 2))
        self.put(f"(W) mov (1|M0) r{reg}.7<1>:ud {block(line, each)}:ud")
        each = self.spread(reg + 1, max(1, group_n // line), s.step,
                           self.at(t + 1, 2), self.at(t, 7))
        self.put(f"(W) mov (1|M0) r{reg + 1}.7<1>:ud {block(line, each)}:ud")

    def load_a(self):
        at, s = self.a, self.s
        for i in range(self.n_a):
            n = self.heights[i % len(self.heights)]  # registers: rows of 64 bytes
            desc = DESC[s.dtype][0] | n << 20
            self.put(f"(W) send.ugm (1|M0) r{at} r{HEADERS + i} null:0 0x0 0x{desc:x} "
                     f"{{${self.load_token + i}}}")
            at += n

    def load_b(self, phase):
        desc = DESC[self.s.dtype][1] | self.wide // 2 << 20
        place = phase % self.held
        for j in range(self.n_b):
            token = self.load_token + self.n_a + place * self.n_b + j
            to = self.b + place * self.b_regs + self.wide // 2 * j
            self.put(f"(W) send.ugm (1|M0) r{to} r{self.head_b + phase * self.n_b + j} "
                     f"null:0 0x0 0x{desc:x} {{${token}}}")

    def phase_tokens(self, phase):
        first = self.load_token + self.n_a + phase % self.held * self.n_b
        return range(first, first + self.n_b)

    def multiply(self, phase):
        s, token = self.s, 0
        acc, from_ = FORMATS[s.dtype]
        for j in range(s.columns // 16):
            for i in range(s.rows // self.repeat):
                row = i * self.repeat
                piece, h = row // 16, self.heights[row // 16]
                a = (self.a + phase // 2 * s.rows + 16 * piece +
                     phase % 2 * h // 2 + row % 16 // 2)
                b = self.b + phase % self.held * self.b_regs + 8 * j
                c = self.c + s.rows * j + row
                self.put(f"(W) dpas.8x{self.repeat} (16|M0) r{c}:{acc} r{c}:{acc} "
                         f"r{b}:{from_} r{a}.0:{from_} {{${self.dpas_tokens[token]}}}")
                token = (token + 1) % len(self.dpas_tokens)

    def move_on(self):
        """The next step's places."""
        last = self.load_token + self.n_a + self.n_b * self.held
        self.put("(W) sync.allrd (" + ",".join(
            f"${t}" for t in [*range(self.load_token, last + 2)]) + ") {A@1}")
        for reg in range(HEADERS, self.head_p + 2):
            by_x = reg < self.head_b or reg == self.head_p
            at = 5 if by_x else 6
            self.scalar("add", f"r{reg}.{at}", self.at(reg, at), f"{self.s.step}:ud")

    def body(self):
        count = self.tmp + 2
        self.put("LOOP:")
        self.out.append(wait("allrd", self.dpas_tokens))
        self.load_a()
        for phase in range(self.held):
            self.load_b(phase)
        last = self.load_token + self.n_a + self.n_b * self.held
        for i in range(2):
            self.put(f"(W) send.ugm (1|M0) null r{self.head_p + i} null:0 0x0 "
                     f"0x{DESC[self.s.dtype][0]:08x} {{${last + i}}}")
        self.put(f"(W) add (1|M0) r{count}.0<1>:d r{count}.0<0;1,0>:d -1:d")
        self.put(f"(W) cmp (1|M0) (gt)f0.0 null<1>:d r{count}.0<0;1,0>:d 0:d {{I@1}}")
        for phase in range(self.phases):
            tokens = list(self.phase_tokens(phase))
            if not phase:
                tokens = [*range(self.load_token, self.load_token + self.n_a), *tokens]
            self.out.append(wait("allwr", tokens))
            self.multiply(phase)
            if phase + self.held < self.phases:
                self.out.append(wait("allrd", self.dpas_tokens))
                self.load_b(phase + self.held)
        self.move_on()
        self.put("(W&f0.0) jmpi LOOP")

    def store(self):
        """Each slice below the one before."""
        s, t = self.s, self.tmp
        m, n, k = self.size
        self.out.append(wait("allwr", self.dpas_tokens))
        self.scalar("mul", f"r{t}.5", self.at(t, 5), f"{m}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), self.at(t, 5))
        self.header(HEADERS, 2, 4 * n, m * s.threads[2], block(16, self.repeat))
        for j in range(s.columns // 16):
            for i in range(s.rows // self.repeat):
                self.put("(W) sync.nop null {$0.src}")
                self.scalar("add", f"r{HEADERS}.5", self.at(t, 1), f"{16 * j}:ud")
                self.scalar("add", f"r{HEADERS}.6", self.at(t, 0),
                            f"{self.repeat * i}:ud")
                c = self.c + s.rows * j + self.repeat * i
                self.put(f"(W) send.ugm (1|M0) null r{HEADERS} r{c}:{self.repeat} 0x0 "
                         f"0x{STORE:08x} {{A@1,$0}}")

    def make(self):
        s = self.s
        self.coordinates()
        self.loads()
        self.prefetches()
        for r in range(self.c, self.c + s.rows * s.columns // 16):
            self.put(f"(W) mov (16|M0) r{r}.0<1>:f 0x0:f")
        steps = self.size[2] // s.threads[2] // s.step
        self.put(f"(W) mov (1|M0) r{self.tmp + 2}.0<1>:d {steps}:d")
        self.body()
        self.store()
        end = s.grf - 1
        self.put(f"(W) mov (16|M0) r{end}.0<1>:ud r0.0<1;1,0>:ud {{$0.src}}")
        self.put(f"(W) send.gtwy (8|M0) null r{end} null:0 0x0 0x02000010 {{EOT,A@1}}")
        return "".join(self.out)


def text(shape, m, n, k):
    return Text(shape, m, n, k).make()


def read_k(_, k):
    return k


def options(_):
    return [], []


def pack(shape, a, b):
    """Bytes of A and B, lists of rows and of columns along K."""
    letter = "e" if shape.dtype == "f16" else "b"
    return [struct.pack(f"{sum(map(len, rows))}{letter}", *(v for r in rows for v in r))
            for rows in (a, list(zip(*b)))]


def unpack(shape, c, n):
    """{(row, column): sum of the slices} of C's values."""
    each = len(c) // shape.threads[2]
    return {divmod(i, n): sum(c[i::each]) for i in range(each)}
