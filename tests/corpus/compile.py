#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compile.py SOURCES CACHE [--list]: Debian's ocloc compiles each *.cl file of
the folder SOURCES for tgllp, dg2 and pvc at two SIMD widths, iga64 disassembles
every kernel. CACHE receives, keyed by what goes in, so that a second run only
looks:

  zebin/KEY               one file for one platform and width
  kernels/HASH.bin        a kernel's code as compiled
  kernels/HASH.native     the same without compaction (iga64 re-assembled it)
  kernels/HASH.asm        iga64's default text of .bin
  kernels/HASH.ldst       with -Xprint-ldst
  kernels/HASH.native_asm the default text of .native
  index.txt               a line a kernel, columns as COLUMNS says, tabs between

Exit 0, 1 (a file does not compile, or the sources' own table of kernels is
wrong), 77 (ocloc or iga64 is not installed). --list prints that table, which is
spread over the sources as comments, as JSON:

  // @ NAME ARG... [KEY=VALUE...]

with one ARG per kernel parameter, in order:
  in:TYPE:N      read only, N elements a work-item (`N!`: N in all)
  out:TYPE:N     written, every element that the reference writes
  io:TYPE:N      both; starts as zeros if it ends in `:zero`
  local:TYPE:N   local memory, N elements a work-item of the group
  val:TYPE:V     a number; `n` stands for the number of work-items
A third word `:LO..HI` of in and io bounds its random values. A line that begins
with `//` and three spaces goes on. Keys:
  local=X[,Y,Z] (32), global=X[,Y,Z] (128)
  platforms=tgllp,dg2,pvc (all)
  needs=fp64,half,int64_atomics,subgroups,dp4a,vendor,visa,unordered. vendor: only
    Intel's compiler takes it, all others run anywhere; visa: instructions
    written out; unordered: elements of out come in any order
  ulp=N (0: exact), of what PoCL computes
  width=1 when the result depends on the SIMD width
In a file `// @variant NAME: OPTIONS` asks for one more compilation, and
`// @platforms P...` limits it."""
import concurrent.futures
import fcntl
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# ocloc's name, ours, iga64's, the forced widths
PLATFORMS = {"tgllp": ("xelp", "12p1", (8, 16)),
             "dg2": ("xehpg", "12p71", (8, 16)),
             "pvc": ("xehpc", "12p72", (16, 32))}
COLUMNS = ("kernel", "file", "platform", "simd", "variant", "bytes", "bin",
           "native", "asm", "ldst", "zebin", "native_asm")
# Where the compiler puts functions that kernels reach by address.
FUNCTIONS = "Intel_Symbol_Table_Void_Program"
OPTIONS = "-cl-std=CL2.0"
LIMIT_S = 60  # for one compilation
RECIPE = "1"  # a new number forgets every cached result
ARG = re.compile(r"^(in|out|io|local|val):(\w+):([^:]+)(?::(.+))?$")
KEYS = {"local": "32", "global": "128", "platforms": "tgllp,dg2,pvc",
        "needs": "", "ulp": "0", "width": "0"}


class Trouble(Exception):
    """What is wrong, as a sentence."""


def run(command, env=None, cwd=None):
    """Standard output of a command that must succeed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              check=False, env=env, cwd=cwd, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Trouble(f"{' '.join(map(str, command))}: no end") from None
    if done.returncode:
        raise Trouble(f"{' '.join(map(str, command))}: exit {done.returncode}\n"
                      + (done.stdout + done.stderr)[-3000:])
    return done.stdout


def annotation(path, line):
    """One `// @ NAME ...` line as a dictionary."""
    name, *words = line.split()
    kernel = {"name": name, "file": path.stem, "args": []} | KEYS
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key in KEYS:
            kernel[key] = value
            continue
        found = ARG.match(word)
        if not found:
            raise Trouble(f"{path}: kernel {name}: what is '{word}'?")
        kernel["args"].append(dict(zip(("kind", "type", "count", "range"),
                                       found.groups())))
    for key in ("platforms", "needs"):
        kernel[key] = [v for v in kernel[key].split(",") if v]
    for key in ("local", "global"):
        sizes = [int(v) for v in kernel[key].split(",")]
        kernel[key] = (sizes + [1, 1])[:3]
    kernel["ulp"], kernel["width"] = float(kernel["ulp"]), int(kernel["width"])
    return kernel


