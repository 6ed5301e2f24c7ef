#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""silence.py XKBENCH XK: what went wrong is said, with an exit code, and no half
of a file stays. A full disk is /dev/full, or a limit on the size of files. TAP."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"
FULL = r"cannot be written: No space left on device"

# Standard output is /dev/full: tool, arguments. All end with 1.
TO_FULL = [
    ("xkbench", [FINE]), ("xkbench", ["--mode=L", FINE]),
    ("xkbench", ["--mode=P", FINE]), ("xkbench", ["--help"]),
    ("xk", ["--help"]), ("xk", ["--version"]), ("xk", ["gen", FINE]),
    ("xk", ["gen", "--info", FINE]), ("xk", ["gen", "--asm", FINE]),
    ("xk", ["gen", "-o", "-", FINE]), ("xk", ["dis", "k.zebin"]),
    ("xk", ["dis", "--json", "k.zebin"]), ("xk", ["lint", "k.zebin"]),
    ("xk", ["asm", "-p", "xehpg", "--json", "add.asm"]),
    ("xk", ["diff", "k.zebin", "k.zebin"]), ("xk", ["vgpu", "--help"]),
    ("xk", ["opt", "masks.ir"]), ("xk", ["gen", "--from=masks.ir", "--asm"]),
    ("xk", ["run", "add.bin", "code", "-p", "xehpg", "buf:zero:64", "--out", "0:-"]),
    ("xkbench", ["--mode=I", FINE]),
    ("xk", ["run", "add.bin", "code", "-p", "xehpg"]),
    ("xk", ["run", "--json", "add.bin", "code", "-p", "xehpg"]),
    ("xk", ["run", "--check=all", "late.bin", "code", "-p", "xehpg"]),  # a finding
    ("xk", ["run", "--timing=a770", "add.bin", "code", "-p", "xehpg"]),
    ("xk", ["lint", "--json", "k.zebin"]), ("xk", ["diff", "--json", "k.zebin", "k.zebin"]),
    ("xk", ["vgpu", "--json", "-o", "-", "--", "true"]),
    ("xk", ["gen", "--formula", "A: f16[64,32]; B: f16[32,16]; C[m,n] += A[m,k] * B[k,n]"]),
    ("xkbench", ["--mode=P", "--perf-template=%name%", FINE]), ("xkbench", ["--hash", FINE]),
    ("xk", ["vgpu", "--serve"]),
    ("xk", ["run", "--trace=-", "-o", "/dev/null", "add.bin", "code", "-p",
            "xehpg"]),
] + [("xk", [verb, "--help"]) for verb in
     ("gen", "opt", "asm", "dis", "lint", "diff", "run")]

