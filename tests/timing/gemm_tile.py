# SPDX-License-Identifier: Apache-2.0
"""What a kernel of the GEMM catalog is: its tile, group and step."""
from dataclasses import dataclass

ROW_B = 32  # of K, that a dpas takes of a row
FORMATS = {"f16": ("f", "hf"), "bf16": ("f", "bf"), "s8": ("d", "b")}  # of C; A and B


@dataclass(frozen=True)
class Tile:
    """rows x columns of a thread; threads along M, N, K; k of a step; of a prefetch
    ahead, or buffers; registers. """
    rows: int
    columns: int
    threads: tuple
    step: int
    more: int
    grf: int = 256
    dtype: str = "f16"

    @property
    def elem_b(self):
        return 1 if self.dtype == "s8" else 2

    @property
    def unit(self):
        """K of a dpas."""
        return ROW_B // self.elem_b

    def group(self):
        return self.rows * self.threads[0], self.columns * self.threads[1]


class Lines:
    """Assembler, a line an instruction, in `out`."""

    def __init__(self):
        self.out = []

    def put(self, line):
        self.out.append(line + "\n")

    def scalar(self, op, dst, *src, dtype="ud"):
        self.put(f"(W) {op} (1|M0) {dst}<1>:{dtype} " + " ".join(src) + " {A@1}")

    @staticmethod
    def at(reg, i):
        return f"r{reg}.{i}<0;1,0>:ud"
