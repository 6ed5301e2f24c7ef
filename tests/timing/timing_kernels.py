# SPDX-License-Identifier: Apache-2.0
"""Microbenchmarks of the timing table: assembler text whose cycles are known
from documents, and OpenCL kernels of which a published figure exists."""
import re

# What a kernel of each platform ends with.
END = {
    "xelp": "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}\n",
    "xehpg": "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n",
    "xehpc": "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}\n",
}

RATE = "peak rates, isa.md 13.2"
SPEC = "product data sheet: matrix engine"
VISA = "vISA LatencyTable"
BANKS = "oneDNN, plan.cpp: 32 banks of 8 bytes"

# name, machine, line (%u: registers from, step; %t: a token of eight), threads a core (0: all),
# cycles a line, where they are from. Cycles are of an XVE if all of its threads
# run, of the thread if there is one.
LINES = [
    ("mad f32", "iris-xe", "mad (8|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r7.0<1>:f", (20, 1), 0, 1, RATE),
    ("mad f32, accumulator", "a770", "mad (16|M0) r%u.0<1>:f acc0.0<1;0>:f r4.0<1;0>:f r8.0<1>:f", (20, 2), 0, 2, RATE),
    ("mad f32", "max1550", "mad (16|M0) r%u.0<1>:f r2.0<1;0>:f r4.0<1;0>:f r7.0<1>:f", (20, 1), 0, 1, RATE),
    ("mad f16", "iris-xe", "mad (16|M0) r%u.0<1>:hf r2.0<1;0>:hf r4.0<1;0>:hf r7.0<1>:hf", (20, 1), 0, 1, RATE),
    ("mad f16, scalar source", "a770", "mad (16|M0) r%u.0<1>:hf r2.0<0;0>:hf r4.0<1;0>:hf r8.0<1>:hf", (20, 1), 0, 1, RATE),
    ("mad f16", "max1550", "mad (32|M0) r%u.0<1>:hf r2.0<1;0>:hf r4.0<1;0>:hf r7.0<1>:hf", (20, 1), 0, 1, RATE),
    ("dp4a", "iris-xe", "dp4a (8|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r7.0<1>:d", (20, 1), 0, 1, RATE),
    ("dp4a", "a770", "dp4a (8|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r8.0<1>:d", (20, 1), 0, 1, RATE),
    ("dp4a", "max1550", "dp4a (16|M0) r%u.0<1>:d r2.0<1;0>:d r4.0<1;0>:d r7.0<1>:d", (20, 1), 0, 1, RATE),
    ("math.inv", "iris-xe", "math.inv (8|M0) r%u.0<1>:f r2.0<1;1,0>:f", (20, 1), 0, 4, VISA),
    ("math.inv", "a770", "math.inv (8|M0) r%u.0<1>:f r2.0<1;1,0>:f", (20, 1), 0, 4, VISA),
    ("math.inv", "max1550", "math.inv (16|M0) r%u.0<1>:f r2.0<1;1,0>:f", (20, 1), 0, 4, VISA),
    ("chain add f32 SIMD8", "a770", "add (8|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}", None, 1, 10, VISA),
    ("chain add f32 SIMD16", "a770", "add (16|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}", None, 1, 11, VISA),
    ("chain add f32 SIMD32", "a770", "add (32|M0) r20.0<1>:f r20.0<1;1,0>:f 1.0:f {F@1}", None, 1, 13, VISA),
    ("chain add int", "a770", "add (8|M0) r20.0<1>:d r20.0<1;1,0>:d 1:d {I@1}", None, 1, 10, VISA),
    ("chain math SIMD16", "max1550", "math.inv (16|M0) r20.0<1>:f r20.0<1;1,0>:f {M@1}", None, 1, 17, VISA),
]
for _n, _f16 in ((1, 2), (2, 4), (4, 8), (8, 16)):
    LINES += [
        (f"dpas 8x{_n} f16", "a770", f"(W) dpas.8x{_n} (8|M0) r%u:f r%u:f r2:hf r10.0:hf", (20, 8), 0, _f16, SPEC),
        (f"dpas 8x{_n} int8", "a770", f"(W) dpas.8x{_n} (8|M0) r%u:d r%u:d r2:b r10.0:b", (20, 8), 0, _f16, SPEC),
        (f"dpas 8x{_n} f16", "max1550", f"(W) dpas.8x{_n} (16|M0) r%u:f r%u:f r2:hf r10.0:hf", (20, 8), 0, _f16 / 2, SPEC),
        (f"dpas 8x{_n} int8", "max1550", f"(W) dpas.8x{_n} (16|M0) r%u:d r%u:d r2:b r10.0:b", (20, 8), 0, _f16 / 2, SPEC),
    ]
