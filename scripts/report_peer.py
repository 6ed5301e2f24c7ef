# SPDX-License-Identifier: Apache-2.0
"""Static figures of the kernels that oneDNN's GPU generator makes for ResNet-50
at mb=16 on DG2: data for report.py. Measured once without a GPU, by asking
oneDNN for its kernels' binaries and counting in their disassembly. Versions:
v3.3.6 (release build), and main at 3f27bec2 for the loop of those kernels that
v3.3.6 was not counted for. Creation times are v3.3.6's medians of 11 creations
on an idle machine like ours, primitive cache off; whole primitive, one or more
kernels."""

SOURCE = "oneDNN v3.3.6, jit:ir, dg2; * loop of main at 3f27bec2"

# (type, layout, layer): instructions, bytes, instructions and multiply-adds of
# the loop that multiplies, syncs of the loop, registers that are touched,
# register mode, creation in ms. Syncs None: counted for the kernel, not the
# loop. A fully unrolled kernel counts whole.
KERNELS = {
    ("f16", "any", "conv1"): (666, 10656, (198, 8, None, "*"), 153, 256, 15.18),
    ("f16", "any", "res2a_branch1"):
        (823, 13168, (823, 64, 40, ""), 230, 256, 8.22),
    ("f16", "any", "res2a_branch2b"):
        (2062, 32992, (2062, 288, 252, ""), 151, 256, 16.51),
    ("f16", "any", "res3a_branch2b"):
        (3372, 53952, (1336, 288, 181, ""), 232, 256, 22.48),
    ("f16", "any", "res4a_branch1"):
        (1127, 18032, (271, 64, None, "*"), 227, 256, 10.12),
    ("f16", "any", "res4a_branch2b"):
        (3615, 57840, (1588, 288, 217, ""), 149, 256, 19.98),
    ("f16", "any", "res5a_branch2b"):
        (2011, 32176, (741, 144, None, "*"), 149, 256, 16.06),
    ("f16", "nhwc", "res4a_branch2b"):
        (15605, 249680, (15605, 9216, 939, " (8x1)"), 206, 256, 138.71),
    ("f16", "nhwc", "res4a_branch2c"):
        (2087, 33392, (2087, 1024, 92, " (8x1)"), 195, 256, 23.51),
    ("u8s8", "any", "conv1"):
        (808, 12928, (190, 8, None, "*"), 167, 256, 18.67),
    ("u8s8", "any", "res2a_branch1"):
        (894, 14304, (894, 32, 23, ""), 231, 256, 7.33),
    ("u8s8", "any", "res2a_branch2b"):
        (1354, 21664, (1354, 144, 129, ""), 151, 256, 10.89),
    ("u8s8", "any", "res4a_branch2b"):
        (2070, 33120, (570, 144, 99, ""), 240, 256, 16.82),
    ("f32", "any", "conv1"):
        (485, 7760, (185, 96, None, "*"), 119, 128, 7.26),
    ("f32", "any", "res4a_branch2b"):
        (861, 13776, (315, 266, 5, ""), 105, 128, 10.01),
}
