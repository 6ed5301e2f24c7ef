#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint_kernels.py CACHE XK MAKE_MANY XKBENCH EXCUSES SOURCES [--all] LIST...: `xk lint`
of what others compile and of what we generate.

  CACHE      compile.py's: each finding in its zebins needs a line in EXCUSES,
             RULE PLATFORM INSTRUCTION -- REASON (patterns as for fnmatch, the
             instruction without blanks), and each line a finding
  SOURCES    a folder; files of it compiled for DEVICES give no finding but of
             the rules named there: what the excuses say of kernels for no
             particular revision; STEPPINGS says what rules find or do not
             find in others compiled for PVC
  MAKE_MANY  makes formulas, nests and programs of several launches
  XKBENCH    makes random problems of all generators of tests/random
  LIST...    files of problems: every one, in the data types of TYPES (the first
             list only, unless --all), gives a kernel without a finding; every
             third another one with post-ops

A kernel of ours names no device, so it is for each of isa/product.def's that the
platform has, but for those that want kernels of their own. It is judged for what was
sold, and for one of these devices in turn, or for each (--all).

Exit 0, or 1 with what is wrong: a finding without an excuse, an excuse without
a finding, a finding in a kernel of ours, fewer than 500 kernels of others or
100 of ours in the lists, 100 programs, or 100 random ones."""
import collections
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "idioms"))
import kernels  # noqa: E402

TYPES = ("f32", "f16", "bf16", "u8s8", "s8:s8:s32")
# A device, a source, and rules that may find something there: for dg1 that
# compiler's table has 14010017096, 16012061344 and 14010595310, for tgllp one of them.
DEAD_BLOCK = ("wa_dead_block", "wa_dead_block_sync")
DEVICES = (("dg2-g10", "algorithms", ()), ("dg2-g11", "algorithms", ()),
           ("dg1", "algorithms", DEAD_BLOCK), ("dg1", "generic", DEAD_BLOCK))
# Rules of some steppings of PVC: source, the revision that it is compiled for (XL,
# XT C0, XT A0), note 3 to judge it by instead of its own, the rules, and whether
# all of them find something or none. Lint takes XL for any that was sold.
XT_RULES = {"wa_plain_distance", "wa_rs_fpu0", "wa_xt_hf_int"}
XT_A0_RULES = {"wa_mul_pair", "wa_shl_q"}
XT_A0, XT_C0 = 0x230300, 0x270700
STEPPINGS = (("convert", "0", None, XT_RULES, True),
             ("convert", "7", None, XT_RULES, False),
             ("ints", "7", XT_A0, XT_A0_RULES, True),
             ("ints", "3", None, XT_A0_RULES, False))
POST_OPS = ("--attr-post-ops=sum+relu", "--attr-post-ops=gelu_erf+add:f32:per_oc")
# Steppings for which kernels are that name them alone (W15 and others): tests/tools/devices.py.
NAMED_ALONE = {"dg2-g10-a0", "dg2-g10-a1"}
PRODUCTS = Path(__file__).resolve().parents[2] / "isa" / "product.def"
FORMULAS = 200
LEAST_THEIRS = 500
LEAST_OURS = 100
LEAST_OF_DEVICE = 50


def lint(tool, path, *options):
    """The findings in a file, each a dict."""
    done = subprocess.run([tool, "lint", "--json", *options, path], check=False,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1) or done.stderr:
        raise SystemExit(f"{path}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def our_devices():
    """The words of xehpg's devices for which kernels of ours are."""
    text = PRODUCTS.read_text(encoding="utf-8")
    products = re.findall(r"^XK_PRODUCT\((\w+), +\d+, XEHPG,", text, re.M)
    words = products + [f"{product}-{stepping}" for product, stepping in re.findall(
        r"XK_REVISION\((\w+), \d+, (\w+)\)", text) if product in products]
    words = [word.lower().replace("_", "-") for word in words]
    if not NAMED_ALONE < set(words):
        raise SystemExit(f"{PRODUCTS}: {words}")
    return [word for word in words if word not in NAMED_ALONE]


