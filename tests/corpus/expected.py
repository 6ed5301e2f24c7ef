# SPDX-License-Identifier: Apache-2.0
"""What kernels that only Intel's compiler takes must leave in memory, computed
in Python from their inputs: a function per kernel, named as the kernel, of
(kernel, args, row), giving all buffers in the order of the arguments."""


def find(name):
    """The function for a kernel, or None."""
    return globals().get("k_" + name)
