# SPDX-License-Identifier: Apache-2.0
"""C = A B on an Arc A770, assembler of any tile: f16 in and f32 out, or s8 and s32,
through shared local memory in 3 or 4 buffers with a barrier a step, multiplied by
dpasw: the structure of those kernels of oneDNN's GEMM catalog that copy both
matrices, or B alone, whose A goes from memory to registers. The order within a step is
oneDNN's, too: k_loop.cxx of its generator, by the words of a catalog's strategy.
A lies as the rows of a thread's tile for a dpas' K, B as columns so,
tiles of the same K side by side, so nothing is moved between registers. Slices of
K are not added up: each has a C of its own, by threads. Arguments: A, B, C."""
import re
import struct
from dataclasses import dataclass
from math import lcm

from gemm_tile import FORMATS, ROW_B, Lines, Tile

PLATFORM, LANES = "xehpg", 8
LOAD, STORE = 0x02008000, 0x02008004  # of one lane, transposed
A64, A32 = 0x180, 0x100
FENCE, SIGNAL = 1, 2              # tokens
PRODUCTS = (3, 0, 4, 5)           # of chains of dpas, in turn
TOKENS = tuple(range(15, 5, -1))  # of reads, the rest of copies
SIZES = {512: 0x7600, 256: 0x7400, 128: 0x6400, 64: 0x5400, 32: 0x4400}  # d64, d32


