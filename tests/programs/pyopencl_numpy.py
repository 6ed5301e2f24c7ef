# SPDX-License-Identifier: Apache-2.0
"""pyopencl's scan, reduction, compaction, radix sort and math functions against
numpy's, on the device that OpenCL offers first."""
import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.clmath
from pyopencl.algorithm import RadixSort, copy_if
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel


def main():
    """Each result is compared."""
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    rng = np.random.default_rng(1)
    x = rng.integers(0, 1000, 3000).astype(np.int32)
    d = pyopencl.array.to_device(queue, x)

    scan = GenericScanKernel(
        context, np.int32, arguments="__global int *a", input_expr="a[i]",
        scan_expr="a+b", neutral="0", output_statement="a[i] = item;")
    e = d.copy()
    scan(e)
    assert (e.get() == np.cumsum(x)).all()

    dot = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b",
                          map_expr="x[i]*x[i]", arguments="__global int *x")
    assert dot(d).get() == (x * x).sum(dtype=np.int32)

    kept, n, _ = copy_if(d, "ary[i] > 500")
    assert (kept.get()[:int(n.get())] == x[x > 500]).all()

    sort = RadixSort(context, "int *a", key_expr="a[i]", sort_arg_names=["a"])
    (y,), _ = sort(d, key_bits=16)
    assert (y.get() == np.sort(x)).all()

    f = pyopencl.array.to_device(queue, rng.random(1000).astype(np.float32))
    sines = pyopencl.clmath.sin(f).get()
    assert abs(sines - np.sin(f.get())).max() < 1e-6
    print("all right")


main()