# A token that is set again waits for its last use.
for _n, _dg2, _pvc in ((1, 21, 21), (2, 22, 22), (8, 32, 28)):
    LINES += [
        (f"chain dpas 8x{_n}", "a770", f"(W) dpas.8x{_n} (8|M0) r20:f r20:f r2:hf r10.0:hf {{$1}}", None, 1, _dg2, VISA),
        (f"chain dpas 8x{_n}", "max1550", f"(W) dpas.8x{_n} (16|M0) r20:f r20:f r2:hf r10.0:hf {{$1}}", None, 1, _pvc, VISA),
    ]
LINES += [
    ("SLM load, chain", "a770", "(W) send.slm (16|M0) r30 r12 null:0 0x0 0x04200500 {$1}", None, 1, 29, VISA),
    ("barrier, 8 threads", "a770", "(W) send.gtwy (8|M0) null r3 null:0 0x0 0x02000004\n"
     "sync.bar null", None, 8, 39, VISA + ": 30, payload 9"),
]
# Offsets of 16 lanes at so many bytes: as many meet in one bank.
for _stride, _degree in ((4, 1), (32, 2), (64, 4), (128, 8), (256, 16)):
    LINES.append((f"SLM, {_degree} lanes of a bank", "a770",
                  f"@{_stride} (W) send.slm (16|M0) r%u r12 null:0 0x0 0x04200500 {{$%t}}",
                  (20, 2), -1, _degree, BANKS))

# Lane numbers times the stride in r12; a barrier's payload in r3.
HEAD = """(W) mov (8|M0) r10.0<1>:uw 0x76543210:v
(W) add (8|M0) r10.8<1>:uw r10.0<1;1,0>:uw 8:uw {I@1}
(W) mul (16|M0) r12.0<1>:ud r10.0<1;1,0>:uw STRIDE:uw {I@1}
(W) mov (8|M0) r3.0<1>:ud 0x0:ud
(W) mov (1|M0) r3.2<1>:ud 0x08080000:ud {I@1}
(W) sync.allwr null {A@1}
"""


def text(platform, line, registers, n):
    """A kernel with the line n times."""
    stride = re.match(r"@(\d+) ", line)
    line = re.sub(r"^@\d+ ", "", line)
    out = HEAD.replace("STRIDE", stride[1] if stride else "4")
    if platform == "xelp":
        out = ""
    for k in range(n):
        r = registers[0] + registers[1] * k % 64 if registers else 0
        out += line.replace("%u", str(r)).replace("%t", str(k % 8)) + "\n"
    return out + END[platform]


