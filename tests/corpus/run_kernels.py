#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_kernels.py [OPTION]... SOURCES CACHE PROGRAM [PATTERN]...: runs every
kernel of the corpus, as compiled for every platform, SIMD width and variant, on
the simulator (PROGRAM is run_kernels) and compares what it leaves in memory with

  PoCL      the same source, by reference.py, bit for bit or within the ulp that
            the kernel's annotation allows
  expected  a function of the files expected_*.py, for kernels that PoCL does
            not take

and prints, per platform, how many were run and how many passed by which.
PATTERN limits the kernels (fnmatch). Options:

  --checks=LIST   checkers of the simulator that look on, each finding a failure
                  (all)
  --seed=N        of the hazard checker's latencies; 0 is the worst case
  --settings      instead of one run: all checkers with several seeds, each
                  checker alone, and none
  --excuses=FILE  lines WHAT PLATFORM KERNEL -- REASON, patterns as for fnmatch:
                  WHAT is `run` for kernels that are not run, or the checker
                  whose findings are the kernel's own fault. A line that fits
                  nothing is a failure, unless PATTERN limits the kernels.
  --coverage=FILE puts a table of what was executed into a Markdown file

XK_RUN_SHOW=N shows N failures (20). Exit 0; 1 if one failed, or was neither
compared nor excused; 77 if a tool is absent."""
import argparse
import collections
import fnmatch
import os
import sys
from pathlib import Path

import compile as corpus
import coverage
import expected
import expected_dpas  # these fill expected's table
import expected_floats
import expected_ints
import expected_lsc
import expected_subgroups
import expected_visa
import launch
import launch_args
import publish

SHOW = int(os.environ.get("XK_RUN_SHOW", "20"))
DEVICE = {ours: name for name, (ours, _, _) in corpus.PLATFORMS.items()}
SETTINGS = [("all", 0), ("all", 1), ("all", 2), ("all", 3), ("none", 0),
            ("mem", 0), ("race", 0), ("init", 0), ("sync", 0), ("hazard", 0),
            ("hazard", 4), ("hazard", 5)]


class Excuses:
    """The file of excuses, with how often each line was needed."""

    def __init__(self, path):
        self.lines, self.used = [], collections.Counter()
        text = Path(path).read_text(encoding="utf-8") if path else ""
        for line in text.splitlines():
            if line and not line.startswith("#"):
                patterns, _, reason = line.partition(" -- ")
                self.lines.append((*patterns.split(), reason))

    def find(self, what, platform, kernel):
        """The reason, or None."""
        for line in self.lines:
            if all(map(fnmatch.fnmatchcase, (what, platform, kernel), line)):
                self.used[line] += 1
                return line[-1]
        return None

    def needless(self):
        """Lines that nothing fitted."""
        return [" ".join(line[:3]) for line in self.lines
                if not self.used[line]]


class Tally:
    """What happened, per platform."""

    def __init__(self, excuses):
        self.excuses = excuses
        self.run, self.not_run = collections.Counter(), collections.Counter()
        self.passed, self.excused = (collections.Counter() for _ in range(2))
        self.failures = []

    def judge(self, row, kernel, findings, how, bad):
        """One launch; `bad` is a sentence about its result, or None."""
        self.run[row["platform"]] += 1
        findings = [f for f in findings if not self.excused_finding(
            row["platform"], kernel["name"], f)]
        if bad or findings:
            self.failures.append((row, kernel, bad or findings[0]))
        else:
            self.passed[row["platform"], how] += 1

    def excused_finding(self, platform, kernel, finding):
        """Counts it."""
        why = self.excuses.find(finding.split(":")[0], platform, kernel)
        if why:
            self.excused[platform, f"{kernel}: {why}"] += 1
        return bool(why)

    def report(self):
        """Prints all; True if nothing failed."""
        for row, kernel, why in self.failures[:SHOW]:
            print(f"# {row['platform']} SIMD{row['simd']} {kernel['file']} "
                  f"{kernel['name']} {row['variant']}: {why}")
        for (platform, reason), n in sorted(self.not_run.items()):
            print(f"# {platform}: {n} not run: {reason}")
        for (platform, reason), n in sorted(self.excused.items()):
            print(f"# {platform}: {n} findings excused: {reason}")
        for platform in sorted(self.run):
            bad = sum(f[0]["platform"] == platform for f in self.failures)
            by = [self.passed[platform, h] for h in ("PoCL", "expected")]
            print(f"# {platform}: {self.run[platform]} run, {sum(by)} passed "
                  f"({by[0]} compared with PoCL, {by[1]} with expected_*.py), "
                  f"{bad} failed")
        return not self.failures


def rows_of(cache):
    """Lines of the index."""
    lines = (cache / "index.txt").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        row = dict(zip(corpus.COLUMNS, line.split("\t")))
        row["simd"] = int(row["simd"])
        if row["kernel"] != corpus.FUNCTIONS:
            yield row


class Runner:
    """Everything that stays the same over the settings."""

    def __init__(self, options):
        self.options = options
        self.files = {p.stem: corpus.Source(p)
                      for p in sorted(options.sources.glob("*.cl"))}
        self.pocl, self.args, self.known = launch.PoCL(), {}, {}
        self.excuses = Excuses(options.excuses)

    def arguments(self, kernel):
        """Made once, so that all platforms have the same."""
        key = (kernel["file"], kernel["name"])
        if key not in self.args:
            self.args[key] = launch_args.make_arguments(kernel)
        return self.args[key]

    def expectation(self, kernel, row):
        """What expected.buffers says, computed once a width."""
        key = (kernel["file"], kernel["name"], row["platform"], row["simd"])
        if key not in self.known:
            self.known[key] = expected.buffers(kernel, self.arguments(kernel),
                                               row)
        return self.known[key]

    def reference(self, row, kernel):
        """What PoCL leaves, or a sentence."""
        source = self.files[row["file"]]
        macros = f"-D XK_{DEVICE[row['platform']].upper()} -D " \
            f"XK_SIMD={row['simd']}" if "XK_" in source.text else ""
        return self.pocl.run(source, macros, kernel, self.arguments(kernel))

    def verdict(self, row, kernel, got):
        """("PoCL" or "expected", None or what is wrong)."""
        args = self.arguments(kernel)
        if isinstance(got, str):
            return "", got
        if expected.find(kernel["name"]):
            return "expected", launch_args.compare_expected(
                args, got, self.expectation(kernel, row))
        want = self.reference(row, kernel)
        if isinstance(want, str):
            return "", "nothing to compare with: " + want
        bad = launch_args.compare(kernel, args, got, want)
        return "PoCL", bad and "PoCL: " + bad

    def run(self, checks, seed):
        """One setting; true if nothing failed."""
        tally = Tally(self.excuses)
        simulator = launch.Simulator([self.options.program, checks, str(seed)])
        for row in rows_of(self.options.cache):
            kernel = self.files[row["file"]].kernels[row["kernel"]]
            if not any(fnmatch.fnmatch(row["kernel"], p)
                       for p in self.options.pattern):
                continue
            why = self.excuses.find("run", row["platform"], row["kernel"])
            if why:
                tally.not_run[row["platform"], why] += 1
                continue
            got = simulator.run(row, kernel, self.arguments(kernel))
            how, bad = self.verdict(row, kernel, got)
            tally.judge(row, kernel, simulator.findings, how, bad)
        seen = coverage.Executed(simulator.finish())
        print(f"# checkers {checks}, seed {seed}:")
        good = tally.report()
        seen.report()
        if self.options.coverage:
            publish.publish(self.options.coverage, "corpus",
                            seen.markdown(tally))
        return good

    def run_all(self):
        """All settings asked for."""
        settings = SETTINGS if self.options.settings else \
            [(self.options.checks, self.options.seed)]
        good = all([self.run(*s) for s in settings])
        self.pocl.stop()
        needless = self.excuses.needless() \
            if self.options.pattern == ["*"] else []
        for line in needless:
            print(f"# the excuse '{line}' fits nothing")
        return good and not needless


def parse():
    """Command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checks", default="all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--settings", action="store_true")
    parser.add_argument("--excuses")
    parser.add_argument("--coverage", type=Path)
    parser.add_argument("sources", type=lambda p: Path(p).absolute())
    parser.add_argument("cache", type=lambda p: Path(p).absolute())
    parser.add_argument("program")
    parser.add_argument("pattern", nargs="*", default=["*"])
    return parser.parse_args()


def main():
    """All of it."""
    options = parse()
    if corpus.missing():
        print(f"# {corpus.missing()} is not installed: no corpus")
        return 77
    runner = Runner(options)
    absent = runner.pocl.absent()
    if absent:
        print("# " + absent)
        return 77
    _, complaints = corpus.build(options.sources, options.cache)
    for complaint in complaints:
        print("# " + complaint.replace("\n", "\n# "))
    return 0 if runner.run_all() and not complaints else 1


if __name__ == "__main__":
    sys.exit(main())
