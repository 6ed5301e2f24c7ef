#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_kernels.py SOURCES CACHE PROGRAM [PATTERN]...: runs every kernel of the
corpus, as compiled for every platform, SIMD width and variant, on the simulator
(PROGRAM is run_kernels) and compares what it leaves in memory with

  PoCL      the same source, by reference.py, bit for bit or within the ulp that
            the kernel's annotation allows
  expected  a function of expected.py of the same name, for kernels that only
            Intel's compiler takes
  peers     the majority of the other platforms and widths, where there is
            neither; only a kernel whose result does not depend on the width

and prints, per platform, how many were run, how many passed by which, and why
others were not run. PATTERN limits the kernels (fnmatch). XK_RUN_SHOW=N shows N
failures (20). Exit 0; 1 if one failed or did not run; 77 if a tool is absent."""
import collections
import fnmatch
import json
import math
import os
import random
import re
import select
import struct
import subprocess
import sys
from pathlib import Path

import compile as corpus
import expected

HERE = Path(__file__).resolve().parent
SHOW = int(os.environ.get("XK_RUN_SHOW", "20"))
BASE = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i",
        "uint": "I", "long": "q", "ulong": "Q", "float": "f", "half": "e",
        "double": "d", "bfloat": "H"}
LIMIT_S = 60  # for one launch, or one compilation by PoCL
DEVICE = {ours: name for name, (ours, _, _) in corpus.PLATFORMS.items()}


def split_type(name):
    """("float", 4) of float4; three elements take the room of four."""
    found = re.fullmatch(r"([a-z]+)(\d*)", name)
    return found.group(1), int(found.group(2) or 1)


def number(text):
    """A bound, as a Python number."""
    return float(text) if re.search(r"[.e]", text.lower()) and \
        not text.lower().startswith("0x") else int(text, 0)


def bounds(base, text):
    """Least and largest random value."""
    if text and ".." in text:
        low, high = (number(part) for part in text.split(".."))
        if base in ("float", "half", "double", "bfloat"):
            return low, high
        least, most = bounds(base, None)
        return max(low, least), min(high, most)
    if base in ("float", "half", "double"):
        return -100.0, 100.0
    if base == "bfloat":
        return -4.0, 4.0
    bits = 8 * struct.calcsize(BASE[base])
    if base.startswith("u"):
        return 0, 2 ** bits - 1
    return -2 ** (bits - 1), 2 ** (bits - 1) - 1


def random_value(rng, base, low, high):
    """All magnitudes, corners now and then."""
    if base in ("float", "half", "double"):
        value = rng.uniform(low, high)
        return struct.unpack(BASE[base], struct.pack(BASE[base], value))[0]
    if base == "bfloat":  # the upper half of a float
        return struct.unpack("<I", struct.pack("<f", rng.uniform(low, high))
                             )[0] >> 16
    low, high = int(low), int(high)
    pick = rng.random()
    if pick < 0.06:
        return rng.choice((low, high))
    if pick < 0.4:
        return min(high, max(low, rng.randint(-300, 300)))
    return rng.randint(low, high)


class Argument:
    """One argument of a launch: kind, bytes, element type."""

    def __init__(self, kernel, k, items, rng):
        note = kernel["args"][k]
        self.kind = note["kind"]
        self.base, self.lanes = split_type(note["type"])
        self.code = BASE[self.base]
        each = struct.calcsize(self.code) * (4 if self.lanes == 3
                                             else self.lanes)
        if self.kind == "val":
            value = items if note["count"] == "n" else number(note["count"])
            if self.base in ("float", "half", "double"):
                value = float(value)
            self.data = struct.pack("<" + self.code, value)
            return
        text = note["count"]
        count = int(text[:-1]) if text.endswith("!") else \
            int(text) * (math.prod(kernel["local"]) if self.kind == "local"
                         else items)
        self.size = count * each
        if self.kind == "local":
            return
        if self.kind == "out":
            self.data = b"\xa5" * self.size
            return
        spec = note["range"] or ""
        zero = spec.endswith("zero")
        low, high = bounds(self.base, spec.removesuffix("zero").rstrip(":"))
        n = self.size // struct.calcsize(self.code)
        self.data = struct.pack(f"<{n}{self.code}", *(
            0 if zero else random_value(rng, self.base, low, high)
            for _ in range(n)))

    def request(self):
        """As reference.py wants it."""
        if self.kind == "local":
            return {"local": self.size}
        return {"val" if self.kind == "val" else "buf": self.data.hex()}

    def line(self):
        """As run_kernels wants it."""
        if self.kind == "local":
            return f"l {self.size}"
        if self.kind == "val":  # the compiler's slots have 4 bytes at least
            return "v " + self.data.ljust(4, b"\0").hex()
        return "b " + self.data.hex()


def make_arguments(kernel):
    """The same for every platform."""
    rng = random.Random(kernel["file"] + kernel["name"])
    items = math.prod(kernel["global"])
    return [Argument(kernel, k, items, rng)
            for k in range(len(kernel["args"]))]


class Child:
    """A process that answers lines, started again when it dies."""

    def __init__(self, command):
        self.command, self.process = command, None

    def start(self):
        """Starts it and returns its first line if it greets."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, text):
        """Sends text; the first line of the answer, "" if it died or took too
        long."""
        if not self.process or self.process.poll() is not None:
            self.start()
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except BrokenPipeError:
            return ""
        if not select.select([self.process.stdout], [], [], LIMIT_S)[0]:
            self.process.kill()
            self.process.wait()
            return ""
        return self.process.stdout.readline()

    def line(self):
        """One more line."""
        return self.process.stdout.readline()

    def stop(self):
        """Ends it."""
        if self.process:
            self.process.stdin.close()
            self.process.wait()


