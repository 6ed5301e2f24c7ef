#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the compaction tables of one platform and prints
isa/compact_<platform>.def: which opcodes have a 64-bit form, and the rows.

usage: measure_compact.py xelp|xehpg|xehpc > isa/compact_<platform>.def

For each table and index compact instructions are made by hand, disassembled by
iga64, and their text assembled again without {Compacted}; the native bits the
table governs are then read off. One text cannot show everything (subregisters
below the type's size, modifiers an opcode lacks), so several words are made
for each row and what they show is united. Run by hand; tests/isa/test_compact
checks the result against iga64 in both directions."""
import itertools
import os
import re
import sys

sys.dont_write_bytecode = True

from iga_batch import IGA, Iga, plain

# Native bits an index governs: (first, count).
XE = {
    'CONTROL': [(16, 13), (31, 4), (92, 4)],
    'DATATYPE': [(35, 9), (46, 5), (66, 1), (88, 4), (98, 1)],
    'SUBREG': [(51, 5), (67, 5), (99, 5)],
    'SRC0': [(44, 2), (64, 2), (80, 8)],
    'SRC1': [(96, 2), (112, 10)],
    'CONTROL3': [(16, 13), (31, 4), (36, 7), (48, 3), (80, 3), (88, 3),
                 (92, 4)],
    'SOURCE3': [(35, 1), (43, 5), (64, 3), (83, 5), (91, 1), (96, 3),
                (112, 3)],
    'SUBREG3': [(51, 5), (67, 5), (99, 5), (115, 5)],
}
HPC = {
    'CONTROL': [(18, 11), (31, 2), (34, 1), (92, 4)],
    'DATATYPE': XE['DATATYPE'],
    'SUBREG': [(33, 1), (51, 5), (67, 5), (87, 1)],
    'SRC0': [(44, 2), (64, 2), (80, 7)],
    'SRC1': [(96, 2), (99, 5), (112, 7), (120, 2)],
    'CONTROL3': [(18, 11), (31, 2), (34, 1), (36, 7), (48, 3), (80, 3),
                 (88, 3), (92, 4)],
    'SOURCE3': XE['SOURCE3'],
    'SUBREG3': XE['SUBREG3'],
}
HPC['CONTROL_DPAS'] = HPC['CONTROL3']
HPC['SOURCE_DPAS'] = HPC['SOURCE3']

# Where the indices sit in the compact word, low bits first; found by setting
# one bit of a compact add and mad after the other and reading iga64's text.
XE_INDEX = {
    'CONTROL': [(24, 5)], 'DATATYPE': [(30, 5)], 'SUBREG': [(35, 5)],
    'SRC0': [(48, 4)], 'SRC1': [(52, 4)], 'CONTROL3': [(24, 5)],
    'SOURCE3': [(30, 5)], 'SUBREG3': [(35, 5)],
}
HPC_INDEX = {
    'CONTROL': [(18, 5)], 'DATATYPE': [(26, 3), (30, 2)], 'SUBREG': [(48, 4)],
    'SRC0': [(23, 3)], 'SRC1': [(52, 4)], 'CONTROL3': [(18, 4)],
    'SOURCE3': [(22, 4)], 'SUBREG3': [(26, 3), (30, 2)],
    'CONTROL_DPAS': [(18, 4)], 'SOURCE_DPAS': [(22, 4)],
}
PLATFORM = {'xelp': (XE, XE_INDEX), 'xehpg': (XE, XE_INDEX),
            'xehpc': (HPC, HPC_INDEX)}

SYNC, ADD, MATH, MOV, SEL, CMP = 0x01, 0x40, 0x38, 0x61, 0x62, 0x70
MAD, CSEL, BFN, DP4A, DPAS, DPASW = 0x5b, 0x72, 0x6b, 0x58, 0x59, 0x5a
ADD3, BFE = 0x52, 0x78
# What a basic instruction's immediate overwrites.
IMM_FLAGS = 3 << 46
HIDDEN_BY_IMM = ('SUBREG', 'SRC0', 'SRC1')
# The opcodes by which a table is read.
OPCODES = {
    'CONTROL': [ADD, SEL, CMP, MOV, MATH, SYNC], 'DATATYPE': [ADD, MOV],
    'SUBREG': [ADD], 'SRC0': [ADD], 'SRC1': [ADD],
    'CONTROL3': [MAD, CSEL, BFN, DP4A, ADD3, DPAS],
    'SOURCE3': [MAD, DP4A, BFN, DPAS, ADD3],
    'SUBREG3': [MAD, DP4A, ADD3, BFE, DPAS],
    'CONTROL_DPAS': [DPAS], 'SOURCE_DPAS': [DPAS],
}
# Tables whose index is varied along with the one that is read.
ALONG = {'CONTROL': 'DATATYPE', 'SUBREG': 'DATATYPE', 'SRC1': 'DATATYPE', 'SRC0': 'DATATYPE',
         'SOURCE3': 'CONTROL3', 'SUBREG3': 'CONTROL3',
         'SOURCE_DPAS': 'CONTROL_DPAS', 'CONTROL_DPAS': 'SOURCE_DPAS',
         'CONTROL3': 'SOURCE3'}


def mask(runs):
    return sum(((1 << n) - 1) << lo for lo, n in runs)


def place(runs, value):
    word = 0
    for lo, n in runs:
        word |= (value & (1 << n) - 1) << lo
        value >>= n
    return word


def size(runs):
    return 1 << sum(n for lo, n in runs)


def measure(iga, platform, table):
    masks, index = PLATFORM[platform]
    along = ALONG.get(table)
    others = range(size(index[along])) if along in index else [0]
    keys, words = [], []
    opcodes = [op for op in OPCODES[table]
               if op != DPAS or table[:-1] + '_DPAS' not in index]
    for k, op, o in itertools.product(range(size(index[table])), opcodes,
                                      others):
        word = op | 1 << 29 | place(index[table], k)
        if along in index:
            word |= place(index[along], o)
        keys.append(k)
        words.append(word)
    texts = [text and plain(text) for text, error in iga.disassemble(words, 8)]
    rows = {}
    for k, native in zip(keys, iga.assemble(texts)):
        hidden = native and native & IMM_FLAGS and table in HIDDEN_BY_IMM
        if native is not None and not hidden:
            rows[k] = rows.get(k, 0) | native & mask(masks[table])
    for k in range(size(index[table])):
        if k not in rows:
            sys.exit('%s %d: not readable' % (table, k))
        print('XK_COMPACT(%-13s %2d, 0x%016x, 0x%016x)' %
              (table + ',', k, rows[k] & (1 << 64) - 1, rows[k] >> 64))


def measure_opcodes(iga, platform):
    here = os.path.dirname(os.path.abspath(__file__))
    column = list(IGA).index(platform)
    with open(os.path.join(here, '../../isa/opcode.def')) as f:
        rows = re.findall(r'^XK_OPCODE\((\w+), *"\w+", *(\w+), *(\d), *(.*)\)',
                          f.read(), re.M)
    for name, form, srcs, codes in rows:
        code = int(codes.split(',')[column], 0)
        if code < 0 or not iga.has_form(code):
            continue
        if form == 'BASIC':
            form = {'1': 'ONE', '2': 'TWO'}[srcs]
        print('XK_COMPACT_OP(%s %s)' % ((name + ',').ljust(7), form))


def main():
    platform = sys.argv[1]
    iga = Iga(platform)
    print('/* SPDX-License-Identifier: Apache-2.0 */')
    print('/* The 64-bit form on %s: the opcodes that have it, with their kind' %
          platform)
    print(' * (isa/compact.def), and XK_COMPACT(table, index, bits 63:0, bits 127:64')
    print(' * of the native form). Measured with iga64 by')
    print(' * tests/isa/measure_compact.py; not to be edited by hand. */')
    print('/* clang-format off */')
    measure_opcodes(iga, platform)
    for table in PLATFORM[platform][1]:
        measure(iga, platform, table)
    print('/* clang-format on */')


if __name__ == '__main__':
    main()