class Source:
    """A file, its table of kernels and its wishes."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.kernels = {}
        for line in re.findall(r"^// @ (.+(?:\n//   .+)*)", self.text, re.M):
            kernel = annotation(path, line.replace("\n//", " "))
            if kernel["name"] in self.kernels:
                raise Trouble(f"{path}: {kernel['name']} twice")
            self.kernels[kernel["name"]] = kernel
        self.variants = [("-", "")] + re.findall(
            r"^// @variant (\w+): (.+)$", self.text, re.M)
        only = re.search(r"^// @platforms (.+)$", self.text, re.M)
        self.platforms = only.group(1).split() if only else list(PLATFORMS)
        for kernel in self.kernels.values():
            kernel["platforms"] = [p for p in kernel["platforms"]
                                   if p in self.platforms]


def sections(elf):
    """Name and bytes of each section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    _, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * 64)
               for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, offset, length in headers:
        at = strings + name
        yield (elf[at:elf.index(b"\0", at)].decode(),
               elf[offset:offset + length])


def kernel_facts(info):
    """{kernel: (SIMD width, the width its source requires or 0, parameters)} of
    the part `kernels:` of .ze_info."""
    facts = {}
    body = re.search(r"^kernels:\n((?:[ -].*\n)*)", info, re.M).group(1)
    for part in re.split(r"^  - name: +", body, flags=re.M)[1:]:
        name = part.split("\n")[0].strip("' ")
        args = re.findall(r"arg_index: +(\d+)", part)
        required = re.search(r"intel_reqd_sub_group_size: +(\d+)", part)
        facts[name] = (int(re.search(r"simd_size: +(\d+)", part).group(1)),
                       int(required.group(1)) if required else 0,
                       max(map(int, args), default=-1) + 1)
    return facts