class PoCL(Child):
    """reference.py, with results kept."""

    def __init__(self):
        super().__init__([sys.executable, str(HERE / "reference.py")])
        self.known = {}

    def start(self):
        super().start()
        self.greeting = json.loads(self.process.stdout.readline())

    def run(self, source, options, kernel, args):
        """Buffers after the launch, or a sentence."""
        key = (kernel["file"], kernel["name"], options)
        if key not in self.known:
            self.known[key] = self.try_sources(source, options, kernel, args)
        return self.known[key]

    def try_sources(self, source, options, kernel, args):
        """The whole file; if that does not compile, less and less of it."""
        why = ""
        for text in texts(source, kernel["name"]):
            line = self.ask(json.dumps({
                "source": text, "options": options, "kernel": kernel["name"],
                "global": kernel["global"], "local": kernel["local"],
                "dims": max([k + 1 for k, n in enumerate(kernel["global"])
                             if n > 1], default=1),
                "args": [a.request() for a in args]}) + "\n")
            answer = json.loads(line) if line else {"error": "it crashed"}
            if "bufs" in answer:
                return [bytes.fromhex(b) for b in answer["bufs"]]
            why = answer["error"]
            if "compile" not in why:
                break
        return "PoCL: " + " ".join(why.split())[:160]


def texts(source, name):
    """The file; without what needs Intel's compiler; with one kernel only."""
    text = source.text
    yield text
    parts = re.split(r"(?m)^(?=// @ )", text)
    heads = [re.match(r"// @ (\w+)", p) for p in parts]

    def keep(wanted):
        out = []
        for part, head in zip(parts, heads):
            if not head or wanted(head.group(1)):
                out.append(part)
                continue
            # preprocessor lines between kernels stay
            out.append("\n".join(l for l in part.split("\n")
                                 if l.startswith("#")) + "\n")
        return "".join(out)

    yield keep(lambda n: n == name or
               not {"vendor", "visa", "subgroups"} &
               set(source.kernels[n]["needs"]))
    yield keep(lambda n: n == name)


def order(code, bits):
    """Floats as integers that count in ulps."""
    top = 1 << (8 * struct.calcsize(code) - 1)
    return bits - top if bits & top == 0 else -(bits - top) - top


def ulps(code, got, want):
    """Distance of two floats of one type, given as bits."""
    ints = {"e": "H", "f": "I", "d": "Q"}[code]
    x, y = (struct.unpack(code, struct.pack(ints, v))[0] for v in (got, want))
    if x == y or (math.isnan(x) and math.isnan(y)):
        return 0
    if math.isnan(x) or math.isnan(y):
        return math.inf
    return abs(order(code, got) - order(code, want))