# Tool, arguments, exit code, what stderr must match. In a folder with k.zebin,
# add.asm, add.bin and the folder `folder`.
RUN = ["run", "-p", "xehpg", "add.bin", "code"]
ROWS = [
    # Output files on a full disk.
    ("xk", ["gen", "-o", "/dev/full", FINE], 1, "output=/dev/full: " + FULL),
    ("xk", ["dis", "-o", "/dev/full", "k.zebin"], 1, "/dev/full: " + FULL),
    ("xk", ["asm", "-p", "xehpg", "add.asm", "-o", "/dev/full"], 1,
     "/dev/full: " + FULL),
    ("xk", RUN + ["--trace=/dev/full"], 1, "trace=/dev/full: " + FULL),
    ("xk", RUN + ["-o", "/dev/full"], 1, "output=/dev/full: " + FULL),
    ("xk", RUN + ["buf:zero:64", "--out", "0:/dev/full"], 1,
     "out=/dev/full: " + FULL),
    ("xk", ["lint", "-o", "/dev/full", "k.zebin"], 1, "output=/dev/full: " + FULL),
    ("xk", ["diff", "-o", "/dev/full", "k.zebin", "k.zebin"], 1,
     "output=/dev/full: " + FULL),
    ("xk", ["gen", "--from=masks.ir", "-o", "/dev/full"], 1, "output=/dev/full: " + FULL),
    ("xk", ["vgpu", "-o", "/dev/full", "--", "true"], 1,
     "output=/dev/full: " + FULL),
    # Where no file can be.
    ("xk", ["gen", "-o", "folder", FINE], 1, r"output=folder: .*directory"),
    ("xk", ["gen", "-o", "no/such", FINE], 1, r"output=no/such: .*No such"),
    ("xk", ["gen", "-o", "", FINE], 1, r"output=: cannot be written"),
    ("xk", ["gen", "-o", "folder/", FINE], 1, r"output=folder/: .*directory"),
    ("xk", RUN + ["--trace=no/such"], 1, r"trace=no/such: .*No such file"),
    # An output over an input, or over another output.
    ("xk", ["dis", "k.zebin", "-o", "k.zebin"], 2, r"output=k.zebin: is also"),
    ("xk", ["dis", "k.zebin", "-o", "link"], 2, r"output=link: is also"),
    ("xk", ["dis", "k.zebin", "-o", "folder/../k.zebin"], 2, r"is also"),
    ("xk", ["asm", "-p", "xehpg", "add.asm", "-o", "add.asm"], 2, r"is also"),
    ("xk", ["lint", "k.zebin", "-o", "k.zebin"], 2, r"is also"),
    ("xk", ["diff", "add.bin", "k.zebin", "-o", "k.zebin"], 2, r"is also"),
    ("xk", RUN + ["-o", "add.bin"], 2, r"output=add.bin: is also the kernel"),
    ("xk", RUN + ["--trace", "add.bin"], 2, r"trace=add.bin: is also"),
    ("xk", RUN + ["buf:k.zebin", "--out", "0:k.zebin"], 2,
     r"out=k.zebin: is also an argument's file"),
    ("xk", RUN + ["--trace=new", "-o", "new"], 2, r"new: is also trace"),
    ("xk", ["run", "--aub", "k.zebin", "-o", "k.zebin"], 2,
     r"is also the capture"),
    ("xk", ["vgpu", "-o", "new", "--trace=./new", "--", "true"], 2,
     r"output=new: is also trace"),
    ("xk", ["gen", "--from=masks.ir", "-o", "masks.ir"], 2, r"output=masks.ir: is also"),
    ("xk", ["gen", "--from=masks.ir", "-o", "folder/../masks.ir"], 2, r"is also an input"),
    ("xk", ["vgpu", "-o", "k.zebin", "--", "./k.zebin"], 2,
     r"output=k.zebin: is also the program"),
    ("xk", ["vgpu", "--trace=link", "--", "./k.zebin"], 2, r"trace=link: is also the program"),
    ("xk", ["gen", "--from=masks.ir", "-o", "to_masks"], 2, r"=to_masks: is also an input"),
    ("xk", ["gen", "--from=to_masks", "-o", "masks.ir"], 2, r"=masks.ir: is also an input"),
    ("xk", ["vgpu", "-o", "prog", "--", "./prog"], 2, r"output=prog: is also the program;"),
    ("xk", ["vgpu", "--trace=prog", "--", "./prog"], 2, r"trace=prog: is also the program;"),
    ("xk", ["vgpu", "--trace=to_prog", "--", "./prog"], 2, r"trace=to_prog: is also the pr"),
    ("xk", ["vgpu", "-o", "folder/found", "--", "found"], 2, r"found: is also the program;"),
    ("xk", ["vgpu", "-o", "add.asm", "--", "cat", "add.asm"], 2,
     r"output=add.asm: is also an argument of the program"),
    # A program that cannot be started leaves no report of it.
    ("xk", ["vgpu", "-o", "new", "--trace=new2", "--", "./no-such"], 127, r"no-such: cannot be"),
    ("xk", ["vgpu", "-o", "new", "--", "./add.asm"], 126, r"add.asm: cannot be started"),
    # Options that do nothing.
    ("xkbench", [FINE, "--mode=L"], 2, r"--mode=L: stands behind the last"),
    ("xkbench", ["--mode=L", FINE, "--mb=3", "--reset"], 2, r"--mb=3: stands"),
    ("xkbench", ["--batch=late.txt"], 0, r"warning: late.txt:2: --mode=L: sta"),
    ("xkbench", ["--batch=early.txt", FINE], 0, r"^$"),
    ("xkbench", ["--batch=nested.txt"], 0, r"warning: late.txt:2: --mode=L: s"),
    ("xkbench", ["--match=nothing", FINE], 77, r"match: no problem's line"),
    ("xkbench", ["--hash", "--mode=L", FINE], 2, r"hash: .*mode=L"),
    ("xkbench", ["--mode=L", "--perf-template=csv", FINE], 2,
     r"perf-template: .*mode=L"),
    ("xkbench", ["--mode=P", "--engine=ze", "--time-only=1", FINE], 2,
     r"time-only: .*engine=ze"),
    ("xkbench", ["--time-only=1", FINE], 2, r"time-only: .*mode=C"),
    ("xkbench", ["--mode=R", "--time-bound=1", FINE], 2, r"time-bound: .*=R"),
    ("xk", ["gen", "-o", "-", "--asm", FINE], 2, r"output=-: .*--asm"),
    ("xk", ["gen", "-o", "-", "--info", FINE], 2, r"output=-: .*--info"),
    ("xk", RUN + ["--trace-thread=0:0"], 2, r"trace-thread: .*without --trace"),
    ("xk", RUN + ["--timing-waves=3"], 2, r"timing-waves=3: .*--timing"),
    ("xk", RUN + ["--check=none,mem"], 2, r"check=none,mem: 'none' stands beside"),
    ("xk", RUN + ["--seed=3"], 2, r"seed=3: .*--check=hazard"),
    ("xk", RUN + ["--group-seed=x"], 2, r"group-seed=x"),
    # A number that is 0 was given, too.
    ("xk", RUN + ["--seed=0"], 2, r"seed=0: .*--check=hazard"),
    ("xk", RUN + ["--timing-waves=0"], 2, r"timing-waves=0: .*--timing"),
    ("xk", RUN + ["--simd=0"], 2, r"simd=0: not 1, 8, 16 or 32"),
    ("xk", RUN + ["--grf=0"], 2, r"grf=0: not 128 or 256"),
    ("xk", RUN + ["--limit=0"], 2, r"limit=0: needs 1 or more"),
    ("xk", ["vgpu", "--seed=0", "--", "true"], 2, r"seed=0: .*=hazard"),
    ("xk", ["vgpu", "--limit=0", "--", "true"], 2, r"limit=0: needs 1 or more"),
    ("xk", ["gen", "--from=masks.ir", "--registers=0"], 2, r"registers=0: needs 128 or 256"),
    ("xk", ["vgpu", "--seed=3", "--", "true"], 2, r"seed=3: .*=hazard"),
    ("xk", ["vgpu", "--seed=3", "--check=mem", "--", "true"], 2, r"seed=3: "),
    ("xk", ["vgpu", "--quiet", "--json", "--", "true"], 2, r"quiet: .*json"),
    ("xk", ["vgpu", "--timing=max1550", "--", "true"], 2,
     r"timing=max1550: is a machine of xehpc, the platform is xehpg"),
    ("xk", ["--help", "extra"], 2, r"extra: no such verb"),
    ("xk", ["--help", "gen", "extra"], 2, r"extra: unexpected behind --help"),
    ("xk", ["--version", "extra"], 2, r"extra: unexpected behind --version"),
    ("xk", ["--help", "gen"], 0, r"^$"),
    ("xk", ["gen", "--help", "extra"], 2, r"extra: unexpected behind --help"),
    ("xk", ["gen", "-h", "--info"], 2, r"--info: unexpected behind -h"),
    ("xk", ["gen", FINE, "--help"], 0, r"^$"),
    ("xk", ["opt", "--help", "extra"], 2, r"extra: unexpected behind --help"),
    ("xk", ["lint", "--help", "extra"], 2, r"extra: unexpected behind --help"),
    ("xk", ["run", "--help", "extra"], 2, r"extra: unexpected behind --help"),
    ("xk", ["vgpu", "--help", "--", "true"], 2, r"--: unexpected behind --help"),
    ("xkbench", ["--help", FINE], 2, r"%s: unexpected behind --help" % FINE),
    ("xk", ["run", "--simd=8", "k.zebin", "xk_conv"], 1,
     r"simd: holds for raw code"),
    ("xk", ["run", "--aub=/dev/null", "--groups=2"], 2, r"groups: .*--aub"),
    ("xk", ["run", "k.zebin", "--aub=/dev/null"], 2, r"k.zebin: a capture"),
    # An option given twice: which one counts is a guess.
    ("xk", ["gen", "-o", "a", "-o", "b", FINE], 2, r"--output: given twice"),
    ("xk", ["gen", "-o", "a", "--output=b", FINE], 2, r"--output: given twice"),
    ("xk", ["gen", "--dt=f16", "--dt=f32", FINE], 2, r"--dt: given twice"),
    ("xk", ["gen", "--info", "--info", FINE], 2, r"--info: given twice"),
    ("xk", ["opt", "--passes=", "--passes=expand", "a.ir"], 2,
     r"--passes: given twice"),
    ("xk", ["lint", "-k", "a", "--kernel=b", "k.zebin"], 2,
     r"--kernel: given twice"),
    ("xk", RUN + ["--groups=1", "-g", "2"], 2, r"--groups: given twice"),
    ("xk", RUN + ["buf:zero:64", "--out=0:/dev/null", "--out=0:/dev/null"], 0,
     r"^$"),
    ("xk", ["vgpu", "--check=mem", "--check=race", "--", "true"], 2,
     r"--check: given twice"),
    ("xkbench", ["--mode=L", "--mb=2", "--mb=3", FINE], 0, r"^$"),
    # A thread that is not there.
    ("xk", RUN + ["--trace=new", "--trace-thread=7:0"], 1,
     r"trace-thread=7,0,0:0: no launch had this thread"),
    ("xk", RUN + ["--trace=new", "--trace-thread=0:5"], 1, r"0,0,0:5: no"),
    # A run that fails before its first instruction has no trace.
    ("xk", ["run", "k.zebin", "xk_conv", "--trace=new"], 1,
     r"wants \d+ arguments, 0 were given"),
    # A verb alone says what it lacks, and then how it is called.
    ("xk", ["gen"], 2, r"no problem given\nusage: xk gen (.*\n)+ .*--help"),
    ("xk", ["opt"], 2, r"no file given\nusage: xk opt (.*\n)+ .*--help"),
    ("xk", ["asm"], 2, r"no file given .*\nusage: xk asm (.*\n)+ .*--help"),
    ("xk", ["dis"], 2, r"no file given .*\nusage: xk dis (.*\n)+ .*--help"),
    ("xk", ["lint"], 2, r"no file given .*\nusage: xk lint (.*\n)+ .*--help"),
    ("xk", ["diff"], 2, r"no file given .*\nusage: xk diff (.*\n)+ .*--help"),
    ("xk", ["run"], 2, r"no file given\nusage: xk run (.*\n)+ .*--help"),
    ("xk", ["vgpu"], 2, r"no program .*\nusage: xk vgpu (.*\n)+ .*--help"),
    ("xk", ["dis", "--json"], 2, r"no file given \(- is stdin\)\n$"),
    ("xkbench", [], 2, r"no problem given\nusage: xkbench .*\n.*--help lists the options"),
    # Inputs that are no files of this kind.
    ("xk", ["opt", "add.asm"], 1, r"add.asm: ir text: line 1, column 1: "),
    ("xk", ["gen", "--from=add.asm"], 1, r"add.asm: ir text: line 1, col"),
    ("xkbench", ["--batch=/no/such/file"], 1, r"batch=/no/such/file: No such file"),
    ("xkbench", ["--batch=folder"], 1, r"folder:1: cannot be read: Is a dir"),
    ("xkbench", ["--batch=/dev/zero"], 1, r"/dev/zero:1: a byte 0"),
    ("xkbench", ["--batch=long.txt"], 1, r"^$"),  # a problem that cannot be
    ("xkbench", ["--batch=/proc/self/mem"], 1, r"mem:1: cannot be read: Inp"),
    ("xkbench", ["--batch="], 2, r"batch=: names no file"),
    ("xkbench", ["--batch=/dev/null"], 1,
     r"batch=/dev/null: has neither a problem nor an option"),
    ("xkbench", ["--batch=options.txt"], 2,
     r"options.txt:1: --mode=L: no problem follows\nusage: xkbench .*\n.*--help"),
    ("xk", ["dis", "add.asm"], 1,
     r"add.asm: the file is none of the containers .* need a platform, e.g. xehpg"),
    ("xk", ["dis", "folder"], 1, r"folder: cannot be read: Is a directory"),
    ("xk", ["dis", "/dev/zero"], 1, r"/dev/zero: too large"),
    ("xk", ["asm", "-p", "xehpg", "/dev/null", "-o", "new"], 1,
     r"/dev/null: has no instruction"),
    ("xk", ["run", "--aub=folder"], 1, r"folder: cannot be read: Is a dir"),
    ("xk", ["run", "--aub=no-such"], 1, r"no-such: cannot be read: No such"),
]


