#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 64-bit form against iga64, on all platforms, in both directions.

usage: test_compact.py COMPACT_TOOL TESTS_DIR [--words N] [--all] [--bench]

rows      all index values, in pairs: iga64's text of the word is its text of
          the native form that we expand it to, also where it refuses
random    the same with random words
assembler the word that our encoder chooses is the one that iga64 assembles
mutants   native instructions near to compact ones: we compact exactly those
          that iga64 -Xautocompact does, to the same bytes
kernels   compiled by ocloc: each compact instruction comes back as it was, each
          native one is compacted if and only if iga64 does it

Counts are printed; the seed is XK_TEST_SEED. Exit 77 without iga64."""
import argparse
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from iga_batch import IGA, Iga, code_sections, plain
from measure_compact import PLATFORM, place, size

DEVICE = {'xelp': 'tgllp', 'xehpg': 'dg2', 'xehpc': 'pvc'}
COMPACTED = 1 << 29
BASIC = ('CONTROL', 'DATATYPE', 'SUBREG', 'SRC0', 'SRC1')
TERNARY = ('CONTROL3', 'SOURCE3', 'SUBREG3')
# One opcode of each kind, and two more: what they may be differs.
PAIR_OPCODES = {BASIC: (0x61, 0x40, 0x65, 0x01), TERNARY: (0x5b, 0x59, 0x58)}
# The kernels of a short run.
FILES = ('arith.cl',)
N_SAID = 5


class Counts:
    """What was compared; what is wrong goes to standard error."""

    def __init__(self, name):
        self.name, self.counts, self.n_wrong = name, {}, 0

    def add(self, what, n=1):
        self.counts[what] = self.counts.get(what, 0) + n

    def wrong(self, what, *facts):
        self.n_wrong += 1
        if self.n_wrong <= N_SAID:
            print('%s: %s: %s' % (self.name, what,
                                  '; '.join(str(x) for x in facts)),
                  file=sys.stderr)

    def report(self):
        print('%s: %s, %d wrong' %
              (self.name, ', '.join('%d %s' % (n, what) for what, n in
                                    self.counts.items()), self.n_wrong))
        return self.n_wrong == 0 and bool(self.counts)


class Platform:
    def __init__(self, name, tool, iga, opcodes):
        self.name, self.tool, self.iga = name, tool, iga
        self.codes, self.compactable = opcodes

    def run_tool(self, command, values, size_b):
        data = b''.join(v.to_bytes(size_b, 'little') for v in values)
        r = subprocess.run([self.tool, command, self.name], input=data,
                           capture_output=True)
        if r.returncode:
            raise RuntimeError('%s: exit %d' % (self.tool, r.returncode))
        return r.stdout.decode().splitlines()


def read_opcodes(platform, isa_dir):
    """All opcodes of the platform, and those that have a compact form."""
    column = list(IGA).index(platform)
    with open(os.path.join(isa_dir, 'opcode.def')) as f:
        rows = re.findall(r'^XK_OPCODE\((\w+),.*?, *\d, *(.*)\)', f.read(),
                          re.M)
    codes = {name: int(codes.split(',')[column], 0) for name, codes in rows}
    with open(os.path.join(isa_dir, 'compact_%s.def' % platform)) as f:
        names = re.findall(r'^XK_COMPACT_OP\((\w+),', f.read(), re.M)
    return ([c for c in codes.values() if c >= 0],
            [codes[name] for name in names])


def pair_words(p, rng):
    """Each pair of index values of each pair of tables, each opcode of
    PAIR_OPCODES, over random registers."""
    index = PLATFORM[p.name][1]
    keep = COMPACTED | 0x7f
    words = []
    for tables, codes in PAIR_OPCODES.items():
        for a, b in itertools.combinations(tables, 2):
            for x, y in itertools.product(range(size(index[a])),
                                          range(size(index[b]))):
                word = rng.getrandbits(64) & p.register_bits
                word |= place(index[a], x) | place(index[b], y)
                words.append(word & ~keep | COMPACTED | rng.choice(codes))
    return words


def random_words(p, rng, n):
    """Two thirds with sparse bits and no scoreboard: those decode more often."""
    words = []
    for k in range(n):
        word = rng.getrandbits(64)
        if k % 3:
            word &= rng.getrandbits(64) | rng.getrandbits(64)
            word &= ~p.swsb_bits
        code = rng.choice(p.compactable if k % 8 else range(128))
        words.append(word & ~0x7f | COMPACTED | code)
    return words


def same_error(a, b):
    return re.sub(r'\(line.*', '', a) == re.sub(r'\(line.*', '', b)


def compare_expansion(p, words, c):
    """Texts of words and of what we expand them to; the natives, None where
    there is none, with iga64's text."""
    lines = p.run_tool('expand', words, 8)
    natives = [int(x.split()[0], 16) if x[0] not in '!?' else None
               for x in lines]
    theirs = p.iga.disassemble(words, 8)
    some = [k for k, n in enumerate(natives) if n is not None]
    texts = dict(zip(some, p.iga.disassemble([natives[k] for k in some], 16)))
    out = []
    for k, (word, line, native) in enumerate(zip(words, lines, natives)):
        text, error = theirs[k]
        own, own_error = texts.get(k, (None, line))
        if line[0] == '?':
            c.wrong(line[2:], hex(word))
        elif native is None and error is None:
            c.wrong('we refuse', hex(word), text, line)
        elif native is None:
            c.add('refused by both')
        elif error is not None and line[-1] == '0':
            c.add('refused by both')
        elif error is not None:
            if own_error is None or not same_error(error, own_error):
                c.wrong('other error', hex(word), error, own_error or own)
            c.add('refused by iga64 alone, as their native forms')
        elif own is None or plain(text).split() != own.split():
            c.wrong('other text', hex(word), text, own or own_error)
        else:
            c.add('same text' if line[-1] == '1' else
                  'same text, with bits reserved for us')
            out.append((word, native, text))
    return out


