#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py XK PEER PLATFORM all|sample|FILTER: oneDNN's GPU primitives on the
virtual GPU against its CPU engine's, all checkers on. xehpg: every line of
cases.txt; other platforms: every third; sample: every 8th of those. TAP; the
last lines count cases, findings and kernels that differ by the hash of their code.

A case that fails, or has findings, is right only with a line in excuses.txt:
    PLATFORM... | words of the case | words of what was said | proof
What was said may be several sentences' words, " / " between them: the first is
the cause, without which the others, its consequences, excuse nothing. "by IMPL" as
the case is each case of that implementation, "*" each case, whose words are only
looked for where they are said. An excuse that fits nothing of a whole run, or
that fits a case without a fault, is a failure itself."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BATCH = 16
KERNELS_MIN = 150


class Case:
    def __init__(self, line):
        self.line, self.said, self.impl, self.skip = line, [], "", None


class Run:
    """What the cases of one process came to."""

    def __init__(self, xk, peer, platform, cases):
        self.codes = set()
        self.last_words = ""
        with tempfile.TemporaryDirectory() as folder:
            table, report = Path(folder, "cases"), Path(folder, "report")
            table.write_text("".join(c.line + "\n" for c in cases))
            command = [xk, "vgpu", "-p", platform, "--check=all",
                       "--json", "-o", report, "--", peer, table]
            try:
                done = subprocess.run(command, capture_output=True, text=True,
                                      timeout=60 + 20 * len(cases),
                                      check=False)
                self.out = done.stdout
                said = (done.stderr.splitlines() or ["no word"])[-1][:200]
                self.last_words = f"status {done.returncode}, {said}"
                told = json.loads(report.read_text())
            except subprocess.TimeoutExpired as e:
                self.out, told = (e.stdout or b"").decode(), None
                self.last_words = f"after {e.timeout} s"
            except (OSError, ValueError) as e:
                self.out, told = "", None
                print("#", e)
        self.findings = self.findings_of(told)
        self.take(cases)

    def findings_of(self, told):
        if told is None:
            return ["no report: the program hung or was ended"]
        self.codes = {k["code"] for k in told["kernels"]}
        lines = [f["line"] for l in told["launches"] for f in l["findings"]]
        return lines + [s for s in told["said"]]

    def take(self, cases):
        blocks = re.split(r"^(?=(?:not )?ok )", self.out, flags=re.M)[1:]
        for case, block in zip(cases, blocks):
            lines = [l for l in block.splitlines() if not l.startswith("1..")]
            skip = re.search(r" # SKIP (.*)", lines[0])
            case.skip = skip[1] if skip else None
            case.impl = lines[1][2:] if len(lines) > 1 else ""
            case.said = []
            if lines[0].startswith("not "):
                case.said = [l[2:] for l in lines[2:3]] or ["failed"]
        self.ended_early = len(blocks) < len(cases)
        for case in cases[len(blocks):]:
            case.said = ["the program ended before it: " + self.last_words]


class Excuse:
    def __init__(self, text):
        fields = [f.strip() for f in text.split("|")]
        if len(fields) != 4 or not all(fields):
            sys.exit("excuses.txt: four fields: " + text)
        self.platforms = fields[0].split()
        self.case, what, self.proof = fields[1:]
        self.what = [w.strip() for w in what.split(" / ")]
        self.used = 0
        self.text = text

    def is_of(self, platform, case):
        if platform not in self.platforms:
            return False
        said = any(self.what[0] in s for s in case.said)
        if self.case == "*":
            return said
        if self.case.startswith("by "):
            return said and "by " + case.impl == self.case
        return self.case in case.line

    def covers(self, sentence, case):
        """The sentence is the cause, or follows from it."""
        return (any(self.what[0] in s for s in case.said)
                and any(w in sentence for w in self.what))


def read(name):
    lines = (HERE / name).read_text().splitlines()
    return [l for l in lines if l.strip() and not l.startswith("#")]


def chosen(platform, what):
    cases = [Case(l) for l in read("cases.txt")]
    if what not in ("all", "sample"):
        return [c for c in cases if what in c.line]
    if platform != "xehpg":
        cases = cases[::3]
    return cases[::8] if what == "sample" else cases


def run_all(xk, peer, platform, cases):
    codes = set()
    for k in range(0, len(cases), BATCH):
        batch = cases[k:k + BATCH]
        run = Run(xk, peer, platform, batch)
        codes |= run.codes
        # Whose findings they are: once more, each alone.
        for case in batch if run.findings or run.ended_early else []:
            alone = Run(xk, peer, platform, [case])
            codes |= alone.codes
            case.said += alone.findings
    return codes


def verdict(platform, case, excuses):
    """What is left to say against a case, and the excuse that was used."""
    if case.skip and platform == "xehpg":
        case.said.append(case.skip)
    mine = [e for e in excuses if e.is_of(platform, case)]
    left = [s for s in case.said if not any(e.covers(s, case) for e in mine)]
    for e in mine:
        e.used += any(e.covers(s, case) for s in case.said)
    idle = [e for e in mine if not any(e.covers(s, case) for s in case.said)]
    left += ["has no fault that its excuse names: " + e.text for e in idle]
    return left, [e for e in mine if e not in idle]


def tell(number, case, left, used):
    skip = f" # SKIP {case.skip}" if case.skip and not left else ""
    print(f"{'not ' if left else ''}ok {number} - {case.line}{skip}")
    if case.impl:
        print("# by", case.impl)
    for sentence in left[:4]:
        print("#", sentence)
    for e in used:
        print("# excused:", e.proof)


def main():
    xk, peer, platform, what = sys.argv[1:]
    cases = chosen(platform, what)
    excuses = [Excuse(l) for l in read("excuses.txt")]
    codes = run_all(xk, peer, platform, cases)
    wrong = faults = 0
    for number, case in enumerate(cases, 1):
        left, used = verdict(platform, case, excuses)
        wrong += bool(left)
        faults += bool(case.said)
        tell(number, case, left, used)
    last = len(cases)
    if what == "all":
        unused = [e.text for e in excuses
                  if platform in e.platforms and not e.used]
        few = platform == "xehpg" and len(codes) < KERNELS_MIN
        last += 1
        print(f"{'not ' if unused or few else ''}ok {last} - the whole")
        for text in unused:
            print("# an excuse that fits nothing:", text)
        wrong += bool(unused or few)
    print(f"1..{last}")
    skips = sum(bool(c.skip) for c in cases)
    print(f"# {platform}: {last - wrong} passed, {wrong} failed, of them {skips}"
          f" that the library has not; {faults} cases with faults before"
          f" excuses; {len(codes)} kernels that differ by the hash of their code")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
