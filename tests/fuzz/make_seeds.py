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


def compiled_seeds(out):
    """Files of both containers, their code, and its text."""
    for k, (device, platform) in enumerate(TARGETS):
        with tempfile.TemporaryDirectory() as folder:
            old = compiled(device, [], folder)
        with tempfile.TemporaryDirectory() as folder:
            zebin = compiled(device, ["--format", "zebin"], folder)
        if not old or not zebin:
            continue
        (out / "fuzz_container" / f"{device}.old").write_bytes(old)
        (out / "fuzz_container" / f"{device}.zebin").write_bytes(zebin)
        for name, data in sections(zebin).items():
            if name == ".ze_info":
                (out / "fuzz_ze_info" / device).write_bytes(data)
            if not name.startswith(".text."):
                continue
            seed = bytes([k]) + data
            (out / "fuzz_decode" / f"{device}{name}").write_bytes(seed)
            raw = out / "raw"
            raw.write_bytes(data)
            text = subprocess.run(["iga64", "-d", f"-p={platform}", raw],
                                  capture_output=True, check=False).stdout
            (out / "fuzz_asm" / f"{device}{name}").write_bytes(bytes([k]) +
                                                               text)
            raw.unlink()


def captured_seeds(out):
    """Hand-made captures and batches."""
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
        for name, device in captures.DEVICES.items():
            (out / "fuzz_aub" / f"{name}{k}").write_bytes(
                captures.capture(device, code, batch, launches=2))


def main():
    out = Path(sys.argv[1])
    captured_seeds(out)
    for k in range(3):
        (out / "fuzz_asm" / f"text{k}").write_bytes(bytes([k]) + TEXT.encode())
    (out / "fuzz_ze_info" / "text").write_text(ZE_INFO)
    (out / "fuzz_decode" / "zero").write_bytes(bytes(33))
    if shutil.which("ocloc") and shutil.which("iga64"):
        compiled_seeds(out)


if __name__ == "__main__":
    main()
