#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture_kernels.py SOURCES CACHE RUN_KERNELS CAPTURE_KERNELS XK [opencl]
[tenth] [KEY=VALUE]... [PATTERN]...:
every kernel of the OpenCL corpus that the driver's dg2 and pvc take, launched through
the real Level Zero library, or OpenCL's, which writes down what it would have
sent to a device; of all rows every tenth. Executed from that, the buffers must hold the same bytes as after the
library's own launch of the same file. PATTERN limits the kernels (fnmatch), a
KEY is one of the driver's.
Where they differ, XK looks for reads of what nobody wrote, which is not the same
on both sides: this compiler moves a load before its store now and then. Exit 0; 1 if one differs or does not run; 77 if a tool or the driver is absent."""
import collections
import fnmatch
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "corpus"))
# pylint: disable=wrong-import-position
import compile as corpus  # noqa: E402
import launch  # noqa: E402
import launch_args  # noqa: E402
import run_kernels  # noqa: E402

PLATFORMS = ("xehpg", "xehpc")
EXCUSES = Path(run_kernels.__file__).resolve().parent / "excuses.txt"
PER_PROCESS = 100  # launches; the driver keeps what it has mapped
SHOW = 20


def rows(cache, patterns):
    """Lines of the index that take part."""
    for row in run_kernels.rows_of(cache):
        if row["platform"] in PLATFORMS and row["kernel"] != corpus.FUNCTIONS \
                and any(fnmatch.fnmatch(row["kernel"], p) for p in patterns):
            yield row


def reads_unwritten(xk, row, kernel, args):
    """Does the checker say that this launch uses what nobody wrote?"""
    groups = [g // l for g, l in zip(kernel["global"], kernel["local"])]
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for k, arg in enumerate(args):
            if arg.kind == "local":
                words.append(f"slm:{arg.size}")
            elif arg.kind == "val":
                words.append(f"u{8 * len(arg.data)}:"
                             f"{int.from_bytes(arg.data, 'little')}")
            else:
                path = Path(folder) / str(k)
                path.write_bytes(arg.data)
                words.append(f"buf:{path}")
        done = subprocess.run(
            [xk, "run", "--check=init", "--json",
             "--groups=" + ",".join(map(str, groups)),
             "--local=" + ",".join(map(str, kernel["local"])), row["zebin"],
             kernel["name"]] + words, capture_output=True, text=True,
            check=False)
    launches = json.loads(done.stdout or "[]")
    return any(f["check"] == "init" for l in launches for f in l["findings"])


class Tally:
    """What happened, per platform."""

    def __init__(self):
        self.run, self.equal = collections.Counter(), collections.Counter()
        self.reasons, self.failures = collections.Counter(), []

    def judge(self, row, ours, theirs, unwritten):
        """One launch both ways."""
        platform = row["platform"]
        name = f"{platform} SIMD{row['simd']} {row['file']} {row['kernel']} " \
               f"{row['variant']}"
        if isinstance(ours, str):
            self.reasons[f"{platform}: our own launch does not run"] += 1
            return
        self.run[platform] += 1
        if isinstance(theirs, str):
            self.failures.append(f"{name}: {theirs}")
        elif ours == theirs:
            self.equal[platform] += 1
        elif unwritten():
            self.reasons[f"{platform}: differ, and the kernel reads what "
                         "nobody wrote"] += 1
        else:
            k = next(k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b)
            at = next(i for i, (a, b) in enumerate(zip(ours[k], theirs[k]))
                      if a != b)
            self.failures.append(f"{name}: buffer {k} differs at byte {at}")

    def report(self):
        """Prints all; True if nothing failed."""
        for failure in self.failures[:SHOW]:
            print("# " + failure)
        for reason, n in sorted(self.reasons.items()):
            print(f"# {n} x {reason}")
        for platform in PLATFORMS:
            print(f"# {platform}: {self.run[platform]} run from captures, "
                  f"{self.equal[platform]} equal to our own launches")
        return not self.failures and all(self.run[p] for p in PLATFORMS)


def main():
    """Command line."""
    if corpus.missing():
        print(f"# {corpus.missing()} is not installed: no corpus")
        return 77
    sources, cache = (Path(a).absolute() for a in sys.argv[1:3])
    corpus.build(sources, cache)
    files = {p.stem: corpus.Source(p) for p in sorted(sources.glob("*.cl"))}
    ours = launch.Simulator([sys.argv[3], "none"])
    excuses = run_kernels.Excuses(EXCUSES)
    tally = Tally()
    keys = [a for a in sys.argv[6:] if "=" in a or a == "opencl"]
    words = ("opencl", "tenth")
    patterns = [a for a in sys.argv[6:] if "=" not in a and a not in words] \
        or ["*"]
    step = 10 if "tenth" in sys.argv[6:] else 1
    for platform in PLATFORMS:
        theirs = launch.Simulator([sys.argv[4], platform] + keys)
        n = 0
        all_rows = [r for r in rows(cache, patterns) if r["platform"] == platform]
        for row in all_rows[::step]:
            kernel = files[row["file"]].kernels[row["kernel"]]
            if excuses.find("run", platform, row["kernel"]):
                continue
            args = launch_args.make_arguments(kernel)
            want = ours.run(row, kernel, args)
            got = "" if isinstance(want, str) else theirs.run(row, kernel, args)
            if isinstance(got, str) and not isinstance(want, str) and \
                    theirs.process.wait() == 77:
                print("# no driver that runs in AUB mode")
                return 77
            want, got = (b if isinstance(b, str) else
                         launch_args.in_order(kernel, args, b)
                         for b in (want, got))
            tally.judge(row, want, got,
                        lambda r=row, k=kernel, a=args: reads_unwritten(
                            sys.argv[5], r, k, a))
            n += 1
            if n % PER_PROCESS == 0:
                theirs.stop()
                theirs.process = None
        theirs.stop()
    ours.stop()
    return 0 if tally.report() else 1


if __name__ == "__main__":
    sys.exit(main())