@dataclass(frozen=True)
class Shape(Tile):
    """`more`: words of a strategy: K of a load of the catalog's A (our columns) and of
    its B (our rows), and how many of them registers hold; what is copied, in how many
    buffers, and how many steps of it registers hold; long chains of dpas; a stall
    behind loads. "16 16x2 cab4x2 xaf st". Threads along N are fused pairs."""

    def load(self, i):
        """K, times, of the i-th load of the strategy."""
        k, _, times = self.more.split()[i].partition("x")
        return int(k), int(times or 1)

    @property
    def copied(self):
        """What, buffers, steps held."""
        what, buffers, _, times = re.search(r"(cab?)(\d)(x(\d))?", self.more).groups()
        return what, int(buffers), int(times or 1)

    @property
    def held(self):
        """A is not copied."""
        return self.copied[0] == "ca"

    @property
    def buffers(self):
        return self.copied[1]

    @property
    def loop(self):
        """K of the loop's body."""
        (kb, b_times), (ka, a_times) = self.load(0), self.load(1)
        return lcm(self.step * self.copied[2], ka * a_times, kb * b_times)

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
    low, high, by = 6, 8, 10      # of where copies come from, a lane each

    def __init__(self, shape, m, n, k):
        super().__init__()
        s = self.s = shape
        self.size = (m, n, k)
        self.count = k // s.step // s.threads[2]
        self.phases = s.step // s.unit
        self.repeat = min(8, s.rows)
        threads = s.threads[0] * s.threads[1]
        self.copies = -(-(s.step_b // s.copy_b) // threads)
        self.times = s.copied[2]
        assert not k % (s.loop * s.threads[2]), (s, k)
        (self.kb, self.b_times), (self.ka, self.a_times) = s.load(0), s.load(1)
        self.a_regs = max(1, s.rows // 2)
        self.copy_regs = -(-s.copy_b // 32)
        self.set_registers()
        reads = self.messages(True) + self.messages(False)
        self.products = PRODUCTS[:max(1, s.columns // 8)]
        self.tokens = TOKENS[reads:]  # of copies; the others are of reads

    def messages(self, of_a):
        """How many are under way at most, of A or of B."""
        s = self.s
        if of_a and s.held:
            return self.ka // s.unit * self.a_times
        n_b = s.rows * ROW_B // 2 if of_a else s.columns * ROW_B
        k, times = (self.ka, self.a_times) if of_a else (self.kb, self.b_times)
        return k // s.unit * times * len(list(pieces(n_b)))

    def set_registers(self):
        s, at = self.s, 12
        for name, n in (
                ("copy", 2 * self.copies),  # from, to, of each
                ("from_a", s.held),         # where A's next load is from
                ("read_at", self.messages(True) + self.messages(False)),
                ("keep_at", self.copies * self.times),
                ("staged", self.copies * self.times * self.copy_regs),
                ("a", self.a_regs * self.ka // s.unit * self.a_times),
                ("b", s.columns * self.kb // s.unit * self.b_times),
                ("c", s.rows * s.columns // 8)):
            setattr(self, name, at)
            at += n
        assert at < s.grf, (s, at)

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
        # steps: .0 those left, .1 where it writes, .2 where it has read
        self.scalar("mov", f"r{p}.0", f"{self.count}:ud")
        self.scalar("mov", f"r{p}.1", "0:ud")
        self.scalar("add", f"r{p}.2", self.at(self.places, 4),
                    f"{s.step_b * (s.buffers - 1)}:ud")
        for r in range(self.c, self.c + s.rows * s.columns // 8):
            self.put(f"(W) mov (8|M0) r{r}.0<1>:f 0x0:f")

    def wait(self, tokens, what):
        for token in dict.fromkeys(tokens):
            self.put(f"(W) sync.nop null {{${token}.{what}}}")

    def copying(self, step):
        """(index, token) of a step's copies."""
        first = step % self.times * self.copies
        return [(i, self.tokens[i % len(self.tokens)])
                for i in range(first, first + self.copies)]

    def fetch(self, step):
        """This thread's share of a step, from memory."""
        s, all_of = self.s, self.copying(step)
        self.wait((token for _, token in all_of), "src")
        for i, token in all_of:
            reg, to = self.copy + 2 * (i % self.copies), self.staged + i * self.copy_regs
            desc = LOAD | A64 | SIZES[s.copy_b] | s.copy_b // 32 << 20
            self.put(f"(W) send.ugm (1|M0) r{to} r{reg} null:0 0x0 0x{desc:08x} "
                     f"{{A@1,${token}}}")
        self.wait((token for _, token in all_of), "src")
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

    def keep(self, step):
        """What was fetched goes to local memory."""
        s, all_of = self.s, self.copying(step)
        self.wait((token for _, token in all_of), "dst")
        for i, _ in all_of:
            self.put(f"(W) add (1|M0) r{self.keep_at + i}.0<1>:ud "
                     f"{self.at(self.copy + 2 * (i % self.copies) + 1, 0)} "
                     f"{self.at(self.steps, 1)}{' {A@1}' * (i == all_of[0][0])}")
        for i, token in all_of:
            self.put(f"(W) send.slm (1|M0) null r{self.keep_at + i} "
                     f"r{self.staged + i * self.copy_regs}:{self.copy_regs} 0x0 "
                     f"0x{STORE | A32 | SIZES[s.copy_b]:08x} {{A@1,${token}}}")
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
        if self.b_times > 1 or self.a_times > 1 and not self.s.held:
            reads = self.messages(True) + self.messages(False)
            self.wait(TOKENS[self.s.held and self.messages(True):reads], "dst")
        self.put(f"(W) send.slm (8|M0) r{self.s.grf - 1} r0 null:0 0x0 0x0210011F "
                 f"{{${FENCE}}}")
        self.wait([FENCE], "dst")
        self.put(f"(W) send.gtwy (8|M0) null r{self.tmp + 1} null:0 0x0 0x02000004 "
                 f"{{A@1,${SIGNAL}}}")

    def read(self, to, first, base, offset, n_b):
        """From local memory; first: of its messages."""
        places = []
        for i, size in enumerate(pieces(n_b), first):
            self.wait([TOKENS[i]], "src")
            self.put(f"(W) add (1|M0) r{self.read_at + i}.0<1>:ud {base} {offset}:ud"
                     f"{' {A@1}' * (i == first)}")
            places.append((i, size, to))
            to, offset = to + size // 32, offset + size
        for i, size, to in places:
            desc = LOAD | A32 | SIZES[size] | size // 32 << 20
            self.put(f"(W) send.slm (1|M0) r{to} r{self.read_at + i} null:0 0x0 "
                     f"0x{desc:08x} {{A@1,${TOKENS[i]}}}")

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

    def load(self, k, of_a):
        """A or B from K k on."""
        s, t = self.s, self.tmp
        self.wait(self.products, "src")
        if of_a and s.held:
            return self.load_held(k)
        each, times = (self.ka, self.a_times) if of_a else (self.kb, self.b_times)
        n_b = s.rows * ROW_B // 2 if of_a else s.columns * ROW_B
        regs = self.a_regs if of_a else s.columns
        messages = len(list(pieces(n_b)))
        for i in range(each // s.unit):
            part = k // s.unit % (each // s.unit * times) + i
            first = part * messages + (0 if of_a else self.messages(True))
            phase = k // s.unit % self.phases + i
            self.read((self.a if of_a else self.b) + part * regs, first,
                      self.at(t, 0 if of_a else 1), phase * sum(s.part_b), n_b)
        return None

    def load_held(self, k):
        """A from memory."""
        s, a, n_b = self.s, self.from_a, self.s.rows * ROW_B // 2
        assert n_b in SIZES, s
        desc = LOAD | A64 | SIZES[n_b] | n_b // 32 << 20
        for i in range(self.ka // s.unit):
            part = k // s.unit % self.messages(True) + i
            self.put(f"(W) send.ugm (1|M0) r{self.a + part * self.a_regs} r{a} null:0 "
                     f"0x0 0x{desc:08x} {{A@1,${TOKENS[part]}}}")
            self.wait([TOKENS[part]], "src")
            self.scalar("add", f"r{a}.0", self.at(a, 0), f"{self.size[0] * ROW_B}:ud")
            self.carry(a, f"{self.size[0] * ROW_B}:ud")

    def multiply(self, k):
        """A dpas' K, whose registers are the last that were loaded for it."""
        s, at = self.s, k // self.s.unit
        acc, from_ = FORMATS[s.dtype]
        a_part = at % (self.ka // s.unit * self.a_times)
        b_part = at % (self.kb // s.unit * self.b_times)
        of_a = 1 if s.held else len(list(pieces(s.rows * ROW_B // 2)))
        of_b = len(list(pieces(s.columns * ROW_B)))
        first_b = self.messages(True) + b_part * of_b
        self.wait((TOKENS[i] for i in (*range(a_part * of_a, (a_part + 1) * of_a),
                                       *range(first_b, first_b + of_b))), "dst")
        self.wait(self.products, "dst")
        rows, blocks = s.rows // self.repeat, s.columns // 8
        for j in range(max(1, blocks)):
            b = self.b + b_part * s.columns + 8 * j
            for i in range(rows):
                c = self.c + (j * rows + i) * self.repeat
                a = self.a + a_part * self.a_regs + i * self.repeat // 2
                chain = i < rows - 1 or "xaf" in s.more.split() and j < blocks - 1
                self.put(f"(W) dpasw.8x{self.repeat} (8|M0) r{c}:{acc} r{c}:{acc} "
                         f"r{b}:{from_} r{a}.0:{from_} "
                         f"{{{'Atomic' if chain else f'${self.products[j % len(self.products)]}'}}}")

    def actions(self):
        """(every so many of K, so far ahead, what to do for its K), in the order of one
        place. Local memory is read `ahead` of the product."""
        s = self.s
        ahead = self.kb * (self.b_times - 1)
        of_a = self.ka * (self.a_times - 1)
        keep = s.step * (s.buffers - 2) + 1 + ahead
        four = s.buffers == 4
        out = [(s.step, s.step * self.times - 1 + keep, lambda k: self.fetch(k // s.step)),
               (s.step, ahead, lambda _: self.begin_step()),
               (self.kb, ahead, lambda k: self.load(k, False)),
               (self.ka, of_a, lambda k: self.load(k, True))]
        if "st" in s.more.split():
            out.append((lcm(self.ka, self.kb), 0, lambda _: self.stall()))
        out += [(s.unit, 1 - s.unit, self.multiply),
                (s.step, 1 + ahead, lambda _: self.put("sync.bar null"))]
        if four:
            out.append((s.step, s.step + 1 + ahead, lambda _: self.signal()))
        out.append((s.step, keep, lambda k: self.keep(k // s.step)))
        if not four:
            out.append((s.step, keep, lambda _: self.signal()))
        return out

    def begin_step(self):
        """Where a step is read."""
        t = self.tmp
        self.turn(2, self.s.step_b * self.s.buffers, True)
        self.scalar("add", f"r{t}.0", self.at(t, 5), self.at(self.steps, 2))
        self.scalar("add", f"r{t}.1", self.at(t, 6), self.at(self.steps, 2))

    def stall(self):
        self.put("(W) mov (1|M0) null<1>:ud 0x0:ud")
        self.put("(W) sync.nop null {I@1}")

    def loop(self):
        """What is so far ahead begins before the loop."""
        actions, s = self.actions(), self.s

        def place(k):
            for every, ahead, do in actions:
                if k + ahead >= 0 and not (k + ahead) % every:
                    do(k + ahead)

        for k in range(-max(ahead for _, ahead, _ in actions), 0):
            place(k)
        self.put("LOOP:")
        for k in range(s.loop, 2 * s.loop):
            place(k)
        self.scalar("add", f"r{self.steps}.0", self.at(self.steps, 0),
                    f"{-s.loop // s.step}:d", dtype="d")
        self.put(f"(W) cmp (1|M0) (gt)f0.0 null<1>:d r{self.steps}.0<0;1,0>:d 0:d "
                 "{A@1}")
        self.put("(W&f0.0) jmpi LOOP")
        self.put("sync.bar null")

    def store(self):
        """Tile by tile: those of groups along N, then M; of threads; columns."""
        s, p, t = self.s, self.places, self.tmp
        m, n, _ = self.size
        tile_b = s.rows * s.columns * 4
        threads = s.threads[0] * s.threads[1] * s.threads[2]
        self.wait([*self.products, *TOKENS], "dst")
        self.put("(W) sync.allrd null")
        self.scalar("mul", f"r{t}.0", "r0.6<0;1,0>:ud", f"{n // s.group()[1]}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), "r0.1<0;1,0>:ud")
        self.scalar("mul", f"r{t}.0", self.at(t, 0), f"{threads}:uw")
        self.scalar("add", f"r{t}.0", self.at(t, 0), self.at(p, 5))
        self.scalar("mul", f"r{t}.0", self.at(t, 0), f"{tile_b}:ud")
        at, reg = 0, self.keep_at
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
        self.loop()
        self.store()
        self.put(f"(W) mov (8|M0) r{s.grf - 1}.0<1>:ud r0.0<1;1,0>:ud {{$0.src}}")
        self.put(f"(W) send.gtwy (8|M0) null r{s.grf - 1} null:0 0x0 0x02000010 "
                 "{EOT,A@1}")
        return "".join(self.out)


def text(shape, m, n, k):
    return Text(shape, m, n, k).make()


def read_k(shape, k):
    """A and B are loaded before they are needed, and so far beyond their end."""
    return k + shape.step * (shape.buffers + shape.copied[2]) + shape.loop


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
