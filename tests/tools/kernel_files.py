#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernel_files.py XK SOURCE: xk asm, dis, lint and diff as a user would use
them: on kernels of our own and, where ocloc and iga64 are installed, on a
compiler's; with files and arguments that are wrong. TAP."""
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

FINE = "mb1ic3ih5oc4kh3ph1"
GOOD = """// a program with a loop and a message
        mov (8|M0)               r3.0<1>:ud    0x10:ud
LOOP:
        add (1|M0)    (eq)f0.0   r3.0<1>:d     r3.0<0;1,0>:d   -1:w   {I@1}
(W&~f0.0) jmpi               LOOP
        mov (16|M0)              r4.0<1>:f     r6.0<1;1,0>:f
(W)     mov (8|M0)               r112.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.gtwy (8|M0)  null  r112  null:0  0x0  0x02000010  {EOT,I@1}
"""
TARGETS = [("tgllp", "xelp"), ("acm-g10", "xehpg"), ("dg2-g11", "xehpg"),
           ("pvc", "xehpc")]

# Assembler input, and what the message on stderr must say.
BAD_TEXT = [
    ("bogus (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud", r"in\.asm:1:1: .*bogus"),
    ("nop\nmov (8|M0) r1.0<1>:ud r300.0<8;8,1>:ud", r"in\.asm:2:.*300"),
    ("mov (7|M0) r1.0<1>:ud r2.0<8;8,1>:ud", r"in\.asm:1:.*7"),
    ("mov (8|M0) r1.0<1>:ud 0x123456789:ud", r"in\.asm:1:23: .*4886718345"),
    ("mov (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud {@9}", r"in\.asm:1:.*9"),
    ("jmpi NOWHERE", r"in\.asm:1:.*NOWHERE"),
    ("A:\nA:\nnop", r"in\.asm:2:.*A"),
    ("macl (8|M0) r1.0<1>:d r2.0<8;8,1>:d r3.0<8;8,1>:d", r"xehpc"),
    ("mov (8|M0) r1.0<1>:zz r2.0<8;8,1>:ud", r"in\.asm:1:.*zz"),
    ("mov (8|M0) r1.0<1>:ud", r"in\.asm:1:"),
    ("\x01\x02", r"in\.asm:1:1:"),
]


class Tool:
    """xk, run in a folder."""

    def __init__(self, path, folder, tap):
        self.path, self.folder, self.tap = path, folder, tap

    def run(self, *args, data=b""):
        """(exit code, stdout, stderr)"""
        done = subprocess.run([self.path, *map(str, args)], input=data,
                              capture_output=True, cwd=self.folder,
                              check=False)
        return done.returncode, done.stdout, done.stderr.decode(
            errors="replace")

    def fails(self, code, pattern, *args, data=b""):
        """Ends with code and a sentence that matches."""
        got, _, err = self.run(*args, data=data)
        self.tap.check(got == code and re.search(pattern, err),
                      f"xk {' '.join(map(str, args))}: exit {code}, {pattern}",
                      f"exit {got}: {err}")


def assemble(tool, tap):
    """Text to bytes and back, in every way that a user has."""
    (tool.folder / "in.asm").write_text(GOOD)
    code, _, err = tool.run("asm", "-p", "xehpg", "in.asm", "-o", "out.bin")
    tap.check(code == 0, "xk asm writes a file", err)
    raw = (tool.folder / "out.bin").read_bytes()
    tap.check(len(raw) == 6 * 16, "six instructions of 16 bytes", len(raw))
    for extra in [], ["-m"], ["-n"], ["--offsets"]:
        text = tool.run("dis", "-p", "xehpg", *extra, "out.bin")[1]
        again = tool.run("asm", "-p", "xehpg", "-", "-o", "-", data=text)
        tap.check(again[1] == raw, f"dis {extra} gives the same bytes again",
                 again[2] + text.decode())
    short = tool.run("asm", "-p", "xehpg", "-c", "in.asm", "-o", "-")[1]
    tap.check(0 < len(short) < len(raw), "-c makes it shorter", len(short))
    code, out, err = tool.run("asm", "-p", "xehpg", "--json", "in.asm")
    tap.check(code == 0 and json.loads(out) ==
             {"status": "XK_OK", "code_bytes": 96}, "xk asm --json", out)
    for text, pattern in BAD_TEXT:
        (tool.folder / "in.asm").write_text(text)
        tool.fails(1, pattern, "asm", "-p", "xehpg", "in.asm", "-o", "x.bin")
    code, out, _ = tool.run("asm", "-p", "xehpg", "--json", "in.asm")
    tap.check(code == 1 and json.loads(out)["status"] == "XK_EPARSE",
             "an error as JSON", out)
    tap.check(not (tool.folder / "x.bin").exists(),
             "what does not assemble leaves no file", "x.bin is there")