def limited():
    """Files of at most 4096 bytes, as on a disk that fills up."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def half_files(tap, xk):
    """A disk that fills up leaves the old file, and no other one."""
    before = sorted(os.listdir())
    old = Path("k.zebin").read_bytes()
    for args in (["gen", "-o", "k.zebin", "mb1ic64ih14oc64kh3ph1"],
                 ["gen", "-o", "half.zebin", "mb1ic64ih14oc64kh3ph1"],
                 ["dis", "k.zebin", "-o", "half.txt"]):
        done = subprocess.run([xk] + args, capture_output=True, text=True,
                              check=False, preexec_fn=limited)
        tap.judge("a disk that fills up: " + " ".join(args), done, 1,
              r"output=.*: cannot be written: File too large")
        same = Path("k.zebin").read_bytes() == old
        tap.line("" if same and sorted(os.listdir()) == before else
                 " ".join(sorted(os.listdir())), "nothing half stays of it")
    done = subprocess.run([xk, "gen", "mb1ic64ih14oc64kh3ph1"], capture_output=True,
                          text=True, check=False, preexec_fn=limited,
                          env={**os.environ, "XK_DUMP": "asm", "XK_DUMP_DIR": "dump"})
    tap.judge("a disk that fills up: XK_DUMP=asm", done, 1, r"XK_DUMP: .*File too large")
    left = [str(p) for p in Path("dump").rglob("*") if p.is_file()]
    tap.line(" ".join(left), "nothing half stays of the dump")
    shutil.rmtree("dump")


def good_files(tap, xk):
    """Links and permissions of an output that exists are kept."""
    os.symlink("target.zebin", "to_target")
    Path("target.zebin").write_text("old")
    os.chmod("target.zebin", 0o640)
    subprocess.run([xk, "gen", "-o", "to_target", FINE], check=True)
    same = Path("target.zebin").read_bytes() == Path("k.zebin").read_bytes()
    mode = os.stat("target.zebin").st_mode & 0o777
    tap.line("" if same and Path("to_target").is_symlink() and mode == 0o640
             else f"same {same}, mode {mode:o}",
             "a link stays a link, a file keeps its permissions")
    done = subprocess.run([xk, "gen", FINE], capture_output=True, text=True,
                          check=False)
    tap.line("" if re.search(r"^groups \d", done.stdout, re.M) else
             repr(done.stdout), "xk gen without -o says what it generated")
    closed = subprocess.run(["sh", "-c", f"'{xk}' gen --info {FINE} >&-"],
                            capture_output=True, text=True, check=False)
    tap.judge("standard output is closed", closed, 1,
          r"standard output: cannot be written")


def signals(tap, xk):
    """A signal that ends the tool leaves no half of a trace, whatever signal."""
    before = sorted(os.listdir())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE):
        with subprocess.Popen([xk, "run", "-p", "xehpg", "loop.bin", "code",
                               "--trace=t.txt"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as done:
            deadline = time.monotonic() + 30
            while not list(Path().glob("t.txt.*.tmp")):
                if done.poll() is not None or time.monotonic() > deadline:
                    break
                time.sleep(0.01)
            begun = bool(list(Path().glob("t.txt.*.tmp")))
            done.send_signal(number)
            done.wait()
        left = sorted(os.listdir())
        good = begun and done.returncode == -number and left == before
        tap.line("" if good else f"begun {begun}, exit {done.returncode}, "
                 f"files {left}", f"{number.name} leaves no half of a file")


def dumps(tap, tools):
    """A dump that is asked for and cannot be written is a failure."""
    for tool in tools.values():
        for values, pattern in (
                ({"XK_DUMP": "all", "XK_DUMP_DIR": "/proc/no"},
                 r"XK_DUMP: /proc/no/.*cannot be written"),
                ({"XK_DUMP": ","}, r"XK_DUMP: '' is no stage"),
                ({"XK_DUMP": "nothing"}, r"XK_DUMP: 'nothing' is no stage")):
            args = ["gen", FINE] if tool == tools["xk"] else [FINE]
            done = subprocess.run([tool] + args, text=True, check=False,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT,
                                  env={**os.environ, **values})
            done.stderr = done.stdout
            tap.judge(f"{Path(tool).name} with {values}", done, 1, pattern)
    done = subprocess.run([tools["xk"], "gen", "-o", "/dev/null", FINE], text=True,
                          capture_output=True, check=False, cwd="folder",
                          env={**os.environ, "XK_DUMP": "asm", "XK_DUMP_DIR": ""})
    tap.judge("XK_DUMP alone names the folder that it writes", done, 0,
              r"^XK_DUMP: writes below xk_dump; XK_DUMP_DIR names another folder$")
    shutil.rmtree("folder/xk_dump")
    done = subprocess.run([tools["xk"], "gen", "-o", "/dev/null", FINE], text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "XK_DUMP_DIR": "folder"})
    tap.judge("XK_DUMP_DIR without XK_DUMP says that it does nothing", done, 0,
              r"^XK_DUMP_DIR: nothing is written without XK_DUMP, .*$")


def from_stdin(tap, xk):
    """An input that standard input gives is not overwritten either."""
    for args in (["dis", "-", "-o", "k.zebin"], ["lint", "-o", "k.zebin", "-"],
                 ["run", "-", "-o", "k.zebin"], ["gen", "--from=-", "-o", "k.zebin"],
                 ["vgpu", "-o", "k.zebin", "--", "cat"]):
        with open("k.zebin", "rb") as given:
            done = subprocess.run([xk] + args, stdin=given, capture_output=True, text=True,
                                  check=False)
        tap.judge(" ".join(args) + " < k.zebin", done, 2, r"output=k.zebin: is also ")


def edited_dump(tap, xk):
    """A dump that is generated from and not overwritten by the next one."""
    env = {**os.environ, "XK_DUMP": "ir", "XK_DUMP_DIR": "folder/d"}
    subprocess.run([xk, "gen", "--from=masks.ir", "-o", "/dev/null"], env=env, check=True)
    dump = next(Path("folder/d").rglob("*.txt"))
    done = subprocess.run([xk, "gen", f"--from={dump}", "-o", "/dev/null"], env=env, text=True,
                          capture_output=True, check=False)
    tap.judge("xk gen --from a dump, with XK_DUMP", done, 2,
              r"from=folder/d/.*: lies below folder/d, where XK_DUMP would overwrite it")
    shutil.rmtree("folder/d")


def variables(tap, tools):
    """A message about a variable's text names the variable; one of an option, the option."""
    for tool, name, value, pattern in (
            ("xk", "XK_PASSES", "foo", r"XK_PASSES: 'foo' leaves out no pass"),
            ("xk", "XK_PASSES", "-header", r"XK_PASSES: '-header': "),
            ("xk", "XK_SCHEDULE", "foo", r"XK_SCHEDULE: 'foo' names no field"),
            ("xk", "XK_SCHEDULE", "m=999", r"XK_SCHEDULE: m=999: breaks the rule"),
            ("xk", "XK_SCHEDULE", "splits=0", r"XK_SCHEDULE: splits=0, need 1"),
            ("xkbench", "XK_SCHEDULE", "m=999", r"\(XK_SCHEDULE: m=999: breaks the rule"),
            ("xkbench", "", "--schedule=m=999", r"\(schedule: m=999: breaks the rule")):
        args = {"xk": ["gen"], "xkbench": []}[tool] + ([] if name else [value]) + [FINE]
        done = subprocess.run([tools[tool]] + args, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**os.environ, **({name: value} if name else {})})
        done.stderr = done.stdout
        tap.judge(f"{tool} {name} {value}", done, 1, pattern)


