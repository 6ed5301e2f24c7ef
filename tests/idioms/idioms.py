#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Idioms of our kernels beside those of ocloc and oneDNN on DG2.

idioms.py check DESCRIBE XKBENCH MAKE_MANY
    a sample of ours, generated now, with seen.txt
idioms.py list DESCRIBE XKBENCH MAKE_MANY
    the same, and every line with its counts
idioms.py refresh DESCRIBE XKBENCH MAKE_MANY XK PEER
    four times as many of ours; has ocloc compile tests/opencl, oneDNN its
    primitives, and each message form of ours by ocloc from inline vISA; writes
    seen.txt and docs/messages.md
idioms.py ours DESCRIBE XKBENCH MAKE_MANY
    the same of ours alone; of the others' kernels stays what was seen
idioms.py sample DESCRIBE XK PEER
    a part of oneDNN's kernels again: seen.txt must have all of their lines

seen.txt: what kernels contain, a line an idiom: situation, text, whether ours have
it, kernels of ocloc, kernels of oneDNN, and for messages whether ocloc emits it
from inline vISA (yes, or its complaint). explained.txt: a line for idioms that
differ, in words of a pattern (`*` is any text):
    lack SITUATION PATTERN -- EXPLANATION -- SOURCE
    only SITUATION TEXT [| TEXT]... -- EXPLANATION -- SOURCE
