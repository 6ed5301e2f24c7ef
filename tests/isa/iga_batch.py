# SPDX-License-Identifier: Apache-2.0
"""iga64 on many instructions at once, each judged by itself."""
import os
import re
import shutil
import struct
import subprocess
import tempfile

IGA = {'xelp': '12p1', 'xehpg': '12p71', 'xehpc': '12p72'}


def plain(text):
    """The text of the native form of a compacted instruction."""
    return re.sub(r'Compacted,|,Compacted|\{Compacted\}', '', text)


def code_sections(elf):
    """The executable sections of a zebin."""
    table, = struct.unpack_from("<Q", elf, 40)
    count, = struct.unpack_from("<H", elf, 60)
    for k in range(count):
        _, _, flags, _, at, size = struct.unpack_from("<IIQQQQ", elf,
                                                      table + 64 * k)
        if flags & 4:
            yield elf[at:at + size]


class Iga:
    def __init__(self, platform):
        self.option = '-p=' + IGA[platform]
        self.dir = tempfile.mkdtemp()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        shutil.rmtree(self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def run(self, *args):
        return subprocess.run(['iga64', self.option, *args],
                              capture_output=True, encoding='latin-1')

    def disassemble(self, words, size_b):
        """(text, error) of each instruction of 8 or 16 bytes; text is None
        where iga64 finds an error, and error what it says."""
        with open(self.path('c'), 'wb') as f:
            f.write(b''.join(w.to_bytes(size_b, 'little') for w in words))
        r = self.run('-d', '-n', '-Xno-print-bfnexprs', '--output-on-fail',
                     self.path('c'), '-o', self.path('t'))
        errors = {}
        for at, error in re.findall(r'byte offset 0x([0-9a-f]+): error: (.*)',
                                    r.stderr):
            errors.setdefault(int(at, 16) // size_b, error.strip())
        # latin-1: where it finds no name it prints any bytes
        with open(self.path('t'), encoding='latin-1') as f:
            lines = [x for x in f.read().split('\n') if x.strip()]
        if len(lines) != len(words):
            raise RuntimeError('iga64 prints %d lines for %d instructions: %s' %
                               (len(lines), len(words), r.stderr[:500]))
        for k, x in enumerate(lines):
            if '???' in x:
                errors.setdefault(k, 'no text')
        return [(None, errors[k]) if k in errors else
                (' '.join(x.split('//')[0].split()), None)
                for k, x in enumerate(lines)]

    def has_form(self, code):
        """Does the opcode have a 64-bit form at all?"""
        error = self.disassemble([code | 1 << 29], 8)[0][1]
        return not error or 'no compacted form' not in error

    def assemble(self, texts, *options):
        """Each text's instruction; None where iga64 refuses it. It has 8 bytes
        if bit 29 is set, else 16."""
        out = [None] * len(texts)
        left = [k for k, t in enumerate(texts) if t is not None]
        while left:
            with open(self.path('a'), 'w') as f:
                f.write(''.join(texts[k] + '\n' for k in left))
            r = self.run('-a', '-Xno-ir-checking', *options, self.path('a'),
                         '-o', self.path('n'))
            if r.returncode == 0:
                break
            bad = {int(x) - 1 for x in
                   re.findall(r'(\d+)[.:]\d+: error', r.stderr)}
            if not bad:
                raise RuntimeError(r.stderr[:500])
            left = [k for n, k in enumerate(left) if n not in bad]
        if not left:
            return out
        with open(self.path('n'), 'rb') as f:
            data = f.read()
        at = 0
        for k in left:
            size_b = 8 if data[at + 3] & 0x20 else 16
            out[k] = int.from_bytes(data[at:at + size_b], 'little')
            at += size_b
        if at != len(data):
            raise RuntimeError('iga64 wrote %d bytes, not %d' % (len(data), at))
        return out
