#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the compaction tables of xehpg and prints isa/compact.def.

For each table and index a compact instruction is made by hand, disassembled by
iga64, and its text assembled again without {Compacted}; the native bits the
table governs are then read off. Two passes (byte-sized operands, dpas) catch
what one text cannot show. Run by hand; tests/isa checks the result."""
import re
import subprocess
import sys
import tempfile

DIR = tempfile.mkdtemp()


def bits(*spans):
    return sum(((1 << n) - 1) << lo for lo, n in spans)


MASK = {
    'CONTROL': bits((16, 13), (31, 4), (92, 4)),
    'DATATYPE': bits((35, 9), (46, 5), (66, 1), (88, 4), (98, 1)),
    'SUBREG': bits((51, 5), (67, 5), (99, 5)),
    'SRC0': bits((44, 2), (64, 2), (80, 8)),
    'SRC1': bits((96, 2), (112, 10)),
    'CONTROL3': bits((16, 13), (31, 4), (36, 7), (48, 3), (80, 3), (88, 3),
                     (92, 4)),
    'SOURCE3': bits((35, 1), (43, 3), (64, 3), (83, 5), (91, 1), (96, 3),
                    (112, 3)),
    'SUBREG3': bits((51, 5), (67, 5), (99, 5), (115, 5)),
}


def run(word):
    """The native instruction behind a compact one, or None."""
    with open(DIR + '/c', 'wb') as f:
        f.write(word.to_bytes(8, 'little'))
    r = subprocess.run(['iga64', '-d', '-n', '-p=12p71', DIR + '/c'],
                       capture_output=True, text=True)
    if r.returncode or 'error' in r.stderr:
        return None
    text = re.sub(r'Compacted,|,Compacted|\{Compacted\}', '', r.stdout)
    with open(DIR + '/a', 'w') as f:
        f.write(text)
    r = subprocess.run(['iga64', '-a', '-p=12p71', '-Xno-ir-checking',
                        DIR + '/a', '-o', DIR + '/n'], capture_output=True)
    if r.returncode:
        return None
    with open(DIR + '/n', 'rb') as f:
        return int.from_bytes(f.read()[:16], 'little')


def basic(op=0x40, control=0, datatype=0, subreg=0, src0=0, src1=0):
    return (op | control << 24 | 1 << 29 | datatype << 30 | subreg << 35 |
            src0 << 48 | src1 << 52)


def ternary(op=0x5b, control=0, source=0, subreg=0):
    return op | control << 24 | 1 << 29 | source << 30 | subreg << 35


def measure(table, index, words):
    """Bits of all words that can be read, united."""
    value, seen = 0, False
    for word in words:
        native = run(word)
        if native is not None:
            value |= native & MASK[table]
            seen = True
    if not seen:
        sys.exit('%s %d: not readable' % (table, index))
    print('XK_COMPACT(%-9s %2d, 0x%016x, 0x%016x)' %
          (table + ',', index, value & (1 << 64) - 1, value >> 64))


def main():
    print('/* SPDX-License-Identifier: Apache-2.0 */')
    print('/* Compaction tables of xehpg: XK_COMPACT(table, index, bits 63:0,')
    print(' * bits 127:64) of the native form. Measured with iga64 by')
    print(' * tests/isa/measure_compact.py; not to be edited by hand. */')
    print('/* clang-format off */')
    for k in range(32):
        measure('CONTROL', k, [basic(control=k)])
    for k in range(32):
        # index 2 has an immediate src0, which only moves may have
        op = 0x61 if k == 2 else 0x40
        measure('DATATYPE', k, [basic(op=op, datatype=k)])
    for k in range(32):
        # dword, word and byte operands by data types 0, 27 and 29
        measure('SUBREG', k, [basic(subreg=k, datatype=d)
                              for d in (0, 27, 29)])
    for k in range(16):
        measure('SRC0', k, [basic(src0=k)])
    for k in range(16):
        measure('SRC1', k, [basic(src1=k)])
    for k in range(32):
        # from 22 on the entries are for dpas, whose depth lies in bits 49:48
        op = 0x59 if k >= 22 else 0x5b
        measure('CONTROL3', k, [ternary(op=op, control=k)])
    for k in range(32):
        measure('SOURCE3', k, [ternary(source=k)])
    for k in range(32):
        measure('SUBREG3', k, [ternary(subreg=k)])
    print('/* clang-format on */')


main()