def compare_choice(p, cases, c):
    """What our encoder writes for native instructions with iga64's text is what
    iga64 assembles. Where its native form is not ours, the text does not say
    everything, and the comparison says nothing."""
    native = p.iga.assemble([plain(text) for word, n, text in cases])
    forced = p.iga.assemble([text for word, n, text in cases])
    own = p.run_tool('compact', [n for word, n, text in cases], 16)
    for (word, n, text), iga_native, iga_word, line in zip(cases, native,
                                                           forced, own):
        if iga_native != n or iga_word is None:
            c.add('with bits that the text does not say')
        elif line[0] == '!':
            c.add('with reserved bits')
        elif line == '-' or int(line, 16) != iga_word:
            c.wrong('iga64 writes another word', hex(iga_word), line, text)
        else:
            c.add('same words')


def compare_autocompact(p, natives, c):
    """Native instructions: we compact those that iga64 compacts."""
    texts = [text for text, error in p.iga.disassemble(natives, 16)]
    again = p.iga.assemble(texts)
    auto = p.iga.assemble(texts, '-Xautocompact')
    own = p.run_tool('compact', natives, 16)
    for n, text, same, word, line in zip(natives, texts, again, auto, own):
        if same != n or word is None:
            c.add('not said by their text')
        elif line[0] == '!':
            c.add('with reserved bits')
        elif line == '-' and word == n:
            c.add('left native')
        elif line == '-' or int(line, 16) != word:
            c.wrong('iga64 writes', '%x' % word, line, text)
        else:
            c.add('compacted')


def mutate(native, rng):
    """One or two bits changed, none of opcode and scoreboard."""
    for _ in range(rng.choice((1, 1, 1, 2))):
        native ^= 1 << rng.choice((rng.randrange(18, 29), rng.randrange(31, 128),
                                   rng.randrange(31, 128)))
    return native


def compile_cl(source, device, directory):
    """The ELF file ocloc makes, None if it refuses."""
    subprocess.run(['ocloc', 'compile', '-file', source, '-device', device,
                    '--format', 'zebin', '-output', 'k', '-out_dir', directory,
                    '-output_no_suffix', '-options', '-cl-std=CL2.0'],
                   capture_output=True, cwd=directory)
    path = os.path.join(directory, 'k')
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as f:
        elf = f.read()
    os.unlink(path)
    return elf if elf[:4] == b'\x7fELF' else None


