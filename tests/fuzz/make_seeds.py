#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_seeds.py DIR: first inputs of the fuzz targets. The text ones are always
there; files of a compiler only where ocloc and iga64 are installed."""
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "vgpu"))
import captures  # noqa: E402  pylint: disable=wrong-import-position
TARGETS = [("tgllp", "12p1"), ("acm-g10", "12p71"), ("pvc", "12p72")]

TEXT = """L0:
(W) mov (8|M0) r3.0<1>:ud 0x10:ud
(f0.0) add (8|M0) r4.0<1>:d r5.0<8;8,1>:d -r6.0<0;1,0>:d {@1}
math.inv (8|M0) r5.0<1>:f (abs)r6.0<1;1,0>:f {$1}
sync.nop null {$1.dst}
(W&~f0.1) goto (8|M0) L0 L0
"""

ZE_INFO = """---
version: '1.0'
kernels:
  - name: k
    execution_env:
      simd_size: 16
      grf_count: 128
      slm_size: 64
    payload_arguments:
      - arg_type: arg_bypointer
        offset: 0
        size: 8
        arg_index: 0
        addrmode: slm
    per_thread_payload_arguments:
      - arg_type: local_id
        offset: 0
        size: 96
    per_thread_memory_buffers:
      - type: scratch
        size: 1024
...
"""


def compiled(device, extra, folder):
    """One of the tests' OpenCL files as the compiler writes it; None: cannot."""
    source = HERE.parent / "container" / "files.cl"
    subprocess.run(["ocloc", "compile", "-file", source, "-device", device,
                    *extra, "-output", "k", "-out_dir", folder,
                    "-output_no_suffix"], capture_output=True, check=False)
    path = Path(folder) / "k"
    return path.read_bytes() if path.exists() else None


def sections(elf):
    """name -> bytes of the sections of an ELF64 file."""
    table, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<HH", elf, 60)

    def header(k):
        at = table + 64 * k
        name, = struct.unpack_from("<I", elf, at)
        offset, size = struct.unpack_from("<QQ", elf, at + 24)
        return name, offset, size
    _, text_at, _ = header(names)
    result = {}
    for k in range(count):
        name, offset, size = header(k)
        start = text_at + name
        result[elf[start:elf.index(b"\0", start)].decode()] = \
            elf[offset:offset + size]
    return result


# What no compiler of these files writes: calls, loops, indirect operands, a
# barrier, SLM, atomics, dpas, scratch. {} is replaced for each platform.
RUN = """(W) mov (8|M0) r112.0<1>:ud r0.0<1;1,0>:ud
(W) mov (1|M0) a0.0<1>:uw 0x40:uw
mov (8|M0) r10.0<1>:ud 0x4:uw
(W) mov (8|M0) f0.0<1>:uw 0x55:uw
again:
add (8|M0) (gt)f0.0 r10.0<1>:d r10.0<8;8,1>:d -1:w {I@1}
mad (8|M0) r12.0<1>:f r10.0<8;1>:f r10.0<8;1>:f r10.0<1>:f {I@1}
mov (8|M0) r13.0<1>:ud r[a0.0,0]<1;1,0>:ud
sync.nop null {A@1}
math.inv (8|M0) r14.0<1>:f r12.0<8;8,1>:f {$1}
sync.nop null {$1.dst}
(f0.0) while (8|M0) again
(f0.0) if (8|M0) other done
mul (8|M0) r15.0<1>:d r10.0<8;8,1>:d r10.0<16;8,2>:uw
other:
else (8|M0) done done
(W) call (8|M0) r20.0 below
done:
endif (8|M0) out
out:
"""
RUN_END = {
    "12p1": "(W) send.ts (8|M0) null r112 null 0x0 0x02000010 {EOT}\n",
    "12p71": """(W) send.slm (1|M0) r30 r10 null:0 0x0 0x02108500 {$2}
(W) send.ugm (1|M0) null r1 r30:1 0x0 0x02008584 {$2.dst}
(W) send.gtwy (1|M0) null r112 null:0 0x0 0x02000004 {$3}
sync.bar null
(W) dpas.8x8 (8|M0) r40:f null:f r50:hf r60:hf {$4}
(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT,$4.dst}
""",
    "12p72": """(W) send.slm (1|M0) r30 r10 null:0 0x0 0x02108500 {$2}
(W) dpas.8x8 (16|M0) r40:f null:f r50:hf r60:hf {$4}
(W) send.gtwy (8|M0) null r112 null:0 0x0 0x02000010 {EOT,$4.dst}
"""}


