#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py TOOL FILE...: runs TOOL on each file and compares what it prints
with the directives in the file's comments. Writes TAP, one test a file.

  ; RUN: words         arguments of TOOL, which reads the file on stdin
  ; RUN-FAILS: words   the same, but TOOL must exit 1; checks see its stderr
  ; CHECK: text        some line after the last match contains text
  ; CHECK-NEXT: text   the line after the last match contains text
  ; CHECK-NOT: text    no line between the neighbouring matches contains text
  ; CHECK-LABEL: text  like CHECK, but labels are found first: the checks
                       between two labels only see the lines between them

Runs of blanks are equal. In a text, {{re}} is a regular expression, [[v:re]]
one that also names what it matched, [[v]] that text again."""
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tap  # noqa: E402, F401 (the line above says where)

DIRECTIVE = re.compile(r';\s*(RUN|RUN-FAILS|CHECK(?:-NEXT|-NOT|-LABEL)?):(.*)')
PART = re.compile(r'\{\{(.+?)\}\}|\[\[(\w+):(.+?)\]\](?!\])|\[\[(\w+)\]\]')


class Mismatch(Exception):
    pass


def squeeze(text):
    return ' '.join(text.split())


class Check:
    def __init__(self, kind, text, number):
        self.kind, self.text, self.number = kind, squeeze(text), number

    def search(self, line, names):
        """The names that a match in the line binds; None: no match."""
        pattern, bound, at = '', [], 0
        for m in PART.finditer(self.text):
            pattern += re.escape(self.text[at:m.start()])
            at = m.end()
            if m[1]:
                pattern += '(?:' + m[1] + ')'
            elif m[2]:
                pattern += '(?P<' + m[2] + '>' + m[3] + ')'
                bound.append(m[2])
            elif m[4] in bound:
                pattern += '(?P=' + m[4] + ')'
            elif m[4] in names:
                pattern += re.escape(names[m[4]])
            else:
                raise Mismatch(f'line {self.number}: [[{m[4]}]] is not bound')
        found = re.search(pattern + re.escape(self.text[at:]), line)
        return None if found is None else {v: found[v] for v in bound}

    def fail(self, why):
        raise Mismatch(f'line {self.number}: {self.kind}: {self.text}: {why}')


def read(path):
    runs, checks = [], []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            m = DIRECTIVE.match(line.strip())
            if m and m[1].startswith('RUN'):
                runs.append((m[1], shlex.split(m[2])))
            elif m:
                checks.append(Check(m[1], m[2], number))
    if not runs or not checks:
        raise Mismatch('needs a RUN and a CHECK line')
    return runs, checks


def forbid(nots, lines, first, end, names):
    for check in nots:
        for at in range(first, end):
            if check.search(lines[at], names) is not None:
                check.fail('is there: ' + lines[at])


def match_section(checks, lines, first, end, names):
    """Checks between two labels; the lines [first, end) are theirs."""
    at, nots = first, []
    for check in checks:
        if check.kind == 'CHECK-NOT':
            nots.append(check)
            continue
        stop = min(at + 1, end) if check.kind == 'CHECK-NEXT' else end
        for here in range(at, stop):
            bound = check.search(lines[here], names)
            if bound is not None:
                break
        else:
            check.fail('not found' + (
                ', the line is: ' + lines[at]
                if check.kind == 'CHECK-NEXT' and at < end else ''))
        names.update(bound)
        forbid(nots, lines, at, here, names)
        at, nots = here + 1, []
    forbid(nots, lines, at, end, names)


def match(checks, output):
    lines = [squeeze(line) for line in output.splitlines()]
    sections, at, names = [[0, []]], 0, {}
    for check in checks:
        if check.kind != 'CHECK-LABEL':
            sections[-1][1].append(check)
            continue
        while at < len(lines) and check.search(lines[at], names) is None:
            at += 1
        if at == len(lines):
            check.fail('not found')
        at += 1
        sections.append([at, []])
    for i, (first, group) in enumerate(sections):
        last = i + 1 == len(sections)
        end = len(lines) if last else sections[i + 1][0] - 1
        match_section(group, lines, first, end, names)


def test(tool, path):
    runs, checks = read(path)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for kind, words in runs:
        p = subprocess.run([tool] + words, input=text, text=True,
                           capture_output=True, timeout=60)
        fails = kind == 'RUN-FAILS'
        if p.returncode != (1 if fails else 0):
            raise Mismatch(f'exit {p.returncode}: {p.stderr.strip()}')
        output = p.stderr if fails else p.stdout
        try:
            match(checks, output)
        except Mismatch as e:
            raise Mismatch(f'{e}\noutput:\n{output}') from None


def main():
    tool, paths = sys.argv[1], sys.argv[2:]
    failed = not paths
    print(f'1..{len(paths)}')
    for number, path in enumerate(paths, 1):
        try:
            test(tool, path)
            print(f'ok {number} - {path}')
        except (Mismatch, OSError, subprocess.SubprocessError) as e:
            failed = True
            print(f'not ok {number} - {path}')
            print('\n'.join('# ' + line for line in str(e).splitlines()))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
