# SPDX-License-Identifier: Apache-2.0
"""C = A B on an Arc A770, assembler of any tile: f16 in and f32 out, or s8 and s32,
through shared local memory in 3 or 4 buffers with a barrier a step, multiplied by
dpasw: the structure of those kernels of oneDNN's GEMM catalog that copy both
matrices, or B alone, whose A goes from memory to registers. A lies as the rows of a thread's tile for a dpas' K, B as columns so,
tiles of the same K side by side, so nothing is moved between registers. Slices of
K are not added up: each has a C of its own, by threads. Arguments: A, B, C."""
import struct
from dataclasses import dataclass

from gemm_tile import FORMATS, ROW_B, Lines, Tile

PLATFORM, LANES = "xehpg", 8
LOAD, STORE = 0x02008000, 0x02008004  # of one lane, transposed
A64, A32 = 0x180, 0x100
COPYING = (0, 4, 5, 6, 7)  # tokens of loads
AHEAD = (6, 7)             # those of A, if it is not copied
SIZES = {512: 0x7600, 256: 0x7400, 128: 0x6400, 64: 0x5400, 32: 0x4400}  # d64, d32


@dataclass(frozen=True)
class Shape(Tile):
    """`more`: buffers. Threads along N are fused pairs. `held`: A is not copied, and
    registers hold it for so many dpas' K."""
    held: int = 0

    @property
    def buffers(self):
        return self.more

    @property
    def part_b(self):
        """A's and B's copied bytes of a group for a dpas' K."""
        return (0 if self.held else self.rows * self.threads[0] * ROW_B,
                self.columns * self.threads[1] * ROW_B)

    @property
    def step_b(self):
        return sum(self.part_b) * (self.step // self.unit)

    @property
    def slm_b(self):
        return self.step_b * self.buffers * self.threads[2]

    @property
    def copy_b(self):
        """Bytes of a copy's message: the most with which the fewest are moved, since
        each thread has equally many."""
        threads = self.threads[0] * self.threads[1]
        fits = [n for n in SIZES if not any(b % n for b in self.part_b)]
        return min(fits, key=lambda n: (-(-self.step_b // (n * threads)) * n, -n))


def pieces(n_b):
    """Messages' bytes."""
    for size in sorted(SIZES, reverse=True):
        while n_b >= size:
            yield size
            n_b -= size
    assert not n_b


class Text(Lines):
    """The kernel of a shape for M x N x K."""
    places, steps, tmp = 2, 3, 4  # registers of scalars

    def __init__(self, shape, m, n, k, in_step=False):
        super().__init__()
        s = self.s = shape
        self.in_step = in_step  # the barrier is in front of the reads, not behind
        self.size = (m, n, k)
        self.count = k // s.step // s.threads[2]
        self.phases = s.step // s.unit
        self.repeat = min(8, s.rows)
        threads = s.threads[0] * s.threads[1]
        self.copies = -(-(s.step_b // s.copy_b) // threads)
        self.low, self.high, self.by = 6, 8, 10  # of where copies come from, a lane each
        self.copy = 12                          # from, to, by a copy each
        self.copying = COPYING[:3] if s.held else COPYING
        self.from_a = self.copy + 2 * self.copies  # where A's next load is from
        self.address = self.from_a + (s.held > 0)
        self.staged = self.address + 8          # eight addresses
        self.a = self.staged + self.copies * -(-s.copy_b // 32)
        a_regs = max(1, s.rows // 2)
        self.a_held = s.held or self.phases
        self.b = self.a + a_regs * self.a_held
        self.c = self.b + s.columns
        c_regs = s.rows * s.columns // 8
        self.b_held = 2 if self.c + s.columns + c_regs < s.grf else 1
        self.c = self.b + s.columns * self.b_held
        assert self.c + c_regs < s.grf, (s, self.c, c_regs)
        self.a_regs, self.next_address = a_regs, 0

    def carry(self, reg, added):
        """Into .1 of what was added to .0."""
        self.put(f"(W) cmp (1|M0) (lt)f1.0 null<1>:ud {self.at(reg, 0)} {added} "
                 "{A@1}")
        self.put(f"(W&f1.0) add (1|M0) r{reg}.1<1>:ud {self.at(reg, 1)} 1:ud {{A@1}}")

    def divide(self, dst, src, by):
        """Small numbers alone."""
        self.scalar("mul", dst, src, f"{65536 // by + 1}:ud")
        reg, _, i = dst[1:].partition(".")
        self.scalar("shr", dst, self.at(reg, i), "16:ud")

    def coordinates(self):
        """places: .0 row of threads, .1 column, .2 slice, .3 thread of the slice,
        .4 first byte of its local memory, .5 thread of all."""
        s, p = self.s, self.places
        m, n, k = s.threads
        self.scalar("and", f"r{p}.5", "r0.2<0;1,0>:ud", "0xFF:ud")
        self.divide(f"r{p}.2", self.at(p, 5), m * n)
        self.scalar("mul", f"r{p}.3", self.at(p, 2), f"{m * n}:uw")
        self.scalar("add", f"r{p}.3", self.at(p, 5), f"-r{p}.3<0;1,0>:ud")
        self.divide(f"r{p}.0", self.at(p, 3), n)
        self.scalar("mul", f"r{p}.1", self.at(p, 0), f"{n}:uw")
        self.scalar("add", f"r{p}.1", self.at(p, 3), f"-r{p}.1<0;1,0>:ud")
        self.scalar("mul", f"r{p}.4", self.at(p, 2), f"{s.step_b * s.buffers}:ud")

    def set_copy(self, i):
        """Registers copy + 2 i: .0, .1 from; then: .0 to. Lanes i of by: to the next."""
        s, t = self.s, self.tmp
        m, n, k = self.size
        a_b, b_b = s.part_b
        from_, to = self.copy + 2 * i, self.copy + 2 * i + 1
        threads = s.threads[0] * s.threads[1]
        all_units, each = s.step_b // s.copy_b, (a_b + b_b) // s.copy_b
        self.scalar("add", f"r{t}.0", self.at(self.places, 3), f"{i * threads}:ud")
        self.divide(f"r{t}.1", self.at(t, 0), all_units)  # those too many do it again
        self.scalar("mul", f"r{t}.1", self.at(t, 1), f"{all_units}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), f"-r{t}.1<0;1,0>:ud")
        self.scalar("mul", f"r{to}.0", self.at(t, 0), f"{s.copy_b}:uw")
        self.scalar("add", f"r{to}.0", self.at(to, 0), self.at(self.places, 4))
        self.divide(f"r{t}.1", self.at(t, 0), each)       # which dpas' K
        self.scalar("mul", f"r{t}.2", self.at(t, 1), f"{each}:uw")
        self.scalar("add", f"r{t}.2", self.at(t, 0), f"-r{t}.2<0;1,0>:ud")
        self.scalar("mul", f"r{t}.2", self.at(t, 2), f"{s.copy_b}:uw")
        first = self.count * self.phases                  # of a slice
        self.scalar("mul", f"r{t}.3", self.at(self.places, 2), f"{first}:ud")
        self.scalar("add", f"r{t}.1", self.at(t, 1), self.at(t, 3))
        for part, (extent, argument, group, bytes_b) in enumerate((
                (m, 0, "r0.6", a_b), (n, 1, "r0.1", b_b))):
            line_b = extent * ROW_B
            on = "" if not part else "&f0.0"
            if part:
                self.put(f"(W) cmp (1|M0) (ge)f0.0 null<1>:ud {self.at(t, 2)} "
                         f"{a_b}:ud {{A@1}}")
                self.put(f"(W&f0.0) add (1|M0) r{t}.2<1>:d r{t}.2<0;1,0>:d "
                         f"{-a_b}:d {{A@1}}")
            for line in (
                    f"mul (1|M0) r{t}.3<1>:ud {self.at(t, 1)} {line_b}:ud",
                    f"mul (1|M0) r{t}.4<1>:ud {group}<0;1,0>:ud {bytes_b}:ud",
                    f"add (1|M0) r{t}.3<1>:ud {self.at(t, 3)} {self.at(t, 4)}",
                    f"add (1|M0) r{t}.3<1>:ud {self.at(t, 3)} {self.at(t, 2)}",
                    f"add (1|M0) r{from_}.0<1>:ud r1.{2 * argument}<0;1,0>:ud "
                    f"{self.at(t, 3)}",
                    f"mov (1|M0) r{from_}.1<1>:ud r1.{2 * argument + 1}<0;1,0>:ud",
                    f"mov (1|M0) {self.lane(self.by, i)}<1>:ud {line_b * self.phases}:ud"):
                self.put(f"(W{on}) {line} {{A@1}}")
        self.carry(from_, self.at(t, 3))
        for part, reg in enumerate((self.low, self.high)):
            self.scalar("mov", self.lane(reg, i), self.at(from_, part))

    @staticmethod
    def lane(reg, i):
        return f"r{reg + i // 8}.{i % 8}"

    def begin(self):
        s, p = self.s, self.steps
        threads = s.threads[0] * s.threads[1] * s.threads[2]
        self.coordinates()
        for i in range(self.copies):
            self.set_copy(i)
        self.put(f"(W) mov (8|M0) r{self.tmp + 1}.0<1>:ud 0x0:ud")  # of the barrier
        self.scalar("mov", f"r{self.tmp + 1}.2",
                    f"0x{threads << 24 | threads << 16:08x}:ud")
        # steps: .0 those left, .1 where it writes, .2 where it reads
        self.scalar("mov", f"r{p}.0", f"{self.count}:ud")
        self.scalar("mov", f"r{p}.1", "0:ud")
        self.scalar("mov", f"r{p}.2", self.at(self.places, 4))
        for r in range(self.c, self.c + s.rows * s.columns // 8):
            self.put(f"(W) mov (8|M0) r{r}.0<1>:f 0x0:f")

    def fetch(self):
        """The next step's share."""
        s = self.s
        for i in range(self.copies):
            reg, to = self.copy + 2 * i, self.staged + i * -(-s.copy_b // 32)
            desc = LOAD | A64 | SIZES[s.copy_b] | s.copy_b // 32 << 20
            self.put(f"(W) send.ugm (1|M0) r{to} r{reg} null:0 0x0 0x{desc:08x} "
                     f"{{A@1,${self.copying[i % len(self.copying)]}}}")
        self.wait("src")
        for line in (
                f"add (16|M0) r{self.low}.0<1>:ud r{self.low}.0<1;1,0>:ud "
                f"r{self.by}.0<1;1,0>:ud",
                f"cmp (16|M0) (lt)f1.0 null<1>:ud r{self.low}.0<1;1,0>:ud "
                f"r{self.by}.0<1;1,0>:ud"):
            self.put(f"(W) {line} {{A@1}}")
        self.put(f"(W&f1.0) add (16|M0) r{self.high}.0<1>:ud r{self.high}.0<1;1,0>:ud "
                 "1:ud {A@1}")
        for i in range(self.copies):
            for part, reg in enumerate((self.low, self.high)):
                wait = " {A@1}" if not i else ""
                self.put(f"(W) mov (1|M0) r{self.copy + 2 * i}.{part}<1>:ud "
                         f"{self.lane(reg, i)}<0;1,0>:ud{wait}")

    def wait(self, what):
        """For the loads of copies."""
        for token in self.copying[:self.copies]:
            self.put(f"(W) sync.nop null {{${token}.{what}}}")

    def places_of(self, sums):
        """(address register, token) of each sum of two; eight in turn, whose messages
        have read them. At most eight, so that one wait is enough for all."""
        out = []
        for base, offset in sums:
            reg = self.address + self.next_address % 8
            token = 8 + self.next_address % 8
            self.next_address += 1
            self.put(f"(W) sync.nop null {{${token}.src}}")
            wait = "" if out else " {A@1}"
            self.put(f"(W) add (1|M0) r{reg}.0<1>:ud {base} {offset}{wait}")
            out.append((reg, token))
        return out

    def keep(self):
        """What was fetched goes to local memory."""
        s = self.s
        self.wait("dst")
        regs, desc = -(-s.copy_b // 32), STORE | A32 | SIZES[s.copy_b]
        for first in range(0, self.copies, 8):
            some = range(first, min(first + 8, self.copies))
            where = self.places_of((self.at(self.copy + 2 * i + 1, 0),
                                    self.at(self.steps, 1)) for i in some)
            for i, (reg, token) in zip(some, where):
                self.put(f"(W) send.slm (1|M0) null r{reg} "
                         f"r{self.staged + i * regs}:{regs} 0x0 0x{desc:08x} "
                         f"{{A@1,${token}}}")
        for i in range(8, 16):
            self.put(f"(W) sync.nop null {{${i}.src}}")
        self.turn(1, s.step_b * s.buffers, 0)

    def turn(self, i, end, back):
        """The place of the next buffer."""
        p = self.steps
        self.scalar("add", f"r{p}.{i}", self.at(p, i), f"{self.s.step_b}:ud")
        limit = f"{end}:ud"
        if back:
            limit = self.at(self.tmp, 7)
        self.put(f"(W) cmp (1|M0) (ge)f0.0 null<1>:ud {self.at(p, i)} {limit} {{A@1}}")
        self.put(f"(W&f0.0) add (1|M0) r{p}.{i}<1>:d r{p}.{i}<0;1,0>:d {-end}:d {{A@1}}")

    def signal(self):
        self.put(f"(W) send.slm (8|M0) r{self.s.grf - 1} r0 null:0 0x0 0x0210011F {{$1}}")
        self.put("(W) sync.nop null {$1.dst}")
        self.put(f"(W) send.gtwy (8|M0) null r{self.tmp + 1} null:0 0x0 0x02000004 "
                 "{A@1,$2}")

    def read(self, to, base, offset, n_b):
        """Its tokens."""
        tokens, parts = [], []
        for size in pieces(n_b):
            parts.append((size, to, offset))
            to, offset = to + size // 32, offset + size
        assert len(parts) <= 8, parts
        where = self.places_of((base, f"{part[2]}:ud") for part in parts)
        for (size, to, _), (reg, token) in zip(parts, where):
            desc = LOAD | A32 | SIZES[size] | size // 32 << 20
            self.put(f"(W) send.slm (1|M0) r{to} r{reg} null:0 0x0 0x{desc:08x} "
                     f"{{A@1,${token}}}")
            tokens.append(token)
        return tokens

    def bases(self):
        """tmp.5: this thread's half of its rows; tmp.6: its columns; from the
        buffer's begin. tmp.7: the end of its buffers."""
        s, p, t = self.s, self.places, self.tmp
        self.scalar("and", f"r{t}.5", self.at(p, 1), "1:ud")
        self.scalar("mul", f"r{t}.5", self.at(t, 5), f"{s.rows * ROW_B // 2}:uw")
        self.scalar("mul", f"r{t}.0", self.at(p, 0), f"{s.rows * ROW_B}:uw")
        self.scalar("add", f"r{t}.5", self.at(t, 5), self.at(t, 0))
        self.scalar("mul", f"r{t}.6", self.at(p, 1), f"{s.columns * ROW_B}:uw")
        self.scalar("add", f"r{t}.6", self.at(t, 6), f"{s.part_b[0]}:ud")
        self.scalar("add", f"r{t}.7", self.at(p, 4), f"{s.step_b * s.buffers}:ud")

    def begin_a(self):
        """from_a: this thread's half of its rows, of its slice."""
        s, p, t, a = self.s, self.places, self.tmp, self.from_a
        each = s.rows * s.threads[0] * ROW_B  # of a group, for a dpas' K
        first = self.count * self.phases * self.size[0] * ROW_B
        self.scalar("mul", f"r{t}.0", self.at(p, 2), f"{first}:ud")
        self.scalar("mul", f"r{t}.1", "r0.6<0;1,0>:ud", f"{each}:ud")
        self.scalar("mul", f"r{t}.2", self.at(p, 0), f"{s.rows * ROW_B}:uw")
        self.scalar("and", f"r{t}.3", self.at(p, 1), "1:ud")
        self.scalar("mul", f"r{t}.3", self.at(t, 3), f"{s.rows * ROW_B // 2}:uw")
        for i in range(1, 4):
            self.scalar("add", f"r{t}.0", self.at(t, 0), self.at(t, i))
        self.scalar("add", f"r{a}.0", "r1.0<0;1,0>:ud", self.at(t, 0))
        self.scalar("mov", f"r{a}.1", "r1.1<0;1,0>:ud")
        self.carry(a, self.at(t, 0))
        for phase in range(self.a_held):
            self.load_a(phase)

    def load_a(self, phase):
        """A for a dpas' K, in the registers of a former one, which has read them."""
        s, a, n_b = self.s, self.from_a, self.s.rows * ROW_B // 2
        assert n_b in SIZES, s
        to, token = self.a_of(phase), self.token_a(phase)
        desc = LOAD | A64 | SIZES[n_b] | n_b // 32 << 20
        self.put(f"(W) send.ugm (1|M0) r{to} r{a} null:0 0x0 0x{desc:08x} {{A@1,${token}}}")
        self.put(f"(W) sync.nop null {{${token}.src}}")
        self.scalar("add", f"r{a}.0", self.at(a, 0), f"{self.size[0] * ROW_B}:ud")
        self.carry(a, f"{self.size[0] * ROW_B}:ud")

    def a_of(self, phase):
        return self.a + phase % self.a_held * self.a_regs

    def token_a(self, phase):
        return AHEAD[phase % self.a_held]

    def read_a(self):
        """Tokens of A for the step's first dpas, and for others that are read now."""
        s, t = self.s, self.tmp
        if s.held:
            return [self.token_a(0)]
        tokens = []
        for phase in range(self.phases):
            tokens += self.read(self.a_of(phase), self.at(t, 0),
                                phase * sum(s.part_b), s.rows * ROW_B // 2)
        return tokens

    def read_b(self, phase):
        return self.read(self.b + phase % self.b_held * self.s.columns,
                         self.at(self.tmp, 1), phase * sum(self.s.part_b),
                         self.s.columns * ROW_B)

    def multiply(self, phase, tokens):
        s = self.s
        acc, from_ = FORMATS[s.dtype]
        for token in tokens:
            self.put(f"(W) sync.nop null {{${token}.dst}}")
        rows = s.rows // self.repeat
        for j in range(s.columns // 8):
            b = self.b + phase % self.b_held * s.columns + 8 * j
            for i in range(rows):
                c = self.c + (j * rows + i) * self.repeat
                a = self.a_of(phase) + i * self.repeat // 2
                wait = "$3" if i == rows - 1 else "Atomic"
                self.put(f"(W) dpasw.8x{self.repeat} (8|M0) r{c}:{acc} r{c}:{acc} "
                         f"r{b}:{from_} r{a}.0:{from_} {{{wait}}}")

    def step(self):
        s, t = self.s, self.tmp
        self.put("LOOP:")
        self.keep()
        self.fetch()
        self.signal()
        if self.in_step:
            self.put("sync.bar null")
        self.put("(W) sync.nop null {$3.dst}")
        self.scalar("add", f"r{t}.0", self.at(t, 5), self.at(self.steps, 2))
        self.scalar("add", f"r{t}.1", self.at(t, 6), self.at(self.steps, 2))
        waiting = [self.read_a() + self.read_b(0)]
        waiting += [self.read_b(p) for p in range(1, min(self.phases, self.b_held))]
        for phase in range(self.phases):
            if phase and s.held:
                waiting[phase].append(self.token_a(phase))
            self.multiply(phase, sorted(set(waiting[phase])))
            if phase + self.b_held < self.phases or s.held:
                self.put("(W) sync.nop null {$3.src}")
            if phase + self.b_held < self.phases:
                waiting.append(self.read_b(phase + self.b_held))
            if s.held:
                self.load_a(phase)
        self.turn(2, s.step_b * s.buffers, True)
        self.scalar("add", f"r{self.steps}.0", self.at(self.steps, 0), "-1:d",
                    dtype="d")
        if not self.in_step:
            self.put("sync.bar null")
        self.put(f"(W) cmp (1|M0) (gt)f0.0 null<1>:d r{self.steps}.0<0;1,0>:d 0:d "
                 "{A@1}")
        self.put("(W&f0.0) jmpi LOOP")

    def store(self):
        """Tile by tile: those of groups along N, then M; of threads; columns."""
        s, p, t = self.s, self.places, self.tmp
        m, n, _ = self.size
        tile_b = s.rows * s.columns * 4
        threads = s.threads[0] * s.threads[1] * s.threads[2]
        for token in (3, *AHEAD[:s.held]):
            self.put(f"(W) sync.nop null {{${token}.dst}}")
        self.put("(W) sync.allrd null")
        self.scalar("mul", f"r{t}.0", "r0.6<0;1,0>:ud", f"{n // s.group()[1]}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), "r0.1<0;1,0>:ud")
        self.scalar("mul", f"r{t}.0", self.at(t, 0), f"{threads}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), self.at(p, 5))
        self.scalar("mul", f"r{t}.0", self.at(t, 0), f"{tile_b}:ud")
        at, reg = 0, self.address
        for size in pieces(tile_b):
            self.put("(W) sync.nop null {$0.src}")
            self.scalar("add", f"r{t}.1", self.at(t, 0), f"{at}:ud")
            self.scalar("add", f"r{reg}.0", self.at(t, 1), "r1.4<0;1,0>:ud")
            self.scalar("mov", f"r{reg}.1", "r1.5<0;1,0>:ud")
            self.carry(reg, self.at(t, 1))
            regs = size // 32
            self.put(f"(W) send.ugm (1|M0) null r{reg} r{self.c + at // 32}:{regs} 0x0 "
                     f"0x{STORE | A64 | SIZES[size]:08x} {{A@1,$0}}")
            at += size

    def make(self):
        s = self.s
        self.begin()
        self.bases()
        if s.held:
            self.begin_a()
        self.fetch()
        # one step ahead: the first is there before the loop
        self.keep()
        self.fetch()
        self.signal()
        self.put("sync.bar null")
        self.step()
        self.store()
        self.put(f"(W) mov (8|M0) r{s.grf - 1}.0<1>:ud r0.0<1;1,0>:ud {{$0.src}}")
        self.put(f"(W) send.gtwy (8|M0) null r{s.grf - 1} null:0 0x0 0x02000010 "
                 "{EOT,A@1}")
        return "".join(self.out)


def text(shape, m, n, k, in_step=False):
    return Text(shape, m, n, k, in_step).make()


def read_k(shape, k):
    """A and B are loaded two steps ahead, and so far beyond their end."""
    return k + 2 * shape.step


def options(shape):
    return ["--barriers=1"], [f"slm:{shape.slm_b}"]


def pack(shape, a, b):
    """Bytes of A and B, lists of rows and of columns along K."""
    repeat, unit = min(8, shape.rows), shape.unit
    letter, dword = ("e", 2) if shape.dtype == "f16" else ("b", 4)
    out = [bytearray(), bytearray()]
    for k in range(0, len(a[0]), unit):
        for row in range(0, len(a), shape.rows):
            for half in (0, repeat // 2):
                for i in range(row, row + shape.rows, repeat):
                    for values in a[i + half:i + half + repeat // 2]:
                        out[0] += struct.pack(f"{unit}{letter}", *values[k:k + unit])
        for column in range(0, len(b), 8):
            for at in range(k, k + unit, dword):
                for values in b[column:column + 8]:
                    out[1] += struct.pack(f"{dword}{letter}", *values[at:at + dword])
    return out


def unpack(shape, c, n):
    """{(row, column): sum of the slices} of C's values."""
    along_m, along_n, slices = shape.threads
    repeat, tile = min(8, shape.rows), shape.rows * shape.columns
    out = {}
    for at in range(0, len(c), tile):
        group, thread = divmod(at // tile, along_m * along_n * slices)
        down, right = divmod(group, n // shape.group()[1])
        thread %= along_m * along_n
        row = (down * along_m + thread // along_n) * shape.rows
        column = (right * along_n + thread % along_n) * shape.columns
        for i, value in enumerate(c[at:at + tile]):
            block, inside = divmod(i, 8 * repeat)
            j, part = divmod(block, shape.rows // repeat)
            key = row + part * repeat + inside // 8, column + 8 * j + inside % 8
            out[key] = out.get(key, 0) + value
    return out