class OurLint:
    """Lint of kernels of ours, for devices in turn or for each."""

    def __init__(self, tool, everything):
        self.tool, self.devices = tool, our_devices()
        self.each = len(self.devices) if everything else 1
        self.n, self.lock = collections.Counter(), threading.Lock()

    def judge(self, number, path):
        """The findings in file number so and so, for what was sold and by device."""
        found = lint(self.tool, path)
        for k in range(self.each):
            device = self.devices[(number + k) % len(self.devices)]
            with self.lock:
                self.n[device] += 1
            found += [finding | {"rule": f"{finding['rule']} ({device})"}
                      for finding in lint(self.tool, path, f"--device={device}")]
        return found

    def summary(self):
        """Lines of what is wrong with how many were judged."""
        print("# kernels of ours by device: " + ", ".join(
            f"{device} {self.n[device]}" for device in self.devices))
        return [f"{device}: {self.n[device]} kernels of ours, not {LEAST_OF_DEVICE}"
                for device in self.devices if self.n[device] < LEAST_OF_DEVICE]


def read_excuses(path):
    """[(rule, platform, pattern)] of the file's lines."""
    excuses = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        what, reason = line.split(" -- ")
        if len(what.split()) != 3 or not reason.strip():
            raise SystemExit(f"{path}: {line}")
        excuses.append(tuple(what.split()))
    return excuses


def excuse_of(excuses, platform, finding):
    """The line that covers a finding, or None."""
    text = finding["instruction"].replace(" ", "")
    return next((e for e in excuses if e[0] == finding["rule"] and
                 e[1] == platform and
                 fnmatch.fnmatchcase(text, e[2].replace("[", "[[]"))), None)


def judge_theirs(tool, cache, excuses):
    """Lines of what is wrong with the corpus."""
    lines = (cache / "index.txt").read_text(encoding="utf-8").splitlines()
    head = lines[0].split("\t")
    rows = [dict(zip(head, line.split("\t"))) for line in lines[1:]]
    platform = {row["zebin"]: row["platform"] for row in rows}
    used = collections.Counter()
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda path: (path, lint(tool, path)), platform)
        for path, findings in found:
            for finding in findings:
                excuse = excuse_of(excuses, platform[path], finding)
                used[excuse] += 1
                if not excuse:
                    wrong.append(f"{path}: {finding['kernel']}: "
                                 f"{finding['rule']}: {finding['instruction']}")
    wrong += [f"{' '.join(e)}: an excuse that fits nothing"
              for e in excuses if not used[e]]
    if len(rows) < LEAST_THEIRS:
        wrong.append(f"{len(rows)} kernels of others, not {LEAST_THEIRS}")
    print(f"# {len(rows)} kernels of others in {len(platform)} files")
    for excuse in excuses:
        print(f"#   {used[excuse]} findings: {' '.join(excuse)}")
    return wrong


def note(revision):
    """Note 3 of a zebin, as it stands in the file."""
    return b"IntelGT\0" + revision.to_bytes(4, "little")


