#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py XK PEER PLATFORM all|sample|few|FILTER: oneDNN's GPU primitives on the
virtual GPU against its CPU engine's, all checkers on. xehpg: every line of
cases.txt; other platforms: every third; sample: every 8th of those; few: every 20th.
TAP; the
last lines count cases, findings and kernels that differ by the hash of their code.

A case that fails, or has findings, is right only with a line in excuses.txt:
    PLATFORM... | words of the case | words of what was said | proof
What was said may be several sentences' words, " / " between them: the first is
the cause, without which the others, its consequences, excuse nothing. "by IMPL" as
the case is each case of that implementation, "*" each case, whose words are only
looked for where they are said. An excuse that fits nothing of a whole run, or
that fits a case without a fault, is a failure itself.

Verdicts are printed as soon as the cases' process has ended. SIGINT and SIGTERM end the
one that runs, and the sums are printed."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

HERE = Path(__file__).resolve().parent
BATCH = 16
KERNELS_MIN = 150


class Stopped(Exception):
    """A signal has come."""


def stop(number, _):
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, signal.SIG_IGN)
    raise Stopped(signal.Signals(number).name)


def execute(words, limit_s):
    """The output, the last line of stderr and the status, None after the limit. The
    group of processes is ended then, and when a signal comes."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True) as p:
        try:
            out, err = p.communicate(timeout=limit_s)
            return out, (err.splitlines() or ["no word"])[-1][:200], p.returncode
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            return p.communicate()[0], f"after {limit_s} s", None
        except Stopped:
            os.killpg(p.pid, signal.SIGKILL)
            raise


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
            self.out, self.last_words, status = execute(
                command, 60 + 20 * len(cases))
            try:
                told = json.loads(report.read_text()) if status is not None else None
            except (OSError, ValueError) as e:
                told = None
                print("#", e)
            if status is not None:
                self.last_words = f"status {status}, {self.last_words}"
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
    every = {"all": 1, "sample": 8, "few": 20}.get(what)
    if not every:
        return [c for c in cases if what in c.line]
    if platform != "xehpg":
        cases = cases[::3]
    return cases[::every]


def run_batch(xk, peer, platform, batch):
    """Runs the cases; the hashes of their kernels."""
    run = Run(xk, peer, platform, batch)
    codes = set(run.codes)
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


class Sums:
    """What the cases came to so far."""

    def __init__(self):
        self.cases = self.wrong = self.faults = self.skips = 0
        self.codes = set()

    def take(self, platform, batch, excuses):
        for case in batch:
            left, used = verdict(platform, case, excuses)
            self.cases += 1
            self.wrong += bool(left)
            self.faults += bool(case.said)
            self.skips += bool(case.skip)
            tell(self.cases, case, left, used)
        sys.stdout.flush()

    def take_whole(self, platform, excuses):
        unused = [e.text for e in excuses
                  if platform in e.platforms and not e.used]
        few = platform == "xehpg" and len(self.codes) < KERNELS_MIN
        self.cases += 1
        print(f"{'not ' if unused or few else ''}ok {self.cases} - the whole")
        for text in unused:
            print("# an excuse that fits nothing:", text)
        self.wrong += bool(unused or few)

    def tell(self, platform):
        n = len(self.codes)
        print(f"# {platform}: {self.cases - self.wrong} passed, {self.wrong} failed, of"
              f" them {self.skips} that the library has not; {self.faults} cases with"
              f" faults before excuses; {n} kernel"
              f"{'' if n == 1 else 's'} with code of different hashes")


def main():
    xk, peer, platform, what = sys.argv[1:]
    cases = chosen(platform, what)
    excuses = [Excuse(l) for l in read("excuses.txt")]
    sums = Sums()
    print(f"1..{len(cases) + (what == 'all')}", flush=True)
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        for k in range(0, len(cases), BATCH):
            sums.codes |= run_batch(xk, peer, platform, cases[k:k + BATCH])
            sums.take(platform, cases[k:k + BATCH], excuses)
        if what == "all":
            sums.take_whole(platform, excuses)
    except Stopped as e:
        print(f"Bail out! {e} after {sums.cases} of {len(cases)} cases")
    sums.tell(platform)
    return 1 if sums.wrong or not cases or sums.cases < len(cases) else 0


if __name__ == "__main__":
    sys.exit(main())
