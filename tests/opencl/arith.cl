/* SPDX-License-Identifier: Apache-2.0 */
/* Integer arithmetic that compilers expand in many ways. */
// @variant native: -igc_opts 'VISAOptions=-nocompaction'
// @ saxpy io:float:1 in:float:1 val:float:2.5 val:int:n ulp=1
kernel void saxpy(global float *y, global const float *x, float a, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = fma(a, x[i], y[i]);
}

// @ divmod out:int:1 out:int:1 out:uint:1 out:uint:1
//   in:int:1:1..1000000 in:int:1:1..5000
kernel void divmod(global int *q, global int *r, global uint *uq,
                   global uint *ur, global const int *a, global const int *b)
{
    const int i = get_global_id(0);
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
    uq[i] = (uint)a[i] / (uint)b[i];
    ur[i] = (uint)a[i] % (uint)b[i];
}

// @ divconst out:int:6 in:int:1
kernel void divconst(global int *out, global const int *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = a[i] / 7;
    out[6 * i + 1] = a[i] % 10;
    out[6 * i + 2] = (int)((uint)a[i] / 641u);
    out[6 * i + 3] = a[i] / -3;
    out[6 * i + 4] = a[i] / 16;
    out[6 * i + 5] = (int)((uint)a[i] % 1000003u);
}

// @ products out:int:6 in:int:1 in:int:1:-30000..30000
kernel void products(global int *out, global const int *a, global const int *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = a[i] * b[i];
    out[6 * i + 1] = mul_hi(a[i], b[i]);
    out[6 * i + 2] = (int)mul_hi((uint)a[i], (uint)b[i]);
    out[6 * i + 3] = mad24(a[i] >> 9, b[i] >> 9, a[i]);
    out[6 * i + 4] = (short)a[i] * (short)b[i];
    out[6 * i + 5] = a[i] * 1000003 + b[i];
}

// @ shifts out:int:6 in:int:1 in:int:1
kernel void shifts(global int *out, global const int *a, global const int *b)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = a[i] << (b[i] & 31);
    out[6 * i + 1] = a[i] >> (b[i] & 31);
    out[6 * i + 2] = (int)((uint)a[i] >> (b[i] & 31));
    out[6 * i + 3] = rotate(a[i], b[i]);
    out[6 * i + 4] = (a[i] & b[i]) ^ (~a[i] | 0x0f0f);
    out[6 * i + 5] = (short)(a[i] << 3) >> 5;
}

// @ wide out:ulong:8 in:ulong:1 in:ulong:1
kernel void wide(global ulong *out, global const ulong *a,
                 global const ulong *b)
{
    const int i = get_global_id(0);
    out[8 * i + 0] = a[i] + b[i];
    out[8 * i + 1] = a[i] - b[i];
    out[8 * i + 2] = a[i] * b[i];
    out[8 * i + 3] = a[i] << (b[i] & 63);
    out[8 * i + 4] = a[i] >> (b[i] & 63);
    out[8 * i + 5] = (ulong)((long)a[i] >> (b[i] & 63));
    out[8 * i + 6] = a[i] < b[i] ? a[i] : b[i];
    out[8 * i + 7] = (ulong)((long)a[i] > (long)b[i]);
}

// @ bits out:uint:6 in:uint:1
kernel void bits(global uint *out, global const uint *a)
{
    const int i = get_global_id(0);
    out[6 * i + 0] = popcount(a[i]);
    out[6 * i + 1] = clz(a[i]);
    out[6 * i + 2] = a[i] ? 31 - clz(a[i] & -a[i]) : 32;
    out[6 * i + 3] = (a[i] >> 5) & 0x7ff;
    out[6 * i + 4] = abs((int)a[i]);
    out[6 * i + 5] = add_sat((int)a[i], 0x40000000);
}