def difference(arg, got, want, allowed):
    """A sentence about the first element that differs too much, or None."""
    if got == want:
        return None
    code = arg.code
    size = struct.calcsize(code)
    ints = {1: "B", 2: "H", 4: "I", 8: "Q"}[size]
    n = len(want) // size
    a, b = (struct.unpack(f"<{n}{ints}", x) for x in (got, want))
    for k, (x, y) in enumerate(zip(a, b)):
        if x == y or (arg.lanes == 3 and k % 4 == 3):
            continue
        far = ulps(code, x, y) if code in "efd" else math.inf
        if far > allowed:
            return f"element {k} is {x:#x}, not {y:#x}" + \
                (f" ({far} ulp)" if far != math.inf else "")
    return None


class Simulator(Child):
    """run_kernels."""

    def run(self, row, kernel, args):
        """Buffers after the launch, or a sentence."""
        groups = [g // l for g, l in zip(kernel["global"], kernel["local"])]
        first = self.ask(" ".join(map(str, (
            row["platform"], row["zebin"], kernel["name"], *groups,
            *kernel["local"], len(args)))) + "\n" +
            "".join(a.line() + "\n" for a in args))
        if not first.startswith("ok"):
            return first.strip()[4:] or \
                f"the program died, or had no end in {LIMIT_S} s"
        return [bytes.fromhex(self.line().strip())
                for a in args if a.kind in ("in", "out", "io")]


def in_order(kernel, args, bufs):
    """The buffers; those of a kernel marked as unordered with elements sorted,
    since they depend on which work item comes first."""
    if "unordered" not in kernel["needs"]:
        return bufs
    codes = [a.code for a in args if a.kind in ("in", "out", "io")]
    return [struct.pack(f"<{len(b) // struct.calcsize(c)}{c}", *sorted(
        struct.unpack(f"<{len(b) // struct.calcsize(c)}{c}", b)))
            for c, b in zip(codes, bufs)]


def compare(kernel, args, got, want):
    """The first difference of all buffers, or None."""
    buffers = [a for a in args if a.kind in ("in", "out", "io")]
    got, want = (in_order(kernel, args, b) for b in (got, want))
    for k, (a, g, w) in enumerate(zip(buffers, got, want)):
        bad = difference(a, g, w, kernel["ulp"])
        if bad:
            return f"buffer {k}: {bad}"
    return None


# Wrong as compiled, by reading its code.
FAULTY = {("generic_private", "xehpc"):
          "ocloc reads the private array before it writes it"}
# Not settled: rhadd(max, max) of 64 bits gives half of it on all three.
FAULTY.update({("saturate_u64", p): "rhadd of the two largest values differs "
               "from PoCL: the compiled code, or all our platforms alike"
               for p in ("xelp", "xehpg", "xehpc")})


def not_run(kernel, row):
    """Why a kernel cannot be run at all, or None."""
    if (kernel["name"], row["platform"]) in FAULTY:
        return FAULTY[kernel["name"], row["platform"]]
    if "visa" in kernel["needs"]:
        return "inline assembly on addresses without a meaning"
    return None


def wanted_bufs(pocl, source, row, options, kernel, args):
    """("PoCL" or "expected" or "peers", buffers) or ("", why not)."""
    own = expected.find(kernel["name"])
    if own:
        return "expected", own(kernel, args, row)
    if kernel["file"] == "dpas" and row["platform"] == "xehpc":
        return "", "16 columns a row, so another result than xehpg's 8"
    if "subgroups" in kernel["needs"] or "vendor" in kernel["needs"]:
        return "peers", "needs Intel's extensions"
    macros = f" -D XK_{DEVICE[row['platform']].upper()} -D " \
        f"XK_SIMD={row['asked']}" if "XK_" in source.text else ""
    made = pocl.run(source, (corpus.OPTIONS + macros + " " + options).strip(),
                    kernel, args)
    return ("peers", made) if isinstance(made, str) else ("PoCL", made)


class Tally:
    """What happened, per platform."""

    def __init__(self):
        self.run = collections.Counter()
        self.passed = collections.Counter()
        self.reasons = collections.Counter()
        self.failures = []
        self.peers = collections.defaultdict(list)

    def judge(self, row, kernel, args, got, how, want):
        """One launch."""
        platform = row["platform"]
        self.run[platform] += 1
        if isinstance(got, str):
            self.failures.append((row, kernel, got))
        elif not how:
            self.reasons[f"{platform}: run, but nothing to compare with "
                         f"({want})"] += 1
        elif how == "peers":
            key = (kernel["file"], kernel["name"], row["variant"],
                   row["simd"] if kernel["width"] else 0)
            self.peers[key].append((row, kernel, args, got, want))
        else:
            bad = compare(kernel, args, got, want)
            if bad:
                self.failures.append((row, kernel, f"{how}: {bad}"))
            else:
                self.passed[platform, how] += 1

    def settle(self):
        """Launches without a reference: against the most frequent result."""
        for group in self.peers.values():
            counts = collections.Counter(tuple(g[3]) for g in group)
            best, _ = counts.most_common(1)[0]
            for row, kernel, args, got, why in group:
                if len(group) < 2:
                    self.reasons[f"{row['platform']}: run, but nothing to "
                                 f"compare with ({why[:90]})"] += 1
                    continue
                bad = compare(kernel, args, got, best)
                if bad:
                    self.failures.append((row, kernel, f"peers: {bad}"))
                else:
                    self.passed[row["platform"], "peers"] += 1

    def report(self):
        """Prints all; True if nothing failed."""
        for row, kernel, why in self.failures[:SHOW]:
            print(f"# {row['platform']} SIMD{row['simd']} {kernel['file']} "
                  f"{kernel['name']} {row['variant']}: {why}")
        for reason, n in sorted(self.reasons.items()):
            print(f"# {n} x {reason}")
        for platform in sorted(self.run):
            by = {h: self.passed[platform, h]
                  for h in ("PoCL", "expected", "peers")}
            bad = sum(f[0]["platform"] == platform for f in self.failures)
            print(f"# {platform}: {self.run[platform]} run, "
                  f"{sum(by.values())} equal ({by['PoCL']} with PoCL, "
                  f"{by['expected']} with expected.py, {by['peers']} with "
                  f"their peers), {bad} failed")
        return not self.failures


def rows_of(cache):
    """Lines of the index; `asked` is the width that was asked for."""
    lines = (cache / "index.txt").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        row = dict(zip(corpus.COLUMNS, line.split("\t")))
        row["simd"] = int(row["simd"])
        row["asked"] = row["simd"]
        yield row


def run_all(sources, cache, program, patterns):
    """Everything; true if nothing failed."""
    files = {p.stem: corpus.Source(p) for p in sorted(sources.glob("*.cl"))}
    pocl, simulator, tally = PoCL(), Simulator([program]), Tally()
    pocl.start()
    if "absent" in pocl.greeting:
        print("# " + pocl.greeting["absent"])
        return None
    args = {}
    for row in rows_of(cache):
        if row["kernel"] == corpus.FUNCTIONS or \
                not any(fnmatch.fnmatch(row["kernel"], p) for p in patterns):
            continue
        source = files[row["file"]]
        kernel = source.kernels[row["kernel"]]
        why = not_run(kernel, row)
        if why:
            tally.reasons[f"{row['platform']}: not run: {why}"] += 1
            continue
        key = (row["file"], row["kernel"])
        if key not in args:
            args[key] = make_arguments(kernel)
        options = dict(source.variants)[row["variant"]]
        how, want = wanted_bufs(pocl, source, row, options, kernel, args[key])
        got = simulator.run(row, kernel, args[key])
        tally.judge(row, kernel, args[key], got, how, want)
    tally.settle()
    pocl.stop()
    simulator.stop()
    print(f"# reference: {pocl.greeting['device']}")
    return tally.report()


def main():
    """Command line."""
    if corpus.missing():
        print(f"# {corpus.missing()} is not installed: no corpus")
        return 77
    sources, cache = (Path(a).absolute() for a in sys.argv[1:3])
    _, complaints = corpus.build(sources, cache)
    for complaint in complaints:
        print("# " + complaint.replace("\n", "\n# "))
    good = run_all(sources, cache, sys.argv[3], sys.argv[4:] or ["*"])
    if good is None:
        return 77
    return 0 if good and not complaints else 1


if __name__ == "__main__":
    sys.exit(main())