def compiled_for(tool, source, device, defines, revision=None):
    """The findings in a source compiled for a device, judged as if note 3 were
    that revision."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["ocloc", "compile", "-file", source.absolute(),
                        "-device", *device, "--format", "zebin", "-output",
                        "k", "-out_dir", folder, "-output_no_suffix",
                        "-options", f"-cl-std=CL2.0 {defines}"],
                       check=True, capture_output=True, cwd=folder)
        made = Path(folder) / "k"
        if revision:
            made.write_bytes(made.read_bytes().replace(note(XT_C0),
                                                       note(revision)))
        return lint(tool, made)


def judge_steppings(tool, sources):
    """Lines of what is wrong with sources compiled for steppings of PVC."""
    wrong = []
    for name, revision, judged, rules, wanted in STEPPINGS:
        found = {f["rule"] for f in compiled_for(
            tool, sources / f"{name}.cl", ("pvc", "-revision_id", revision),
            "-D XK_PVC -D XK_SIMD=16", judged)} & rules
        what = f"{name}.cl for revision {revision} of PVC, " \
               f"{'judged as XT A0' if judged else 'as it is'}"
        if found != (rules if wanted else set()):
            wrong.append(f"{what}: {sorted(found)} of {sorted(rules)}")
        print(f"# {what}: {len(found)} of {len(rules)} rules find something")
    return wrong


def judge_devices(tool, sources):
    """Lines of what is wrong with sources compiled for named devices."""
    wrong = []
    for device, name, known in DEVICES:
        source = sources / f"{name}.cl"
        defines = "-D XK_TGLLP" if device == "dg1" else "-D XK_DG2"
        found = compiled_for(tool, source, (device,), f"{defines} -D XK_SIMD=8")
        wrong += [f"{source} for {device}: {f['kernel']}: {f['rule']}"
                  for f in found if f["rule"] not in known]
        print(f"# {source.name} for {device}: {len(found)} findings, of rules "
              f"{', '.join(known) or 'none'}")
    return wrong


def problems(path):
    """The problems of a list: words before the first blank, without counts."""
    lines = path.read_text(encoding="utf-8").splitlines()
    words = [line.split()[0] for line in lines
             if line.strip() and not line.startswith(("#", "-"))]
    return [word.split("*")[0].rstrip('"') + ('"' if '"' in word else "")
            for word in words]


def lint_ours(linter, number, job):
    """What is wrong with one kernel; None if nothing is generated for it."""
    problem, dtype, options = job
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "k.zebin"
        done = subprocess.run([linter.tool, "gen", "--dir=FWD_B", f"--dt={dtype}",
                               *options, "-o", made, problem], check=False,
                              capture_output=True, text=True)
        if done.returncode:
            if "XK_EUNSUPPORTED" in done.stderr:
                return None
            return [f"{problem} {dtype} {options}: {done.stderr.strip()}"]
        return [f"{problem} {dtype} {options}: {f['rule']}: {f['instruction']}"
                for f in linter.judge(number, made)]


def judge_ours(linter, lists, everything):
    """Lines of what is wrong with our kernels."""
    jobs = [(problem, dtype) for number, path in enumerate(lists)
            for problem in problems(path)
            for dtype in (TYPES if everything or not number else TYPES[:1])]
    jobs = [(*job, ()) for job in jobs] + \
        [(*job, POST_OPS[k % 2:][:1]) for k, job in enumerate(jobs[::3])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda job: lint_ours(linter, *job), enumerate(jobs)))
    n_made = sum(wrong is not None for wrong in done)
    print(f"# {n_made} kernels of ours, {len(jobs) - n_made} not supported")
    wrong = [line for found in done for line in found or ()]
    if n_made < LEAST_OURS:
        wrong.append(f"{n_made} kernels of ours, not {LEAST_OURS}")
    return wrong


def judge_files(linter, what, make):
    """Lines of what is wrong with the zebins that make(folder) returns."""
    with tempfile.TemporaryDirectory() as folder:
        files = make(folder)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda file: linter.judge(*file), enumerate(files)))
    print(f"# {len(files)} {what} of ours")
    wrong = [f"{path.parent.name}: {f['kernel']}: {f['rule']}: {f['instruction']}"
             for path, findings in zip(files, found) for f in findings]
    if len(files) < LEAST_OURS:
        wrong.append(f"{len(files)} {what} of ours, not {LEAST_OURS}")
    return wrong


def main():
    """Command line."""
    args = [arg for arg in sys.argv[1:] if arg != "--all"]
    cache, tool, make_many, xkbench, excuses, sources, *lists = \
        (Path(arg) for arg in args)
    tool, everything = tool.absolute(), "--all" in sys.argv
    linter = OurLint(tool, everything)
    wrong = judge_theirs(tool, cache, read_excuses(excuses))
    wrong += judge_devices(tool, sources)
    wrong += judge_steppings(tool, sources)
    wrong += judge_files(linter, "programs", lambda folder: kernels.dumped(
        [make_many.absolute(), str(FORMULAS)], folder, "programs"))
    wrong += judge_files(linter, "kernels of random problems",
                         lambda folder: kernels.batched(
                             xkbench.absolute(),
                             kernels.random_lines(10 if everything else 1), folder))
    wrong += judge_ours(linter, lists, everything) + linter.summary()
    for line in wrong[:int(os.environ.get("XK_LINT_SHOW", "20"))]:
        print(line)
    print(f"# {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
