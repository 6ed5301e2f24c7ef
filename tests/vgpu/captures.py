# SPDX-License-Identifier: Apache-2.0
"""AUB captures made by hand from virtual-device.md 2, 4, 5 and 9: one engine, one
context, one batch with one compute walker. For tests where there is no driver."""
import struct

RING, LRCA, ROOT = 0x2000, 0x6000, 0x20000000
BASE = 0x2000  # the render engine's registers
HEAP = 0x800100000000
CODE = HEAP + 0x1000
BATCH, DATA = 0x7F0000100000, 0x7F0000200000
SYSTEM, GGTT, PT, PDP, PD, PML4 = 2, 4, 6, 8, 9, 10
DEVICES = {"xelp": 0x16, "xehpg": 0x24, "xehpc": 0x27}


def packet(sub, words, data=b""):
    """One packet of the memory trace kind."""
    body = struct.pack(f"<{len(words)}I", *words) + data + bytes(-len(data) % 4)
    return struct.pack("<I", 7 << 29 | 0x2E << 23 | sub << 16 |
                       len(body) // 4) + body


def version(device):
    """The first packet."""
    return packet(0x0E, [0, 0x10040000 | device << 8, 0, 0, 0])


def register(offset, value):
    """A register write."""
    return packet(0x03, [offset, 0, 0xFFFFFFFF, 0, value])


def memory(space, address, data):
    """Bytes at a physical address."""
    return packet(0x06, [address & 0xFFFFFFFF, address >> 32, space << 28,
                         len(data)], data)


def dwords(*values):
    """Little endian."""
    return struct.pack(f"<{len(values)}I", *values)


def mapped(va, page):
    """The entries that map va to a physical page, one for each level."""
    tables = [(PML4, ROOT, 39), (PDP, 0x40000000, 30), (PD, 0x80000000, 21),
              (PT, 0x100000000, 12)]
    out = b""
    for k, (space, base, shift) in enumerate(tables):
        if k < 3:
            _, lower, bits = tables[k + 1]
            entry = (lower + 8 * (va >> bits)) & ~0xFFF | 3
        else:
            entry = page | 3
        out += memory(space, base + 8 * (va >> shift), struct.pack("<Q", entry))
    return out


def walker(groups, inline, start=CODE - HEAP, simd=1, first=(0, 0, 0)):
    """COMPUTE_WALKER with inline data; simd: 0 is 8, 1 is 16, 2 is 32 lanes. The
    groups are those from `first` on, below `groups`."""
    dw = [0] * 39
    dw[0] = 0x72080025
    dw[4] = simd << 30 | 1 << 25
    dw[5] = 1
    dw[7:10] = groups
    dw[10:13] = first
    dw[18] = start
    dw[23] = 1
    return dwords(*dw[:31]) + inline.ljust(32, b"\0")


def bases(general=HEAP):
    """STATE_BASE_ADDRESS with general, surface and instruction base."""
    dw = [0] * 22
    dw[0] = 0x61010014
    for k in (1, 4, 10):
        dw[k], dw[k + 1] = general & 0xFFFFFFFF | 1, general >> 32
    return dwords(*dw)


def batch_start(va, second=False):
    """MI_BATCH_BUFFER_START."""
    return dwords(0x18800101 | second << 22, va & 0xFFFFFFFF, va >> 32)


END = dwords(0x05000000)


def context():
    """The global table, and the context image."""
    out = b"".join(memory(GGTT, 8 * k, struct.pack("<Q", k << 12 | 1))
                   for k in range(1, 9))
    for offset, value in ((0x1024, RING), (0x102C, 1), (0x10C4, 0),
                          (0x10CC, ROOT)):
        out += memory(SYSTEM, LRCA + offset, dwords(value))
    return out


def submit(tail):
    """The ring's new tail, and the doorbell."""
    return (memory(SYSTEM, LRCA + 0x101C, dwords(tail)) +
            register(BASE + 0x510, LRCA | 0x119) + register(BASE + 0x514, 0) +
            register(BASE + 0x550, 1))


def capture(device, code, batch, launches=1):
    """A whole capture: code at CODE, batch at BATCH, an empty page at DATA."""
    out = version(device) + context()
    for va, page, data in ((CODE, 0x100000, code), (BATCH, 0x101000, batch),
                           (DATA, 0x102000, b"\0")):
        out += mapped(va, page) + memory(SYSTEM, page, data)
    for k in range(launches):
        out += memory(SYSTEM, RING + 16 * k, batch_start(BATCH) + dwords(0))
        out += submit(16 * (k + 1))
    return out


def one_launch(device, code, groups=(1, 1, 1), launches=1):
    """Groups of one thread, each with the address of DATA as inline data."""
    batch = bases() + walker(list(groups), struct.pack("<Q", DATA)) + END
    return capture(device, code, batch, launches)