def assembled_seeds(out):
    """Hand-written kernels for the simulator."""
    for k, (device, platform) in enumerate(TARGETS):
        code = out / "code"
        text = out / "text"
        body = RUN.replace("I@1", "@1").replace("A@1", "@1") if k == 0 else RUN
        text.write_text(body + RUN_END[platform] + "below:\nret (8|M0) r20.0\n")
        done = subprocess.run(["iga64", "-a", f"-p={platform}", text, "-o",
                               code], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            sys.exit(f"make_seeds: {device}: {done.stderr}")
        for checks in (0, 31):
            (out / "fuzz_run" / f"{device}.asm{checks}").write_bytes(
                bytes([k, checks, 7]) + code.read_bytes())
        code.unlink()
        text.unlink()


def compiled_seeds(out):
    """Files of both containers, their code, and its text."""
    for k, (device, platform) in enumerate(TARGETS):
        with tempfile.TemporaryDirectory() as folder:
            old = compiled(device, [], folder)
        with tempfile.TemporaryDirectory() as folder:
            zebin = compiled(device, ["--format", "zebin"], folder)
        if not old or not zebin:
            continue
        for kind, data in (("old", old), ("zebin", zebin)):
            (out / "fuzz_container" / f"{device}.{kind}").write_bytes(data)
            (out / "fuzz_launch" / f"{device}.{kind}").write_bytes(b"\0" + data)
        for name, data in sections(zebin).items():
            if name == ".ze_info":
                (out / "fuzz_ze_info" / device).write_bytes(data)
                (out / "fuzz_launch" / f"{device}.info").write_bytes(b"\3" + data)
            if not name.startswith(".text."):
                continue
            seed = bytes([k]) + data
            (out / "fuzz_decode" / f"{device}{name}").write_bytes(seed)
            for checks in (0, 31):
                (out / "fuzz_run" / f"{device}{name}{checks}").write_bytes(
                    bytes([k, checks, 64 + 7]) + data)
            raw = out / "raw"
            raw.write_bytes(data)
            text = subprocess.run(["iga64", "-d", f"-p={platform}", raw],
                                  capture_output=True, check=False).stdout
            (out / "fuzz_asm" / f"{device}{name}").write_bytes(bytes([k]) +
                                                               text)
            raw.unlink()


def message(kind, body, data=b""):
    """One of the driver's socket (virtual-device.md 1)."""
    words = captures.dwords(*body)
    return captures.dwords(kind, 0, len(words)) + words + data


def written(address, data):
    return message(4, [(address >> 32) << 24, address & 0xFFFFFFFF, len(data)],
                   data)


def session(code, batch):
    """What a connection sends for one submission, and reads."""
    out = b"".join(message(2, [1, k, k << 12 | 1, 0]) for k in range(1, 9))
    out += written(0x7024, captures.dwords(0x2000, 0, 0x3001))
    out += written(0x70CC, captures.dwords(0x20000000))
    for va, page, data in ((captures.CODE, 0x100000, code),
                           (captures.BATCH, 0x101000, batch),
                           (captures.DATA, 0x102000, b"\0")):
        at = [0x20000000 + 8 * (va >> 39), 0x40000000 + 8 * (va >> 30),
              0x80000000 + 8 * (va >> 21), (1 << 32) + 8 * (va >> 12)]
        for entry, target in zip(at, at[1:] + [page]):
            out += written(entry, struct.pack("<Q", target & ~0xFFF | 3))
        out += written(page, data)
    out += written(0x2000, captures.batch_start(captures.BATCH) +
                   captures.dwords(0))
    out += written(0x701C, captures.dwords(16))
    for register, value in ((0x510, 0x6119), (0x514, 0), (0x550, 1)):
        out += message(0, [9, captures.BASE + register, value])
    return out + message(5, [0, 0x102000, 4096]) + message(0, [8, 0x2234, 0])


def captured_seeds(out):
    """Hand-made captures, batches and connections."""
    code = bytes.fromhex("31010300" "04400000" "00000000" "00000000")
    batches = (
        captures.bases() + captures.walker([2, 1, 1], bytes(8)) + captures.END,
        captures.batch_start(captures.BATCH + 4096, True) + captures.END,
        captures.dwords(0x10200003, 0x200000, 0x7F00, 1, 2,  # store
                        0x7A000004, 0x4000, 0x200000, 0x7F00, 3, 4,
                        0x11000001, 0x2600, 5, 0x0D000001, 0x08008000,
                        0x10000000, 0x0E004003, 1, 0x200000, 0x7F00, 0,
                        0x17802501, 0x200000, 0x7F00) + captures.END,
        captures.dwords(0x56C00005, 2, 0, 0, 0x200000, 0x7F00, 0xAB000000,
                        0x5110000E, 63, 1, 0x10002, 0x200000, 0x7F00,
                        *[0] * 10) + captures.END)
    for k, batch in enumerate(batches):
        (out / "fuzz_commands" / str(k)).write_bytes(b"\0" + batch)
        (out / "fuzz_tbx" / str(k)).write_bytes(session(code, batch))
        for name, device in captures.DEVICES.items():
            (out / "fuzz_aub" / f"{name}{k}").write_bytes(
                captures.capture(device, code, batch, launches=2))


# Options and a problem each; no case of the peer's suite has as many.
PROBLEMS = [
    "--dir=FWD_I --dt=u8:s8:f16 --bia-dt=s32 --stag=nChw16c --wtag=goihw "
    "--attr-scales=src:common:0.25+wei:per_oc:bf16+dst:host_scalar:1e+5 "
    "g1mb2_ic16ih9iw8_oc32oh5ow8_kh3kw1_sh2sw1_ph1pw0_dh0dw0n\"a*2\"",
    "--attr-zero-points=src:per_dim_1+wei:common:3:s8+dst:2:s32 "
    "--attr-post-ops=sum:0.5:3:s8+relu+add:f32:per_oc:axb+linear:2:1 "
    "--attr-fpmath=tf32:true --attr-acc-mode=any ic3iw9oc4kw3",
    "--strides=2592x1x288x32:x:784x49x7x1 --alg=wino --mb=3 --dtag=axb "
    "--attr-rounding-mode=dst:stochastic:7 --attr-dropout=0.5:7:any:1:true "
    "--attr-deterministic=1 mb2ic32ih9oc16kh3",
    "--attr-scales=wei:3:f32:2x32 --ctx-init=4:0:1 "
    "--attr-oscale=common:2 ic3id8ih9iw10oc4kd3kh2kw1dd1pd2",
    # What the library makes: its fields are edited, too.
    "--dt=u8:s8:u8 --dir=FWD_I --stag=axb --wtag=ABx4a8b --bia-dt=bf16 "
    "--attr-scales=wei:per_oc+dst:common:2 --attr-zero-points=src:common:3 "
    "--attr-post-ops=sum:0.5+add:f16:per_oc+swish:1 mb2ic16ih9oc32kh3ph1",
    "--dt=f4_e2m1:f16:bf16 --dtag=bax --attr-post-ops=prelu:per_oc+gt:s4:common "
    "g2mb1ic4iw9oc6kw3",
    "--dir=BWD_WB --dt=bf16 --wtag=Axb16a mb2ic8ih7oc8kh3sh2",
    "--dir=BWD_D --dt=f32 --strides=1176x147x21x3::: g4mb2ic8ih7oc8kh1",
]


def launches_seeds(out):
    """What a file says of its launches: the documentation's example, the most
    of everything, the least."""
    text = (HERE.parents[1] / "docs" / "programs.md").read_text()
    lines = text[text.index("    xekern launches 1\n"):].split("\n\n")[0]
    head = "xekern launches 1\n"
    most = [f"arg {k} b{k} buffer {k + 1} write" for k in range(61)]
    most += ["arg 61 x f32", "arg 62 y s32", "arg 63 z s64",
             "block 8192 align 512"]
    most += [f"scratch 512 at {k * 512}" for k in range(16)]
    for k in range(64):
        most.append(f"launch kernel_{k} groups {k + 1} 2 4294967295 local 32 1 1")
        most += [f"bind b{k} arg {k}" + f" at {k}" * (k % 2), f"bind t scratch {k % 16}" + f" at {k}" * (k % 2),
                 "bind c constant 4 4294967295",
                 f"bind d constant 8 {2 ** 64 - 1}"]
    texts = [
        lines.replace("    ", "") + "\n",
        head + "\n".join(most) + "\n",
        head + "launch k groups 1 1 1 local 1 1 1\n",
        head + "arg 3 dst buffer 64 write\narg 9 alpha f32\n"
        "block 128 align 128\nscratch 128 at 0\n"
        "launch a groups 1 1 1 local 16 1 1\nbind t scratch 0\n"
        "bind alpha arg 9\nlaunch b groups 2 1 1 local 16 1 1\n"
        "bind t scratch 0\nbind dst arg 3\n"]
    for k, seed in enumerate(texts):
        (out / "fuzz_launches" / str(k)).write_text(seed)


FORMULAS = [
    "A: f16[64,32]; B: f16[32,16]; C[m,n] += A[m,k] * B[k,n]",
    "I: f16[2,16,9,9] acdb; W: f16[16,16,3,3]; O: f16[2,16,9,9] acdb;\n"
    "O[n,o,h,w] += I[n,c,h+r-1,w+s-1] * W[o,c,r,s]",
    "A: s8[8,5,64]; B: s8[8,64,20]; C: s32; C[b,m,n] += A[b,m,k] * B[b,k,n]",
    "x=20; A: f32[24] fill 2; W: f32[3,16]; O[x,n] += A[x+k in 3..17] * W[k,n]",
    "A: f16[40,32]; B: f16[32,16]; C[m,n] += A[m,k | m-k in 0..9] * B[k,n]",
    "t = {2,1}@0; p=8; D: f32[8,16]; W: f32[3,16,8]; S: f32[16,8]; "
    "S[2*p+{0,1}@0,c] += D[p-t+{1,1}@0,o] * W[2*t+{0,1}@0,o,c]",
    "A: f32[6,9]; B: f32[9,7]; S: f32[6,7] aB16b; S[m,n] += A[m,k] * B[k,n]\0"
    "S: f32[6,7] aB16b; D: f32[7,16]; T[m,n] += S[m,k] * D[k,n]",
]


def main():
    out = Path(sys.argv[1])
    launches_seeds(out)
    for k, text in enumerate(FORMULAS):
        (out / "fuzz_formula" / str(k)).write_text(text)
    for k, text in enumerate(PROBLEMS):
        (out / "fuzz_problem" / str(k)).write_text(text)
    captured_seeds(out)
    for k in range(3):
        (out / "fuzz_asm" / f"text{k}").write_bytes(bytes([k]) + TEXT.encode())
    (out / "fuzz_ze_info" / "text").write_text(ZE_INFO)
    (out / "fuzz_launch" / "text").write_text("\3" + ZE_INFO)
    (out / "fuzz_run" / "zero").write_bytes(bytes(19))
    if shutil.which("iga64"):
        assembled_seeds(out)
    (out / "fuzz_decode" / "zero").write_bytes(bytes(33))
    if shutil.which("ocloc") and shutil.which("iga64"):
        compiled_seeds(out)


if __name__ == "__main__":
    main()
