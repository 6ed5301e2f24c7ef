#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_asm.py TOOL FOLDER [--corpus CACHE]: our assembler against iga64's.

TOOL is tests/isa/asm_tool.c, FOLDER the project's tests. The rows of
FOLDER/isa/asm/*.txt (what they mean stands in common.txt) go through both; then
the text that iga64 -d makes of compiled kernels, by default, with numbers for
labels and functions, and with messages spelled out, must become the kernels'
own bytes; it must be compacted to the bytes of iga64 -a -Xautocompact, from
labels without its marks, and from numbers. Random legal instructions, seeded by
XK_TEST_SEED, go the first way. With --corpus the kernels are those of
tests/corpus/compile.py's cache. Writes TAP. Exit 77: iga64 is not installed."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import tap  # noqa: E402,F401

sys.dont_write_bytecode = True

from iga_batch import code_sections

# ours: iga64's, ocloc's
PLATFORMS = {"xelp": ("12p1", "tgllp"), "xehpg": ("12p71", "dg2"),
             "xehpc": ("12p72", "pvc")}
SOURCES = ("flow", "memory", "private")
MARK = re.compile(r"Compacted,|,Compacted|\{Compacted\}")
LINE = re.compile(r"(?m)^.*\w.*$")
MODES = {"default": [], "numeric": ["-n", "-Xno-print-bfnexprs"],
         "ldst": ["-Xprint-ldst"]}


def run(command):
    """Exit code and all output."""
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Row:
    """One line of a table."""

    def __init__(self, line, place):
        kind, _, rest = line.partition(" ")
        self.place, self.words, self.other = place, None, None
        self.ours_only = kind == "!!"
        if kind in ("!", "!!"):
            self.text, _, self.words = rest.partition(" => ")
        else:
            self.text, _, other = line.partition(" == ")
            self.other = other.replace("\\n", "\n")
        self.text = self.text.replace("\\n", "\n")


def rows_of(path):
    """All rows of a table."""
    for k, line in enumerate(path.read_text(encoding="utf-8").split("\n")):
        if line.strip() and not line.startswith("#"):
            yield Row(line, f"{path.name}:{k + 1}")


class Checker:
    """Runs both assemblers, counts, writes TAP."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder
        self.n, self.failed = 0, 0

    def report(self, wrong, what):
        """One TAP line."""
        self.n += 1
        self.failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.n} - {what}")
        for line in "\n".join(wrong[:8]).split("\n") if wrong else []:
            print(f"# {line}")

    def ours(self, platform, texts, form="written"):
        """A list of bytes, or of words, one per text."""
        jobs = []
        for k, text in enumerate(texts):
            path = self.folder / f"ours-{k}.asm"
            path.write_text(text, encoding="utf-8")
            jobs.append(f"{platform} {form} {path} {self.folder}/ours-{k}.out")
        done = subprocess.run([self.tool], input="\n".join(jobs) + "\n",
                              capture_output=True, text=True, check=False)
        words = done.stdout.split("\n")
        if done.returncode or len(words) != len(jobs) + 1:
            raise RuntimeError(f"asm_tool: exit {done.returncode}\n"
                               f"{done.stderr[-1000:]}")
        return [(self.folder / f"ours-{k}.out").read_bytes()
                if words[k] == "ok" else words[k] for k in range(len(jobs))]

    def iga(self, platform, text, name, options=()):
        """iga64's bytes, or its words."""
        source, out = self.folder / f"{name}.asm", self.folder / f"{name}.out"
        source.write_text(text + "\n", encoding="utf-8")
        out.unlink(missing_ok=True)
        code, words = run(["iga64", "-a", "-Xldst-syntax", *options,
                           f"-p={PLATFORMS[platform][0]}", source, "-o", out])
        return words if code or not out.exists() else out.read_bytes()

    def judge(self, row, ours, iga):
        """What is wrong with a row, empty if nothing."""
        at = f"{row.place}: {row.text!r}"
        if row.words is None:
            if isinstance(iga, str):
                return f"{at}: iga64 refuses: {iga[:200]}"
            if isinstance(ours, str):
                return f"{at}: {ours}"
            return "" if ours == iga else f"{at}: {ours.hex()}, {iga.hex()}"
        if not isinstance(ours, str):
            return f"{at}: not refused"
        if row.words not in ours or not re.match(r"t\.asm:\d+:\d+: ", ours):
            return f"{at}: {ours}, expected {row.words!r}"
        if row.ours_only == isinstance(iga, str):
            return f"{at}: iga64 {'refuses, too' if row.ours_only else 'does'}"
        return ""

    def many(self, platform, rows):
        """iga64's bytes or words of each row. What are single instructions goes
        in one run, unless that fails."""
        found = [None] * len(rows)
        single = [k for k, r in enumerate(rows) if not r.words and not r.other
                  and not re.search(r"\n|;[^<>]*$|Compacted", r.text)]
        code = self.iga(platform, "\n".join(rows[k].text for k in single),
                        f"{platform}-all")
        if not isinstance(code, str) and len(code) == 16 * len(single):
            for n, k in enumerate(single):
                found[k] = code[16 * n:16 * n + 16]
        left = [k for k in range(len(rows)) if found[k] is None]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            words = pool.map(lambda k: self.iga(
                platform, rows[k].other or rows[k].text, f"{platform}-{k}"),
                left)
            for k, w in zip(left, words):
                found[k] = w
        return found

    def table(self, platform, path):
        """A table of rows."""
        rows = list(rows_of(path))
        ours = self.ours(platform, [r.text for r in rows])
        iga = self.many(platform, rows)
        wrong = [self.judge(*x) for x in zip(rows, ours, iga)]
        refused = sum(r.words is not None for r in rows)
        self.report([w for w in wrong if w],
                    f"{platform}: {path.name}, {len(rows) - refused} rows "
                    f"assembled, {refused} refused")

    def kernels(self, platform, files, texts, what):
        """Texts of kernels in one mode. A text that iga64 itself cannot read
        back (spelled-out messages drop a register of flat ones) is refused."""
        wrong, lines, lost = [], 0, 0
        for path, text, ours in zip(files, texts, self.ours(platform, texts)):
            code = path.read_bytes()
            lines += text.count("\n")
            # no text stands for half an instruction at the end
            if ours in (code, code[:-8] if code[-8:] == bytes(8) else code):
                continue
            if what == "ldst" and isinstance(ours, str) and isinstance(
                    self.iga(platform, text, f"{platform}-lost"), str):
                lost += 1
                continue
            wrong.append(f"{path.name}: " + (
                ours if isinstance(ours, str) else
                f"other bytes, {len(ours)} of {len(code)}, first at " +
                str([k for k, (a, b) in enumerate(zip(ours, code))
                     if a != b][:1])))
        if lost > len(files) // 50:
            wrong.append(f"{lost} of {len(files)} refused by both")
        if not files:
            wrong.append("no kernels")
        self.report(wrong, f"{platform} {what}: {len(files)} files, {lines} "
                    f"lines" + (f", {lost} refused by both" if lost else ""))

    def compacted(self, platform, files, texts):
        """texts: by mode, in the order of files."""
        # numbers count the sizes that the marks give
        bare = {"default": [MARK.sub("", t) for t in texts["default"]],
                "numeric": texts["numeric"]}
        ours = {m: self.ours(platform, bare[m], "compact") for m in bare}
        wrong, short = [], 0
        for k, path in enumerate(files):
            iga = self.iga(platform, bare["default"][k], f"{platform}-c{k}",
                           ("-Xautocompact",))
            for mode in bare:
                if ours[mode][k] != iga:
                    wrong.append(f"{path.name} {mode}: other bytes " + (
                        ours[mode][k] if isinstance(ours[mode][k], str) else ""))
            short += len(iga) < 16 * len(LINE.findall(bare["numeric"][k]))
        if not short:
            wrong.append("iga64 compacts nothing")
        self.report(wrong, f"{platform} compacted: {len(files)} kernels, "
                    f"{short} of them shorter, from labels and from numbers")

    def random(self, platform, count):
        """What iga64 prints of random legal instructions."""
        path = self.folder / f"{platform}-random.bin"
        code, words = run([self.tool, platform, count, path])
        if code:
            raise RuntimeError(words)
        for mode in ("default", "numeric"):
            self.kernels(platform, [path], [disassemble(platform, path, mode)],
                         f"random instructions, {mode}")


def compile_kernels(platform, tests, folder):
    """Files of code, one a kernel."""
    sources = [tests / "opencl" / f"{s}.cl" for s in SOURCES]
    if platform == "xehpg":
        sources.append(tests / "isa" / "kernels.cl")
    files = []
    for source in sources:
        name = f"{platform}-{source.stem}"
        code, words = run(
            ["ocloc", "compile", "-file", source, "-device",
             PLATFORMS[platform][1], "--format", "zebin", "-output", name,
             "-out_dir", folder, "-output_no_suffix", "-options",
             "-cl-std=CL2.0"])
        if code:
            raise RuntimeError(f"ocloc {source.name}: {words[-1000:]}")
        for k, part in enumerate(code_sections((folder / name).read_bytes())):
            files.append(folder / f"{name}-{k}.bin")
            files[-1].write_bytes(part)
    return files


def corpus_of(cache, platform):
    """Files of the corpus cache, each once."""
    rows = (cache / "index.txt").read_text(encoding="utf-8").splitlines()
    names = rows[0].split("\t")
    found = (dict(zip(names, row.split("\t"))) for row in rows[1:])
    return sorted({Path(r["bin"]) for r in found if r["platform"] == platform})


def disassemble(platform, path, mode):
    """iga64's text of a file."""
    out = path.parent / f"{path.stem}-asm-{mode}.txt"
    if path.parent.name == "kernels":  # the cache is read only
        out = Path(tempfile.gettempdir()) / f"{os.getpid()}-{out.name}"
    run(["iga64", "-d", f"-p={PLATFORMS[platform][0]}", *MODES[mode], path, "-o",
         out])
    text = out.read_text(encoding="utf-8")
    out.unlink()
    return text


def main():
    """Command line."""
    if not shutil.which("iga64"):
        print("1..0 # SKIP iga64 is not installed")
        return 77
    tool, tests = Path(sys.argv[1]), Path(sys.argv[2])
    cache = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory(prefix="xk_asm_") as folder:
        checker = Checker(tool, Path(folder))
        for platform in PLATFORMS:
            for table in ("common", platform):
                checker.table(platform, tests / "isa" / "asm" / f"{table}.txt")
            checker.random(platform, 3000)
            if not cache and not shutil.which("ocloc"):
                print("# ocloc is not installed: no compiled kernels")
                continue
            files = corpus_of(cache, platform) if cache else \
                compile_kernels(platform, tests, Path(folder))
            texts = {}
            for mode in MODES:
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    texts[mode] = list(pool.map(
                        lambda f, p=platform, m=mode: disassemble(p, f, m),
                        files))
                checker.kernels(platform, files, texts[mode], mode)
            checker.compacted(platform, files, texts)
    print(f"1..{checker.n}")
    return checker.failed != 0


sys.exit(main())