def instructions(code):
    """(value, size) of each, without the padding after the end."""
    at = 0
    while at + 8 <= len(code):
        size_b = 8 if code[at + 3] & 0x20 else 16
        if at + size_b > len(code):
            return
        yield int.from_bytes(code[at:at + size_b], 'little'), size_b
        at += size_b


def check_kernels(p, sources, directory, bench):
    c = Counts(p.name + ' kernels')
    words, natives = set(), set()
    for source in sources:
        elf = compile_cl(source, DEVICE[p.name], directory)
        if elf is None:
            c.add('files ocloc refuses')
            continue
        c.add('files')
        for code in code_sections(elf):
            for value, size_b in instructions(code):
                c.add('instructions')
                (words if size_b == 8 else natives).add(value)
    words = sorted(words)
    natives = sorted(n for n in natives if n & 0x7f in p.compactable)
    c.add('different compact words', len(words))
    for word, line in zip(words, p.run_tool('expand', words, 8)):
        if not line.endswith(' 1 1'):
            c.wrong('not the word that we write', hex(word), line)
    cases = compare_expansion(p, words, c)
    compare_autocompact(p, natives, c)
    if bench:
        natives += [native for word, native, text in cases]
        print('\n'.join(p.run_tool('bench', natives, 16)))
    return c.report()


def check_words(p, rng, n):
    ok = True
    for name, words in (('rows', pair_words(p, rng)),
                        ('random', random_words(p, rng, n))):
        c = Counts('%s %s' % (p.name, name))
        cases = compare_expansion(p, words, c)
        ok &= c.report()
        c = Counts('%s %s, assembler' % (p.name, name))
        compare_choice(p, cases, c)
        ok &= c.report()
        c = Counts('%s %s, mutants' % (p.name, name))
        compare_autocompact(p, [mutate(native, rng) for word, native, text in
                                cases], c)
        ok &= c.report()
    return ok


def check_platform(name, args, rng, sources, directory):
    isa_dir = os.path.join(args.tests, '../isa')
    with Iga(name) as iga:
        p = Platform(name, args.tool, iga, read_opcodes(name, isa_dir))
        hpc = name == 'xehpc'
        p.swsb_bits = 0x3ff00 if hpc else 0xff00
        p.register_bits = 0xff00ffff00000000 if hpc else 0xff00ff0000ff0000
        ok = True
        for code in p.codes:
            if iga.has_form(code) != (code in p.compactable):
                print('%s: opcode 0x%02x: iga64 and compact_%s.def differ' %
                      (name, code, name), file=sys.stderr)
                ok = False
        ok &= check_words(p, rng, args.words)
        if sources:
            ok &= check_kernels(p, sources, directory, args.bench)
    return ok


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool')
    parser.add_argument('tests')
    parser.add_argument('--words', type=int, default=2000)
    parser.add_argument('--all', action='store_true',
                        help='all files of tests/opencl')
    parser.add_argument('--bench', action='store_true',
                        help='speed on the compiled instructions')
    args = parser.parse_args()
    if not shutil.which('iga64'):
        print('SKIP: iga64 is not installed')
        return 77
    seed = int(os.environ.get('XK_TEST_SEED', '20260101'))
    print('XK_TEST_SEED=%d' % seed)
    args.tests = os.path.abspath(args.tests)
    folder = os.path.join(args.tests, 'opencl')
    sources = [os.path.join(args.tests, 'isa/kernels.cl')]
    sources += sorted(os.path.join(folder, x) for x in os.listdir(folder)
                      if x in FILES or args.all and x.endswith('.cl'))
    if not shutil.which('ocloc'):
        print('ocloc is not installed: no compiled kernels')
        sources = []
    ok = True
    directory = tempfile.mkdtemp()
    for name in IGA:
        ok &= check_platform(name, args, random.Random(seed), sources,
                             directory)
    shutil.rmtree(directory)
    return 0 if ok else 1


sys.exit(main())