def widths(tap, xk):
    """JSON has the width of a launch, or no word of it, and never 0."""
    def facts(args):
        done = subprocess.run([xk] + args, capture_output=True, text=True,
                              check=False)
        return json.loads(done.stdout)[0].get("simd", "absent")
    tap.line("" if facts(RUN + ["--json", "--simd=8"]) == 8 else "not 8",
             "xk run --json --simd=8 says 8")
    tap.line("" if facts(RUN + ["--json"]) == 16 else "not 16",
             "xk run --json of raw code says its default, 16")
    got = facts(["dis", "--json", "-p", "xehpg", "add.bin"])
    tap.line("" if got == "absent" else str(got),
             "xk dis --json of raw code has no width")


def prepare(xk):
    """The files that the rows name."""
    os.mkdir("folder")
    subprocess.run([xk, "gen", "-o", "k.zebin", FINE], check=True)
    os.symlink("k.zebin", "link")
    shutil.copy(Path(__file__).resolve().parents[1] / "passes/hoist/masks.ir", ".")
    os.symlink("masks.ir", "to_masks")
    for name in ("prog", "folder/found"):
        Path(name).write_text("#!/bin/sh\n")
        os.chmod(name, 0o755)
    os.symlink("prog", "to_prog")
    os.environ["PATH"] += ":" + os.path.abspath("folder")
    Path("add.asm").write_text("(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
                               "/* 0x29F0 */ (W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n")
    subprocess.run([xk, "asm", "-p", "xehpg", "add.asm", "-o", "add.bin"],
                   check=True)
    late = Path("add.asm").read_text().replace("/* 0x29F0 */ ", "")
    Path("late.asm").write_text(late)
    subprocess.run([xk, "asm", "-p", "xehpg", "late.asm", "-o", "late.bin"], check=True)
    Path("loop.asm").write_text("L0:\n(W) jmpi L0\n")
    subprocess.run([xk, "asm", "-p", "xehpg", "loop.asm", "-o", "loop.bin"],
                   check=True)
    Path("long.txt").write_text("x" * 70000)
    Path("late.txt").write_text(FINE + "\n--mode=L\n--reset\n")
    Path("early.txt").write_text(FINE + "\n--mode=L\n")
    Path("options.txt").write_text("--mode=L\n")
    Path("nested.txt").write_text("--batch=late.txt\n")


