#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_cli.py XK: xk run on raw code, generated kernels and hand-made captures;
good runs and wrong inputs: each message names the field and the value. TAP."""
import json
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import captures

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

# Each group adds its number to dword [number] of the buffer at r1.0.
CODE = """
    shl (1|M0) r11.0<1>:ud r0.1<0;1,0>:ud 2:ud
    add (1|M0) r12.0<1>:ud r1.0<0;1,0>:ud r11.0<0;1,0>:ud {I@1}
    mov (1|M0) r12.1<1>:ud r1.1<0;1,0>:ud
    send.ugm (1|M0) r10 r12 null:0 0x0 0x02108580 {A@1,$0}
    add (1|M0) r10.0<1>:ud r10.0<0;1,0>:ud r0.1<0;1,0>:ud {$0.dst}
    send.ugm (1|M0) null r12 r10:1 0x0 0x02008584 {A@1,$1}
(W) mov (8|M0) r127.0<1>:ud r0.0<1;1,0>:ud
(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}
"""
PROBLEM = "mb1ic16ih4oc16kh3ph1"
RAW = ["-p", "xehpg", "--inline=32"]

# Arguments behind "run", exit code, what stderr says. {X} names a file.
WRONG = [
    ([], 2, r"no file given"),
    (["-p", "xehpg", "{code}"], 1, r"no kernel given; that of raw code"),
    (["{code}"], 1, r"raw instructions need a platform"),
    (["--dance", "{code}", "code"], 2, r"--dance: unknown option"),
    (["--groups", "0", "{code}", "code"], 2, r"groups=0: not X"),
    (["--groups", "1,2,3,4", "{code}", "code"], 2, r"groups=1,2,3,4: not"),
    (["--groups=1,,2", "{code}", "code"], 2, r"groups=1,,2: not X"),
    (["--local=four", "{code}", "code"], 2, r"local=four: not X"),
    (["--local", "4294967296", "{code}", "code"], 2, r"local=4294967296"),
    (["--check=mem,luck", "{code}", "code"], 2, r"check=mem,luck: 'luck'"),
    (["--check=", "{code}", "code"], 2, r"check=: ''"),
    (["--out=0", "{code}", "code", "buf:zero:4"], 2, r"out=0: not N:FILE"),
    (["--out=x:y", "{code}", "code", "buf:zero:4"], 2, r"out=x:y: not N:FILE"),
    (["--out=1:y", "{code}", "code", "buf:zero:4"], 2,
     r"out=1: there are 1 arguments"),
    (["--trace-thread=3", "{code}", "code"], 2, r"trace-thread=3: not GROUP"),
    (["--trace-thread=0:1024", "{code}", "code"], 2, r"trace-thread=0:1024"),
    (["--threads=many", "{code}", "code"], 2, r"threads=many: not a number"),
    (["--simd=7", "{code}", "code"], 2, r"simd=7: not 1, 8, 16 or 32"),
    (["--grf=64", "{code}", "code"], 2, r"grf=64: not 128 or 256"),
    (["--platform=vax", "{code}", "code"], 2, r"vax"),
    (["--limit=-1", "{code}", "code"], 2, r"limit=-1"),
    (["--timing=gtx", "{code}", "code"], 2, r"timing=gtx: is none of a770, max1550, iris-xe"),
    (["--timing-waves=all", "{code}", "code"], 2, r"timing-waves=all: not a"),
    (RAW + ["--timing=max1550", "{code}", "code", "buf:zero:16"], 1,
     r"'max1550' is no machine of the kernel's platform"),
    (["--aub"], 2, r"--aub: needs"),
    (["--aub", "{good}", "more"], 2, r"more: a capture has its own"),
    # Arguments of the kernel.
    (RAW + ["{code}", "code", "s32"], 1, r"argument 0: 's32': begins with"),
    (RAW + ["{code}", "code", "i32:1"], 1, r"'i32:1': begins .*\bs32\b"),
    (RAW + ["{code}", "code", "i33:1"], 1, r"argument 0: 'i33:1'"),
    (RAW + ["{code}", "code", "u32:1", "s32:five"], 1,
     r"argument 1: 'five' is no s32"),
    (RAW + ["{code}", "code", "s8:128"], 1, r"argument 0: '128' is no s8"),
    (RAW + ["{code}", "code", "s8:-129"], 1, r"'-129' is no s8"),
    (RAW + ["{code}", "code", "u16:-1"], 1, r"'-1' is no u16"),
    (RAW + ["{code}", "code", "u16:65536"], 1, r"'65536' is no u16"),
    (RAW + ["{code}", "code", "u64:18446744073709551616"], 1, r"is no u64"),
    (RAW + ["{code}", "code", "f32:"], 1, r"argument 0: '' is no f32"),
    (RAW + ["{code}", "code", "f16:1x"], 1, r"'1x' is no f16"),
    (RAW + ["{code}", "code", "buf:zero:"], 1, r"argument 0: '' bytes"),
    (RAW + ["{code}", "code", "buf:zero:0"], 1, r"'0' bytes are not of 1"),
    (RAW + ["{code}", "code", "buf:zero:99999999999"], 1, r"'99999999999'"),
    (RAW + ["{code}", "code", "buf:rand:f33:4"], 1, r"type 'f33' is none of"),
    (RAW + ["{code}", "code", "buf:rand:f32"], 1, r"count '' is not of"),
    (RAW + ["{code}", "code", "buf:rand:f32:0"], 1, r"count '0' is not of"),
    (RAW + ["{code}", "code", "buf:rand:f32:4:x"], 1, r"seed 'x' is no"),
    (RAW + ["{code}", "code", "slm:0"], 1, r"'0' bytes of local memory"),
    (RAW + ["{code}", "code", "slm:9999999"], 1, r"'9999999' bytes of local"),
    (RAW + ["{code}", "code", "buf:/no/such/file"], 1, r"/no/such/file"),
    (RAW + ["{code}", "code", "buf:{empty}"], 1, r"the file is empty"),
    # Files and kernels.
    (["/no/such/file", "k"], 1, r"/no/such/file"),
    (["{code}", "code"], 1, r"raw instructions need a platform"),
    (RAW + ["{code}", "other"], 1, r"kernel 'other' is not in the file, which has code"),
    (["{zebin}", "other"], 1, r"kernel 'other' is not in the file"),
    (["-p", "xehpc", "{zebin}", "{kernel}"], 1, r"is for xehpg, not for xehpc"),
    (["{half}", "{kernel}"], 1, r"{half}: "),
    (["{zebin}", "{kernel}"], 1, r"wants 4 arguments, 0 were given"),
    (["--local=16", "{zebin}", "{kernel}", "buf:zero:1024", "buf:zero:9216",
      "buf:zero:64", "buf:zero:1024"], 1, r"required_work_group_size is 64,1,1"),
    (["{zebin}", "{kernel}", "u64:0", "buf:zero:64", "buf:zero:64",
      "buf:zero:64"], 1,
     r"argument 0 is a pointer, but has no buffer"),
    (RAW + ["--trace=/no/such/dir/t", "{code}", "code"], 1,
     r"trace=/no/such/dir/t"),
    (RAW + ["-o", "/no/such/dir/t", "{code}", "code", "buf:zero:4"], 1,
     r"/no/such/dir/t"),
    (RAW + ["--out=0:/no/such/dir/t", "{code}", "code", "buf:zero:4"], 1,
     r"/no/such/dir/t"),
    (RAW + ["--out=0:x", "{code}", "code", "u64:4"], 1,
     r"out=0: argument 'u64:4' is no buffer|bytes at 0x4"),
    # Runs that end badly.
    (RAW + ["--groups=5", "{code}", "code", "buf:zero:16"], 1,
     r"XK_EFAULT.*group 4,0,0"),
    (RAW + ["--limit=3", "{code}", "code", "buf:zero:16"], 1,
     r"instruction limit"),
    (RAW + ["--local=2000", "{code}", "code", "buf:zero:16"], 1,
     r"work items of a group=2000, but DG2-G10 takes at most 1024"),
    # Captures.
    (["--aub", "/no/such/file"], 1, r"/no/such/file: cannot be read"),
    (["--aub", "{code}"], 1, r"aub: no version packet"),
    (["--aub", "{empty}"], 1, r"the capture is empty"),
    (["--aub", "{cut}"], 1, r"ends inside the packet at 0x"),
    (["--aub", "{stranger}"], 1, r"device 0x99 is unknown"),
    (["--aub", "{good}", "--platform=xehpc"], 1,
     r"the capture is of xehpg, not of xehpc"),
    (["--aub", "{unknown}"], 1, r"command 0x0f800000 at 0x7f0000100000"),
    (["--aub", "{faulty}"], 1, r"XK_EFAULT.*at 0x"),
    (["--aub", "{good}", "--out=64:4:/dev/null"], 1, r"0x40 is not mapped"),
    (["--out=0:x", "--aub", "{good}", "--out=64:x"], 2,
     r"out=64:x: of a capture not ADDRESS:BYTES:FILE"),
]


class Xk:
    """The tool in a folder with its inputs."""

    def __init__(self, tool, folder):
        self.tool, self.files, self.folder = tool, {"kernel": "?"}, folder

    def put(self, name, data):
        """An input."""
        path = self.folder / name
        path.write_bytes(data)
        self.files[name] = str(path)
        return path

    def run(self, *args):
        """CompletedProcess; stdin is empty."""
        words = [a.format(**self.files) for a in args]
        return subprocess.run([self.tool, *words], capture_output=True,
                              check=False, stdin=subprocess.DEVNULL,
                              cwd=self.folder, timeout=60)


def prepare(xk):
    """All inputs."""
    text = xk.put("text", CODE.encode())
    done = xk.run("asm", "-p", "xehpg", "-o", str(xk.folder / "code"),
                  str(text))
    assert done.returncode == 0, done.stderr
    code = (xk.folder / "code").read_bytes()
    xk.files["code"] = str(xk.folder / "code")
    done = xk.run("gen", "-o", str(xk.folder / "zebin"), PROBLEM)
    assert done.returncode == 0, done.stderr
    xk.files["zebin"] = str(xk.folder / "zebin")
    zebin = (xk.folder / "zebin").read_bytes()
    kernels = json.loads(xk.run("dis", "--json", "{zebin}").stdout)
    xk.files["kernel"] = kernels[0]["kernel"]
    xk.put("half", zebin[:len(zebin) // 2])
    xk.put("empty", b"")
    device = captures.DEVICES["xehpg"]
    good = captures.one_launch(device, code, (4, 1, 1), launches=2)
    xk.put("good", good)
    late = captures.walker([4, 1, 1], struct.pack("<Q", captures.DATA),
                           first=(2, 0, 0))
    xk.put("late", captures.capture(device, code, captures.bases() + late +
                                    captures.END, 2))
    xk.put("cut", good[:-6])
    xk.put("stranger", captures.one_launch(0x99, code))
    xk.put("unknown", captures.capture(device, code,
                                       captures.dwords(0x0F800000)))
    far = captures.walker([1, 1, 1], struct.pack("<Q", 0x123450000))
    xk.put("faulty", captures.capture(device, code, captures.bases() + far +
                                      captures.END))


def wrong(xk, tap):
    """The table above."""
    for args, code, pattern in WRONG:
        done = xk.run("run", *args)
        said = done.stderr.decode()
        pattern = pattern.format(**xk.files) if "{half}" in pattern else pattern
        tap.check(done.returncode == code and re.search(pattern, said),
                  "run " + " ".join(args),
                  f"exit {done.returncode}, not {code}: {said}")


def raw(xk, tap):
    """Raw code: the buffer, statistics, trace."""
    start = struct.pack("<4I", 10, 20, 30, 40)
    xk.put("start", start)
    args = ["run", *RAW, "--groups", "4", "{code}", "code", "buf:{start}"]
    done = xk.run(*args, "--out", "0:result")
    result = (xk.folder / "result").read_bytes()
    tap.check(done.returncode == 0 and
              struct.unpack("<4I", result) == (10, 21, 32, 43),
              "a buffer is read, changed and written", done.stderr + result)
    done = xk.run(*args, "--stats", "--json")
    (launch,) = json.loads(done.stdout)
    tap.check(launch["stats"]["instructions"] == 32 and
              launch["opcodes"] == {"shl": 4, "add": 8, "mov": 8, "send": 12}
              and [i["executed"] for i in launch["instructions"]] == [4] * 8 and
              [i["lanes"] for i in launch["instructions"]] ==
              [4] * 6 + [32, 32],
              "each instruction is counted, also in JSON", done.stdout)
    tap.check({re.match(r"\w+\.\w+", m).group() for m in launch["messages"]} ==
              {"load.ugm", "store.ugm", "eot.gtwy"} and
              set(launch["messages"].values()) == {4},
              "message kinds are counted", launch["messages"])
    done = xk.run(*args, "--stats")
    tap.check(re.search(rb"^ +12  send$", done.stdout, re.M) and
              re.search(rb"^ +4 +4  0x0000  .*shl", done.stdout, re.M),
              "counts stand beside the disassembly", done.stdout)
    done = xk.run(*args, "--trace", "trace", "--threads=2")
    lines = (xk.folder / "trace").read_text().splitlines()
    steps = [l for l in lines if not l.startswith(" ")]
    tap.check(len(steps) == 32 and
              [int(s.split(",")[0]) for s in steps] ==
              [g for g in range(4) for _ in range(8)],
              "a trace has every instruction, group after group", lines)
    done = xk.run(*args, "--trace", "-", "--trace-thread", "2:0")
    text = done.stdout.decode()
    tap.check(text.count("2,0,0:0 0x") == 8 and "1,0,0:0 0x" not in text and
              re.search(r"add .* r0\.1.*\n    r10 = 00000020 ", text),
              "one thread's trace shows what it changed", text)
    done = xk.run(*args[:-1], "buf:rand:u32:4:7", "--out=0:a")
    xk.run(*args[:-1], "buf:rand:u32:4:7", "--out=0:b")
    xk.run(*args[:-1], "buf:rand:u32:4:8", "--out=0:c")
    a, b, c = ((xk.folder / n).read_bytes() for n in "abc")
    tap.check(a == b != c, "random data depend on the seed alone", (a, b, c))


def values(xk, tap):
    """Numbers as the kernel gets them: in r1, in order."""
    words = ["u64:0x1122334455667788", "s8:-2", "s16:-3", "f16:1.5", "f16:-0",
             "f32:1", "f64:-2"]
    done = xk.run("run", *RAW, "--trace=-", "{code}", "code", *words)
    r12 = re.findall(r"r12 = (\w+) (\w+)", done.stdout.decode())
    tap.check(r12 and r12[-1] == ("55667788", "11223344"),
              "a value reaches the kernel whole", done.stdout)
    halves = {"1": 0x3C00, "65504": 0x7BFF, "65519": 0x7BFF, "65520": 0x7C00,
              "6e-8": 1, "2e-8": 0, "6.1e-5": 0x3FF, "0.333251953125": 0x3555,
              "inf": 0x7C00, "-2.0009765625": 0xC000, "-2.0029296875": 0xC002}
    for text, bits in halves.items():
        done = xk.run("run", *RAW, "--trace=-", "{code}", "code",
                      "f16:" + text)
        found = re.search(r"r12 = \w{4}(\w{4}) ", done.stdout.decode())
        tap.check(found and int(found.group(1), 16) == bits,
                  f"f16:{text} is 0x{bits:04x}", done.stdout)


def generated(xk, tap):
    """A generated kernel, with all that is to be had."""
    args = ["run", "--groups=1", "{zebin}", "{kernel}",
            "buf:rand:f32:256:1", "buf:rand:f32:2304:2", "buf:zero:64",
            "buf:zero:1024", "--out=3:dst"]
    done = xk.run(*args)
    out = (xk.folder / "dst").read_bytes()
    tap.check(done.returncode == 0 and len(set(out)) > 100,
              "a generated kernel runs", done.stderr)
    done = xk.run("run", "--json", *args[1:])
    (launch,) = json.loads(done.stdout)
    tap.check(launch["platform"] == "xehpg" and
              launch["kernel"] == xk.files["kernel"] and
              launch["findings"] == [], "and says what it did", done.stdout)


def timed(xk, tap):
    """The timing model: text and JSON say the same, results do not change."""
    plain = ["run", "--groups=1", "{zebin}", "{kernel}",
             "buf:rand:f32:256:1", "buf:rand:f32:2304:2", "buf:zero:64",
             "buf:zero:1024"]
    xk.run(*plain, "--out=3:plain")
    done = xk.run("run", "--timing", "--json", *plain[1:], "--out=3:dst")
    tap.equal((xk.folder / "plain").read_bytes(),
              (xk.folder / "dst").read_bytes(), "timing changes no result")
    (launch,) = json.loads(done.stdout)
    t = launch["timing"]
    tap.check(t["product"] == "a770" and t["time_us"] > 0 and
              abs(t["cycles"] / t["clock_mhz"] / t["time_us"] - 1) < 1e-9 and
              abs(sum(t["shares"].values()) - 1) < 1e-6, "time and shares", t)
    tap.check(t["instructions"] == launch["stats"]["instructions"] and
              sum(i["executed"] for i in t["instruction"]) ==
              t["instructions"] and t["fma"] == "mad f32",
              "each instruction is modelled", t)
    text = xk.run("run", "--timing=a770", *plain[1:]).stdout.decode()
    tap.check(f"timing for a770: {t['time_us']:.2f} us" in text and
              re.search(r"0x0000  .*\n", text), "the text says the same", text)
    done = xk.run("run", "--aub", "{good}", "--timing", "--json")
    launches = json.loads(done.stdout)
    tap.check(len(launches) == 2 and all(
        l["timing"]["instructions"] == 32 / 4 and l["timing"]["groups"] == 4
        for l in launches), "launches of a capture are timed", done.stdout)


def captured(xk, tap):
    """Two submissions of one launch."""
    done = xk.run("run", "--aub", "{good}", "--stats", "--json",
                  f"--out={captures.DATA}:16:data")
    data = (xk.folder / "data").read_bytes()
    tap.check(done.returncode == 0 and
              struct.unpack("<4I", data) == (0, 2, 4, 6),
              "a capture's launches change its memory", done.stderr + data)
    launches = json.loads(done.stdout)
    tap.check(len(launches) == 2 and all(
        l["platform"] == "xehpg" and l["groups"] == [4, 1, 1] and
        l["simd"] == 16 and l["stats"]["instructions"] == 32 and
        [i["executed"] for i in l["instructions"]] == [4] * 8
        for l in launches), "each launch has its statistics", done.stdout)
    done = xk.run("run", "--aub", "{late}", "--stats", "--json",
                  "--timing", f"--out={captures.DATA}:16:data")
    data = (xk.folder / "data").read_bytes()
    launches = json.loads(done.stdout)
    tap.check(done.returncode == 0 and
              struct.unpack("<4I", data) == (0, 0, 4, 6) and
              all(l["groups"] == [2, 1, 1] and l["timing"]["groups"] == 2 and
                  l["stats"]["instructions"] == 16 for l in launches),
              "a walker begins at its first group", done.stdout + data)
    done = xk.run("run", "--aub", "{good}", "--trace", "-",
                  "--trace-thread=3:0")
    tap.check(done.stdout.count(b"3,0,0:0 0x") == 16, "and its trace",
              done.stdout)


def main():
    """Command line."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        xk = Xk(Path(sys.argv[1]).absolute(), Path(folder))
        prepare(xk)
        for part in (raw, values, generated, timed, captured, wrong):
            part(xk, tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