def own_kernel(tool, tap):
    """A zebin of the generator: no findings; one damaged bit is one."""
    tool.run("gen", "-o", "k.zebin", FINE)
    code, out, err = tool.run("lint", "k.zebin")
    tap.check(code == 0 and b"0 findings" in out, "our kernel is clean",
             out.decode() + err)
    listing = json.loads(tool.run("dis", "--json", "k.zebin")[1])
    name = listing[0]["kernel"]
    tap.check(len(listing) == 1 and len(listing[0]["instructions"]) > 20,
             "xk dis --json lists the instructions",
             [len(k["instructions"]) for k in listing])
    code, out, _ = tool.run("diff", "k.zebin", "k.zebin")
    tap.check(code == 0 and b"instruction mix" in out and b"+" not in
             re.sub(rb"register \+ 1", b"", out), "a kernel equals itself", out)
    both = json.loads(tool.run("diff", "--json", "k.zebin", "k.zebin")[1])
    mix = both[0]["opcodes"]
    tap.check(mix and all(a == b for a, b in mix.values()),
             "xk diff --json has both sides", mix)
    text = tool.run("dis", "-k", name, "k.zebin")[1]
    tap.check(text.count(b"mad") + text.count(b"dpas") > 0, "xk dis -k NAME", text)
    tool.fails(1, r"'nobody' is not in the file", "dis", "-k", "nobody",
               "k.zebin")
    tool.fails(1, r"for xehpg, not for xelp", "dis", "-p", "xelp", "k.zebin")


# The PCI revision in note 3, or the IP version in note 6, and what lint says: it has
# the revisions 0, 1, 4, 5, 8 and 9 of DG2, and the IP versions 12.55 to 12.57.
TOLD = [(3, 0x30300, r"device: revision 3 of family 1270 is unknown; name one"),
        (3, 0x1f1f00, r"device: revision 31 of family 1270 is unknown; name one"),
        (3, 0x30100, None),  # from 1 to 3: a range leaves the device open
        (6, 0x030dc003, r"device: IP version 12\.55\.3 is unknown; name one"),
        (6, 0x050dc004, r"device: IP version 20\.55\.4 is unknown; name one"),
        (6, 0x030dc004, None)]


def told_device(tool, tap):
    """Lint does not guess for a device that it does not know; dis does not ask."""
    for note, value, sentence in TOLD:
        # G10 and G11 have a C0 of revision 8: the file has both notes
        tool.run("gen", "--device=dg2-g10-c0", "-o", "t.zebin", FINE)
        file = (tool.folder / "t.zebin").read_bytes()
        head = struct.pack("<3I", 8, 4, note) + b"IntelGT\0"
        if note == 3:  # without the IP version, which says more
            ip = file.index(struct.pack("<3I", 8, 4, 6) + b"IntelGT\0")
            file = file[:ip + 8] + b"\x63" + file[ip + 9:]
        at = file.index(head) + len(head)
        (tool.folder / "t.zebin").write_bytes(
            file[:at] + struct.pack("<I", value) + file[at + 4:])
        name = f"note {note} with {value:#x}"
        if sentence:
            tool.fails(1, f"XK_EUNSUPPORTED: {sentence}", "lint", "t.zebin")
            code, out, _ = tool.run("lint", "--json", "t.zebin")
            tap.check(code == 1 and not out, f"{name}: no list of findings", out)
        code, out, err = tool.run("lint", *["--device=dg2-g11"] * bool(sentence),
                                  "t.zebin")
        tap.check(code == 0 and b"0 findings" in out, f"{name}: judged", err)
        code, _, err = tool.run("dis", "t.zebin")
        tap.check(code == 0, f"{name}: dis", err)