# ---- OpenCL ----
# The arithmetic of vkpeak (two chains c = a c + b), own text.
CHAINS = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define STEP c0 = a * c0 + b; c1 = a * c1 + b;
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
#define CHAINS(name, T, V, sum, plus_a, plus_b) \\
kernel void name(global T *out, int loop) { \\
    V c0 = (V)(T)get_global_id(0), c1 = (V)(T)get_local_id(0); \\
    V a = c0 + plus_a, b = c1 + plus_b; \\
    for (int i = 0; i < loop; i++) { STEPS } \\
    c0 += c1; \\
    out[get_global_id(0)] = sum; \\
}
#define ALL(name, T) \\
CHAINS(name##_scalar, T, T, c0, 0, 0) \\
CHAINS(name##_vec4, T, T##4, c0.x + c0.y + c0.z + c0.w, \\
       (T##4)(0, 1, 2, -3), (T##4)(2, 3, 5, -7))
ALL(f32, float) ALL(f16, half) ALL(i32, int) ALL(i16, short)
"""

# The shapes of clpeak#202's probe, own text: one chain.
PROBE = """
#define STEPS(s) s s s s s s s s s s s s s s s s
#define SHAPE(name, step, a_of) \\
kernel void name(global float *out, float given, int loop) { \\
    float x = get_local_id(0), a = a_of, b = x + 3; \\
    for (int i = 0; i < loop; i++) { STEPS(step) } \\
    out[get_global_id(0)] = x; \\
}
SHAPE(probe_square, x = x * x + b;, given)
SHAPE(probe_chain, x = a * x + b;, given + get_global_id(0))
SHAPE(probe_uniform, x = a * x + b;, given)
"""

# The shapes of OpenCL-Benchmark's kernels, own text: a chain x = y x + y; y = x y + x,
# and a float of each of 16 rows read or written, by rows or by columns.
PAIRS = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define PAIRS(name, V, loop, x0, y0, mad, sum) \\
kernel void pairs_##name(global float *out) { \\
    const uint u = get_global_id(0), v = get_local_id(0); \\
    V x = x0, y = y0; \\
    for (int i = 0; i < loop; i++) { x = mad(y, x, y); y = mad(x, y, x); } \\
    out[u] = sum; \\
}
#define MULTIPLY(a, b, c) ((a) * (b) + (c))
#define DP4A(a, b, c) as_char4(as_int(c) + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w)
PAIRS(f64, double, 128, u, v, fma, y)
PAIRS(f32, float, 512, u, v, fma, y)
PAIRS(f16, half2, 512, (half2)((float)u, (float)v), (half2)((float)v, (float)u), MULTIPLY,
      (float)y.x + (float)y.y)
PAIRS(i64, long, 8, u, v, MULTIPLY, as_float((int)y))
PAIRS(i32, int, 512, u, v, MULTIPLY, as_float(y))
PAIRS(i16, short2, 128, as_short2(u), as_short2(v), MULTIPLY, as_float(y))
PAIRS(i8, char4, 64, as_char4(u), as_char4(v), DP4A, as_float(y))
#define ROWS 16
#define AT_ROWS (i * get_global_size(0) + n)
#define AT_COLUMNS (n * ROWS + i)
#define MEMORY(name, at) \\
kernel void write_##name(global float *data) { \\
    const uint n = get_global_id(0); \\
    for (uint i = 0; i < ROWS; i++) data[at] = as_float(n); \\
} \\
kernel void read_##name(global float *data) { \\
    const uint n = get_global_id(0); \\
    float x = 0; \\
    for (uint i = 0; i < ROWS; i++) x += data[at]; \\
    data[n] = x; \\
}
MEMORY(coalesced, AT_ROWS) MEMORY(misaligned, AT_COLUMNS)
"""

CLPEAK = "clpeak#99"
VKPEAK = "vkpeak#7"
PROBED = "clpeak#202"

# kernel, kind of figure, vector width, published, source, why it is missed.
# Figures in GFLOPS, GIOPS, GB/s, of an Arc A770 at 2400 MHz.
PUBLISHED = [("compute_sp_v%d" % v, "flops", v, f, CLPEAK, "")
             for v, f in ((1, 13018.01), (2, 11137.58), (4, 10403.04),
                          (8, 10026.99), (16, 9701.60))]
PUBLISHED += [("compute_hp_v%d" % v, "flops", v, f, CLPEAK, "")
              for v, f in ((1, 19552.90), (2, 19493.52), (4, 19526.21),
                           (8, 19459.81), (16, 19340.77))]
PUBLISHED += [("compute_integer_v%d" % v, "iops", v, f, CLPEAK, "")
              for v, f in ((1, 4765.67), (2, 4773.43), (4, 4789.65),
                           (8, 4644.51), (16, 5455.67))]
PUBLISHED += [("global_bandwidth_v%d" % v, "bytes", v, f, CLPEAK, "")
              for v, f in ((1, 397.92), (2, 403.43), (4, 407.01),
                           (8, 417.52), (16, 421.01))]
# Another compiler made these: of the same arithmetic, no promise.
OTHER = "Vulkan's compiler chose other registers and widths"
UNLIKE = [("f32_scalar", "flops", 1, 19196.22), ("f32_vec4", "flops", 4, 14152.80),
          ("f16_scalar", "flops", 1, 21674.14), ("f16_vec4", "flops", 4, 25906.79),
          ("i32_scalar", "iops", 1, 4715.93), ("i32_vec4", "iops", 4, 4864.83),
          ("i16_scalar", "iops", 1, 9187.25), ("i16_vec4", "iops", 4, 9653.79)]
PUBLISHED += [(k, kind, v, f, VKPEAK, OTHER) for k, kind, v, f in UNLIKE]
REPORTED_MHZ = 2400
# Measured on an Arc A380 (same XVE, compiler of 2026): a lane's multiply-adds a
# cycle, here as those of an A770.
A770_PEAK = 512 * 8 * 2 * REPORTED_MHZ / 1e3
PUBLISHED += [(k, "flops", 1, rate * A770_PEAK, PROBED, "")
              for k, rate in (("probe_square", 0.496), ("probe_chain", 0.984),
                              ("probe_uniform", 0.981))]

# int16 in clpeak's report is above the other widths of the same pipe.
OUTLIER = {"compute_integer_v16": "above the report's other widths",
           "probe_chain": "a run of another length, start and end count here",
           "probe_square": "the same", "probe_uniform": "the same"}

# Matrix products by oneDNN as Debian has it, in TFLOPS: machine, platform, type,
# n, published, source, nominal clock over the actual one, why it is missed. The model
# lowers the clock for the systolic array alone. f32's on a770 is what oneDNN's GEMM
# catalog says of its best f32 kernel (NN, 16x16, group 8x4):
# Fr0 + Fr1 n^3 = 1.132 + 2.48e-12 n^3, at most Fp = 1.327.
TORCH = "torch-performance-test-data#182"
PRODUCTS = [("a770", "xehpg", "f32", 1024, 13.9, TORCH, 1.135,
             "theirs has some 34 us of host time in it"),
            ("a770", "xehpg", "f32", 2048, 15.1, TORCH, 1.154, ""),
            ("max1550", "xehpc", "f16", 2048, 247.0, "ALCF", 1,
             "oneDNN 2.6.3 has a slow kernel for Max"),
            ("max1550", "xehpc", "f32", 2048, 21.0, "ALCF", 1, "the same")]

# Tiles n x m of 32 threads with 256 registers, two groups of which fit on a
# core: the rate with one group a core over that with two, by the coefficients Ep
# of oneDNN's GEMM catalog (xehpg). Theirs of f16 go through shared local memory with
# a barrier a step; ours of these tiles do not. f32 loads directly in both.
NO_COPIES = "ours has no copies through SLM and no barriers"
OVERLAP = "two threads of an XVE overlap more than on hardware (docs/timing.md)"
RESIDENCY = [("f16", "dpasw k=16", 32, 32, 0.50, NO_COPIES),
             ("f16", "dpasw k=16", 64, 16, 0.47, NO_COPIES),
             ("f16", "dpasw k=16", 16, 48, 0.54, NO_COPIES),
             ("f16", "dpasw k=16", 32, 24, 0.52, NO_COPIES),
             ("f16", "dpasw k=16", 16, 32, 0.49, NO_COPIES),
             ("f32", "mad", 32, 32, 0.87, OVERLAP)]
HALF = 0.1  # that far

# A Max 1100, which has as many XVEs as a stack of Max 1550, and such a stack: TFLOPS or
# TIOPS.
MAX_SOURCE, ALCF = "OpenCL-Benchmark", "ALCF's chains on a stack, 12 Jan 2026"
POWER = "power or rate, nobody has said which"
# kernel, operations of a work item, clock of the report, published, source, why missed
MAX_PAIRS = [("f64", 512, 1550, 15.929, MAX_SOURCE, POWER),
             ("f64", 512, 1500, 11, ALCF, POWER),
             ("f32", 2048, 1550, 21.934, MAX_SOURCE, ""),
             ("f32", 2048, 1500, 21, ALCF, ""),
             ("f16", 4096, 1550, 41.497, MAX_SOURCE, "six waves of groups, theirs are hundreds"),
             ("i64", 32, 1550, 1.083, MAX_SOURCE, ""),
             ("i32", 2048, 1550, 7.043, MAX_SOURCE, "ocloc multiplies by mul, mach and add"),
             ("i16", 1024, 1550, 60.469, MAX_SOURCE, "theirs is above the rate of f16"),
             ("i8", 1024, 1550, 41.642, MAX_SOURCE, "half the rate of dp4a that the guide has")]
# The same, GB/s of 1228.8 on the data sheet; of so many MB: as theirs where L2 keeps a part.
MAX_MEMORY = [("read_coalesced", 64, 737.51, ""), ("write_coalesced", 1024, 907.84, ""),
              ("read_misaligned", 64, 716.65, ""),
              ("write_misaligned", 1024, 329.80, "L2 puts parts of a line together here")]

# Matrix products of unknown kernels, as lower bounds for our best one; the
# problem is a 1x1 convolution that is that product.
GEMM = 'mb%dic1024ih14oc1024oh14kh1ph0n"gemm"'
# machine, type, minibatch, TFLOPS, source
BOUNDS = [("a770", "xehpg", "f16", 64, 80.36, "torch, torch-performance-test-data#182"),
          ("a770", "xehpg", "f32", 16, 14.98, "torch, torch-performance-test-data#182")]


def clpeak_text(path):
    """clpeak's kernels: the printable strings of its program that have some."""
    strings = re.findall(rb"[\t\n\r\x20-\x7e]{200,}", path.read_bytes())
    return "\n".join(s.decode() for s in strings if b"__kernel" in s)