only: ours that nobody else has, each spelled out, so that a new one is a
complaint; lack: theirs that we have not. Single
instructions (`arithmetic`) and message forms (docs/messages.md) count only if ours.
An idiom without an explanation fails, and an explanation that fits nothing. What
we have ceased to emit only refresh notices. list says of each explanation how many
idioms it is for."""
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels
import messages

HERE = Path(__file__).resolve().parent
SEEN, EXPLAINED = HERE / "seen.txt", HERE / "explained.txt"
LEAST = {"ocloc": 500, "onednn": 150, "ours": 500}
WHOLE = 4  # times as many kernels of ours
ONE_WAY = {"arithmetic"}  # only ours are compared
FORM = "form"
MASKED = ("gather", "block")  # taken from inline vISA as well
OWN_FILE = re.compile(r"(?<![\w/])(?:codegen|docs|gen|isa|lower|plan|sim|tests)/[\w/]+\.\w+")


class Idioms:
    """{(situation, text): {side: hashes of kernels}}."""

    def __init__(self):
        self.seen = collections.defaultdict(lambda: collections.defaultdict(set))
        self.kernels = collections.defaultdict(set)

    def take(self, describe, side, files):
        done = subprocess.run(
            [describe], input="".join(f"{side}\txehpg\t{f}\n" for f in files),
            stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{describe}: a kernel of {side} cannot be read")
        code = None
        for line in done.stdout.splitlines():
            words = line.split("\t")
            if words[0] == "kernel":
                code = words[3]
                self.kernels[side].add(code)
            else:
                self.seen[words[0], words[1]][side].add(code)

    def count(self, idiom, side):
        return len(self.seen[idiom][side]) if idiom in self.seen else 0

    def of(self, side):
        return {i for i, sides in self.seen.items() if sides[side]}


class Seen:
    """seen.txt."""

    def __init__(self):
        self.count, self.forced, self.n = {}, {}, {}
        self.ours = set()
        for line in SEEN.read_text().splitlines():
            if line.startswith("# kernels "):
                _, _, side, n = line.split()
                self.n[side] = int(n)
            if line.startswith("#") or not line.strip():
                continue
            situation, text, ours, ocloc, onednn, forced = line.split("\t")
            self.count[situation, text] = (int(ocloc), int(onednn))
            self.forced[situation, text] = forced
            if ours == "yes":
                self.ours.add((situation, text))

    def has(self, idiom):
        return any(self.count.get(idiom, (0, 0))) or \
            self.forced.get(idiom) == "yes"


class Explanation:
    def __init__(self, line):
        parts = [p.strip() for p in line.split(" -- ")]
        if len(parts) != 3 or not all(parts):
            sys.exit("explained.txt: WHAT -- EXPLANATION -- SOURCE: " + line)
        self.line = line
        self.kind, rest = parts[0].split(" ", 1)
        if self.kind not in ("only", "lack"):
            sys.exit("explained.txt: only or lack: " + line)
        self.broad = self.kind == "only" and "*" in rest
        situation, texts = rest.split(" ", 1)
        self.patterns = [
            re.compile("".join(".*" if c == "*" else re.escape(c)
                               for c in f"{situation} {text}"))
            for text in texts.split(" | ")]
        self.used, self.needed = 0, False
        self.idle = set(self.patterns)  # those that nothing fits

    def fits(self, kind, idiom):
        if kind != self.kind:
            return False
        fitting = {p for p in self.patterns if p.fullmatch(" ".join(idiom))}
        self.idle -= fitting
        return bool(fitting)


def explanations():
    return [Explanation(l) for l in EXPLAINED.read_text().splitlines()
            if l.strip() and not l.startswith("#")]


def differences(idioms, others):
    """(kind, idiom) of all that differ."""
    mine = {i for i in idioms.of("ours") | others.ours if i[0] != FORM}
    for idiom in sorted(mine):
        if not others.has(idiom):
            yield "only", idiom
    for idiom in sorted(others.count):
        if idiom[0] not in ONE_WAY | {FORM} and idiom not in mine:
            if any(others.count[idiom]):
                yield "lack", idiom


def judge(idioms, others, table):
    """Complaints, and how many differ each way."""
    said, n = [], collections.Counter()
    for kind, idiom in differences(idioms, others):
        n[kind] += 1
        fitting = [e for e in table if e.fits(kind, idiom)]
        for e in fitting:
            e.used += 1
            e.needed |= len(fitting) == 1
        if not fitting:
            said.append(f"no explanation: {kind} {' '.join(idiom)} "
                        f"{others.count.get(idiom, '')}")
    said += ["an explanation that fits nothing, or a text of it: " + e.line
             for e in table if e.idle]
    said += ["only takes no *, but TEXT | TEXT: " + e.line for e in table if e.broad]
    said += [f"an explanation names {path}, which is not there: {e.line}"
             for e in table for path in OWN_FILE.findall(e.line)
             if not (HERE.parent.parent / path).exists()]
    said += ["another explanation fits all that this one does: " + e.line
             for e in table if e.used and not e.needed]
    return said, n


def planted(idioms, others):
    """The test must see what is planted: an explanation gone, one that fits
    nothing, an idiom of ours that is new, one of theirs, and a form of message
    that nobody else emits."""
    def fails(table, of=idioms, than=others):
        return len(judge(of, than, table)[0]) > 0

    new, theirs = Idioms(), Seen()
    new.seen = idioms.seen | {("end", "planted"): {"ours": {"0"}},
                              (FORM, "planted"): {"ours": {"0"}}}
    theirs.count["end", "planted"] = (1, 0)
    rows = explanations()
    results = {
        "no explanation is missed": fails(rows[1:]) and fails(rows[:-1]),
        "one that fits nothing is missed": fails(
            explanations() + [Explanation("only end planted -- a -- b")]),
        "a text that fits nothing is missed": fails(
            rows[:-1] + [Explanation(rows[-1].line.replace(" -- ", " | planted -- ", 1))]),
        "a * that hides new ones of ours is missed": fails(
            explanations() + [Explanation("only end plant* -- a -- b")], of=new),
        "a source that is not there is missed": fails(
            rows[:-1] + [Explanation(rows[-1].line + ", codegen/planted.c")]),
        "a new idiom is missed": fails(explanations(), of=new),
        "a new one of theirs is missed": fails(explanations(), than=theirs),
        "a form that nobody else emits is missed":
            "neither witness nor source: planted" in messages.complaints(new, others)}
    return ["planted: " + name for name, good in results.items() if not good]


def compare(idioms, others, show):
    """Complaints."""
    table = explanations()
    said, n = judge(idioms, others, table)
    for side, least in LEAST.items():
        have = len(idioms.kernels["ours"]) if side == "ours" else \
            others.n.get(side, 0)
        print(f"# {side}: {have} kernels that differ")
        if have < least:
            said.append(f"{side}: {have} kernels, {least} at least")
    both = len({i for i in idioms.of("ours") if others.has(i)})
    print(f"# idioms: {both} of this sample that others have, {n['only']} only ours, "
          f"{n['lack']} only theirs; {len(table)} explanations")
    if show:
        for e in table:
            print(f"# for {e.used}: {e.line.split(' -- ')[0]}")
        for idiom in sorted(set(idioms.of("ours")) | set(others.count)):
            print("\t".join(idiom), idioms.count(idiom, "ours"),
                  *others.count.get(idiom, (0, 0)), sep="\t")
    return said


def own(describe, makers, scale):
    idioms = Idioms()
    with tempfile.TemporaryDirectory() as folder:
        idioms.take(describe, "ours", kernels.ours(*makers, folder, scale))
    return idioms


def force(idioms, describe, known=()):
    """{idiom: "yes" or the compiler's complaint}: forms of ours but for known ones,
    and what masks their messages."""
    out = {}
    forms = sorted(t for s, t in idioms.of("ours") if s == FORM and t not in known)
    with tempfile.TemporaryDirectory() as folder:
        for form, got in kernels.forced(forms, folder):
            if not isinstance(got, Path):
                if form:
                    out[FORM, form] = got
                continue
            one = Idioms()
            one.take(describe, "forced", [got])
            out |= {i: "yes" for i in one.seen if i[0] in MASKED}
            if form:
                out[FORM, form] = "yes" if (FORM, form) in one.seen else \
                    "another form comes out"
    return out


def write_seen(count, mine, forced, n):
    """count: {idiom: kernels of ocloc, of oneDNN}; n: {side: kernels}."""
    lines = ["# What kernels of ours, of ocloc (tests/opencl for DG2 C0) and of",
             "# oneDNN's GPU engine (tests/peer/cases.txt) contain: made by ninja idioms.",
             "# situation, text, ours, kernels of ocloc, of oneDNN, forced by inline vISA"]
    lines += [f"# kernels {s} {n[s]}" for s in ("ours", "ocloc", "onednn")]
    for idiom in sorted(set(count) | mine | set(forced)):
        lines.append("\t".join([
            *idiom, "yes" if idiom in mine else "-",
            *map(str, count.get(idiom, (0, 0))), forced.get(idiom, "-")]))
    SEEN.write_text("\n".join(lines) + "\n")


def refresh(describe, makers, xk, peer):
    idioms = own(describe, makers, WHOLE)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ocloc", "onednn"):
            Path(folder, name).mkdir()
        idioms.take(describe, "ocloc", kernels.ocloc(Path(folder, "ocloc")))
        idioms.take(describe, "onednn", kernels.onednn(
            xk, peer, Path(folder, "onednn"), 1))
    count = {i: [idioms.count(i, s) for s in ("ocloc", "onednn")]
             for i in idioms.seen}
    write_seen(count, idioms.of("ours"), force(idioms, describe),
               {s: len(k) for s, k in idioms.kernels.items()})
    messages.write(idioms, Seen())
    return compare(idioms, Seen(), False)


def refresh_ours(describe, makers):
    """Only ours, and forms that seen.txt has not tried."""
    old = Seen()
    idioms = own(describe, makers, WHOLE)
    mine = idioms.of("ours")
    forced = {i: told for i, told in old.forced.items()
              if told != "-" and (i[0] != FORM or i in mine)}
    forced |= force(idioms, describe, [i[1] for i in forced])
    count = {i: c for i, c in old.count.items() if any(c)}
    write_seen(count, mine, forced,
               old.n | {"ours": len(idioms.kernels["ours"])})
    messages.write(idioms, Seen())
    return compare(idioms, Seen(), False)


def sample(describe, xk, peer):
    """Lines of some of the others' kernels that others.txt has not."""
    idioms = Idioms()
    with tempfile.TemporaryDirectory() as folder:
        idioms.take(describe, "onednn", kernels.onednn(xk, peer, folder, 40))
    print(f"# {len(idioms.kernels['onednn'])} kernels of oneDNN")
    others = Seen()
    return ["seen.txt lacks (refresh it): " + " ".join(i)
            for i in sorted(idioms.seen) if not others.has(i)] + \
        ([] if idioms.kernels["onednn"] else ["no kernel at all"])


def main():
    what, describe, *rest = sys.argv[1:]
    if what == "refresh":
        said = refresh(describe, rest[:2], *rest[2:])
    elif what == "ours":
        said = refresh_ours(describe, rest)
    elif what == "sample":
        said = sample(describe, *rest)
    else:
        idioms = own(describe, rest, 1)
        said = compare(idioms, Seen(), what == "list")
        said += messages.complaints(idioms, Seen())
        said += planted(idioms, Seen()) + messages.planted() if not said else []
    for sentence in said:
        print(sentence)
    print(f"# {len(said)} complaints")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