class Corpus:
    """The cache directory and what is done in it."""

    def __init__(self, sources, cache):
        self.cache = cache
        self.sources = [Source(p) for p in sorted(sources.glob("*.cl"))]
        tool = Path(shutil.which("ocloc")).resolve().stat()
        self.tool = f"{tool.st_size} {tool.st_mtime_ns} {OPTIONS} {RECIPE}"
        for folder in ("zebin", "kernels"):
            (cache / folder).mkdir(parents=True, exist_ok=True)

    def zebin(self, source, device, simd, options):
        """Path of the compiled file, compiled now if it is not there."""
        key = hashlib.sha256(repr((self.tool, source.text, device, simd,
                                   options)).encode()).hexdigest()[:32]
        path = self.cache / "zebin" / key
        if path.exists():
            return path
        with tempfile.TemporaryDirectory() as folder:
            run(["ocloc", "compile", "-file", source.path, "-device",
                 device, "--format", "zebin", "-output", "k", "-out_dir",
                 folder, "-output_no_suffix", "-options",
                 f"{OPTIONS} -D XK_{device.upper()} -D XK_SIMD={simd} {options}"
                 .strip()],
                env=os.environ | {"IGC_ForceOCLSIMDWidth": str(simd)},
                cwd=folder)  # it leaves reports where it runs
            made = Path(folder) / "k"
            if not made.exists():
                raise Trouble(f"{source.path} for {device}: no output")
            shutil.copy(made, path.with_suffix(".new"))
            path.with_suffix(".new").rename(path)
        return path

    def texts(self, code, iga):
        """Paths of a kernel's code and of what iga64 makes of it."""
        key = hashlib.sha256(iga.encode() + code).hexdigest()[:32]
        base = self.cache / "kernels" / key
        paths = [base.with_suffix(s) for s in (".bin", ".native", ".asm",
                                               ".ldst", ".native_asm")]
        if paths[-1].exists():
            return paths
        with tempfile.TemporaryDirectory(dir=self.cache) as folder:
            made = [Path(folder) / p.name for p in paths]
            raw, native, text, ldst, native_text = made
            plain = Path(folder) / "plain"
            raw.write_bytes(code)
            run(["iga64", "-d", f"-p={iga}", raw, "-o", text])
            plain.write_text(
                re.sub(r"Compacted,|,?Compacted", "", text.read_text())
                .replace("{}", ""), encoding="utf-8")
            run(["iga64", "-a", f"-p={iga}", plain, "-o", native])
            run(["iga64", "-d", f"-p={iga}", "-Xprint-ldst", raw, "-o", ldst])
            run(["iga64", "-d", f"-p={iga}", native, "-o", native_text])
            for new, path in zip(made, paths):  # the last one: all is there
                new.rename(path)
        return paths

    def check_table(self, source, device, facts):
        """The kernels compiled are the kernels announced."""
        told = {k for k, v in source.kernels.items()
                if device in v["platforms"]}
        facts = {k: v for k, v in facts.items() if k != FUNCTIONS}
        if told != set(facts):
            raise Trouble(f"{source.path} for {device}: announced and not "
                          f"compiled: {sorted(told - set(facts))}, compiled and"
                          f" not announced: {sorted(set(facts) - told)}")
        for name, (_, _, n_args) in facts.items():
            if len(source.kernels[name]["args"]) < n_args:
                raise Trouble(f"{source.path}: {name} has {n_args} parameters "
                              "and announces fewer")

    def one(self, source, device, simd, variant):
        """Index lines of one compilation."""
        path = self.zebin(source, device, simd, variant[1])
        elf = dict(sections(path.read_bytes()))
        facts = kernel_facts(elf[".ze_info"].decode())
        self.check_table(source, device, facts)
        lines = []
        for name, (width, required, _) in facts.items():
            # The width forced wins in the code, the one required in .ze_info.
            if required not in (0, simd):
                continue
            code = elf[".text." + name]
            *paths, last = self.texts(code, PLATFORMS[device][1])
            lines.append((name, source.path.stem, PLATFORMS[device][0], width,
                          variant[0], len(code), *paths, path, last))
        return lines

    def jobs(self):
        """Everything that must be compiled."""
        for source in self.sources:
            for device in source.platforms:
                for simd in PLATFORMS[device][2]:
                    for variant in source.variants:
                        yield source, device, simd, variant

    def build(self):
        """Compiles, writes the index, returns its lines and complaints."""
        lines, complaints = [], []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tasks = [pool.submit(self.one, *job) for job in self.jobs()]
            for task in tasks:
                try:
                    lines += task.result()
                except Trouble as trouble:
                    complaints.append(str(trouble))
        new = self.cache / "index.new"
        new.write_text("\t".join(COLUMNS) + "\n" + "".join(
            "\t".join(map(str, line)) + "\n" for line in lines),
            encoding="utf-8")
        new.rename(self.cache / "index.txt")
        return lines, complaints


def missing():
    """The first tool that is not installed."""
    return next((t for t in ("ocloc", "iga64") if not shutil.which(t)), None)


def build(sources, cache):
    """Brings the cache up to date; one process at a time."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return Corpus(sources, cache).build()


def main():
    """Command line."""
    if len(sys.argv) == 4 and sys.argv[3] == "--list":
        table = [k for p in sorted(Path(sys.argv[1]).glob("*.cl"))
                 for k in Source(p).kernels.values()]
        print(json.dumps(table, indent=1))
        return 0
    if missing():
        print(f"# {missing()} is not installed: no corpus")
        return 77
    lines, complaints = build(Path(sys.argv[1]).absolute(),
                              Path(sys.argv[2]).absolute())
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"# {len({l[:2] for l in lines})} kernels, {len(lines)} compiled, "
          f"{sum(l[5] for l in lines)} bytes")
    return 1 if complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as sentence:
        print(sentence, file=sys.stderr)
        sys.exit(1)
