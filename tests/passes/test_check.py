#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_check.py CHECK_PY: check.py accepts what it should and, above all,
refuses what it should. The tool that it runs is sed. TAP."""
import importlib.util
import sys
import tempfile

# (name, directives, text, whether it holds)
CASES = [
    ('finds in order', 'CHECK: a\nCHECK: b', 'a\nx\nb', True),
    ('refuses the other order', 'CHECK: b\nCHECK: a', 'a\nb', False),
    ('does not use a line twice', 'CHECK: a\nCHECK: a', 'a\nb', False),
    ('next is next', 'CHECK: a\nCHECK-NEXT: b', 'a\nb', True),
    ('next is not later', 'CHECK: a\nCHECK-NEXT: b', 'a\nx\nb', False),
    ('not, between', 'CHECK: a\nCHECK-NOT: x\nCHECK: b', 'a\nx\nb', False),
    ('not, elsewhere', 'CHECK: a\nCHECK-NOT: x\nCHECK: b', 'x\na\nb\nx', True),
    ('not, at the end', 'CHECK: a\nCHECK-NOT: x', 'a\nb\nx', False),
    ('not, before all', 'CHECK-NOT: x\nCHECK: a', 'x\na', False),
    ('names a match', 'CHECK: let [[v:t[0-9]]] =\nCHECK: use [[v]]',
     'let t1 = 3\nuse t1', True),
    ('a name keeps its text', 'CHECK: let [[v:t[0-9]]] =\nCHECK: use [[v]]',
     'let t1 = 3\nuse t2', False),
    ('a name needs a binding', 'CHECK: use [[v]]', 'use v', False),
    ('regular expressions', 'CHECK: f({{[a-z]+}}, 1)', 'f(abc, 1)', True),
    ('only where marked', 'CHECK: a.c', 'abc', False),
    ('blanks are equal', 'CHECK: a  b', '  a b', True),
    ('labels confine', 'CHECK-LABEL: one\nCHECK: x\nCHECK-LABEL: two',
     'one\ntwo\nx', False),
    ('labels divide', 'CHECK-LABEL: one\nCHECK: x\nCHECK-LABEL: two\n'
     'CHECK-NEXT: y', 'one\nx\ntwo\ny', True),
    ('a label must be there', 'CHECK-LABEL: one', 'two', False),
]


def load(path):
    spec = importlib.util.spec_from_file_location('check', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def holds(check, directives, text):
    # The directives must not satisfy themselves: sed drops them.
    lines = ['; RUN: -e /^;/d'] + ['; ' + d for d in directives.split('\n')]
    with tempfile.NamedTemporaryFile('w', suffix='.ir') as file:
        file.write('\n'.join(lines) + '\n' + text + '\n')
        file.flush()
        try:
            check.test('sed', file.name)
        except check.Mismatch:
            return False
    return True


def main():
    check = load(sys.argv[1])
    failed = 0
    print(f'1..{len(CASES) + 1}')
    for number, (name, directives, text, expected) in enumerate(CASES, 1):
        ok = holds(check, directives, text) == expected
        failed += not ok
        print(f'{"ok" if ok else "not ok"} {number} - {name}')
        if not ok:
            print(f'# {directives!r} on {text!r}: expected {expected}')
    with tempfile.NamedTemporaryFile('w', suffix='.ir') as file:
        file.write('; RUN: -n\n')
        file.flush()
        try:
            check.test('sed', file.name)
            ok = False
        except check.Mismatch:
            ok = True
    failed += not ok
    print(f'{"ok" if ok else "not ok"} {len(CASES) + 1} - needs a check')
    if not ok:
        print('# a file of which nothing is checked was accepted')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