def main():
    tools = dict(zip(("xkbench", "xk"), map(os.path.abspath, sys.argv[1:3])))
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        prepare(tools["xk"])
        for tool, args in TO_FULL:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([tools[tool]] + args, stdout=full,
                                      stderr=subprocess.PIPE, text=True,
                                      check=False)
            tap.judge(f"{tool} {' '.join(args)} to /dev/full", done, 1,
                  FULL)
        for args in ([], ["--json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                code = subprocess.run([tools["xk"], "vgpu", *args, "--", "true"],
                                      stderr=full, check=False).returncode
            tap.line("" if code == 1 else f"exit code {code}",
                     f"xk vgpu {' '.join(args)}: a report to a full stderr is a failure")
        before = sorted(os.listdir())
        for tool, args, code, pattern in ROWS:
            done = subprocess.run([tools[tool]] + args, capture_output=True,
                                  text=True, check=False)
            tap.judge(f"{tool} {' '.join(args)}", done, code, pattern)
        tap.line("" if sorted(os.listdir()) == before else
                 " ".join(sorted(os.listdir())), "none of these left a file")
        half_files(tap, tools["xk"])
        good_files(tap, tools["xk"])
        signals(tap, tools["xk"])
        dumps(tap, tools)
        widths(tap, tools["xk"])
        from_stdin(tap, tools["xk"])
        edited_dump(tap, tools["xk"])
        variables(tap, tools)
        os.chdir("/")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