def broken_rules(tool, tap):
    """lint names rule, instruction, reason and source, and all of them."""
    (tool.folder / "b.asm").write_text(
        "send.ugm (8|M0) r10 r3 null:0 0x0 0x02108580 {$0}\n"
        "mov (8|M0) r1.0<1>:ud r2.0<8;8,1>:ud\n")
    tool.run("asm", "-p", "xehpg", "b.asm", "-o", "b.bin")
    code, out, _ = tool.run("lint", "-p", "xehpg", "b.bin")
    text = out.decode()
    tap.check(code == 1 and "source:" in text and "mov (8|M0)" in text,
             "findings: exit 1, with instruction and source", text)
    code, out, _ = tool.run("lint", "--json", "-p", "xehpg", "b.bin")
    found = json.loads(out)
    tap.check(code == 1 and found and all(
        f["rule"] and f["why"] and f["source"] for f in found),
             "xk lint --json", out)
    (tool.folder / "c.bin").write_bytes((b"\x7f" + bytes(14) + b"\1") * 3)
    code, out, _ = tool.run("lint", "-p", "xehpc", "c.bin")
    tap.check(code == 1 and out.count(b"DECODE") == 3,
             "bytes that are no instructions are each a finding", out)


def wrong_use(tool):
    """Arguments and files that are wrong."""
    for verb in "asm", "dis", "lint", "diff":
        tool.fails(2, r"no file given", verb)
        tool.fails(2, r"--bogus: unknown option", verb, "--bogus", "x")
        tool.fails(2, r"platform=vax", verb, "-p", "vax", "x")
    tool.fails(2, r"no second file", "diff", "k.zebin")
    tool.fails(2, r"one file too many", "lint", "a", "b")
    tool.fails(2, r"-p must be given: one of xehpg, xelp, xehpc$", "asm", "in.asm", "-o", "x")
    tool.fails(2, r"-o FILE must be given", "asm", "-p", "xelp", "in.asm")
    for verb in "dis", "lint":
        tool.fails(1, r"/no/such/file", verb, "/no/such/file")
        tool.fails(1, r"need a platform", verb, "-", data=b"\0" * 32)
        tool.fails(1, r"empty", verb, "-")
    whole = (tool.folder / "k.zebin").read_bytes()
    tool.fails(1, r"XK_EPARSE", "dis", "-", data=whole[:len(whole) // 2])
    tool.fails(1, r"places are no instructions", "dis", "-p", "xehpg", "c.bin")
    tool.fails(1, r"archive", "dis", "-", data=b"!<arch>\nxxxx")


# tests/corpus/lint_excuses.txt says why: that compiler's table has no such rows.
EXCUSED = {"tgllp": {"wa_eot_acc_clear", "wa_rs_intra"}, "pvc": {"wa_send_war"}}


def compiled(tool, tap, source):
    """What a compiler wrote, in both containers, for the three platforms."""
    if not shutil.which("ocloc"):
        tap.skip("compiled kernels", "ocloc (package intel-opencl-icd) is not installed")
        return
    cl = source / "tests" / "container" / "files.cl"
    for device, platform in TARGETS:
        for name, extra in ("old", []), ("zebin", ["--format", "zebin"]):
            file = f"{device}.{name}"
            subprocess.run(["ocloc", "compile", "-file", cl, "-device", device,
                            *extra, "-output", file, "-output_no_suffix",
                            "-out_dir", tool.folder], capture_output=True,
                           cwd=tool.folder, check=False)
            code, out, err = tool.run("lint", file)
            rules = set(re.findall(r"^\S+\+0x\w+: (\w+)$", out.decode(), re.M))
            told = f"findings in 5 kernels for {platform}" in out.decode()
            tap.check(told and rules == EXCUSED.get(device, set()) and
                      (code == 0) == (not rules), f"lint {file}",
                      out.decode() + err)
            back_to_bytes(tool, tap, file, platform)
            judged_for(tool, tap, file)
        code, out, _ = tool.run("diff", f"{device}.old", f"{device}.zebin")
        tap.check(code == 0 and out.count(b"instruction mix") == 5,
                 f"diff of both containers, {device}", out)


def judged_for(tool, tap, file):
    """Lint's last line; note 3 of ocloc 22.43's files, and the header of the older
    container, have revision 0 (nothing) for tgllp, 8 for acm-g10 (C0 of G10 and of
    G11), 5 for dg2-g11, 7 for pvc."""
    last = tool.run("lint", file)[1].decode().splitlines()[-1]
    device = {"tgllp": "all steppings sold", "acm-g10": "any product C0",
              "dg2-g11": "DG2-G11 B1", "pvc": "PVC-XT C0"}[file.split(".")[0]]
    tap.check(last.endswith(f"{device}; 128 registers)"), f"device of {file}",
              last)


COUNT = """
__kernel __attribute__((reqd_work_group_size(16, 2, 1)))
void count(__global uint *out)
{
    const size_t i = get_global_id(1) * 16 + get_global_id(0);
    out[i] = 100 * get_local_size(0) + 10 * get_local_size(1) + get_local_id(1);
}
"""


def required_group(tool, tap):
    """reqd_work_group_size is what a group has if nobody says another size."""
    if not shutil.which("ocloc"):
        return
    (tool.folder / "count.cl").write_text(COUNT)
    want = struct.pack("<32I", *[1620 + i // 16 for i in range(32)])
    for name, extra in ("old", []), ("zebin", ["--format", "zebin"]):
        file = f"count.{name}"
        subprocess.run(["ocloc", "compile", "-file", "count.cl", "-device",
                        "acm-g10", *extra, "-output", file,
                        "-output_no_suffix"], capture_output=True,
                       cwd=tool.folder, check=False)
        code, out, err = tool.run("run", "--out=0:o.bin", file, "count",
                                  "buf:zero:128")
        tap.check(code == 0 and (tool.folder / "o.bin").read_bytes() == want,
                 f"{file}: 16,2,1 work items by themselves",
                 out.decode() + err)
        tool.fails(1, r"local=32,1,1: required_work_group_size is 16,2,1",
                   "run", "--local=32", file, "count", "buf:zero:128")


def nearest_even(bits):
    """The upper half of a float's bits, rounded."""
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def filled(tool, tap):
    """A buffer of random bf16 has the floats of the same seed, rounded."""
    (tool.folder / "e.asm").write_text(
        "(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud\n"
        "(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT}\n")
    tool.run("asm", "-p", "xehpg", "e.asm", "-o", "e.bin")
    made = {}
    for word in "f32", "bf16":
        err = tool.run("run", "-p", "xehpg", "--out", f"0:{word}", "e.bin", "code",
                       f"buf:rand:{word}:1000")[2]
        made[word] = (tool.folder / word).read_bytes() if not err else b""
    bits = struct.unpack(f"<{len(made['f32']) // 4}I", made["f32"])
    tap.check(len(bits) == 1000 and
              made["bf16"] == struct.pack("<1000H", *map(nearest_even, bits)),
              "buf:rand:bf16 is buf:rand:f32, rounded", err)


def endless(tool, tap):
    """A loop without end ends at the limit, and its place is told."""
    (tool.folder / "l.asm").write_text("nop\nA:\nnop\njmpi (1|M0) A\n")
    tool.run("asm", "-p", "xehpg", "l.asm", "-o", "l.bin")
    code, out, err = tool.run("run", "--platform=xehpg", "--limit=1000",
                              "l.bin", "code")
    tap.check(code == 1 and re.search(r"instruction limit of 1000 reached in "
                                     r"the loop from offset 0x10 to 0x20",
                                     out.decode() + err),
             "an endless loop is placed", out.decode() + err)


def back_to_bytes(tool, tap, file, platform):
    """dis and asm give the kernel's bytes; the rest of its section is zero."""
    text = tool.run("dis", "-k", "reverse", file)[1]
    code = tool.run("asm", "-p", platform, "-", "-o", "-", data=text)
    whole = (tool.folder / file).read_bytes()
    tap.check(code[0] == 0 and len(code[1]) > 64 and code[1] in whole,
             f"asm of dis is in {file}", code[2])


def main():
    xk, source = map(Path, sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as name:
        tool = Tool(xk.resolve(), Path(name), tap)
        assemble(tool, tap)
        own_kernel(tool, tap)
        told_device(tool, tap)
        broken_rules(tool, tap)
        wrong_use(tool)
        compiled(tool, tap, source.resolve())
        required_group(tool, tap)
        filled(tool, tap)
        endless(tool, tap)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
